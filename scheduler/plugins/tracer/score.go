//go:build !kubernetes1.32

package tracer

import (
	"context"

	v1 "k8s.io/api/core/v1"

	"schedtest.dev/scheduler/framework"
)

// Score gives every node 0.
func (t *Tracer) Score(ctx context.Context, _ framework.CycleState, pod *v1.Pod, info framework.NodeInfo) (int64, *framework.Status) {
	return 0, t.answer(ctx, about(Score, pod).on(info.Node().Name), pod, nil)
}
