package tracer

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"schedtest.dev/scheduler/framework"
)

// Args are the plugin's arguments.
type Args struct {
	// Outcomes are tried in order; the first that is for the point and the pod says what is returned.
	Outcomes []Outcome `json:"outcomes"`
}

// Outcome makes the tracer return a status at a point for some pods.
type Outcome struct {
	// Point is the extension point, by the name that the trace shows.
	Point Point `json:"point"`
	// PodSelector picks pods by their labels. It is required; the empty selector picks every pod.
	PodSelector *metav1.LabelSelector `json:"podSelector"`
	// Status is the name of the code, such as Unschedulable.
	Status string `json:"status"`
	// Message explains a failure; by default it names plugin, point and status.
	Message string `json:"message"`
	// Delay is how long the tracer takes to return, after its line of the trace. At Bind with Success the pod is bound
	// before that.
	Delay *metav1.Duration `json:"delay"`
	// Until holds the pod until it has such labels, or is gone: the tracer returns then, or, with Wait, lets the pod go on.
	// It takes the place of Delay and AllowAfter where the caller decides how long is long enough.
	Until *metav1.LabelSelector `json:"until"`
	// Times is for how many calls about each pod the outcome is; left out, for all of them. Further calls go on to the next
	// outcome. At points that are about one node, the calls for all nodes count.
	Times *int `json:"times"`
	// Timeout is how long a pod waits at most. Required with Wait, and only allowed there.
	Timeout *metav1.Duration `json:"timeout"`
	// AllowAfter ends the wait with success, RejectAfter with a rejection. At most one of them, and before Timeout.
	AllowAfter  *metav1.Duration `json:"allowAfter"`
	RejectAfter *metav1.Duration `json:"rejectAfter"`
}

// longestWait is where kube-scheduler cuts a longer timeout off without a word.
const longestWait = 15 * time.Minute

// The codes that a point gives a meaning to. Where a rejection has none of its own, such as at Score, kube-scheduler
// takes it for an error.
var (
	usual    = []framework.Code{framework.Success, framework.Error, framework.Unschedulable, framework.UnschedulableAndUnresolvable}
	withSkip = append(slices.Clip(usual), framework.Skip)
	withHold = append(slices.Clip(usual), framework.Pending)

	accepted = map[Point][]framework.Code{
		PreEnqueue:       usual,
		PreFilter:        withSkip,
		AddPod:           usual,
		RemovePod:        usual,
		Filter:           usual,
		PostFilter:       usual,
		PreScore:         withSkip,
		Score:            usual,
		NormalizeScore:   usual,
		Reserve:          withHold,
		Permit:           append(slices.Clip(withHold), framework.Wait),
		PreBindPreFlight: {framework.Success, framework.Error, framework.Skip},
		PreBind:          withHold,
		Bind:             withSkip,
	}

	codes = []framework.Code{
		framework.Success, framework.Error, framework.Unschedulable, framework.UnschedulableAndUnresolvable, framework.Wait, framework.Skip, framework.Pending,
	}
	// kube-scheduler shows no message of these.
	silent = []framework.Code{framework.Success, framework.Wait, framework.Skip}
)

// rule is an Outcome that has been validated.
type rule struct {
	selector                         labels.Selector
	code                             framework.Code
	message                          string
	delay                            time.Duration
	timeout, allowAfter, rejectAfter time.Duration
	// until is nil where no labels are waited for.
	until labels.Selector
	times int
	// taken has the number of calls by the UID of the pod, as far as times counts them.
	taken *sync.Map
}

// take says whether the rule is for this call about a pod, and counts the call.
func (r *rule) take(pod *v1.Pod) bool {
	if !r.selector.Matches(labels.Set(pod.Labels)) {
		return false
	}
	if r.times == 0 {
		return true
	}
	calls, _ := r.taken.LoadOrStore(pod.UID, new(atomic.Int64))
	return calls.(*atomic.Int64).Add(1) <= int64(r.times)
}

// status returns what the tracer is to answer; nil for success.
func (r *rule) status() *framework.Status {
	switch r.code {
	case framework.Success:
		return nil
	case framework.Error:
		return framework.AsStatus(errors.New(r.message))
	case framework.Wait, framework.Skip:
		return framework.NewStatus(r.code)
	default:
		return framework.NewStatus(r.code, r.message)
	}
}

type rules map[Point][]rule

// take returns the rule for this call about a pod at a point, or nil.
func (r rules) take(point Point, pod *v1.Pod) *rule {
	for i := range r[point] {
		if r[point][i].take(pod) {
			return &r[point][i]
		}
	}
	return nil
}

