package release

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Git LFS keeps large files beside a repository, which has pointers to them. They are fetched here, by its protocol (docs/api and
// docs/spec.md of git-lfs), and each is checked by its hash: a host needs no further program, and no pointer is ever served in place of a
// file.

// maxPointer is the size of the largest pointer (docs/spec.md).
const maxPointer = 1024

var pointerPattern = regexp.MustCompile(`(?m)^oid sha256:([0-9a-f]{64})\nsize ([0-9]{1,18})$`)

// pointer is what a repository has in place of a file.
type pointer struct {
	OID  string `json:"oid"`
	Size int64  `json:"size"`
}

// readPointer reports whether a content is a pointer.
func readPointer(content []byte) (pointer, bool) {
	version, _, _ := bytes.Cut(content, []byte("\n"))
	m := pointerPattern.FindSubmatch(content)
	if len(content) > maxPointer || m == nil || !bytes.HasPrefix(version, []byte("version https://git-lfs.github.com/spec/")) &&
		!bytes.HasPrefix(version, []byte("version https://hawser.github.com/spec/")) {
		return pointer{}, false
	}
	size, err := strconv.ParseInt(string(m[2]), 10, 64)
	return pointer{string(m[1]), size}, err == nil
}

// content brings what a checkout only names: it fetches files of Git LFS, also in submodules, and says which submodules the repository
// names without an address.
func (s *Site) content(dir string) error {
	dirs := []string{dir}
	if _, err := os.Lstat(filepath.Join(dir, ".gitmodules")); err == nil {
		text, err := s.quietly("-C", dir, "submodule", "--quiet", "foreach", "--recursive", `printf '%s\0' "$displaypath"`)
		if err != nil {
			return fmt.Errorf("list submodules: %w", err)
		}
		for name := range strings.SplitSeq(text, "\x00") {
			if name != "" && filepath.IsLocal(name) {
				dirs = append(dirs, filepath.Join(dir, name))
			}
		}
	}
	for _, at := range dirs {
		if err := s.largeFiles(at); err != nil {
			err = fmt.Errorf("Git LFS: %w", err) //nolint:staticcheck // a name
			s.say("%s", err)
			return err
		}
		if err := s.sayEncrypted(at); err != nil {
			return err
		}
	}
	return s.sayNameless(dir)
}

// sayEncrypted names the files that git-crypt has encrypted: a deployment has no key of it, so they are deployed as they are.
func (s *Site) sayEncrypted(dir string) error {
	names, err := s.filtered(dir, "git-crypt")
	if err != nil {
		return err
	}
	var found []string
	for _, name := range names {
		if begins(filepath.Join(dir, name), "\x00GITCRYPT\x00") {
			found = append(found, name)
		}
	}
	if len(found) > 0 {
		s.say("Warning: encrypted by git-crypt, and deployed as they are: %s", fewOf(found))
	}
	return nil
}

// sayNameless names what the repository only names: files of git-annex, and directories that are commits of other repositories without an
// entry in .gitmodules, which nothing can fetch (gitsubmodules(7)).
func (s *Site) sayNameless(dir string) error {
	text, err := s.quietly("-C", dir, "ls-files", "-z", "--stage")
	if err != nil {
		return fmt.Errorf("list files: %w", err)
	}
	var found, annexed []string
	for entry := range strings.SplitSeq(text, "\x00") {
		_, name, _ := strings.Cut(entry, "\t")
		if strings.HasPrefix(entry, "120000 ") && filepath.IsLocal(name) {
			if to, err := os.Readlink(filepath.Join(dir, name)); err == nil && strings.Contains(to, ".git/annex/objects/") {
				annexed = append(annexed, name)
			}
		}
		if strings.HasPrefix(entry, "160000 ") && filepath.IsLocal(name) && isEmpty(filepath.Join(dir, name)) {
			found = append(found, name)
		}
	}
	if len(annexed) > 0 { // git-annex.branchable.com/internals
		s.say("Warning: links to nothing, since git-annex has their content, and deployments do not fetch from it: %s", fewOf(annexed))
	}
	if len(found) == 0 {
		return nil
	}
	named, _ := s.quietly("-C", dir, "config", "--file", filepath.Join(dir, ".gitmodules"), "--get-regexp", `\.path$`)
	for line := range strings.Lines(named) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		found = slices.DeleteFunc(found, func(one string) bool { return one == name })
	}
	if len(found) > 0 {
		s.say("Warning: empty, since the repository has only a commit of another one there, and .gitmodules has no address of it: %s", fewOf(found))
	}
	return nil
}

