//go:build kubernetes1.36 || kubernetes1.37 || kubernetes1.38

package tracer

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// PreBindPreFlight announces that PreBind has something to do.
func (t *Tracer) PreBindPreFlight(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, node string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	return nil, t.answer(ctx, about(PreBindPreFlight, pod).on(node), pod, nil)
}
