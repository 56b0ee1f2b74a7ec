//go:build kubernetes1.32 || kubernetes1.33

package framework

import (
	v1 "k8s.io/api/core/v1"
	upstream "k8s.io/kubernetes/pkg/scheduler/framework"
)

// The types that plugins use.
type (
	BindPlugin           = upstream.BindPlugin
	ClusterEvent         = upstream.ClusterEvent
	ClusterEventWithHint = upstream.ClusterEventWithHint
	Code                 = upstream.Code
	CycleState           = *upstream.CycleState
	EnqueueExtensions    = upstream.EnqueueExtensions
	FilterPlugin         = upstream.FilterPlugin
	Handle               = upstream.Handle
	NodeInfo             = *upstream.NodeInfo
	NodeScoreList        = upstream.NodeScoreList
	NodeToStatusReader   = upstream.NodeToStatusReader
	PermitPlugin         = upstream.PermitPlugin
	Plugin               = upstream.Plugin
	PodInfo              = *upstream.PodInfo
	PostBindPlugin       = upstream.PostBindPlugin
	PostFilterPlugin     = upstream.PostFilterPlugin
	PostFilterResult     = upstream.PostFilterResult
	PreBindPlugin        = upstream.PreBindPlugin
	PreEnqueuePlugin     = upstream.PreEnqueuePlugin
	PreFilterExtensions  = upstream.PreFilterExtensions
	PreFilterPlugin      = upstream.PreFilterPlugin
	PreFilterResult      = upstream.PreFilterResult
	PreScorePlugin       = upstream.PreScorePlugin
	QueueSortPlugin      = upstream.QueueSortPlugin
	QueuedInfo           = *upstream.QueuedPodInfo
	QueueingHint         = upstream.QueueingHint
	ReservePlugin        = upstream.ReservePlugin
	ScoreExtensions      = upstream.ScoreExtensions
	ScorePlugin          = upstream.ScorePlugin
	Status               = upstream.Status
	WaitingPod           = upstream.WaitingPod
)

// The constants that plugins use.
const (
	Success                      = upstream.Success
	Error                        = upstream.Error
	Unschedulable                = upstream.Unschedulable
	UnschedulableAndUnresolvable = upstream.UnschedulableAndUnresolvable
	Wait                         = upstream.Wait
	Skip                         = upstream.Skip
	Pending                      = upstream.Pending
	Pod                          = upstream.Pod
	Node                         = upstream.Node
	Add                          = upstream.Add
	UpdateNodeLabel              = upstream.UpdateNodeLabel
	UpdatePodLabel               = upstream.UpdatePodLabel
	Queue                        = upstream.Queue
	QueueSkip                    = upstream.QueueSkip
	MaxNodeScore                 = upstream.MaxNodeScore
)

// NewStatus and AsStatus make a status of a code, or of an error.
var (
	NewStatus = upstream.NewStatus
	AsStatus  = upstream.AsStatus
)

// PodOf returns the pod of an entry of the scheduling queue.
func PodOf(queued QueuedInfo) *v1.Pod {
	return queued.Pod
}

// PodIn returns the pod that runs, or might run, on a node.
func PodIn(info PodInfo) *v1.Pod {
	return info.Pod
}
