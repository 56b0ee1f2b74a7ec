// Package tracer holds the plugin Tracer: it shows when kube-scheduler calls a plugin, and what each answer leads to.
//
// It implements every extension point, and writes one line of JSON to standard output for every call (see [Line]).
// Left alone it takes no part in decisions. Its arguments make it return any status that has a meaning at a point, for
// pods with given labels, late, and as often as is wanted (see [Outcome]).
//
// The order in which kube-scheduler calls plugins is part of what it is to show, so it is registered twice, as [Name]
// and [SecondName]; both number their lines in one sequence.
//
// What to know when writing a profile, or reading a trace:
//
//   - One plugin sorts the queue. With tracers under multiPoint, disable all but one of them and PrioritySort at
//     queueSort. Two pods have to be queued at once before one is compared with another.
//   - The first plugin that binds ends the Bind point, and a successful preemption the PostFilter point. A tracer under
//     multiPoint comes after the default plugins there; enable it at bind and postFilter too, which puts it first.
//   - PreScore, Score and NormalizeScore are left out for a pod with one feasible node.
//   - The PreEnqueue plugins of a profile are called in no particular order.
//   - AddPod and RemovePod are called when other pods are nominated to a node or preemption tries a node out.
//   - PreBindPreFlight is there from Kubernetes 1.34 on, and called only with the feature gate
//     NominatedNodeNameForExpectation, which 1.34 leaves off.
//   - A pod that a tracer rejects, up to Permit, comes back when its labels change, or after 5 minutes. One that meets
//     an error, or is rejected later, comes back after a backoff.
package tracer

import (
	"context"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultbinder"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"schedtest.dev/scheduler/framework"
	"schedtest.dev/scheduler/plugins/args"
)

// The names that the plugin has in a profile.
const (
	Name       = "Tracer"
	SecondName = "SecondTracer"
)

// Point is an extension point of the scheduling framework.
type Point string

// The extension points, in the order in which a pod meets them.
const (
	PreEnqueue       Point = "PreEnqueue"
	QueueSort        Point = "QueueSort"
	PreFilter        Point = "PreFilter"
	AddPod           Point = "AddPod"
	RemovePod        Point = "RemovePod"
	Filter           Point = "Filter"
	PostFilter       Point = "PostFilter"
	PreScore         Point = "PreScore"
	Score            Point = "Score"
	NormalizeScore   Point = "NormalizeScore"
	Reserve          Point = "Reserve"
	Permit           Point = "Permit"
	PreBindPreFlight Point = "PreBindPreFlight"
	PreBind          Point = "PreBind"
	Bind             Point = "Bind"
	PostBind         Point = "PostBind"
	Unreserve        Point = "Unreserve"
	QueueingHint     Point = "QueueingHint"
)

// interval is how often the tracer looks whether a pod that it holds may go on.
const interval = 20 * time.Millisecond

// Tracer is the plugin.
type Tracer struct {
	name   string
	rules  rules
	trace  *trace
	handle framework.Handle
	sorter framework.QueueSortPlugin
	binder framework.BindPlugin
	// alive ends with the scheduler; the context of a call may end before a pod has waited enough.
	alive context.Context
}

var (
	_ framework.PreEnqueuePlugin    = &Tracer{}
	_ framework.QueueSortPlugin     = &Tracer{}
	_ framework.EnqueueExtensions   = &Tracer{}
	_ framework.PreFilterPlugin     = &Tracer{}
	_ framework.PreFilterExtensions = &Tracer{}
	_ framework.FilterPlugin        = &Tracer{}
	_ framework.PostFilterPlugin    = &Tracer{}
	_ framework.PreScorePlugin      = &Tracer{}
	_ framework.ScorePlugin         = &Tracer{}
	_ framework.ScoreExtensions     = &Tracer{}
	_ framework.ReservePlugin       = &Tracer{}
	_ framework.PermitPlugin        = &Tracer{}
	_ framework.PreBindPlugin       = &Tracer{}
	_ framework.BindPlugin          = &Tracer{}
	_ framework.PostBindPlugin      = &Tracer{}
)

// Factory returns the factory of the tracer that is registered as name.
func Factory(name string) frameworkruntime.PluginFactory {
	return func(ctx context.Context, arguments runtime.Object, handle framework.Handle) (framework.Plugin, error) {
		var decoded Args
		if err := args.Decode(arguments, &decoded); err != nil {
			return nil, err
		}
		rules, err := compile(name, decoded)
		if err != nil {
			return nil, err
		}
		binder, err := defaultbinder.New(ctx, nil, handle)
		if err != nil {
			return nil, err
		}
		return &Tracer{
			name:   name,
			rules:  rules,
			trace:  stdout,
			handle: handle,
			sorter: &queuesort.PrioritySort{},
			binder: binder.(framework.BindPlugin),
			alive:  ctx,
		}, nil
	}
}

