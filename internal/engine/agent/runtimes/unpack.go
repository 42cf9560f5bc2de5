package runtimes

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Limits of what an archive may contain. Node has 6 000 files of 200 MB.
const (
	maxFiles    = 100_000
	maxUnpacked = 2 << 30
)

// unpackTar makes a directory of what an archive has below a directory of its own. All of it belongs to who calls and is read-only.
// Links stay inside.
func unpackTar(archive, to, top string) (err error) {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	left := int64(maxUnpacked)
	for n, t := 0, tar.NewReader(z); ; n++ {
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return closeAll(root)
		case err != nil:
			return err
		case n == maxFiles:
			return fmt.Errorf("it has more than %d files", maxFiles)
		}
		name := path.Clean(h.Name)
		if name == top {
			continue
		}
		name, ok := strings.CutPrefix(name, top+"/")
		if !ok || !fs.ValidPath(name) {
			return fmt.Errorf("%q is outside of %s", h.Name, top)
		}
		if left -= h.Size; left < 0 {
			return fmt.Errorf("it is larger than %d bytes", int64(maxUnpacked))
		}
		switch h.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(name, 0o755)
		case tar.TypeReg:
			err = write(root, name, h.Mode&0o111 != 0, t)
		case tar.TypeSymlink:
			if target := path.Join(path.Dir(name), h.Linkname); path.IsAbs(h.Linkname) || !fs.ValidPath(target) {
				return fmt.Errorf("the link %s leads out, to %q", h.Name, h.Linkname)
			}
			err = errors.Join(root.MkdirAll(path.Dir(name), 0o755), root.Symlink(h.Linkname, name))
		default:
			return fmt.Errorf("%s is neither a file, a directory nor a link", h.Name)
		}
		if err != nil {
			return err
		}
	}
}

func write(root *os.Root, name string, program bool, from io.Reader) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o444)
	if program {
		mode = 0o555
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Chmod(mode), f.Close())
}

// closeAll makes directories read-only, once all is in them.
func closeAll(root *os.Root) error {
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return root.Chmod(name, 0o555)
	})
}

// unpackBun makes a directory of the one program that an archive of Bun has, and its other name.
func unpackBun(archive, to, program string) (err error) {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer z.Close()
	f, err := z.Open(program)
	if err != nil {
		return err
	}
	defer f.Close()
	return oneProgram(to, "bun", f, "bunx")
}

// unpackDeno makes a directory of the one program that a package of npm's registry has.
func unpackDeno(archive, to, program string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for n, t := 0, tar.NewReader(io.LimitReader(z, maxUnpacked)); n < maxFiles; n++ {
		h, err := t.Next()
		if err != nil {
			return fmt.Errorf("it has no %s: %w", program, err)
		}
		if h.Name == program && h.Typeflag == tar.TypeReg {
			return oneProgram(to, "deno", t)
		}
	}
	return fmt.Errorf("it has more than %d files", maxFiles)
}

// oneProgram makes a directory of a program and its other names.
func oneProgram(to, name string, from io.Reader, others ...string) (err error) {
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	counted := &io.LimitedReader{R: from, N: maxUnpacked + 1}
	if err := write(root, "bin/"+name, true, counted); err != nil { // zip compares its checksum at the end
		return err
	}
	if counted.N <= 0 {
		return fmt.Errorf("it is larger than %d bytes", int64(maxUnpacked))
	}
	for _, other := range others {
		err = errors.Join(err, root.Symlink(name, "bin/"+other))
	}
	return errors.Join(err, closeAll(root))
}

// unpackGo makes a directory of a toolchain, as cmd/go does of one that it fetches: an archive of a module does not say
// which files are programs,
// and has go.mod files of other modules by another name.
func unpackGo(archive, to, top string) (err error) {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer z.Close()
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, f := range z.File {
		name, ok := strings.CutPrefix(f.Name, top+"/")
		if !ok || !fs.ValidPath(name) || !f.Mode().IsRegular() {
			return fmt.Errorf("%q is not a file of %s", f.Name, top)
		}
		if path.Base(name) == "_go.mod" {
			name = path.Join(path.Dir(name), "go.mod")
		}
		if err := unzip(root, name, f); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return closeAll(root)
}

func unzip(root *os.Root, name string, f *zip.File) error {
	from, err := f.Open()
	if err != nil {
		return err
	}
	defer from.Close()
	return write(root, name, strings.HasPrefix(name, "bin/") || strings.HasPrefix(name, "pkg/tool/"), from)
}
