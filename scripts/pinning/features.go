//go:build ignore

// Prints the feature gates and the API versions of the Kubernetes that it is built from, as JSON; see features.py beside it.
package main

import (
	"encoding/json"
	"os"
	"strings"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	_ "k8s.io/kubernetes/cmd/kube-apiserver/app"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	_ "k8s.io/kubernetes/cmd/kube-scheduler/app"
	"k8s.io/kubernetes/pkg/controlplane"
)

type gate struct {
	Stage   string   `json:"stage"`
	Default bool     `json:"default"`
	Locked  bool     `json:"locked,omitempty"`
	Needs   []string `json:"needs,omitempty"`
}

// Kubernetes 1.35 and later check dependencies.
type dependent interface {
	Dependencies() map[featuregate.Feature][]featuregate.Feature
}

func main() {
	known := utilfeature.DefaultMutableFeatureGate
	gates := map[string]*gate{}
	for name, spec := range known.GetAll() {
		stage := strings.ToLower(string(spec.PreRelease))
		if stage == "" {
			stage = "ga"
		}
		gates[string(name)] = &gate{Stage: stage, Default: spec.Default, Locked: spec.LockToDefault}
	}
	if with, ok := any(known).(dependent); ok {
		for name, needs := range with.Dependencies() {
			for _, each := range needs {
				gates[string(name)].Needs = append(gates[string(name)].Needs, string(each))
			}
		}
	}
	apis := map[string]bool{}
	for version, served := range controlplane.DefaultAPIResourceConfigSource().GroupVersionConfigs {
		apis[version.String()] = served
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"gates": gates, "apis": apis}); err != nil {
		panic(err)
	}
}
