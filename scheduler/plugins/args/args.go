// Package args decodes the pluginConfig of the plugins in this module.
//
// The framework's own DecodeInto ignores fields that it does not know: a misspelt argument would leave the default in
// force, and a test would go on with a plugin that is not the one it asked for. Here it is refused at start.
package args

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"sigs.k8s.io/json"
)

// Decode reads a plugin's arguments into a pointer that holds the defaults. Names are case-sensitive; unknown and
// repeated fields are errors. Arguments that were left out leave the defaults as they are.
func Decode(arguments runtime.Object, into any) error {
	if arguments == nil {
		return nil
	}
	unknown, ok := arguments.(*runtime.Unknown)
	if !ok {
		return fmt.Errorf("args: want a JSON object, got %T", arguments)
	}
	// kube-scheduler turns YAML into JSON before it hands the arguments on.
	if unknown.ContentType != "" && unknown.ContentType != runtime.ContentTypeJSON {
		return fmt.Errorf("args: want content type %s, got %s", runtime.ContentTypeJSON, unknown.ContentType)
	}
	if len(unknown.Raw) == 0 {
		return nil
	}
	strict, err := json.UnmarshalStrict(unknown.Raw, into)
	if err != nil {
		return fmt.Errorf("args: %w", err)
	}
	// On one line, which klog leaves as it is.
	if err := utilerrors.NewAggregate(strict); err != nil {
		return fmt.Errorf("args: %w", err)
	}
	return nil
}
