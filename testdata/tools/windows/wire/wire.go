// Package wire is what the stand-in for git.exe and the program that runs the
// real git say to each other over one connection: a request, then frames in
// both directions.
package wire

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
)

// Request is one run of git as Windows asked for it.
type Request struct {
	Key  string // shows that it may ask
	Args []string
	Dir  string
	Env  []string
}

// Kinds of a frame. From the client come Request, Input and InputEnds; what it
// gets are Output, Errors and at last Exit, with the status in decimal.
const (
	Ask byte = iota
	Input
	InputEnds
	Output
	Errors
	Exit
)

const most = 16 << 20

// Send writes one frame.
func Send(w io.Writer, kind byte, data []byte) error {
	frame := append([]byte{kind, 0, 0, 0, 0}, data...)
	binary.BigEndian.PutUint32(frame[1:], uint32(len(data)))
	_, err := w.Write(frame)
	return err
}

// Receive reads one frame.
func Receive(r io.Reader) (kind byte, data []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > most {
		return 0, nil, errors.New("a frame is too long")
	}
	data = make([]byte, n)
	_, err = io.ReadFull(r, data)
	return head[0], data, err
}

// Place is where the program that runs git listens. It is in a file beside
// git.exe.
type Place struct{ Address, Key string }

// PlaceFile is the name of that file.
const PlaceFile = "git.json"

// ReadPlace reads it.
func ReadPlace(text []byte) (p Place, err error) {
	err = json.Unmarshal(text, &p)
	return p, err
}