// compile validates the arguments of the tracer called name, and names everything that is wrong.
func compile(name string, arguments Args) (rules, error) {
	compiled := rules{}
	var errs field.ErrorList
	for i, outcome := range arguments.Outcomes {
		path := field.NewPath("args", "outcomes").Index(i)
		r, wrong := outcome.compile(name, path)
		errs = append(errs, wrong...)
		compiled[outcome.Point] = append(compiled[outcome.Point], r)
	}
	return compiled, errs.ToAggregate()
}

func (o Outcome) compile(name string, path *field.Path) (rule, field.ErrorList) {
	var errs field.ErrorList
	compiled := rule{message: o.Message, taken: &sync.Map{}}

	allowed, returnsStatus := accepted[o.Point]
	if !returnsStatus {
		errs = append(errs, field.NotSupported(path.Child("point"), o.Point, pointsWithStatus()))
	}
	code := slices.IndexFunc(codes, func(code framework.Code) bool { return code.String() == o.Status })
	switch {
	case code < 0:
		errs = append(errs, field.NotSupported(path.Child("status"), o.Status, names(codes)))
	case returnsStatus && !slices.Contains(allowed, codes[code]):
		errs = append(errs, field.Invalid(path.Child("status"), o.Status,
			fmt.Sprintf("%s accepts %s", o.Point, strings.Join(names(allowed), ", "))))
	default:
		compiled.code = codes[code]
		switch quiet := slices.Contains(silent, compiled.code); {
		case quiet && o.Message != "":
			errs = append(errs, field.Forbidden(path.Child("message"), "nobody sees the message of "+o.Status))
		case !quiet && o.Message == "":
			compiled.message = fmt.Sprintf("%s returns %s at %s", name, o.Status, o.Point)
		}
	}

	if o.PodSelector == nil {
		errs = append(errs, field.Required(path.Child("podSelector"), "say which pods; {} is every pod"))
	} else if selector, err := metav1.LabelSelectorAsSelector(o.PodSelector); err != nil {
		errs = append(errs, field.Invalid(path.Child("podSelector"), o.PodSelector, err.Error()))
	} else {
		compiled.selector = selector
	}

	if o.Until != nil {
		selector, err := metav1.LabelSelectorAsSelector(o.Until)
		if err != nil {
			errs = append(errs, field.Invalid(path.Child("until"), o.Until, err.Error()))
		}
		if o.Delay != nil || o.AllowAfter != nil || o.RejectAfter != nil {
			errs = append(errs, field.Forbidden(path.Child("until"), "a time holds the pod already"))
		}
		compiled.until = selector
	}
	if o.Delay != nil {
		compiled.delay = o.Delay.Duration
		if compiled.delay <= 0 {
			errs = append(errs, field.Invalid(path.Child("delay"), o.Delay.Duration.String(), "must be more than 0"))
		}
	}
	if o.Times != nil {
		compiled.times = *o.Times
		if compiled.times < 1 {
			errs = append(errs, field.Invalid(path.Child("times"), *o.Times, "must be 1 or more; leave it out for every call"))
		}
	}

	return compiled, append(errs, o.compileWait(&compiled, path)...)
}

func (o Outcome) compileWait(compiled *rule, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	waits := o.Status == framework.Wait.String()
	check := func(name string, given *metav1.Duration, valid func(time.Duration) bool, bounds string) time.Duration {
		switch {
		case given == nil:
			return 0
		case !waits:
			errs = append(errs, field.Forbidden(path.Child(name), "only with status Wait"))
		case given.Duration <= 0 || !valid(given.Duration):
			errs = append(errs, field.Invalid(path.Child(name), given.Duration.String(), "must be more than 0 and "+bounds))
		}
		return given.Duration
	}
	atMostLongest := func(d time.Duration) bool { return d <= longestWait }
	compiled.timeout = check("timeout", o.Timeout, atMostLongest, "at most "+longestWait.String())
	beforeTimeout := func(d time.Duration) bool { return d < compiled.timeout }
	compiled.allowAfter = check("allowAfter", o.AllowAfter, beforeTimeout, "less than the timeout")
	compiled.rejectAfter = check("rejectAfter", o.RejectAfter, beforeTimeout, "less than the timeout")
	if waits && o.Timeout == nil {
		errs = append(errs, field.Required(path.Child("timeout"), "how long the pod waits at most, such as 5s"))
	}
	if o.AllowAfter != nil && o.RejectAfter != nil {
		errs = append(errs, field.Forbidden(path.Child("rejectAfter"), "allowAfter is set, and the wait ends one way"))
	}
	return errs
}

func names(codes []framework.Code) []string {
	var listed []string
	for _, code := range codes {
		listed = append(listed, code.String())
	}
	return listed
}

func pointsWithStatus() []Point {
	return slices.Sorted(maps.Keys(accepted))
}
