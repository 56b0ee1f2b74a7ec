//go:build kubernetes1.32 || kubernetes1.33

package tracer

import (
	"context"

	v1 "k8s.io/api/core/v1"

	"schedtest.dev/scheduler/framework"
)

// PreFilter leaves all nodes in.
func (t *Tracer) PreFilter(ctx context.Context, _ framework.CycleState, pod *v1.Pod) (*framework.PreFilterResult, *framework.Status) {
	return nil, t.answer(ctx, about(PreFilter, pod), pod, nil)
}
