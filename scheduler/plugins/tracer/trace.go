package tracer

import (
	"encoding/json"
	"io"
	"os"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
)

// Line is one call of a tracer, written as one line of JSON. Every field is in every line.
type Line struct {
	// Plugin is the name of the tracer that was called. As the first field it makes every line begin alike.
	Plugin string `json:"plugin"`
	// Sequence counts the lines of the process from 1, whichever tracer writes them; lines are written in its order.
	Sequence uint64 `json:"sequence"`
	// Time is UTC with six digits of a second.
	Time string `json:"time"`
	// Point is the extension point.
	Point Point `json:"point"`
	// Namespace, Pod and UID are those of the pod that is being scheduled.
	Namespace string `json:"namespace"`
	Pod       string `json:"pod"`
	UID       string `json:"uid"`
	// Node is the node's name; empty at points that are not about one node.
	Node string `json:"node"`
	// Other is the namespace/name of the second pod: the one that is compared (QueueSort), added (AddPod), removed
	// (RemovePod) or changed (QueueingHint).
	Other string `json:"other"`
	// Status is what the tracer returned: the code of a status, "true" or "false" at QueueSort, the hint at QueueingHint;
	// empty where nothing can be returned.
	Status string `json:"status"`
	// Message is the message of the status.
	Message string `json:"message"`
}

const timeFormat = "2006-01-02T15:04:05.000000Z07:00"

// stdout is where the tracers of all profiles write: one sequence for the process.
var stdout = &trace{writer: os.Stdout}

type trace struct {
	mutex    sync.Mutex
	writer   io.Writer
	sequence uint64
}

// write numbers a line and writes it with one call, so that it is not torn where the log goes to the same file.
func (t *trace) write(line Line) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.sequence++
	line.Sequence = t.sequence
	line.Time = time.Now().UTC().Format(timeFormat)
	text, err := json.Marshal(line)
	if err == nil {
		_, err = t.writer.Write(append(text, '\n'))
	}
	if err != nil {
		klog.ErrorS(err, "A line of the trace is lost", "sequence", line.Sequence, "point", line.Point)
	}
}

func about(point Point, pod *v1.Pod) Line {
	return Line{Point: point, Namespace: pod.Namespace, Pod: pod.Name, UID: string(pod.UID)}
}

func (l Line) on(node string) Line {
	l.Node = node
	return l
}
