package api_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"coord"
	"coord/client"
	"coord/server/api"
)

// TestEveryMethodGoesThrough calls each method of coord.Service through the
// client and the API with every field filled, and compares what the service
// saw and what the caller got with what was given.
func TestEveryMethodGoesThrough(t *testing.T) {
	rec := &recorder{}
	mux := chi.NewRouter()
	mux.Mount("/api/v1", api.New(api.Options{Backend: rec, Version: "1.0.0", Now: time.Now}))
	srv := httptest.NewServer(mux)
	defer srv.Close()

	session, err := client.NewSession("worker", "box", strings.NewReader(strings.Repeat("session seed ", 100)))
	if err != nil {
		t.Fatal(err)
	}
	clients := map[coord.Role]reflect.Value{}
	for _, role := range []coord.Role{coord.RoleAgent, coord.RoleSetup, coord.RoleOperator} {
		token, err := coord.NewToken(role, strings.NewReader(strings.Repeat(string(role), 100)))
		if err != nil {
			t.Fatal(err)
		}
		clients[role] = reflect.ValueOf(client.New(client.Options{Server: srv.URL, Token: token, Session: session}))
	}

	service := reflect.TypeFor[coord.Service]()
	for i := range service.NumMethod() {
		m := service.Method(i)
		t.Run(m.Name, func(t *testing.T) {
			role := coord.RoleAgent
			switch m.Name {
			case "CreateProject":
				role = coord.RoleSetup
			case "IssueToken", "ListTokens", "RevokeToken", "RotateToken", "Judge", "Authorize", "SetPolicy":
				role = coord.RoleOperator
			}
			args := []reflect.Value{reflect.ValueOf(t.Context())}
			for j := 1; j < m.Type.NumIn(); j++ {
				args = append(args, filled(m.Type.In(j)))
			}
			rec.calls, rec.quiet = nil, m.Name == "WaitEvents" // which waits only when there is nothing yet
			out := clients[role].MethodByName(m.Name).Call(args)
			if err, _ := out[1].Interface().(error); err != nil {
				t.Fatal(err)
			}
			compareCall(t, rec.last(m.Name), args)
			if diff := cmp.Diff(filled(m.Type.Out(0)).Interface(), out[0].Interface(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the caller got something else (-sent +got):\n%s", diff)
			}
		})
	}
	if rec.session != session.ID {
		t.Errorf("the service was called for session %q, want %q", rec.session, session.ID)
	}
}

func compareCall(t *testing.T, got []any, args []reflect.Value) {
	t.Helper()
	if len(got) != len(args)-1 {
		t.Fatalf("the service saw %d arguments, want %d", len(got), len(args)-1)
	}
	for i, arg := range args[1:] {
		if diff := cmp.Diff(arg.Interface(), got[i]); diff != "" {
			t.Errorf("the service saw something else (-given +seen):\n%s", diff)
		}
	}
}

// filled is a value of the type with every field set, within the form that
// its tags ask for.
func filled(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	fill(v, "x", "")
	return v
}

func fill(v reflect.Value, name, enum string) {
	first, _, _ := strings.Cut(enum, ",")
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2030, 1, 2, 3, 4, 5, 6000, time.UTC)))
		return
	case coord.OID:
		v.SetString(strings.Repeat("0a", 20))
		return
	case coord.Key:
		v.SetString("key-0123456789abcdef")
		return
	case coord.Status:
		v.SetString(string(coord.StatusReady))
		return
	case coord.DecisionState:
		v.SetString(string(coord.DecisionOpen))
		return
	case coord.Kind:
		v.SetString(string(coord.KindReview))
		if first != "" {
			v.SetString(first)
		}
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(name)
		if first != "" {
			v.SetString(first)
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(7 + len(name)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name, enum)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), fmt.Sprint(name, i), "")
		}
	case reflect.Uint8:
		v.SetUint('b')
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := filled(v.Type().Key()), filled(v.Type().Elem())
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			fill(v.Field(i), strings.ToLower(f.Name), f.Tag.Get("enum"))
		}
	default:
		panic("no filling for " + v.Type().String())
	}
}

// recorder is a Backend that lets everybody in, notes each call and answers
// with filled values.
type recorder struct {
	calls   map[string][]any
	session coord.SessionID
	quiet   bool // Events has none
}

func (r *recorder) As(caller coord.Caller) coord.Service {
	if caller.Session != "" {
		r.session = caller.Session
	}
	return r
}

func (r *recorder) Authenticate(_ context.Context, token string) (coord.Caller, error) {
	if strings.HasPrefix(token, "coord_set_") {
		return coord.Caller{Principal: "root", Role: coord.RoleSetup}, nil
	}
	if strings.HasPrefix(token, "coord_opr_") {
		return coord.Caller{Principal: "warden", Role: coord.RoleOperator}, nil
	}
	return coord.Caller{Principal: "alpha", Role: coord.RoleAgent}, nil
}

func (r *recorder) VerifySession(_ context.Context, caller coord.Caller, id coord.SessionID, _ string) (coord.Caller, error) {
	caller.Session = id
	return caller, nil
}

func (r *recorder) Ready(context.Context) error { return nil }

func (r *recorder) Epoch() int64 { return 1 }

func (r *recorder) last(name string) []any { return r.calls[name] }

func seen[T any](r *recorder, name string, args ...any) (T, error) {
	if r.calls == nil {
		r.calls = map[string][]any{}
	}
	r.calls[name] = args
	return filled(reflect.TypeFor[T]()).Interface().(T), nil
}
