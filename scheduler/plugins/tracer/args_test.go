package tracer

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

const everyPod = `, "podSelector": {}`

func TestOutcomesThatAreAccepted(t *testing.T) {
	tests := map[string]struct {
		point  Point
		status string
		more   string
	}{
		"every pod":             {Filter, "Error", everyPod},
		"pods with a label":     {Filter, "Error", `, "podSelector": {"matchLabels": {"a": "b"}}`},
		"message":               {Filter, "Error", everyPod + `, "message": "no"`},
		"success":               {Bind, "Success", everyPod},
		"wait":                  {Permit, "Wait", everyPod + `, "timeout": "1s"`},
		"wait, then allowed":    {Permit, "Wait", everyPod + `, "timeout": "1s", "allowAfter": "10ms"`},
		"wait, then rejected":   {Permit, "Wait", everyPod + `, "timeout": "1s", "rejectAfter": "10ms"`},
		"longest wait":          {Permit, "Wait", everyPod + `, "timeout": "15m"`},
		"skip at PreFilter":     {PreFilter, "Skip", everyPod},
		"skip at PreScore":      {PreScore, "Skip", everyPod},
		"skip at Bind":          {Bind, "Skip", everyPod},
		"skip in the preflight": {PreBindPreFlight, "Skip", everyPod},
		"pending at Permit":     {Permit, "Pending", everyPod},
		"late":                  {PreBind, "Success", everyPod + `, "delay": "1s"`},
		"until a label":         {PreBind, "Success", everyPod + `, "until": {"matchLabels": {"a": "b"}}`},
		"once":                  {PreBind, "Error", everyPod + `, "times": 1`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if err := start(outcome(test.point, test.status, test.more)); err != nil {
				t.Errorf("refused: %v", err)
			}
		})
	}
}

func TestOutcomesThatAreRefused(t *testing.T) {
	tests := map[string]struct {
		point   Point
		status  string
		more    string
		wantErr string
	}{
		"no delay": {PreBind, "Success", everyPod + `, "delay": "0s"`,
			`args.outcomes[0].delay: Invalid value: "0s": must be more than 0`},
		"invalid end": {PreBind, "Success", everyPod + `, "until": {"matchLabels": {"a b": "c"}}`,
			"args.outcomes[0].until: Invalid value"},
		"two ends of a delay": {PreBind, "Success", everyPod + `, "until": {}, "delay": "1s"`,
			"args.outcomes[0].until: Forbidden: a time holds the pod already"},
		"two ends of a wait": {Permit, "Wait", everyPod + `, "until": {}, "timeout": "1m", "allowAfter": "1s"`,
			"args.outcomes[0].until: Forbidden: a time holds the pod already"},
		"never": {PreBind, "Error", everyPod + `, "times": 0`,
			`args.outcomes[0].times: Invalid value: 0: must be 1 or more; leave it out for every call`},
		"unknown field": {Filter, "Error", everyPod + `, "node": "n"`,
			`args: unknown field "outcomes[0].node"`},
		"no point": {"", "Error", everyPod,
			`args.outcomes[0].point: Unsupported value: "": supported values: "AddPod", "Bind"`},
		"unknown point": {"filter", "Error", everyPod,
			`args.outcomes[0].point: Unsupported value: "filter"`},
		"point without a status": {PostBind, "Error", everyPod,
			`args.outcomes[0].point: Unsupported value: "PostBind"`},
		"no status": {Filter, "", everyPod,
			`args.outcomes[0].status: Unsupported value: ""`},
		"unknown status": {Filter, "error", everyPod,
			`args.outcomes[0].status: Unsupported value: "error": supported values: "Success", "Error"`},
		"wait at Filter": {Filter, "Wait", everyPod + `, "timeout": "1s"`,
			`args.outcomes[0].status: Invalid value: "Wait": Filter accepts Success, Error, Unschedulable, Unsch`},
		"skip at Filter": {Filter, "Skip", everyPod,
			`args.outcomes[0].status: Invalid value: "Skip": Filter accepts`},
		"skip at Permit": {Permit, "Skip", everyPod,
			`args.outcomes[0].status: Invalid value: "Skip": Permit accepts`},
		"pending at Filter": {Filter, "Pending", everyPod,
			`args.outcomes[0].status: Invalid value: "Pending": Filter accepts`},
		"rejection in the preflight": {PreBindPreFlight, "Unschedulable", everyPod,
			"PreBindPreFlight accepts Success, Error, Skip"},
		"no selector": {Filter, "Error", "",
			"args.outcomes[0].podSelector: Required value"},
		"invalid selector": {Filter, "Error", `, "podSelector": {"matchLabels": {"a b": "c"}}`,
			"args.outcomes[0].podSelector: Invalid value"},
		"message that nobody sees": {Bind, "Skip", everyPod + `, "message": "m"`,
			"args.outcomes[0].message: Forbidden"},
		"wait without an end": {Permit, "Wait", everyPod,
			"args.outcomes[0].timeout: Required value"},
		"no time": {Permit, "Wait", everyPod + `, "timeout": "0s"`,
			`args.outcomes[0].timeout: Invalid value: "0s": must be more than 0 and at most 15m0s`},
		"negative time": {Permit, "Wait", everyPod + `, "timeout": "-1s"`,
			"args.outcomes[0].timeout: Invalid value"},
		"more time than there is": {Permit, "Wait", everyPod + `, "timeout": "16m"`,
			"args.outcomes[0].timeout: Invalid value"},
		"time without a unit": {Permit, "Wait", everyPod + `, "timeout": "1"`,
			"missing unit in duration"},
		"allowed too late": {Permit, "Wait", everyPod + `, "timeout": "1s", "allowAfter": "1s"`,
			`args.outcomes[0].allowAfter: Invalid value: "1s": must be more than 0 and less than the timeout`},
		"rejected at once": {Permit, "Wait", everyPod + `, "timeout": "1s", "rejectAfter": "0s"`,
			"args.outcomes[0].rejectAfter: Invalid value"},
		"two ends": {Permit, "Wait", everyPod + `, "timeout": "1s", "allowAfter": "1ms", "rejectAfter": "1ms"`,
			"args.outcomes[0].rejectAfter: Forbidden"},
		"time without a wait": {Permit, "Unschedulable", everyPod + `, "timeout": "1s"`,
			"args.outcomes[0].timeout: Forbidden: only with status Wait"},
		"the second of two mistakes": {Filter, "Wait", "",
			"args.outcomes[0].podSelector: Required value"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := start(outcome(test.point, test.status, test.more))
			if err == nil || !strings.Contains(err.Error(), test.wantErr) {
				t.Errorf("got error %v\nwant      %s", err, test.wantErr)
			}
		})
	}
}

func TestArguments(t *testing.T) {
	for _, arguments := range []string{"", "{}", `{"outcomes": []}`} {
		if err := start(arguments); err != nil {
			t.Errorf("%s is refused: %v", arguments, err)
		}
	}
	if err := start(`{"outcome": []}`); err == nil || err.Error() != `args: unknown field "outcome"` {
		t.Errorf("a misspelt argument: %v", err)
	}
}

func start(arguments string) error {
	_, err := Factory(Name)(background, &runtime.Unknown{Raw: []byte(arguments)}, nil)
	return err
}

// outcome returns arguments with one outcome; more continues its JSON.
func outcome(point Point, status, more string) string {
	return fmt.Sprintf(`{"outcomes": [{"point": %q, "status": %q%s}]}`, point, status, more)
}
