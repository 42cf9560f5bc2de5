package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
)

// disk is a directory of the machine that Hostler runs on; links that lead out of it are not followed.
type disk struct{ root *os.Root }

// openDisk opens an organization's directory below the operator's, and creates it if it does not exist.
func openDisk(dir string, organization int64) (tree, error) {
	if dir == "" {
		return nil, &Problem{Reason: "Hostler does not store backups on its own disk, because it was started without --local-storage.", Lasting: true}
	}
	all, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open local storage: %w", err)
	}
	defer func() { _ = all.Close() }()
	name := "org-" + strconv.FormatInt(organization, 10)
	if err := all.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("open local storage: %w", err)
	}
	root, err := all.OpenRoot(name)
	if err != nil {
		return nil, fmt.Errorf("open local storage: %w", err)
	}
	return &disk{root}, nil
}

func (d *disk) OpenFile(name string, flag int) (treeFile, error) {
	f, err := d.root.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (d *disk) MkdirAll(dir string) error { return d.root.MkdirAll(dir, 0o700) }

// Rename lasts when it returns.
func (d *disk) Rename(from, to string) error {
	if err := d.root.Rename(from, to); err != nil {
		return err
	}
	dir, err := d.root.Open(path.Dir(to))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func (d *disk) Remove(name string) error { return d.root.Remove(name) }

func (d *disk) Stat(name string) (fs.FileInfo, error) { return d.root.Stat(name) }

func (d *disk) ReadDir(dir string) ([]fs.FileInfo, error) {
	f, err := d.root.Open(dir)
	if err != nil {
		return nil, err
	}
	list, err := f.Readdir(-1)
	return list, errors.Join(err, f.Close())
}

func (d *disk) Close() error { return d.root.Close() }
