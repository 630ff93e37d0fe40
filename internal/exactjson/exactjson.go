// Package exactjson strictly decodes JSON files provided by users. Package json matches
// struct keys case-insensitively, keeps the last of two equal keys, and ignores null for
// a number; here each of these is an error that gives the path of the value.
package exactjson

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Unmarshal is [json.Unmarshal] with stricter rules: keys must match the fields of v in
// case, no object may have a key twice, and null is allowed only for a pointer, an
// interface, a map or a list. Keys unknown to v are ignored. An error gives the path of
// the value, such as n_head or layers[2].width.
func Unmarshal(data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return check(decoder, reflect.TypeOf(v).Elem(), "")
}

// check reads the next value, which is syntactically valid, for type t. t is nil if the
// type is unknown.
func check(d *json.Decoder, t reflect.Type, path string) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if token == nil && !nullable(t) {
		return fmt.Errorf("%s is null; %s is expected", cmp.Or(path, "the value"), wanted(t))
	}
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch token {
	case json.Delim('{'):
		return checkObject(d, t, path)
	case json.Delim('['):
		return checkList(d, t, path)
	}
	return nil
}

// nullable reports whether null is a valid value of a type.
func nullable(t reflect.Type) bool {
	if t == nil || decodesItself(t) {
		return true
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice:
		return true
	}
	return false
}

// unmarshaler is the type of values that decode themselves, including null.
var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

func decodesItself(t reflect.Type) bool {
	return t.Implements(unmarshaler) || reflect.PointerTo(t).Implements(unmarshaler)
}

// wanted returns the JSON description of a type.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Struct:
		return "an object"
	case reflect.Array:
		return "a list"
	}
	return "a number"
}

// checkObject reads the rest of an object.
func checkObject(d *json.Decoder, t reflect.Type, path string) error {
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		key := token.(string) // JSON keys are always strings
		at := key
		if path != "" {
			at = path + "." + key
		}
		if seen[key] {
			return fmt.Errorf("%s is given twice", at)
		}
		seen[key] = true
		below, meant := typeOf(t, key)
		if meant != "" {
			return fmt.Errorf("unknown key %q; did you mean %q?", at, meant)
		}
		if err := check(d, below, at); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// checkList reads the rest of a list.
func checkList(d *json.Decoder, t reflect.Type, path string) error {
	var below reflect.Type
	if t != nil && !decodesItself(t) && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		below = t.Elem()
	}
	for i := 0; d.More(); i++ {
		if err := check(d, below, fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// typeOf returns the type that t has for the value of a key, or nil if the type is
// unknown. If t has no such key, but one that differs only in case, meant is that key.
func typeOf(t reflect.Type, key string) (below reflect.Type, meant string) {
	switch {
	case t == nil || decodesItself(t):
		return nil, ""
	case t.Kind() == reflect.Map:
		return t.Elem(), ""
	case t.Kind() != reflect.Struct:
		return nil, ""
	}
	fields := reflect.VisibleFields(t)
	at := slices.IndexFunc(fields, func(f reflect.StructField) bool { return name(f) == key })
	if at >= 0 {
		return fields[at].Type, ""
	}
	at = slices.IndexFunc(fields, func(f reflect.StructField) bool { return strings.EqualFold(name(f), key) })
	if at >= 0 {
		return nil, name(fields[at])
	}
	return nil, ""
}

// name returns the JSON key of a field, or "" if the field has no key.
func name(f reflect.StructField) string {
	tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case !f.IsExported() || tag == "-" || f.Anonymous && tag == "":
		return ""
	case tag == "":
		return f.Name
	}
	return tag
}