// Name returns the name under which the plugin is registered.
func (t *Tracer) Name() string {
	return t.name
}

// PreEnqueue lets the pod into the queue.
func (t *Tracer) PreEnqueue(ctx context.Context, pod *v1.Pod) *framework.Status {
	return t.answer(ctx, about(PreEnqueue, pod), pod, nil)
}

// Less sorts as PrioritySort does.
func (t *Tracer) Less(first, second framework.QueuedInfo) bool {
	less := t.sorter.Less(first, second)
	line := about(QueueSort, framework.PodOf(first))
	line.Other = klog.KObj(framework.PodOf(second)).String()
	line.Status = strconv.FormatBool(less)
	t.write(line)
	return less
}

// EventsToRegister names what can make a rejected pod schedulable: labels that pick another outcome.
func (t *Tracer) EventsToRegister(context.Context) ([]framework.ClusterEventWithHint, error) {
	return []framework.ClusterEventWithHint{{
		Event:          framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.UpdatePodLabel},
		QueueingHintFn: t.afterPodChange,
	}}, nil
}

func (t *Tracer) afterPodChange(_ klog.Logger, pod *v1.Pod, before, after any) (framework.QueueingHint, error) {
	_, changed, err := util.As[*v1.Pod](before, after)
	if err != nil {
		return framework.Queue, err
	}
	hint := framework.QueueSkip
	if changed.UID == pod.UID {
		hint = framework.Queue
	}
	line := about(QueueingHint, pod)
	line.Other = klog.KObj(changed).String()
	line.Status = hint.String()
	t.write(line)
	return hint, nil
}

// PreFilterExtensions returns the plugin itself, for AddPod and RemovePod.
func (t *Tracer) PreFilterExtensions() framework.PreFilterExtensions {
	return t
}

// AddPod is called before a node is tried with one more pod.
func (t *Tracer) AddPod(ctx context.Context, _ framework.CycleState, pod *v1.Pod, added framework.PodInfo, node framework.NodeInfo) *framework.Status {
	line := about(AddPod, pod).on(node.Node().Name)
	line.Other = klog.KObj(framework.PodIn(added)).String()
	return t.answer(ctx, line, pod, nil)
}

// RemovePod is called before a node is tried with one pod less.
func (t *Tracer) RemovePod(ctx context.Context, _ framework.CycleState, pod *v1.Pod, removed framework.PodInfo, node framework.NodeInfo) *framework.Status {
	line := about(RemovePod, pod).on(node.Node().Name)
	line.Other = klog.KObj(framework.PodIn(removed)).String()
	return t.answer(ctx, line, pod, nil)
}

// Filter lets the node through.
func (t *Tracer) Filter(ctx context.Context, _ framework.CycleState, pod *v1.Pod, node framework.NodeInfo) *framework.Status {
	return t.answer(ctx, about(Filter, pod).on(node.Node().Name), pod, nil)
}

// PostFilter leaves it to the next plugin to make room.
func (t *Tracer) PostFilter(ctx context.Context, _ framework.CycleState, pod *v1.Pod, _ framework.NodeToStatusReader) (*framework.PostFilterResult, *framework.Status) {
	return nil, t.answer(ctx, about(PostFilter, pod), pod, framework.NewStatus(framework.Unschedulable))
}

// PreScore does nothing.
func (t *Tracer) PreScore(ctx context.Context, _ framework.CycleState, pod *v1.Pod, _ []framework.NodeInfo) *framework.Status {
	return t.answer(ctx, about(PreScore, pod), pod, nil)
}

// ScoreExtensions returns the plugin itself, for NormalizeScore.
func (t *Tracer) ScoreExtensions() framework.ScoreExtensions {
	return t
}

// NormalizeScore leaves the scores as they are.
func (t *Tracer) NormalizeScore(ctx context.Context, _ framework.CycleState, pod *v1.Pod, _ framework.NodeScoreList) *framework.Status {
	return t.answer(ctx, about(NormalizeScore, pod), pod, nil)
}

// Reserve reserves nothing.
func (t *Tracer) Reserve(ctx context.Context, _ framework.CycleState, pod *v1.Pod, node string) *framework.Status {
	return t.answer(ctx, about(Reserve, pod).on(node), pod, nil)
}

// Unreserve has nothing to take back.
func (t *Tracer) Unreserve(_ context.Context, _ framework.CycleState, pod *v1.Pod, node string) {
	t.write(about(Unreserve, pod).on(node))
}

