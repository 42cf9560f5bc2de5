package value

import (
	"database/sql/driver"
	"fmt"
)

// Values of a column, or of a specification in the ledger, were parsed before they were stored. Reading them judges nothing: a text that an older
// release accepted is read as it is, so that the list that it is in can be shown. Err says why such a value can't be used; only what writes it into
// a configuration asks.

// read parses a stored text. kept makes a value of one that is refused.
func read[T any](dst *T, src any, parse func(string) (T, error), kept func(string) T) error {
	var text string
	switch src := src.(type) {
	case nil:
	case string:
		text = src
	case []byte:
		text = string(src)
	default:
		return fmt.Errorf("value: a column has a %T", src)
	}
	var v T
	if text != "" {
		var err error
		if v, err = parse(text); err != nil {
			v = kept(text)
		}
	}
	*dst = v
	return nil
}

// stored returns a text as a column has it: null if it is empty.
func stored(text string) (driver.Value, error) {
	if text == "" {
		return nil, nil
	}
	return text, nil
}

// Scan reads a column, in which null is every port.
func (p *PortSpec) Scan(src any) error {
	return read(p, src, ParsePortSpec, func(text string) PortSpec { return PortSpec{odd: text} })
}

// Value returns what Scan reads.
func (p PortSpec) Value() (driver.Value, error) { return stored(p.String()) }

// UnmarshalText reads what MarshalText wrote.
func (p *PortSpec) UnmarshalText(b []byte) error { return p.Scan(b) }

// Err returns why a stored text is no PortSpec, nil if it is one.
func (p PortSpec) Err() error {
	if p.odd == "" {
		return nil
	}
	_, err := ParsePortSpec(p.odd)
	return err
}

// Scan reads a column, in which null is the empty set.
func (s *IPSet) Scan(src any) error {
	return read(s, src, ParseIPSet, func(text string) IPSet { return IPSet{text: text, odd: true} })
}

// Value returns what Scan reads.
func (s IPSet) Value() (driver.Value, error) { return stored(s.text) }

// UnmarshalText reads what MarshalText wrote.
func (s *IPSet) UnmarshalText(b []byte) error { return s.Scan(b) }

// Err returns why a stored text is no IPSet, nil if it is one.
func (s IPSet) Err() error {
	if !s.odd {
		return nil
	}
	_, err := ParseIPSet(s.text)
	return err
}

// Scan reads a column, in which null is no path.
func (p *URLPath) Scan(src any) error {
	return read(p, src, ParseURLPath, func(text string) URLPath { return URLPath{path: text, odd: true} })
}

// Value returns what Scan reads.
func (p URLPath) Value() (driver.Value, error) { return stored(p.path) }

// UnmarshalText reads what MarshalText wrote.
func (p *URLPath) UnmarshalText(b []byte) error { return p.Scan(b) }

// Err returns why a stored text is no URLPath, nil if it is one.
func (p URLPath) Err() error {
	if !p.odd {
		return nil
	}
	_, err := ParseURLPath(p.path)
	return err
}
