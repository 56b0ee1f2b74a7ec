package args_test

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"schedtest.dev/scheduler/plugins/args"
)

type example struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

func TestDecode(t *testing.T) {
	defaults := example{Name: "default", Count: 1}
	tests := map[string]struct {
		arguments runtime.Object
		want      example
		wantErr   string
	}{
		"left out":        {arguments: nil, want: defaults},
		"empty":           {arguments: &runtime.Unknown{}, want: defaults},
		"null":            {arguments: raw("null"), want: defaults},
		"no field":        {arguments: raw("{}"), want: defaults},
		"one field":       {arguments: raw(`{"count": 2}`), want: example{Name: "default", Count: 2}},
		"unknown field":   {arguments: raw(`{"cuont": 2}`), wantErr: `args: unknown field "cuont"`},
		"other case":      {arguments: raw(`{"Count": 2}`), wantErr: `args: unknown field "Count"`},
		"repeated field":  {arguments: raw(`{"count": 2, "count": 3}`), wantErr: `args: duplicate field "count"`},
		"wrong type":      {arguments: raw(`{"count": "2"}`), wantErr: "args: json: cannot unmarshal string"},
		"not an object":   {arguments: raw(`[]`), wantErr: "args: json: cannot unmarshal array"},
		"not JSON":        {arguments: raw(`count: 2`), wantErr: "args: invalid character"},
		"YAML":            {arguments: &runtime.Unknown{ContentType: runtime.ContentTypeYAML}, wantErr: "args: want content type application/json"},
		"another object":  {arguments: &v1.Pod{}, wantErr: "args: want a JSON object, got *v1.Pod"},
		"two are unknown": {arguments: raw(`{"a": 1, "b": 2}`), wantErr: `args: [unknown field "a", unknown field "b"]`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := defaults
			err := args.Decode(test.arguments, &got)
			switch {
			case test.wantErr == "" && err != nil:
				t.Fatalf("Decode: %v", err)
			case test.wantErr != "" && (err == nil || !strings.HasPrefix(err.Error(), test.wantErr)):
				t.Fatalf("Decode: got error %v, want %q", err, test.wantErr)
			case test.wantErr == "" && got != test.want:
				t.Errorf("Decode: got %+v, want %+v", got, test.want)
			}
		})
	}
}

func raw(arguments string) runtime.Object {
	return &runtime.Unknown{Raw: []byte(arguments), ContentType: runtime.ContentTypeJSON}
}
