// Package framework has the names of the scheduling framework that the plugins of this module use, wherever a minor of
// Kubernetes keeps them: up to 1.33 all are in k8s.io/kubernetes, from 1.35 on in k8s.io/kube-scheduler, and in 1.34 some
// are here and some there. Without a build tag the minor is that of go.mod; the tag kubernetes1.36, say, is for 1.36.
package framework
