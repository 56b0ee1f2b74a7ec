// Package priority holds the plugin Priority: pods run only where an administrator has ranked the node, and on the
// highest ranked node that fits.
//
// It is the smallest plugin that takes part in both halves of a decision. Filter lets through only nodes that carry a
// label, and Score is that label's value. A pod that found no such node comes back as soon as one gets the label.
//
// What follows from the way kube-scheduler works, and is not visible in the code:
//
//   - A value that is not an integer from 0 to [MaxScore] fails at Score, not at Filter, and such a failure is one of
//     the pod, not of the node: a pod for which that node is feasible is scheduled nowhere until the value is mended.
//     It is tried again after each backoff. Pods that another filter keeps away from the node are not affected.
//   - kube-scheduler does not score a node that is the only feasible one. A pod for which only the node with the bad
//     value is left is bound there.
//   - Scores are normalized to whole percents of the highest, rounded down. The node with the highest value stays
//     ahead of every other; two lower ones can become equal, as 1 and 2 do beside 1000.
//   - The other score plugins of a profile count too. To let the label alone decide, disable them or give Priority a
//     weight above theirs.
package priority

import (
	"context"
	"fmt"
	"math"
	"strconv"

	v1 "k8s.io/api/core/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"schedtest.dev/scheduler/framework"
	"schedtest.dev/scheduler/plugins/args"
)

const (
	// Name is the plugin's name in a profile.
	Name = "Priority"

	// DefaultLabelKey is the key of the label unless the arguments name another.
	DefaultLabelKey = "schedtest.dev/priority"

	// MaxScore is the highest value of the label. helper.DefaultNormalizeScore multiplies by MaxNodeScore: a higher
	// value would overflow. It cannot do with negative ones either, which the API server refuses as label values.
	MaxScore = math.MaxInt64 / framework.MaxNodeScore
)

// Args are the plugin's arguments.
type Args struct {
	// LabelKey is the key of the node label; DefaultLabelKey if it is left out.
	LabelKey string `json:"labelKey"`
}

// Priority is the plugin.
type Priority struct {
	labelKey string
	handle   framework.Handle
}

var (
	_ framework.FilterPlugin      = &Priority{}
	_ framework.ScorePlugin       = &Priority{}
	_ framework.EnqueueExtensions = &Priority{}
)

// New is the plugin's factory.
func New(_ context.Context, arguments runtime.Object, handle framework.Handle) (framework.Plugin, error) {
	decoded := Args{LabelKey: DefaultLabelKey}
	if err := args.Decode(arguments, &decoded); err != nil {
		return nil, err
	}
	if errs := metav1validation.ValidateLabelName(decoded.LabelKey, field.NewPath("args", "labelKey")); len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	return &Priority{labelKey: decoded.LabelKey, handle: handle}, nil
}

// Name returns the plugin's name.
func (p *Priority) Name() string {
	return Name
}

// EventsToRegister names what can make a rejected pod schedulable: a node that has got the label.
func (p *Priority) EventsToRegister(context.Context) ([]framework.ClusterEventWithHint, error) {
	return []framework.ClusterEventWithHint{{
		Event:          framework.ClusterEvent{Resource: framework.Node, ActionType: framework.Add | framework.UpdateNodeLabel},
		QueueingHintFn: p.afterNodeChange,
	}}, nil
}

func (p *Priority) afterNodeChange(logger klog.Logger, pod *v1.Pod, before, after any) (framework.QueueingHint, error) {
	old, node, err := util.As[*v1.Node](before, after)
	if err != nil {
		return framework.Queue, err
	}
	if !p.admits(node) || (old != nil && p.admits(old)) {
		return framework.QueueSkip, nil
	}
	logger.V(5).Info("Node has got the label", "pod", klog.KObj(pod), "node", klog.KObj(node), "label", p.labelKey)
	return framework.Queue, nil
}

// Filter rejects nodes without the label. To preempt pods cannot help, and the status says so.
func (p *Priority) Filter(_ context.Context, _ framework.CycleState, _ *v1.Pod, nodeInfo framework.NodeInfo) *framework.Status {
	if p.admits(nodeInfo.Node()) {
		return nil
	}
	// The same for every node: kube-scheduler counts nodes by reason.
	return framework.NewStatus(framework.UnschedulableAndUnresolvable, "node does not have label "+p.labelKey)
}

// score returns the label's value.
func (p *Priority) score(node *v1.Node) (int64, *framework.Status) {
	value, found := node.Labels[p.labelKey]
	if !found {
		// Filter is not enabled in this profile, or the label went away since.
		return 0, framework.AsStatus(fmt.Errorf("node %s does not have label %s", node.Name, p.labelKey))
	}
	score, err := strconv.ParseInt(value, 10, 64)
	if err != nil || score < 0 || score > MaxScore {
		return 0, framework.AsStatus(fmt.Errorf("node %s has label %s=%q, which is not an integer from 0 to %d",
			node.Name, p.labelKey, value, MaxScore))
	}
	return score, nil
}

// ScoreExtensions returns the plugin itself, for NormalizeScore.
func (p *Priority) ScoreExtensions() framework.ScoreExtensions {
	return p
}

// NormalizeScore scales the scores so that the highest becomes 100.
func (p *Priority) NormalizeScore(_ context.Context, _ framework.CycleState, _ *v1.Pod, scores framework.NodeScoreList) *framework.Status {
	return helper.DefaultNormalizeScore(framework.MaxNodeScore, false, scores)
}

func (p *Priority) admits(node *v1.Node) bool {
	_, found := node.Labels[p.labelKey]
	return found
}