// Permit lets the pod go on at once, or wait as an outcome says.
func (t *Tracer) Permit(ctx context.Context, _ framework.CycleState, pod *v1.Pod, node string) (*framework.Status, time.Duration) {
	rule := t.rules.take(Permit, pod)
	line := about(Permit, pod).on(node)
	if rule == nil || rule.code != framework.Wait {
		return t.give(ctx, line, pod, rule, nil), 0
	}
	status := t.record(line, rule.status())
	if rule.until != nil {
		go t.whenWaiting(pod.UID, interval, rule.timeout, func(waiting framework.WaitingPod) {
			if t.release(t.alive, rule, pod) == nil {
				waiting.Allow(t.name)
			}
		})
	}
	if rule.allowAfter > 0 {
		go t.whenWaiting(pod.UID, rule.allowAfter, rule.timeout, func(pod framework.WaitingPod) { pod.Allow(t.name) })
	}
	if rule.rejectAfter > 0 {
		go t.whenWaiting(pod.UID, rule.rejectAfter, rule.timeout, func(pod framework.WaitingPod) {
			pod.Reject(t.name, t.name+" rejects the pod after "+rule.rejectAfter.String())
		})
	}
	return status, rule.timeout
}

// whenWaiting ends a pod's wait. The framework makes it a waiting pod only after all Permit plugins have answered, so
// it may be found at a later look only.
func (t *Tracer) whenWaiting(uid types.UID, after, timeout time.Duration, end func(framework.WaitingPod)) {
	_ = wait.PollUntilContextTimeout(t.alive, after, timeout, false, func(context.Context) (bool, error) {
		pod := t.handle.GetWaitingPod(uid)
		if pod == nil {
			return false, nil
		}
		end(pod)
		return true, nil
	})
}

// PreBind does nothing.
func (t *Tracer) PreBind(ctx context.Context, _ framework.CycleState, pod *v1.Pod, node string) *framework.Status {
	return t.answer(ctx, about(PreBind, pod).on(node), pod, nil)
}

// Bind leaves the binding to the next plugin. Where an outcome wants Success, it binds the pod as DefaultBinder does.
func (t *Tracer) Bind(ctx context.Context, state framework.CycleState, pod *v1.Pod, node string) *framework.Status {
	line := about(Bind, pod).on(node)
	rule := t.rules.take(Bind, pod)
	if rule != nil && rule.code == framework.Success {
		return t.hold(ctx, rule, pod, t.record(line, t.binder.Bind(ctx, state, pod, node)))
	}
	return t.give(ctx, line, pod, rule, framework.NewStatus(framework.Skip))
}

// PostBind does nothing.
func (t *Tracer) PostBind(_ context.Context, _ framework.CycleState, pod *v1.Pod, node string) {
	t.write(about(PostBind, pod).on(node))
}

// answer records and returns what the outcome for this call says, or else the fallback.
func (t *Tracer) answer(ctx context.Context, line Line, pod *v1.Pod, fallback *framework.Status) *framework.Status {
	return t.give(ctx, line, pod, t.rules.take(line.Point, pod), fallback)
}

// give records and returns what the rule says; the fallback if there is no rule.
func (t *Tracer) give(ctx context.Context, line Line, pod *v1.Pod, rule *rule, fallback *framework.Status) *framework.Status {
	if rule == nil {
		return t.record(line, fallback)
	}
	return t.hold(ctx, rule, pod, t.record(line, rule.status()))
}

// hold returns a status once the rule lets go of the pod, or an error if the context ends before.
func (t *Tracer) hold(ctx context.Context, rule *rule, pod *v1.Pod, status *framework.Status) *framework.Status {
	if err := t.release(ctx, rule, pod); err != nil {
		return framework.AsStatus(err)
	}
	return status
}

// release returns when the rule's delay is over, and when the pod has the labels it waits for or is gone. It returns an
// error if the context ends before.
func (t *Tracer) release(ctx context.Context, rule *rule, pod *v1.Pod) error {
	if rule.delay > 0 {
		select {
		case <-time.After(rule.delay):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if rule.until == nil {
		return nil
	}
	pods := t.handle.SharedInformerFactory().Core().V1().Pods().Lister().Pods(pod.Namespace)
	return wait.PollUntilContextCancel(ctx, interval, true, func(context.Context) (bool, error) {
		now, err := pods.Get(pod.Name)
		return err != nil || now.UID != pod.UID || rule.until.Matches(labels.Set(now.Labels)), nil
	})
}

func (t *Tracer) record(line Line, status *framework.Status) *framework.Status {
	line.Status = status.Code().String()
	line.Message = status.Message()
	t.write(line)
	return status
}

func (t *Tracer) write(line Line) {
	line.Plugin = t.name
	t.trace.write(line)
}
