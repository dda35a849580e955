package api

import (
	"encoding"
	"reflect"
	"strings"
)

var textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()

// lists makes every list that is always part of an answer an empty one where
// it is nil: null is no list to most readers, and the OpenAPI document says
// that it does not occur. It may write into v's own lists.
func lists[T any](v T) T {
	fillLists(reflect.ValueOf(&v).Elem())
	return v
}

func fillLists(v reflect.Value) {
	if v.Type().Implements(textMarshaler) { // times, fences and such
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fillLists(v.Elem())
		}
	case reflect.Slice:
		if k := v.Type().Elem().Kind(); k == reflect.Struct || k == reflect.Pointer {
			for i := range v.Len() {
				fillLists(v.Index(i))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fillField(v.Field(i), v.Type().Field(i))
		}
	}
}

func fillField(v reflect.Value, f reflect.StructField) {
	if !f.IsExported() {
		return
	}
	optional := strings.Contains(f.Tag.Get("json"), ",omitempty")
	switch {
	case v.Kind() == reflect.Slice && v.IsNil() && !optional:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	case v.Kind() == reflect.Map && v.IsNil() && !optional:
		v.Set(reflect.MakeMap(v.Type()))
	default:
		fillLists(v)
	}
}