// begins reports whether a file begins with a text.
func begins(path, text string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(text))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == text
}

// fewOf returns the first names of a list.
func fewOf(names []string) string {
	if n := len(names) - maxListed; n > 0 {
		return strings.Join(names[:maxListed], ", ") + fmt.Sprintf(" and %d others", n)
	}
	return strings.Join(names, ", ")
}

// largeFiles puts the files of Git LFS in the place of their pointers.
func (s *Site) largeFiles(dir string) error {
	found, err := s.pointers(dir)
	if err != nil || len(found) == 0 {
		return err
	}
	missing := map[pointer]string{}
	for name, p := range found {
		if st, err := os.Stat(s.stored(p)); err != nil || st.Size() != p.Size {
			missing[p] = name
		}
	}
	if len(missing) > 0 {
		if err := s.fetchLarge(dir, missing); err != nil {
			return err
		}
	}
	var names bytes.Buffer
	for name, p := range found {
		at := filepath.Join(dir, name)
		st, err := os.Lstat(at)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := replaceFile(at, s.stored(p), st.Mode().Perm()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		names.WriteString(name + "\x00")
	}
	s.say("Fetched %d files of Git LFS", len(found))
	// Their content is not that of the commit, which would count as a change of the site's.
	cmd := exec.Command("git", "-C", dir, "update-index", "-z", "--assume-unchanged", "--stdin")
	cmd.Stdin, cmd.Stderr = &names, s.out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git update-index: %w", err)
	}
	return nil
}

func (s *Site) stored(p pointer) string {
	return s.path(RepositoryDir, "lfs", "objects", p.OID[:2], p.OID[2:4], p.OID)
}

// pointers returns the files of a checkout that Git LFS manages by its attributes, and that are pointers still.
func (s *Site) pointers(dir string) (map[string]pointer, error) {
	names, err := s.filtered(dir, "lfs")
	if err != nil {
		return nil, err
	}
	out := map[string]pointer{}
	for _, name := range names {
		at := filepath.Join(dir, name)
		if st, err := os.Lstat(at); err != nil || !st.Mode().IsRegular() || st.Size() > maxPointer {
			continue
		}
		text, err := os.ReadFile(at)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		if p, ok := readPointer(text); ok {
			out[name] = p
		}
	}
	return out, nil
}

// filtered returns the files of a checkout that have a filter by their attributes (gitattributes(5)), with a key's name behind it or
// without.
func (s *Site) filtered(dir, filter string) ([]string, error) {
	listed, err := s.quietly("-C", dir, "ls-files", "-z", "--", ":(glob)**/.gitattributes")
	if err != nil {
		return nil, fmt.Errorf("list attributes: %w", err)
	}
	used := false
	for name := range strings.SplitSeq(listed, "\x00") {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil && bytes.Contains(text, []byte(filter)) {
			used = true
		}
	}
	if !used {
		return nil, nil
	}
	list := exec.Command("git", "-C", dir, "ls-files", "-z")
	names, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	check := exec.Command("git", "-C", dir, "check-attr", "-z", "--stdin", "filter")
	check.Stdin = bytes.NewReader(names)
	answer, err := check.Output()
	if err != nil {
		return nil, fmt.Errorf("read attributes: %w", err)
	}
	var out []string
	fields := strings.Split(string(answer), "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		if has := fields[i+2]; (has == filter || strings.HasPrefix(has, filter+"-")) && filepath.IsLocal(fields[i]) {
			out = append(out, fields[i])
		}
	}
	return out, nil
}

