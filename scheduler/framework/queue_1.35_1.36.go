//go:build !kubernetes1.32 && !kubernetes1.33 && !kubernetes1.34 && !kubernetes1.37 && !kubernetes1.38

package framework

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// QueuedInfo is an entry of the scheduling queue.
type QueuedInfo = fwk.QueuedPodInfo

// PodOf returns the pod of an entry of the scheduling queue.
func PodOf(queued QueuedInfo) *v1.Pod {
	return queued.GetPodInfo().GetPod()
}
