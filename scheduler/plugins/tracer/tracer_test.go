package tracer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/utils/ptr"

	fwk "schedtest.dev/scheduler/framework"
)

func TestMain(m *testing.M) {
	metrics.Register() // the framework counts its calls
	m.Run()
}

// calls calls a tracer at a point, and returns the status if there is one.
var calls = map[Point]func(*Tracer, *v1.Pod) *fwk.Status{
	PreEnqueue: func(t *Tracer, p *v1.Pod) *fwk.Status { return t.PreEnqueue(background, p) },
	QueueSort: func(t *Tracer, p *v1.Pod) *fwk.Status {
		t.Less(queued(p, time.Unix(1, 0)), queued(second, time.Unix(2, 0)))
		return nil
	},
	PreFilter: func(t *Tracer, p *v1.Pod) *fwk.Status { return preFilter(t, p) },
	AddPod: func(t *Tracer, p *v1.Pod) *fwk.Status {
		return t.PreFilterExtensions().AddPod(background, nil, p, info(second), node)
	},
	RemovePod: func(t *Tracer, p *v1.Pod) *fwk.Status {
		return t.PreFilterExtensions().RemovePod(background, nil, p, info(second), node)
	},
	Filter:     func(t *Tracer, p *v1.Pod) *fwk.Status { return t.Filter(background, nil, p, node) },
	PostFilter: func(t *Tracer, p *v1.Pod) *fwk.Status { _, s := t.PostFilter(background, nil, p, nil); return s },
	PreScore:   func(t *Tracer, p *v1.Pod) *fwk.Status { return t.PreScore(background, nil, p, nil) },
	Score:      func(t *Tracer, p *v1.Pod) *fwk.Status { return score(t, p) },
	NormalizeScore: func(t *Tracer, p *v1.Pod) *fwk.Status {
		return t.ScoreExtensions().NormalizeScore(background, nil, p, nil)
	},
	Reserve:          func(t *Tracer, p *v1.Pod) *fwk.Status { return t.Reserve(background, nil, p, "node") },
	Permit:           func(t *Tracer, p *v1.Pod) *fwk.Status { s, _ := t.Permit(background, nil, p, "node"); return s },
	PreBindPreFlight: func(t *Tracer, p *v1.Pod) *fwk.Status { return last(t.PreBindPreFlight(background, nil, p, "node")) },
	PreBind:          func(t *Tracer, p *v1.Pod) *fwk.Status { return t.PreBind(background, nil, p, "node") },
	Bind:             func(t *Tracer, p *v1.Pod) *fwk.Status { return t.Bind(background, nil, p, "node") },
	PostBind:         func(t *Tracer, p *v1.Pod) *fwk.Status { t.PostBind(background, nil, p, "node"); return nil },
	Unreserve:        func(t *Tracer, p *v1.Pod) *fwk.Status { t.Unreserve(background, nil, p, "node"); return nil },
	QueueingHint: func(t *Tracer, p *v1.Pod) *fwk.Status {
		_, _ = t.afterPodChange(klog.Background(), p, second, second)
		return nil
	},
}

var (
	background = context.Background()
	first      = pod("first", map[string]string{"case": "first"})
	second     = pod("second", map[string]string{"case": "second"})
	node       = nodeInfo("node")
)

// preFilter calls a method that gets the nodes as well from 1.34 on.
func preFilter(tracer any, p *v1.Pod) *fwk.Status {
	switch plugin := tracer.(type) {
	case interface {
		PreFilter(context.Context, fwk.CycleState, *v1.Pod) (*fwk.PreFilterResult, *fwk.Status)
	}:
		return last(plugin.PreFilter(background, nil, p))
	case interface {
		PreFilter(context.Context, fwk.CycleState, *v1.Pod, []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status)
	}:
		return last(plugin.PreFilter(background, nil, p, nil))
	}
	panic("it has no PreFilter")
}

// score calls a method that gets the name of the node in 1.32, and the node later.
func score(tracer any, p *v1.Pod) *fwk.Status {
	switch plugin := tracer.(type) {
	case interface {
		Score(context.Context, fwk.CycleState, *v1.Pod, string) (int64, *fwk.Status)
	}:
		return last(plugin.Score(background, nil, p, "node"))
	case interface {
		Score(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) (int64, *fwk.Status)
	}:
		return last(plugin.Score(background, nil, p, node))
	}
	panic("it has no Score")
}

