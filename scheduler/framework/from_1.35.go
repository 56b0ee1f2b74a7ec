//go:build !kubernetes1.32 && !kubernetes1.33 && !kubernetes1.34

package framework

import fwk "k8s.io/kube-scheduler/framework"

// The types that plugins use.
type (
	BindPlugin           = fwk.BindPlugin
	ClusterEvent         = fwk.ClusterEvent
	ClusterEventWithHint = fwk.ClusterEventWithHint
	Code                 = fwk.Code
	CycleState           = fwk.CycleState
	EnqueueExtensions    = fwk.EnqueueExtensions
	FilterPlugin         = fwk.FilterPlugin
	Handle               = fwk.Handle
	NodeInfo             = fwk.NodeInfo
	NodeScoreList        = fwk.NodeScoreList
	NodeToStatusReader   = fwk.NodeToStatusReader
	PermitPlugin         = fwk.PermitPlugin
	Plugin               = fwk.Plugin
	PodInfo              = fwk.PodInfo
	PostBindPlugin       = fwk.PostBindPlugin
	PostFilterPlugin     = fwk.PostFilterPlugin
	PostFilterResult     = fwk.PostFilterResult
	PreBindPlugin        = fwk.PreBindPlugin
	PreEnqueuePlugin     = fwk.PreEnqueuePlugin
	PreFilterExtensions  = fwk.PreFilterExtensions
	PreFilterPlugin      = fwk.PreFilterPlugin
	PreFilterResult      = fwk.PreFilterResult
	PreScorePlugin       = fwk.PreScorePlugin
	QueueSortPlugin      = fwk.QueueSortPlugin
	QueueingHint         = fwk.QueueingHint
	ReservePlugin        = fwk.ReservePlugin
	ScoreExtensions      = fwk.ScoreExtensions
	ScorePlugin          = fwk.ScorePlugin
	Status               = fwk.Status
	WaitingPod           = fwk.WaitingPod
)

// MaxNodeScore is the highest score of a node.
const MaxNodeScore = fwk.MaxNodeScore
