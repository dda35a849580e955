package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"unicode/utf8"

	"coord"
)

// maxDepth is how deeply a body may nest.
const maxDepth = 32

// strictBody reads the body within the limit, refuses what Go's decoder would
// let pass or mend silently, and puts the bytes back for the typed decoder.
// Unknown fields and wrong case are the schema's to refuse.
func strictBody(w http.ResponseWriter, r *http.Request, limit int64) (status int, e *coord.Error) {
	if !isJSON(r.Header) {
		return http.StatusUnsupportedMediaType, coord.Errorf(coord.CodeBadRequest, "the Content-Type must be application/json, in UTF-8 and not compressed; nothing was changed")
	}
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge, coord.Errorf(coord.CodeBadRequest, "the body is larger than %d bytes; nothing was changed", limit)
	case err != nil:
		return http.StatusBadRequest, coord.Errorf(coord.CodeBadRequest, "the body did not arrive whole; nothing was changed")
	}
	if err := checkJSON(b); err != nil {
		return http.StatusBadRequest, coord.Errorf(coord.CodeBadRequest, "%w; nothing was changed", err)
	}
	r.Body = io.NopCloser(bytes.NewReader(b))
	return 0, nil
}

func isJSON(h http.Header) bool {
	media, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || media != "application/json" || h.Get("Content-Encoding") != "" {
		return false
	}
	charset := params["charset"]
	return charset == "" || charset == "utf-8" || charset == "UTF-8"
}

// checkJSON accepts one JSON object in UTF-8 with nothing after it, without
// duplicate names, half surrogates or deep nesting (RFC 8259 leaves all of
// these to the reader).
func checkJSON(b []byte) error {
	if !utf8.Valid(b) {
		return errors.New("the body is not valid UTF-8")
	}
	if loneSurrogate(b) {
		return errors.New("the body has half a surrogate pair, which is no text")
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	t, err := d.Token()
	if err != nil || t != json.Delim('{') {
		return errors.New("the body is not a JSON object")
	}
	if err := checkObject(d, 1); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON object of the body")
	}
	return nil
}

// checkObject reads up to the end of an object whose brace was read.
func checkObject(d *json.Decoder, depth int) error {
	names := make(map[string]bool)
	for d.More() {
		t, err := d.Token()
		name, isName := t.(string)
		if err != nil || !isName {
			return malformed(err)
		}
		if names[name] {
			return fmt.Errorf("the name %s appears twice in an object of the body", strconv.QuoteToASCII(clip(name)))
		}
		names[name] = true
		if err := checkValue(d, depth); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return malformed(err)
}

func checkArray(d *json.Decoder, depth int) error {
	for d.More() {
		if err := checkValue(d, depth); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return malformed(err)
}

func checkValue(d *json.Decoder, depth int) error {
	t, err := d.Token()
	if err != nil {
		return malformed(err)
	}
	if _, nested := t.(json.Delim); nested && depth == maxDepth {
		return fmt.Errorf("the body nests deeper than %d levels", maxDepth)
	}
	switch t {
	case json.Delim('{'):
		return checkObject(d, depth+1)
	case json.Delim('['):
		return checkArray(d, depth+1)
	}
	return nil
}

func malformed(err error) error {
	if err == nil {
		return nil
	}
	return errors.New("the body is not well-formed JSON")
}

// loneSurrogate finds a \u escape of one half of a surrogate pair without its
// other half; Go's decoder would replace it.
func loneSurrogate(b []byte) bool {
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		unit, ok := escaped(b, i)
		i++ // whatever is escaped is no backslash of its own
		if !ok || unit < 0xd800 || unit > 0xdfff {
			continue
		}
		low, ok := escaped(b, i+5)
		if unit > 0xdbff || !ok || low < 0xdc00 || low > 0xdfff {
			return true
		}
		i += 6
	}
	return false
}

// escaped reads the \uXXXX at i.
func escaped(b []byte, i int) (uint64, bool) {
	if i+6 > len(b) || b[i] != '\\' || b[i+1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[i+2:i+6]), 16, 32)
	return v, err == nil
}
