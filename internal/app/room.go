package app

import (
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

const (
	// leastRoom is the space needed beside the embedded database: its log (the WAL) grows to about 4 MiB, and a large transaction needs more.
	leastRoom = 32 << 20
	// littleShare and littleBytes are the threshold of a warning: less than 1/littleShare, and less than littleBytes, is free.
	littleShare = 20
	littleBytes = 2_000_000_000
)

// ErrFull is returned if the disk of the data directory is full.
var ErrFull = errors.New("the disk of the data directory is full")

// roomIn returns an error if there is too little space for the embedded database.
func roomIn(dir string) error {
	free, size, err := space(dir)
	if err != nil {
		return fmt.Errorf("check the space of the data directory: %w", err)
	}
	if free < leastRoom {
		return fmt.Errorf("%w: %s has %s of %s free, and needs %s", ErrFull, dir, megabytes(free), megabytes(size), megabytes(leastRoom))
	}
	return nil
}

// room returns an error if the embedded database has too little space.
func (a *App) room() error {
	if a.DB.Dialect != db.SQLite {
		return nil
	}
	return roomIn(a.Config.DataDir)
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", n/1_000_000) }

// littleRoom returns a warning if little space is free on the disk of the data directory, else "".
func (a *App) littleRoom() string {
	free, size, err := space(a.Config.DataDir)
	if err != nil || free >= leastRoom && (free >= size/littleShare || free >= littleBytes) {
		return ""
	}
	return fmt.Sprintf("Only %s of %s are free on the disk of the panel's data directory. When it is full, the panel accepts no more changes.", megabytes(free),
		megabytes(size))
}