// permit runs the Permit plugins. From 1.36 on that leaves it to the caller to let the pod wait.
func permit(profile framework.Framework, p *v1.Pod) *fwk.Status {
	returned := all(profile.RunPermitPlugins(background, framework.NewCycleState(), p, "node"))
	from136, ok := profile.(interface {
		AddWaitingPod(*v1.Pod, map[string]time.Duration)
	})
	if ok {
		from136.AddWaitingPod(p, returned[0].(map[string]time.Duration))
	}
	return last(returned...)
}

// all returns what a call returns.
func all(returned ...any) []any {
	return returned
}

// last returns the status, which is what a call returns last, in some minors after other results.
func last(returned ...any) *fwk.Status {
	return returned[len(returned)-1].(*fwk.Status)
}

func TestEveryPointIsTraced(t *testing.T) {
	onNode := Line{Node: "node", Status: "Success"}
	tests := map[Point]Line{
		PreEnqueue:       {Status: "Success"},
		QueueSort:        {Status: "true", Other: "ns/second"},
		PreFilter:        {Status: "Success"},
		AddPod:           {Status: "Success", Node: "node", Other: "ns/second"},
		RemovePod:        {Status: "Success", Node: "node", Other: "ns/second"},
		Filter:           onNode,
		PostFilter:       {Status: "Unschedulable"},
		PreScore:         {Status: "Success"},
		Score:            onNode,
		NormalizeScore:   {Status: "Success"},
		Reserve:          onNode,
		Permit:           onNode,
		PreBindPreFlight: onNode,
		PreBind:          onNode,
		Bind:             {Status: "Skip", Node: "node"},
		PostBind:         {Node: "node"},
		Unreserve:        {Node: "node"},
		QueueingHint:     {Status: "QueueSkip", Other: "ns/second"},
	}
	if len(tests) != len(calls) {
		t.Errorf("%d points are tested, %d can be called", len(tests), len(calls))
	}
	for point, want := range tests {
		t.Run(string(point), func(t *testing.T) {
			tracer, lines := newTracer(t, "", nil)
			calls[point](tracer, first)
			want.Plugin, want.Sequence, want.Point = Name, 1, point
			want.Namespace, want.Pod, want.UID = "ns", "first", "uid-first"
			if diff := cmp.Diff([]Line{want}, lines(), cmpopts.IgnoreFields(Line{}, "Time")); diff != "" {
				t.Errorf("trace (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOutcomes(t *testing.T) {
	for point, codes := range accepted {
		for _, code := range codes {
			t.Run(fmt.Sprintf("%s at %s", code, point), func(t *testing.T) {
				more := `, "podSelector": {"matchLabels": {"case": "first"}}`
				if code == fwk.Wait {
					more += `, "timeout": "1m"`
				}
				tracer, lines := newTracer(t, outcome(point, code.String(), more), fake.NewClientset(first.DeepCopy()))
				got := calls[point](tracer, first)
				wantMessage := fmt.Sprintf("Tracer returns %s at %s", code, point)
				if code == fwk.Success || code == fwk.Wait || code == fwk.Skip {
					wantMessage = ""
				}
				if got.Code() != code || got.Message() != wantMessage {
					t.Errorf("got %s %q, want %s %q", got.Code(), got.Message(), code, wantMessage)
				}
				line := lines()[0]
				if line.Status != code.String() || line.Message != wantMessage {
					t.Errorf("trace: got %s %q, want %s %q", line.Status, line.Message, code, wantMessage)
				}
			})
		}
	}
}

func TestOutcomesAreForTheirPodsAndPointOnly(t *testing.T) {
	tracer, _ := newTracer(t, `{"outcomes": [
		{"point": "Filter", "status": "Unschedulable", "podSelector": {"matchLabels": {"case": "first"}}, "message": "not here"},
		{"point": "Filter", "status": "Error", "podSelector": {"matchExpressions": [{"key": "case", "operator": "Exists"}]}}
	]}`, nil)
	unlabelled := pod("third", nil)
	tests := map[string]struct {
		got  *fwk.Status
		want *fwk.Status
	}{
		"the first that picks the pod": {calls[Filter](tracer, first), fwk.NewStatus(fwk.Unschedulable, "not here")},
		"the second":                   {calls[Filter](tracer, second), fwk.NewStatus(fwk.Error, "Tracer returns Error at Filter")},
		"a pod without the label":      {calls[Filter](tracer, unlabelled), nil},
		"another point":                {calls[Reserve](tracer, first), nil},
	}
	for name, test := range tests {
		if test.got.Code() != test.want.Code() || test.got.Message() != test.want.Message() {
			t.Errorf("%s: got %s %q, want %s %q",
				name, test.got.Code(), test.got.Message(), test.want.Code(), test.want.Message())
		}
	}
}

func TestOutcomesOfSomeCallsOnly(t *testing.T) {
	tracer, _ := newTracer(t, `{"outcomes": [
		{"point": "PreBind", "status": "Error", "podSelector": {}, "times": 2},
		{"point": "PreBind", "status": "Pending", "podSelector": {}, "times": 1}
	]}`, nil)
	want := []fwk.Code{fwk.Error, fwk.Error, fwk.Pending, fwk.Success, fwk.Success}
	for _, p := range []*v1.Pod{first, second} {
		var got []fwk.Code
		for range want {
			got = append(got, calls[PreBind](tracer, p).Code())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", p.Name, diff)
		}
	}
}

func TestDelay(t *testing.T) {
	const delay = 50 * time.Millisecond
	for _, point := range []Point{Reserve, Permit, PreBind, Bind} {
		t.Run(string(point), func(t *testing.T) {
			tracer, _ := newTracer(t, outcome(point, "Error", everyPod+`, "delay": "50ms"`), nil)
			began := time.Now()
			got := calls[point](tracer, first)
			if took := time.Since(began); got.Code() != fwk.Error || took < delay {
				t.Errorf("got %s after %s, want Error after %s", got.Code(), took, delay)
			}
		})
	}
}

func TestDelayComesAfterTheTraceAndEndsWithTheContext(t *testing.T) {
	tracer, lines := newTracer(t, outcome(PreBind, "Success", everyPod+`, "delay": "1h"`), nil)
	ctx, cancel := context.WithCancelCause(background)
	cancel(errors.New("no longer wanted"))
	got := tracer.PreBind(ctx, nil, first, "node")
	if got.Code() != fwk.Error || got.Message() != "no longer wanted" {
		t.Errorf("got %s %q, want the cause as an error", got.Code(), got.Message())
	}
	if line := lines()[0]; line.Status != "Success" {
		t.Errorf("trace: got %s, want what the delay comes after", line.Status)
	}
}

func TestUntilHoldsThePodThatLacksTheLabels(t *testing.T) {
	released := map[string]string{"released": "yes"}
	renewed := pod("first", nil)
	renewed.UID = "uid-of-another"
	tests := map[string]struct {
		now  *v1.Pod
		held bool
	}{
		"as it was":      {pod("first", nil), true},
		"with the label": {pod("first", released), false},
		"gone":           {nil, false},
		"made again":     {renewed, false},
	}
	for name, test := range tests {
		for _, point := range []Point{Reserve, PreBind, Bind} {
			t.Run(name+" at "+string(point), func(t *testing.T) {
				tracer := newTracerThatSees(t, outcome(point, "Success", everyPod+`, "until": {"matchLabels": {"released": "yes"}}`), test.now)
				ctx, cancel := context.WithTimeout(background, 5*interval)
				defer cancel()
				status := tracer.hold(ctx, tracer.rules.take(point, first), first, nil)
				if held := !status.IsSuccess(); held != test.held {
					t.Errorf("held: %t (%v), want %t", held, status, test.held)
				}
			})
		}
	}
}

func TestSortsAsPrioritySort(t *testing.T) {
	tracer, _ := newTracer(t, "", nil)
	var queue []fwk.QueuedInfo
	for _, priority := range []*int32{nil, ptr.To[int32](-1), ptr.To[int32](0), ptr.To[int32](5)} {
		for second := range int64(2) {
			p := pod("p", nil)
			p.Spec.Priority = priority
			queue = append(queue, queued(p, time.Unix(second, 0)))
		}
	}
	wanted := &queuesort.PrioritySort{}
	for i, a := range queue {
		for j, b := range queue {
			if got, want := tracer.Less(a, b), wanted.Less(a, b); got != want {
				t.Errorf("Less(%d, %d) = %t, PrioritySort says %t", i, j, got, want)
			}
		}
	}
}

func TestQueueingHint(t *testing.T) {
	tracer, _ := newTracer(t, "", nil)
	events, err := tracer.EventsToRegister(background)
	if err != nil || len(events) != 1 {
		t.Fatalf("EventsToRegister: %v, %v", events, err)
	}
	if want := (fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.UpdatePodLabel}); events[0].Event != want {
		t.Errorf("registered for %v, want %v", events[0].Event, want)
	}
	tests := map[string]struct {
		changed any
		want    fwk.QueueingHint
		wantErr bool
	}{
		"its own labels":       {changed: first, want: fwk.Queue},
		"labels of a stranger": {changed: second, want: fwk.QueueSkip},
		"not a pod":            {changed: &v1.Node{}, want: fwk.Queue, wantErr: true},
	}
	for name, test := range tests {
		got, err := events[0].QueueingHintFn(klog.Background(), first, test.changed, test.changed)
		if got != test.want || (err != nil) != test.wantErr {
			t.Errorf("%s: got %v, %v, want %v, error: %v", name, got, err, test.want, test.wantErr)
		}
	}
}

func TestPermitLetsWait(t *testing.T) {
	tests := map[string]struct {
		times       string
		wantCode    fwk.Code
		wantMessage string
	}{
		"until the timeout": {`, "timeout": "20ms"`, fwk.Unschedulable, "rejected due to timeout after waiting 20ms at plugin Tracer"},
		"until allowed":     {`, "timeout": "1m", "allowAfter": "20ms"`, fwk.Success, ""},
		"until rejected":    {`, "timeout": "1m", "rejectAfter": "20ms"`, fwk.Unschedulable, "Tracer rejects the pod after 20ms"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			profile := newProfile(t, outcome(Permit, "Wait", everyPod+test.times), nil)
			if status := permit(profile, first); !status.IsWait() {
				t.Fatalf("Permit: got %s %q, want Wait", status.Code(), status.Message())
			}
			got := profile.WaitOnPermit(background, first)
			if got.Code() != test.wantCode || got.Message() != test.wantMessage {
				t.Errorf("got %s %q, want %s %q", got.Code(), got.Message(), test.wantCode, test.wantMessage)
			}
		})
	}
}

func TestBindWithSuccessBinds(t *testing.T) {
	client := fake.NewClientset(first.DeepCopy())
	tracer, _ := newTracer(t, outcome(Bind, "Success", everyPod), client)
	if status := calls[Bind](tracer, first); !status.IsSuccess() {
		t.Fatalf("Bind: %v", status)
	}
	actions := client.Actions()
	if len(actions) != 1 || !actions[0].Matches("create", "pods/binding") {
		t.Errorf("got %v, want one binding", actions)
	}
}

func TestTracersOfAProfileShareOneSequence(t *testing.T) {
	var buffer bytes.Buffer
	shared := &trace{writer: &buffer}
	var calling sync.WaitGroup
	const each = 200
	for _, name := range []string{Name, SecondName} {
		tracer := &Tracer{name: name, trace: shared}
		for range 4 {
			calling.Add(1)
			go func() {
				defer calling.Done()
				for range each {
					tracer.Filter(background, nil, first, node)
				}
			}()
		}
	}
	calling.Wait()
	for i, line := range parse(t, buffer.String()) {
		if line.Sequence != uint64(i+1) {
			t.Fatalf("line %d has sequence %d", i+1, line.Sequence)
		}
	}
	if got := strings.Count(buffer.String(), `{"plugin":"SecondTracer","sequence":`); got != 4*each {
		t.Errorf("%d lines of the second tracer, want %d", got, 4*each)
	}
}

func TestLineFormat(t *testing.T) {
	var written bytes.Buffer
	tracer := &Tracer{name: Name, trace: &trace{writer: &written}}
	preFilter(tracer, first)
	line := parse(t, written.String())[0]
	at, err := time.Parse("2006-01-02T15:04:05.000000Z", line.Time)
	if err != nil || time.Since(at) > time.Minute {
		t.Errorf("time is %q, %v", line.Time, err)
	}
	want := fmt.Sprintf(`{"plugin":"Tracer","sequence":1,"time":%q,"point":"PreFilter","namespace":"ns","pod":"first",`+
		`"uid":"uid-first","node":"","other":"","status":"Success","message":""}`+"\n", line.Time)
	if written.String() != want {
		t.Errorf("got  %swant %s", written.String(), want)
	}
}

// newTracer makes a tracer as kube-scheduler does, and a function that returns what it has traced.
func newTracer(t *testing.T, arguments string, client clientset.Interface) (*Tracer, func() []Line) {
	t.Helper()
	profile := newProfile(t, "", client) // a handle for the tracer
	made, err := Factory(Name)(t.Context(), &runtime.Unknown{Raw: []byte(arguments)}, profile)
	if err != nil {
		t.Fatal(err)
	}
	var buffer bytes.Buffer
	tracer := made.(*Tracer)
	tracer.trace = &trace{writer: &buffer}
	return tracer, func() []Line { return parse(t, buffer.String()) }
}

// newProfile makes the framework of a profile that has a tracer at Permit.
func newProfile(t *testing.T, arguments string, client clientset.Interface) framework.Framework {
	t.Helper()
	quiet := func(ctx context.Context, arguments runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
		made, err := Factory(Name)(ctx, arguments, handle)
		if err == nil {
			made.(*Tracer).trace = &trace{writer: io.Discard}
		}
		return made, err
	}
	only := config.PluginSet{Enabled: []config.Plugin{{Name: Name}}}
	profile, err := frameworkruntime.NewFramework(t.Context(), frameworkruntime.Registry{Name: quiet},
		&config.KubeSchedulerProfile{
			Plugins: &config.Plugins{QueueSort: only, Bind: only, Permit: only},
			PluginConfig: []config.PluginConfig{
				{Name: Name, Args: &runtime.Unknown{Raw: []byte(arguments)}},
			},
		},
		frameworkruntime.WithWaitingPods(frameworkruntime.NewWaitingPodsMap()),
		frameworkruntime.WithClientSet(client),
	)
	if err != nil {
		t.Fatal(err)
	}
	return profile
}

// newTracerThatSees returns a tracer whose informer knows one pod; none if it is nil.
func newTracerThatSees(t *testing.T, arguments string, known *v1.Pod) *Tracer {
	t.Helper()
	tracer, _ := newTracer(t, arguments, nil)
	informers := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	if known != nil {
		if err := informers.Core().V1().Pods().Informer().GetStore().Add(known); err != nil {
			t.Fatal(err)
		}
	}
	tracer.handle = seeing{tracer.handle, informers}
	return tracer
}

// seeing is a handle with informers of its own.
type seeing struct {
	fwk.Handle
	informers informers.SharedInformerFactory
}

func (s seeing) SharedInformerFactory() informers.SharedInformerFactory {
	return s.informers
}

func parse(t *testing.T, written string) []Line {
	t.Helper()
	var lines []Line
	for text := range strings.Lines(written) {
		var line Line
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		lines = append(lines, line)
	}
	return lines
}

func pod(name string, labels map[string]string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-" + name), Labels: labels}}
}

func info(pod *v1.Pod) fwk.PodInfo {
	made, err := framework.NewPodInfo(pod)
	if err != nil {
		panic(err)
	}
	return made
}

func queued(pod *v1.Pod, since time.Time) fwk.QueuedInfo {
	made, err := framework.NewPodInfo(pod)
	if err != nil {
		panic(err)
	}
	entry := &framework.QueuedPodInfo{PodInfo: made}
	entry.Timestamp = since
	return entry
}

func nodeInfo(name string) fwk.NodeInfo {
	made := framework.NewNodeInfo()
	made.SetNode(&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
	return made
}
