package app

// SealedColumn is a column of sealed values, as tests see it.
type SealedColumn struct{ Table, Column, ID, Place string }

// SealedColumns lists what a rotation of the master key seals once more.
func SealedColumns() []SealedColumn {
	out := make([]SealedColumn, len(sealedCells))
	for i, c := range sealedCells {
		out[i] = SealedColumn{c.table, c.column, c.id, c.was}
		if c.was == "" {
			out[i].Place = c.table
		}
	}
	return out
}

// Traces reports whether an App has a provider of traces.
func (a *App) Traces() bool { return a.traces != nil }
