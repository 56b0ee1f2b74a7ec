//go:build !kubernetes1.32

package priority

import (
	"context"

	v1 "k8s.io/api/core/v1"

	"schedtest.dev/scheduler/framework"
)

// Score returns the label's value.
func (p *Priority) Score(_ context.Context, _ framework.CycleState, _ *v1.Pod, info framework.NodeInfo) (int64, *framework.Status) {
	return p.score(info.Node())
}
