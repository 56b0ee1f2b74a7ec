//go:build !kubernetes1.32 && !kubernetes1.33

package framework

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// The constants that plugins use.
const (
	Success                      = fwk.Success
	Error                        = fwk.Error
	Unschedulable                = fwk.Unschedulable
	UnschedulableAndUnresolvable = fwk.UnschedulableAndUnresolvable
	Wait                         = fwk.Wait
	Skip                         = fwk.Skip
	Pending                      = fwk.Pending
	Pod                          = fwk.Pod
	Node                         = fwk.Node
	Add                          = fwk.Add
	UpdateNodeLabel              = fwk.UpdateNodeLabel
	UpdatePodLabel               = fwk.UpdatePodLabel
	Queue                        = fwk.Queue
	QueueSkip                    = fwk.QueueSkip
)

// NewStatus and AsStatus make a status of a code, or of an error.
var (
	NewStatus = fwk.NewStatus
	AsStatus  = fwk.AsStatus
)

// PodIn returns the pod that runs, or might run, on a node.
func PodIn(info PodInfo) *v1.Pod {
	return info.GetPod()
}
