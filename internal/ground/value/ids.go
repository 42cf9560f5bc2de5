package value

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
)

// IDs are ids of rows in a column, stored as a JSON list.
type IDs []int64

// Scan reads a column.
func (ids *IDs) Scan(src any) error {
	var raw []byte
	switch src := src.(type) {
	case string:
		raw = []byte(src)
	case []byte:
		raw = src
	default:
		return fmt.Errorf("value: a column of ids has a %T", src)
	}
	if err := json.Unmarshal(raw, (*[]int64)(ids)); err != nil {
		return fmt.Errorf("value: a column of ids: %w", err)
	}
	return nil
}

// Value returns what Scan reads.
func (ids IDs) Value() (driver.Value, error) {
	if ids == nil {
		return "[]", nil
	}
	raw, err := json.Marshal([]int64(ids))
	return string(raw), err
}
