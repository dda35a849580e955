package main

import (
	"bytes"
	"debug/pe"
	"testing"
)

// The loader finds the export's name and what it leads to.
func TestForwarder(t *testing.T) {
	f, err := pe.NewFile(bytes.NewReader(forwarder("one.dll", "Do", "other.DoIt")))
	if err != nil {
		t.Fatal(err)
	}
	data, err := f.Section(".edata").Data()
	if err != nil {
		t.Fatal(err)
	}
	text := func(field int) string { // what the address at an offset leads to
		rva := uint32(data[field]) | uint32(data[field+1])<<8
		s, _, _ := bytes.Cut(data[rva-0x1000:], []byte{0})
		return string(s)
	}
	if text(12) != "one.dll" || text(40) != "other.DoIt" || text(44) != "Do" {
		t.Errorf("%q, %q, %q", text(12), text(40), text(44))
	}
}