// replaceFile makes a copy of a file that of another name.
func replaceFile(at, from string, mode os.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	temp, err := os.CreateTemp(filepath.Dir(at), ".lfs-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(temp, in)
	if err == nil {
		err = temp.Chmod(mode)
	}
	if cerr := temp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(temp.Name(), at)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
	return err
}

// lfsServer is where the objects of a repository are asked for.
type lfsServer struct {
	Href   string            `json:"href"`
	Header map[string]string `json:"header"`
	// ssh reports whether the Git server named it, over SSH.
	ssh    bool
	client *http.Client
}

const (
	lfsType = "application/vnd.git-lfs+json"
	// batch is how many objects are asked for at once.
	batch = 100
	// maxBatchAnswer is the size of an answer to that.
	maxBatchAnswer = 4 << 20
)

func (s *Site) fetchLarge(dir string, missing map[pointer]string) error {
	at, err := s.lfs(dir)
	if err != nil {
		return err
	}
	s.say("Fetching %d files of Git LFS from %s", len(missing), at.host())
	var all []pointer
	for p := range missing {
		all = append(all, p)
	}
	for len(all) > 0 {
		n := min(len(all), batch)
		if err := s.fetchBatch(at, all[:n], missing); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

func (a *lfsServer) host() string {
	if u, err := url.Parse(a.Href); err == nil {
		return u.Host
	}
	return a.Href
}

// lfs returns the server of a repository: that of .lfsconfig, or the one that its Git server names.
func (s *Site) lfs(dir string) (*lfsServer, error) {
	client := &http.Client{Transport: &http.Transport{
		DialContext: (&net.Dialer{Timeout: 15 * time.Second}).DialContext, TLSHandshakeTimeout: 15 * time.Second, ResponseHeaderTimeout: time.Minute,
		Proxy: http.ProxyFromEnvironment,
	}}
	remote, err := s.quietly("-C", dir, "config", "--get", "remote.origin.url")
	if err != nil {
		return nil, errors.New("the repository has no address")
	}
	if _, err := os.Lstat(filepath.Join(dir, ".lfsconfig")); err == nil {
		for _, key := range []string{"lfs.url", "remote.origin.lfsurl"} {
			if own, err := s.quietly("-C", dir, "config", "--file", filepath.Join(dir, ".lfsconfig"), "--get", key); err == nil && own != "" {
				if u, err := url.Parse(own); err == nil && u.Scheme == "https" {
					return &lfsServer{Href: strings.TrimSuffix(own, "/"), client: client}, nil
				}
				remote = own
			}
		}
	}
	if strings.HasPrefix(remote, "https://") {
		return &lfsServer{Href: strings.TrimSuffix(strings.TrimSuffix(remote, "/"), ".git") + ".git/info/lfs", client: client}, nil
	}
	at, err := s.authenticate(remote)
	if err != nil {
		return nil, err
	}
	at.client, at.ssh = client, true
	return at, nil
}

// scpForm matches an address without a scheme: a user, a host or an address of IPv6 in brackets, and a path.
var scpForm = regexp.MustCompile(`^([^@:/\[]*@)?(?:\[([0-9A-Fa-f:.]+)\]|([^@:/\[]+)):(.+)$`)

// authenticate asks a Git server over SSH where its files are, and for a token of a while (docs/api/server-discovery.md).
func (s *Site) authenticate(remote string) (*lfsServer, error) {
	var where, port, name string
	if u, err := url.Parse(remote); err == nil && u.Scheme == "ssh" {
		where, port, name = u.Hostname(), u.Port(), strings.TrimPrefix(u.Path, "/")
		if u.User != nil {
			where = u.User.Username() + "@" + where
		}
		if strings.HasPrefix(u.Path, "/~") || strings.Count(u.Path, "/") > 2 { // a path of the machine, and no name of a repository
			name = u.Path
		}
	} else if m := scpForm.FindStringSubmatch(remote); m != nil {
		where, name = m[1]+m[2]+m[3], m[4]
	}
	if where == "" || name == "" || strings.HasPrefix(where, "-") || strings.ContainsAny(name, "'\n\x00") {
		return nil, fmt.Errorf("its server can't be told from the address %s", remote)
	}
	args := []string{where, "git-lfs-authenticate '" + name + "' download"}
	if port != "" {
		args = append([]string{"-p", port}, args...)
	}
	said, out := &wire.Ends{Limit: maxSaid}, &wire.Ends{Limit: maxSaid}
	cmd := exec.Command(wire.SSHProgram, args...)
	cmd.Stderr, cmd.Stdout = said, out
	err := cmd.Run()
	at := &lfsServer{}
	if err != nil || json.Unmarshal([]byte(out.String()), at) != nil || at.Href == "" {
		return nil, fmt.Errorf("the Git server names no place for the repository's large files: %s", strings.TrimSpace(cut(firstLine(said.String()+out.String()))))
	}
	at.Href = strings.TrimSuffix(at.Href, "/")
	return at, nil
}

// fetchBatch fetches some objects.
func (s *Site) fetchBatch(at *lfsServer, objects []pointer, names map[pointer]string) error {
	body, err := json.Marshal(map[string]any{"operation": "download", "transfers": []string{"basic"}, "hash_algo": "sha256",
		"ref": map[string]string{"name": "refs/heads/" + s.Branch}, "objects": objects})
	if err != nil {
		return err
	}
	resp, err := at.ask(http.MethodPost, at.Href+"/objects/batch", at.Header, body)
	if err != nil {
		return fmt.Errorf("ask for the files: %w", err)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxBatchAnswer))
	_ = resp.Body.Close()
	var answer struct {
		Objects []struct {
			pointer
			Actions struct {
				Download *struct {
					Href   string            `json:"href"`
					Header map[string]string `json:"header"`
				} `json:"download"`
			} `json:"actions"`
			Error *struct {
				Code    int    `json:"code"`
				Message string `json:"message"`
			} `json:"error"`
		} `json:"objects"`
	}
	if err != nil || json.Unmarshal(raw, &answer) != nil {
		return errors.New("the server's answer can't be read")
	}
	got := map[pointer]bool{}
	for _, o := range answer.Objects {
		name, asked := names[o.pointer]
		switch {
		case !asked:
			continue
		case o.Error != nil:
			return fmt.Errorf("%s: the server answers %d %s", name, o.Error.Code, o.Error.Message)
		case o.Actions.Download == nil:
			return fmt.Errorf("%s: the server does not have it", name)
		}
		if err := s.fetchObject(at, o.pointer, o.Actions.Download.Href, o.Actions.Download.Header); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		got[o.pointer] = true
	}
	for _, o := range objects {
		if !got[o] {
			return fmt.Errorf("%s: the server did not name it", names[o])
		}
	}
	return nil
}

// fetchObject stores one object, once its size and hash are those of its pointer.
func (s *Site) fetchObject(at *lfsServer, p pointer, href string, header map[string]string) error {
	resp, err := at.ask(http.MethodGet, href, header, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	to := s.stored(p)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(to), ".fetched-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(temp, sum), io.LimitReader(resp.Body, p.Size+1))
	if cerr := temp.Close(); err == nil {
		err = cerr
	}
	switch {
	case err != nil:
		return fmt.Errorf("fetch it: %w", err)
	case n != p.Size:
		return fmt.Errorf("the server sent another file: the repository says %d bytes", p.Size)
	case hex.EncodeToString(sum.Sum(nil)) != p.OID:
		return errors.New("the server sent another file: its hash is not the one in the repository")
	}
	return os.Rename(temp.Name(), to)
}

// ask makes a request, again where the server or the network is only busy.
func (a *lfsServer) ask(method, address string, header map[string]string, body []byte) (*http.Response, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && (u.Scheme != "http" || !a.ssh) {
		return nil, errors.New("the server named an address that is not https")
	}
	var last error
	for try := range 3 {
		if try > 0 {
			time.Sleep(time.Duration(try) * time.Second)
		}
		req, err := http.NewRequestWithContext(context.Background(), method, address, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		if method == http.MethodPost {
			req.Header.Set("Accept", lfsType)
			req.Header.Set("Content-Type", lfsType)
		}
		for k, v := range header {
			req.Header.Set(k, v)
		}
		resp, err := a.client.Do(req)
		if err != nil {
			last = err
			continue
		}
		if resp.StatusCode == http.StatusOK {
			return resp, nil
		}
		raw, _ := io.ReadAll(io.LimitReader(resp.Body, maxPointer))
		_ = resp.Body.Close()
		var said struct {
			Message string `json:"message"`
		}
		_ = json.Unmarshal(raw, &said)
		last = fmt.Errorf("the server %s answers %s", u.Host, strings.TrimSpace(resp.Status+" "+said.Message))
		if resp.StatusCode < http.StatusInternalServerError && resp.StatusCode != http.StatusTooManyRequests {
			return nil, last
		}
	}
	return nil, last
}
