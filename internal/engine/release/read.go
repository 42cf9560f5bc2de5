package release

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// File is a file of a repository that says what its application is. Content is empty for one whose name says it, and for one that is too
// large.
type File struct {
	Path    string `json:"path"`
	Content string `json:"content,omitempty"`
}

const (
	// readWithin is how long the reading of a repository's files may take, and maxFetched how much of the repository may be fetched for it,
	// in bytes: a Git server that does not know partial clones sends all files of the commit.
	readWithin = 25 * time.Second
	maxFetched = 48 << 20
	// maxFile and maxFiles are how much is read of one file, and of all.
	maxFile  = 16 << 10
	maxFiles = 40 << 10
)

// named are the files whose name says something, and telling those whose content does, the most important first.
var (
	named = []string{
		"artisan", "bin/console", "wp-load.php", "wp-config-sample.php", "config.ru", "Cargo.toml", "mix.exs", "index.html", "index.php", "main.py", "app.py",
		"wsgi.py", "asgi.py", "bun.lock", "bun.lockb", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "deno.lock", "uv.lock", "poetry.lock", "build.gradle",
		"pom.xml",
	}
	telling = []string{
		"package.json", "composer.json", "manage.py", "Gemfile", "go.mod", "deno.json", "deno.jsonc", "pyproject.toml", "requirements.txt", ".node-version", ".nvmrc",
		".tool-versions", "mise.toml", ".mise.toml", ".bun-version", ".python-version", ".ruby-version", "Procfile",
	}
)

// readFiles returns what the files of a commit say of the application in them: those of its directory, and of the ones above it. The host
// keeps none of it. A repository whose files can't be read in time says nothing; that is no failure.
func (s *Site) readFiles(commit, ref string) []File {
	ctx, cancel := context.WithTimeout(context.Background(), readWithin)
	defer cancel()
	dir := filepath.Join(s.RunDir, "looked")
	defer os.RemoveAll(dir)
	r := reading{ctx: ctx, dir: dir}
	format := "sha1"
	if len(commit) == 64 {
		format = "sha256"
	}
	if _, err := r.git(nil, "init", "--quiet", "--bare", "--object-format="+format, "--", dir); err != nil {
		return nil
	}
	for _, setting := range [][2]string{
		{"remote.origin.url", s.Repository}, {"remote.origin.promisor", "true"}, {"remote.origin.partialclonefilter", "blob:none"}, {"gc.auto", "0"},
	} {
		if _, err := r.git(nil, "-C", dir, "config", setting[0], setting[1]); err != nil {
			return nil
		}
	}
	if _, err := r.git(nil, "-C", dir, "fetch", "--quiet", "--depth=1", "--filter=blob:none", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no",
		"origin", "+"+ref+":refs/looked"); err != nil {
		return nil
	}
	return r.files("refs/looked", s.Application)
}

// reading is a repository that files are read from.
type reading struct {
	ctx context.Context
	dir string
}

func (r reading) git(stdin []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(r.ctx, "git", args...)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.WaitDelay = filepath.Dir(r.dir), bytes.NewReader(stdin), &out, time.Second
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start git: %w", err)
	}
	// Of each file that git, and what it starts, writes: a pack is one.
	_ = unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: maxFetched, Max: maxFetched}, nil)
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return out.Bytes(), nil
}

// blob is a file in a commit.
type blob struct{ path, id string }

// files reads what says something, beginning with the application's own directory.
func (r reading) files(rev, application string) []File {
	var out []File
	var contents []blob
	for dir := application; ; dir = path.Dir(dir) {
		if dir == "." {
			dir = ""
		}
		there := r.list(rev, dir)
		for _, name := range named {
			if there[name] != "" {
				out = append(out, File{Path: path.Join(dir, name)})
			}
		}
		for _, name := range telling {
			if id := there[name]; id != "" {
				contents = append(contents, blob{path.Join(dir, name), id})
			}
		}
		if dir == "" {
			break
		}
	}
	return append(out, r.contents(contents)...)
}

// list returns the ids of the regular files of a directory that say something, by their names in it.
func (r reading) list(rev, dir string) map[string]string {
	args := []string{"-C", r.dir, "ls-tree", "-z", "--full-tree", rev, "--"}
	known := slices.Concat(named, telling)
	for _, name := range known {
		args = append(args, path.Join(dir, name))
	}
	listed, err := r.git(nil, args...)
	if err != nil {
		return nil
	}
	out := map[string]string{}
	for entry := range bytes.SplitSeq(listed, []byte{0}) {
		about, name, _ := strings.Cut(string(entry), "\t")
		words := strings.Fields(about) // mode, type, id
		if len(words) == 3 && words[1] == "blob" && strings.HasPrefix(words[0], "100") {
			out[strings.TrimPrefix(strings.TrimPrefix(name, dir), "/")] = words[2]
		}
	}
	return out
}

// contents reads files. What a partial clone lacks of them is fetched at once; a server that does not give single files is asked for one
// after the other.
func (r reading) contents(all []blob) []File {
	if len(all) == 0 {
		return nil
	}
	var ids bytes.Buffer
	for _, b := range all {
		ids.WriteString(b.id + "\n")
	}
	_, _ = r.git(ids.Bytes(), "-C", r.dir, "-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head",
		"--recurse-submodules=no", "--filter=blob:none", "--stdin", "origin")
	read, err := r.git(ids.Bytes(), "-C", r.dir, "cat-file", "--batch")
	if err != nil {
		return nil
	}
	in, left := bufio.NewReader(bytes.NewReader(read)), maxFiles
	var out []File
	for _, b := range all {
		header, err := in.ReadString('\n') // id, type, size
		words := strings.Fields(header)
		if err != nil || len(words) != 3 {
			return out
		}
		size, err := strconv.Atoi(words[2])
		if err != nil {
			return out
		}
		content := make([]byte, size)
		if _, err := io.ReadFull(in, content); err != nil {
			return out
		}
		_, _ = in.Discard(1)
		f := File{Path: b.path}
		if size <= min(maxFile, left) && !bytes.ContainsRune(content, 0) {
			f.Content = strings.ToValidUTF8(string(content), "\uFFFD")
			left -= size
		}
		out = append(out, f)
	}
	return out
}

// maxFilesReport is how much of the report files may take, as it is written.
const maxFilesReport = 44 << 10

// filesReport returns files as the report has them. What is too much is left out, the least important first.
func filesReport(files []File) string {
	for len(files) > 0 {
		raw, err := json.Marshal(files)
		if err != nil {
			return ""
		}
		if written, err := json.Marshal(string(raw)); err == nil && len(written) <= maxFilesReport {
			return string(raw)
		}
		files = files[:len(files)-1]
	}
	return ""
}
