package priority_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultbinder"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	fwk "schedtest.dev/scheduler/framework"
	"schedtest.dev/scheduler/plugins/priority"
)

const key = priority.DefaultLabelKey

func TestMain(m *testing.M) {
	metrics.Register() // the framework counts its calls
	m.Run()
}

func TestNew(t *testing.T) {
	tests := map[string]struct {
		arguments string
		admits    string // key of the label that is looked for
		wantErr   string
	}{
		"default":          {arguments: "", admits: key},
		"no arguments":     {arguments: `{}`, admits: key},
		"another key":      {arguments: `{"labelKey": "rank"}`, admits: "rank"},
		"unknown argument": {arguments: `{"label": "rank"}`, wantErr: `args: unknown field "label"`},
		"not a string":     {arguments: `{"labelKey": 1}`, wantErr: "args: json: cannot unmarshal number"},
		"empty key":        {arguments: `{"labelKey": ""}`, wantErr: `args.labelKey: Invalid value: ""`},
		"invalid key":      {arguments: `{"labelKey": "a b"}`, wantErr: `args.labelKey: Invalid value: "a b"`},
		"two slashes":      {arguments: `{"labelKey": "a/b/c"}`, wantErr: `args.labelKey: Invalid value: "a/b/c"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			plugin, err := priority.New(t.Context(), &runtime.Unknown{Raw: []byte(test.arguments)}, nil)
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Fatalf("New: got error %v, want %q", err, test.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatalf("New: %v", err)
			}
			status := plugin.(fwk.FilterPlugin).Filter(t.Context(), nil, nil, info(node("n", test.admits, "1")))
			if !status.IsSuccess() {
				t.Errorf("a node with label %s is rejected: %v", test.admits, status)
			}
		})
	}
}

func TestFilter(t *testing.T) {
	rejected := fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "node does not have label "+key).WithPlugin(priority.Name)
	tests := map[string]struct {
		node *v1.Node
		want *fwk.Status
	}{
		"label":               {node: node("n", key, "10")},
		"not an integer":      {node: node("n", key, "abc")}, // Score's business
		"empty value":         {node: node("n", key, "")},
		"no label":            {node: node("n"), want: rejected},
		"another label":       {node: node("n", "rank", "10"), want: rejected},
		"label of other case": {node: node("n", strings.ToUpper(key), "10"), want: rejected},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := profile(t).RunFilterPlugins(t.Context(), framework.NewCycleState(), pod("p"), info(test.node))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Filter (-want +got):\n%s", diff)
			}
		})
	}
}

func TestScore(t *testing.T) {
	tests := map[string]struct {
		node    *v1.Node
		want    int64
		wantErr string
	}{
		"integer":      {node: node("n", key, "10"), want: 10},
		"zero":         {node: node("n", key, "0"), want: 0},
		"leading zero": {node: node("n", key, "010"), want: 10},
		"highest":      {node: node("n", key, "92233720368547758"), want: 92233720368547758},
		"missing":      {node: node("n"), wantErr: "node n does not have label " + key},
		"too high":     {node: node("n", key, "92233720368547759"), wantErr: notAnInteger("92233720368547759")},
		"over int64":   {node: node("n", key, "9223372036854775808"), wantErr: notAnInteger("9223372036854775808")},
		"negative":     {node: node("n", key, "-1"), wantErr: notAnInteger("-1")},
		"word":         {node: node("n", key, "abc"), wantErr: notAnInteger("abc")},
		"decimal":      {node: node("n", key, "1.5"), wantErr: notAnInteger("1.5")},
		"hexadecimal":  {node: node("n", key, "0x10"), wantErr: notAnInteger("0x10")},
		"empty":        {node: node("n", key, ""), wantErr: notAnInteger("")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, status := score(t, test.node)
			if test.wantErr != "" {
				if status.Code() != fwk.Error || status.Message() != test.wantErr {
					t.Errorf("Score: got %s %q, want Error %q", status.Code(), status.Message(), test.wantErr)
				}
				return
			}
			if !status.IsSuccess() || got != test.want {
				t.Errorf("Score: got %d, %v, want %d", got, status, test.want)
			}
		})
	}
}

// The framework refuses scores outside of 0 to 100, so this also shows that no valid label overflows.
func TestNormalizedScores(t *testing.T) {
	tests := map[string]struct {
		values []string
		want   []int64
	}{
		"highest is 100":       {values: []string{"10", "20", "5"}, want: []int64{50, 100, 25}},
		"equal":                {values: []string{"7", "7"}, want: []int64{100, 100}},
		"rounded down":         {values: []string{"1", "2", "3"}, want: []int64{33, 66, 100}},
		"small beside large":   {values: []string{"1", "2", "1000"}, want: []int64{0, 0, 100}},
		"highest stays ahead":  {values: []string{"99999", "100000"}, want: []int64{99, 100}},
		"all zero":             {values: []string{"0", "0"}, want: []int64{0, 0}},
		"the range from 0 on":  {values: []string{"0", "92233720368547758"}, want: []int64{0, 100}},
		"near the upper bound": {values: []string{"46116860184273879", "92233720368547758"}, want: []int64{50, 100}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var nodes []*v1.Node
			for i, value := range test.values {
				nodes = append(nodes, node(fmt.Sprintf("n%d", i), key, value))
			}
			scores, status := profile(t, nodes...).RunScorePlugins(t.Context(), framework.NewCycleState(), pod("p"), infos(nodes))
			if !status.IsSuccess() {
				t.Fatalf("RunScorePlugins: %v", status)
			}
			var got []int64
			for _, score := range scores {
				got = append(got, score.TotalScore)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("scores (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMaxScoreIsTheLastThatDoesNotOverflow(t *testing.T) {
	if priority.MaxScore*fwk.MaxNodeScore < 0 || priority.MaxScore+1 <= math.MaxInt64/fwk.MaxNodeScore {
		t.Errorf("MaxScore = %d", int64(priority.MaxScore))
	}
}

func TestBadValueFailsThePod(t *testing.T) {
	nodes := []*v1.Node{node("good", key, "10"), node("bad", key, "abc")}
	_, status := profile(t, nodes...).RunScorePlugins(t.Context(), framework.NewCycleState(), pod("p"), infos(nodes))
	want := `running Score plugins: plugin "Priority" failed with: node bad has label schedtest.dev/priority="abc", ` +
		"which is not an integer from 0 to 92233720368547758"
	if status.Code() != fwk.Error || status.Message() != want {
		t.Errorf("got %s %q, want Error %q", status.Code(), status.Message(), want)
	}
}

func TestQueueingHint(t *testing.T) {
	tests := map[string]struct {
		before, after any
		want          fwk.QueueingHint
		wantErr       bool
	}{
		"node with the label is added":    {after: node("n", key, "10"), want: fwk.Queue},
		"node without it is added":        {after: node("n"), want: fwk.QueueSkip},
		"node gets the label":             {before: node("n"), after: node("n", key, "10"), want: fwk.Queue},
		"node gets it with a bad value":   {before: node("n"), after: node("n", key, "abc"), want: fwk.Queue},
		"node gets another label":         {before: node("n"), after: node("n", "rank", "1"), want: fwk.QueueSkip},
		"its value changes":               {before: node("n", key, "10"), after: node("n", key, "20"), want: fwk.QueueSkip},
		"it is removed":                   {before: node("n", key, "10"), after: node("n"), want: fwk.QueueSkip},
		"the event is not about a node":   {after: pod("p"), want: fwk.Queue, wantErr: true},
		"another label of a labelled one": {before: node("n", key, "1"), after: node("n", key, "1", "a", "b"), want: fwk.QueueSkip},
	}
	events, err := plugin(t).EventsToRegister(t.Context())
	if err != nil || len(events) != 1 {
		t.Fatalf("EventsToRegister: %v, %v", events, err)
	}
	wantEvent := fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeLabel}
	if events[0].Event != wantEvent {
		t.Errorf("registered for %v, want %v", events[0].Event, wantEvent)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := events[0].QueueingHintFn(klog.Background(), pod("p"), test.before, test.after)
			if got != test.want || (err != nil) != test.wantErr {
				t.Errorf("got %v, %v, want %v, error: %v", got, err, test.want, test.wantErr)
			}
		})
	}
}

func notAnInteger(value string) string {
	return fmt.Sprintf("node n has label %s=%q, which is not an integer from 0 to 92233720368547758", key, value)
}

func plugin(t *testing.T) *priority.Priority {
	t.Helper()
	plugin, err := priority.New(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return plugin.(*priority.Priority)
}

// score calls a method that gets the name of the node in 1.32, and the node later.
func score(t *testing.T, node *v1.Node) (int64, *fwk.Status) {
	t.Helper()
	made, err := priority.New(t.Context(), nil, profile(t, node))
	if err != nil {
		t.Fatal(err)
	}
	switch plugin := made.(type) {
	case interface {
		Score(context.Context, fwk.CycleState, *v1.Pod, string) (int64, *fwk.Status)
	}:
		return plugin.Score(t.Context(), nil, pod("p"), node.Name)
	case interface {
		Score(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) (int64, *fwk.Status)
	}:
		return plugin.Score(t.Context(), nil, pod("p"), info(node))
	}
	t.Fatal("it has no Score")
	return 0, nil
}

// profile returns the framework of a profile in which Priority alone filters and scores these nodes.
func profile(t *testing.T, nodes ...*v1.Node) framework.Framework {
	t.Helper()
	registry := frameworkruntime.Registry{
		priority.Name: priority.New, queuesort.Name: queuesort.New, defaultbinder.Name: defaultbinder.New,
	}
	got, err := frameworkruntime.NewFramework(context.WithoutCancel(t.Context()), registry, &config.KubeSchedulerProfile{
		Plugins: &config.Plugins{
			QueueSort: only(queuesort.Name),
			Bind:      only(defaultbinder.Name),
			Filter:    only(priority.Name),
			Score:     only(priority.Name),
		},
	}, frameworkruntime.WithSnapshotSharedLister(cache.NewSnapshot(nil, nodes)))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func only(name string) config.PluginSet {
	return config.PluginSet{Enabled: []config.Plugin{{Name: name, Weight: 1}}}
}

func pod(name string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: "uid-of-pod"}}
}

// node makes a node with labels given as keys and values in turn.
func node(name string, labels ...string) *v1.Node {
	made := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
	for i := 0; i < len(labels); i += 2 {
		made.Labels[labels[i]] = labels[i+1]
	}
	return made
}

func infos(nodes []*v1.Node) []fwk.NodeInfo {
	var made []fwk.NodeInfo
	for _, node := range nodes {
		made = append(made, info(node))
	}
	return made
}

func info(node *v1.Node) fwk.NodeInfo {
	made := framework.NewNodeInfo()
	made.SetNode(node)
	return made
}
