package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/util"
)

const (
	// Name is the plugin's name in a profile.
	Name = "Pool"

	// label is on nodes and pods: a pod runs in its own pool only.
	label = "example.com/pool"
)

// Pool keeps pods to the nodes of their pool.
type Pool struct{}

var (
	_ fwk.FilterPlugin      = &Pool{}
	_ fwk.EnqueueExtensions = &Pool{}
)

// New is the plugin's factory.
func New(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
	return &Pool{}, nil
}

// Name returns the plugin's name.
func (*Pool) Name() string {
	return Name
}

// Filter rejects nodes of other pools. To preempt pods would not help, and the code says so.
func (*Pool) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	if fits(pod, node.Node()) {
		return nil
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "node is in another pool")
}

// EventsToRegister names what can make a rejected pod schedulable. Without it, the pod waits for five minutes.
func (*Pool) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	changed := fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeLabel}
	return []fwk.ClusterEventWithHint{{Event: changed, QueueingHintFn: afterNodeChange}}, nil
}

// afterNodeChange has a pod tried again if the node was not in its pool before, and is now.
func afterNodeChange(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	old, node, err := util.As[*v1.Node](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	if fits(pod, node) && (old == nil || !fits(pod, old)) {
		return fwk.Queue, nil
	}
	return fwk.QueueSkip, nil
}

func fits(pod *v1.Pod, node *v1.Node) bool {
	return pod.Labels[label] == node.Labels[label]
}
