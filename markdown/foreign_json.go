package markdown

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// value is a JSON value and where it stands in its file.
type value struct {
	at  int
	raw json.RawMessage
}

func (v value) span() Span { return Span{v.at, v.at + len(v.raw)} }

// member is a value in an object.
type member struct {
	key string
	value
}

// wholeOf is the one value that text is.
func wholeOf(text []byte) (value, error) {
	skip := 0
	if bytes.HasPrefix(text, bom) {
		skip = len(bom)
	}
	dec := json.NewDecoder(bytes.NewReader(text[skip:]))
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return value{}, err
	}
	end := skip + int(dec.InputOffset())
	if dec.More() {
		return value{}, errors.New("there is more than one value")
	}
	return value{end - len(raw), raw}, nil
}

// members are the values of an object in their order; none if v is something
// else.
func (v value) members() []member {
	var out []member
	v.inside('{', func(dec *json.Decoder) bool {
		key, err := dec.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return false
		}
		m, ok := v.next(dec)
		out = append(out, member{name, m})
		return ok
	})
	return out
}

// elements are the values of an array; none if v is something else.
func (v value) elements() []value {
	var out []value
	v.inside('[', func(dec *json.Decoder) bool {
		e, ok := v.next(dec)
		out = append(out, e)
		return ok
	})
	return out
}

func (v value) inside(open json.Delim, each func(*json.Decoder) bool) {
	dec := json.NewDecoder(bytes.NewReader(v.raw))
	if t, err := dec.Token(); err != nil || t != open {
		return
	}
	for dec.More() && each(dec) {
	}
}

func (v value) next(dec *json.Decoder) (value, bool) {
	var raw json.RawMessage
	if dec.Decode(&raw) != nil {
		return value{}, false
	}
	return value{v.at + int(dec.InputOffset()) - len(raw), raw}, true
}

// fields are the members of an object by name; each that is asked for counts
// as used.
type fields struct {
	of   map[string]value
	used map[string]bool
}

func (v value) fields() fields {
	f := fields{of: map[string]value{}, used: map[string]bool{}}
	for _, m := range v.members() {
		f.of[m.key] = m.value
	}
	return f
}

// text is the first of the fields that holds a text or a number.
func (f fields) text(keys ...string) string {
	found := ""
	for _, k := range keys {
		if v, ok := f.of[k]; ok {
			f.used[k] = true
			if s := textOf(v); found == "" {
				found = s
			}
		}
	}
	return found
}

func textOf(v value) string {
	var s string
	if json.Unmarshal(v.raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(v.raw, &n) == nil {
		return n.String()
	}
	return ""
}

// yes reports a field that is true.
func (f fields) yes(key string) bool {
	f.used[key] = true
	return string(f.of[key].raw) == "true"
}

// list are the elements of a field.
func (f fields) list(key string) []value {
	f.used[key] = true
	return f.of[key].elements()
}

// texts are the texts and numbers in a field that is a list, or the lines of
// one that is a text.
func (f fields) texts(key string) []string {
	if s := f.text(key); s != "" {
		return strings.Split(s, "\n")
	}
	var out []string
	for _, v := range f.list(key) {
		if s := textOf(v); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// ignore says of fields that they are understood and not wanted: times and the
// like, which change without the task changing.
func (f fields) ignore(keys ...string) {
	for _, k := range keys {
		f.used[k] = true
	}
}

// rest counts the fields that hold something and were not used.
func (t *tracker) rest(f fields) {
	for k, v := range f.of {
		switch empty := string(v.raw); {
		case f.used[k], empty == "null", empty == `""`, empty == "[]", empty == "{}", empty == "0", empty == "false":
		default:
			t.unused[k]++
		}
	}
}
