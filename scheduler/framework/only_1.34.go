//go:build kubernetes1.34

package framework

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler/framework"
)

// The types that plugins use.
type (
	BindPlugin           = upstream.BindPlugin
	ClusterEvent         = fwk.ClusterEvent
	ClusterEventWithHint = fwk.ClusterEventWithHint
	Code                 = fwk.Code
	CycleState           = fwk.CycleState
	EnqueueExtensions    = upstream.EnqueueExtensions
	FilterPlugin         = upstream.FilterPlugin
	Handle               = upstream.Handle
	NodeInfo             = fwk.NodeInfo
	NodeScoreList        = upstream.NodeScoreList
	NodeToStatusReader   = upstream.NodeToStatusReader
	PermitPlugin         = upstream.PermitPlugin
	Plugin               = upstream.Plugin
	PodInfo              = fwk.PodInfo
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
	QueuedInfo           = fwk.QueuedPodInfo
	QueueingHint         = fwk.QueueingHint
	ReservePlugin        = upstream.ReservePlugin
	ScoreExtensions      = upstream.ScoreExtensions
	ScorePlugin          = upstream.ScorePlugin
	Status               = fwk.Status
	WaitingPod           = upstream.WaitingPod
)

// MaxNodeScore is the highest score of a node.
const MaxNodeScore = upstream.MaxNodeScore

// PodOf returns the pod of an entry of the scheduling queue.
func PodOf(queued QueuedInfo) *v1.Pod {
	return queued.GetPodInfo().GetPod()
}
