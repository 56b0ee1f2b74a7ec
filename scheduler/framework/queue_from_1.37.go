//go:build kubernetes1.37 || kubernetes1.38

package framework

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler/framework"
)

// QueuedInfo is an entry of the scheduling queue: a pod, or a group of pods.
type QueuedInfo = fwk.QueuedEntityInfo

// PodOf returns the pod of an entry of the scheduling queue; one without a name for a group.
func PodOf(queued QueuedInfo) *v1.Pod {
	if pod, single := queued.(*upstream.QueuedPodInfo); single {
		return pod.Pod
	}
	return &v1.Pod{}
}
