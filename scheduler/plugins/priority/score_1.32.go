//go:build kubernetes1.32

package priority

import (
	"context"

	v1 "k8s.io/api/core/v1"

	"schedtest.dev/scheduler/framework"
)

// Score returns the label's value.
func (p *Priority) Score(_ context.Context, _ framework.CycleState, _ *v1.Pod, name string) (int64, *framework.Status) {
	info, err := p.handle.SnapshotSharedLister().NodeInfos().Get(name)
	if err != nil {
		return 0, framework.AsStatus(err)
	}
	return p.score(info.Node())
}
