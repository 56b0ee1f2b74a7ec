package priority_test

import (
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultbinder"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	schedulerprofile "k8s.io/kubernetes/pkg/scheduler/profile"

	"schedtest.dev/scheduler/plugins/priority"
)

// patience is far below the 5 minutes after which kube-scheduler retries rejected pods whatever happens.
const patience = 20 * time.Second

// A whole scheduler runs here, on an API of memory: the pod comes back because of the hint, and nothing else.
func TestLabelBringsRejectedPodBack(t *testing.T) {
	client := fake.NewClientset(node("a"), node("b"))
	bound := make(chan string, 1)
	client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		create := action.(clienttesting.CreateAction)
		binding, isBinding := create.GetObject().(*v1.Binding)
		if isBinding {
			bound <- binding.Target.Name
		}
		return isBinding, binding, nil
	})
	notes := make(chan string, 100)
	client.PrependReactor("create", "events", func(action clienttesting.Action) (bool, runtime.Object, error) {
		event := action.(clienttesting.CreateAction).GetObject().(*eventsv1.Event)
		notes <- event.Reason + " " + event.Note
		return false, nil, nil
	})
	ctx := t.Context()
	recorder := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	if err := recorder.StartRecordingToSinkWithContext(ctx); err != nil {
		t.Fatal(err)
	}
	informers := informers.NewSharedInformerFactory(client, 0)
	sched, err := scheduler.New(ctx, client, informers, nil,
		schedulerprofile.NewRecorderFactory(recorder),
		scheduler.WithFrameworkOutOfTreeRegistry(frameworkruntime.Registry{priority.Name: priority.New}),
		scheduler.WithProfiles(config.KubeSchedulerProfile{
			SchedulerName: "test",
			Plugins: &config.Plugins{
				QueueSort: only(queuesort.Name),
				Bind:      only(defaultbinder.Name),
				Filter:    only(priority.Name),
			},
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	informers.Start(ctx.Done())
	informers.WaitForCacheSync(ctx.Done())
	if err := sched.WaitForHandlersSync(ctx); err != nil {
		t.Fatal(err)
	}
	go sched.Run(ctx)

	waiting := pod("p")
	waiting.Spec.SchedulerName = "test"
	if _, err := client.CoreV1().Pods(waiting.Namespace).Create(ctx, waiting, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	want := "0/2 nodes are available: 2 node does not have label " + key
	if got := receive(t, notes); !strings.Contains(got, want) {
		t.Fatalf("got event %q, want %q", got, want)
	}
	if _, err := client.CoreV1().Nodes().Update(ctx, node("b", key, "10"), metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := receive(t, bound); got != "b" {
		t.Errorf("bound to %s, want b", got)
	}
	if got := receive(t, notes); !strings.Contains(got, "Scheduled") {
		t.Errorf("got event %q, want Scheduled", got)
	}
}

func receive(t *testing.T, from <-chan string) string {
	t.Helper()
	select {
	case got := <-from:
		return got
	case <-time.After(patience):
		t.Fatalf("nothing came in %s", patience)
		return ""
	}
}
