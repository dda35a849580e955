package coord_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"slices"
	"strconv"
	"testing"
	"time"

	"coord"
)

// declaredCodes reads the constants of type Code out of errors.go, so that a
// new one cannot be forgotten in the tables.
func declaredCodes(t *testing.T) []coord.Code {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var codes []coord.Code
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "Code" {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, coord.Code(value))
		}
		return true
	})
	return codes
}

func TestEveryCodeIsInTheTables(t *testing.T) {
	codes := declaredCodes(t)
	if len(codes) < 20 {
		t.Fatalf("found only %d codes in errors.go", len(codes))
	}
	seen := map[coord.Code]bool{}
	for _, c := range codes {
		if seen[c] {
			t.Errorf("code %s is declared twice", c)
		}
		seen[c] = true
		if c != coord.CodeInternal && (c.HTTPStatus() == 500 || c.ExitStatus() == 1) {
			t.Errorf("code %s has no row of its own", c)
		}
		if s := c.HTTPStatus(); s < 400 || s > 599 {
			t.Errorf("code %s has HTTP status %d", c, s)
		}
		if s := c.ExitStatus(); s < 1 || s > 8 {
			t.Errorf("code %s has exit status %d", c, s)
		}
		if r := coord.Errorf(c, "x").Retry; !slices.Contains([]coord.Retry{coord.RetrySameKey, coord.RetryNewKey, coord.RetryAfterReread, coord.RetryNever}, r) {
			t.Errorf("code %s has retry advice %q", c, r)
		}
	}
}

// TestBusinessCodes holds which refusals an idempotency key remembers: those
// that are a decision about stored state, never a failure to decide.
func TestBusinessCodes(t *testing.T) {
	notStored := []coord.Code{
		coord.CodeInternal, coord.CodeBadRequest, coord.CodeUnauthenticated, coord.CodeSessionUnknown,
		coord.CodeNotPermitted, coord.CodeNotIndependent, coord.CodeIdempotencyMismatch,
		coord.CodeRateLimited, coord.CodeStorageFull, coord.CodeUnavailable,
	}
	for _, c := range declaredCodes(t) {
		if want := !slices.Contains(notStored, c); c.Business() != want {
			t.Errorf("%s.Business() = %v, want %v", c, c.Business(), want)
		}
	}
}

func TestExitStatuses(t *testing.T) {
	for code, want := range map[coord.Code]int{
		coord.CodeInternal: 1, coord.CodeBadRequest: 2, coord.CodeSetup: 3, coord.CodeUnauthenticated: 3,
		coord.CodeNotPermitted: 4, coord.CodeNotIndependent: 4, coord.CodeTaskTaken: 5, coord.CodeFenced: 5,
		coord.CodeKeyExpired: 5, coord.CodeEpochChanged: 5,
		coord.CodeRequirement: 6, coord.CodeUnavailable: 7, coord.CodeNothingEligible: 8, "unheard_of": 1,
	} {
		if got := code.ExitStatus(); got != want {
			t.Errorf("%s exits with %d, want %d", code, got, want)
		}
	}
}

func TestCodeOf(t *testing.T) {
	fenced := coord.Errorf(coord.CodeFenced, "no")
	for _, c := range []struct {
		err  error
		want coord.Code
	}{
		{nil, ""},
		{io.EOF, coord.CodeInternal},
		{fenced, coord.CodeFenced},
		{fmt.Errorf("while saving: %w", fenced), coord.CodeFenced},
	} {
		if got := coord.CodeOf(c.err); got != c.want {
			t.Errorf("CodeOf(%v) = %q, want %q", c.err, got, c.want)
		}
	}
}

func TestErrorKeepsItsCause(t *testing.T) {
	err := coord.Errorf(coord.CodeInternal, "reading: %w", io.EOF)
	if !errors.Is(err, io.EOF) || err.Error() != "reading: EOF" {
		t.Errorf("got %v", err)
	}
	if !errors.Is(err, &coord.Error{Code: coord.CodeInternal}) || errors.Is(err, &coord.Error{Code: coord.CodeFenced}) {
		t.Error("Is must compare codes")
	}
}

// TestErrorCopies: an error is shared between callers, so adding to it must
// not change it.
func TestErrorCopies(t *testing.T) {
	base := coord.Errorf(coord.CodeTaskTaken, "taken").WithDetail("a", "1")
	more := base.WithDetail("b", "2").WithNext("coord next").WithActor("operator").WithRetryAfter(1500 * time.Millisecond)
	if len(base.Details) != 1 || base.Next != nil || base.RequiredActor != "" || base.RetryAfterMS != 0 {
		t.Errorf("the original changed: %+v", base)
	}
	if more.Details["a"] != "1" || more.Details["b"] != "2" || more.RetryAfterMS != 1500 || more.RequiredActor != "operator" {
		t.Errorf("the copy lacks something: %+v", more)
	}
	if ms := base.WithRetryAfter(time.Microsecond).RetryAfterMS; ms != 1 {
		t.Errorf("a wait of less than a millisecond became %d ms; 0 would mean no advice", ms)
	}
}
