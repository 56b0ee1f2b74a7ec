// Command scheduler is kube-scheduler with the plugins of this project compiled in, and those of
// sigs.k8s.io/scheduler-plugins that its tests exercise. It takes the flags and the KubeSchedulerConfiguration of
// kube-scheduler; no plugin below runs unless a profile enables it.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // metrics of the API client
	_ "k8s.io/component-base/metrics/prometheus/version"  // kubernetes_build_info
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
	_ "sigs.k8s.io/scheduler-plugins/apis/config/scheme" // pluginConfig of the scheduler-plugins
	"sigs.k8s.io/scheduler-plugins/pkg/capacityscheduling"
	"sigs.k8s.io/scheduler-plugins/pkg/coscheduling"
	"sigs.k8s.io/scheduler-plugins/pkg/noderesources"
	"sigs.k8s.io/scheduler-plugins/pkg/noderesourcetopology"

	"schedtest.dev/scheduler/plugins/priority"
	"schedtest.dev/scheduler/plugins/tracer"
)

func main() {
	os.Exit(cli.Run(app.NewSchedulerCommand(
		app.WithPlugin(priority.Name, priority.New),
		app.WithPlugin(tracer.Name, tracer.Factory(tracer.Name)),
		app.WithPlugin(tracer.SecondName, tracer.Factory(tracer.SecondName)),
		app.WithPlugin(capacityscheduling.Name, capacityscheduling.New),
		app.WithPlugin(coscheduling.Name, coscheduling.New),
		app.WithPlugin(noderesources.AllocatableName, noderesources.NewAllocatable),
		app.WithPlugin(noderesourcetopology.Name, noderesourcetopology.New),
	)))
}
