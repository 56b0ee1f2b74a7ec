// Command scheduler is kube-scheduler with the plugins of this project compiled in. It takes the flags and the
// KubeSchedulerConfiguration of kube-scheduler; no plugin below runs unless a profile enables it.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // metrics of the API client
	_ "k8s.io/component-base/metrics/prometheus/version"  // kubernetes_build_info
	"k8s.io/kubernetes/cmd/kube-scheduler/app"

	"schedtest.dev/scheduler/plugins/priority"
	"schedtest.dev/scheduler/plugins/tracer"
)

func main() {
	os.Exit(cli.Run(app.NewSchedulerCommand(
		app.WithPlugin(priority.Name, priority.New),
		app.WithPlugin(tracer.Name, tracer.Factory(tracer.Name)),
		app.WithPlugin(tracer.SecondName, tracer.Factory(tracer.SecondName)),
	)))
}
