package api

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/openapi.yaml from the code")

const openAPIFile = "../../docs/openapi.yaml"

func TestGeneratedOpenAPI(t *testing.T) {
	got, err := OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(openAPIFile, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(openAPIFile)
	if err != nil {
		t.Fatal(err)
	}
	// A checkout on Windows may have other line ends.
	if !bytes.Equal(got, []byte(strings.ReplaceAll(string(want), "\r\n", "\n"))) {
		t.Error("docs/openapi.yaml is not what the code says; run: make generate")
	}
}

func TestOpenAPIIsTheSameEachTime(t *testing.T) {
	one, err1 := OpenAPI()
	two, err2 := OpenAPI()
	if err1 != nil || err2 != nil || !bytes.Equal(one, two) {
		t.Errorf("two documents differ, or failed: %v, %v", err1, err2)
	}
}
