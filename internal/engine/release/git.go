package release

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Names of a script's files for git.
const (
	KeyFile   = "deploy_key"
	HostsFile = "known_hosts"
)

// protocols are the allowed protocols for code; git's own default also has ways to run programs (git-remote-ext(1)).
const protocols = "ssh:https"

// GitEnvironment returns the environment of git in a deployment, and in the deploy script itself.
func GitEnvironment() map[string]string {
	return map[string]string{
		"GIT_SSH": wire.SSHProgram, "GIT_SSH_VARIANT": "ssh", "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "/bin/false", "SSH_ASKPASS": "/bin/false",
		"GIT_ALLOW_PROTOCOL": protocols, "GIT_CONFIG_NOSYSTEM": "1", "GIT_ADVICE": "0",
	}
}

// git runs git with its errors shown; allowed are the protocols, which may be others for local operations.
func (s *Site) git(allowed string, args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Env = append(os.Environ(), "GIT_ALLOW_PROTOCOL="+allowed)
	cmd.Dir, cmd.Stderr = s.Root, s.out
	if err := cmd.Run(); err != nil {
		name := args[0]
		if name == "-C" && len(args) > 2 {
			name = args[2]
		}
		return fmt.Errorf("git %s: %w", name, err)
	}
	return nil
}

// quietly runs git and returns its output instead of showing it.
func (s *Site) quietly(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = s.Root
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// mendRefs removes what a power cut leaves of Git's records: files without content, which git takes for damage and stops at. HEAD leads
// to the branch again.
func (s *Site) mendRefs(dir string) error {
	empty := func(path string) bool {
		st, err := os.Lstat(path)
		return err == nil && st.Mode().IsRegular() && st.Size() == 0
	}
	if head := filepath.Join(dir, "HEAD"); empty(head) {
		s.say("%s was empty: it leads to %s again", head, s.Branch)
		if err := os.WriteFile(head, []byte("ref: refs/heads/"+s.Branch+"\n"), 0o644); err != nil {
			return fmt.Errorf("mend HEAD: %w", err)
		}
	}
	err := filepath.WalkDir(filepath.Join(dir, "refs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !empty(path) || strings.HasSuffix(path, ".lock") {
			return err
		}
		s.say("%s was empty, and is removed", path)
		return os.Remove(path)
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look at Git's records: %w", err)
	}
	return nil
}

// mendConfig replaces the settings of a work tree that git can't read: a power cut may leave zeros of them, or half of them.
// They are kept beside the new ones.
func (s *Site) mendConfig() error {
	path := s.path(".git", "config")
	if raw, err := os.ReadFile(path); err != nil || len(raw) == 0 { // git does without a file, and with an empty one
		return nil //nolint:nilerr // a file that can't be read is another account's, which git says
	}
	if _, err := s.quietly("config", "--file", path, "--list"); err == nil {
		return nil
	}
	s.say("%s can't be read: its settings begin again, and what it was is %s.damaged", path, path)
	if err := os.Rename(path, path+".damaged"); err != nil {
		return fmt.Errorf("mend the settings of Git: %w", err)
	}
	return s.git(protocols, "init", "--quiet", "--", s.Root)
}

// fetch updates the earlier fetch with the newest of the branch, and begins again without it where that is damaged.
func (s *Site) fetch() error {
	repo := s.path(RepositoryDir)
	if !isDir(filepath.Join(repo, "objects")) || !isDir(filepath.Join(repo, "refs")) { // none for git, which would look for one above it
		if err := remove(repo); err != nil {
			return fmt.Errorf("remove the damaged repository: %w", err)
		}
		return s.fetchNewest()
	}
	err := s.mendRefs(repo)
	if err == nil {
		err = s.fetchNewest()
	}
	if err == nil {
		return nil
	}
	_, damaged := s.quietly("-C", repo, "--git-dir=.", "rev-parse", "--git-dir")
	if _, known := os.Lstat(filepath.Join(repo, "refs/heads", deployed)); damaged == nil && known == nil {
		_, damaged = s.quietly("-C", repo, "rev-list", "--max-count=1", "refs/heads/"+deployed)
	}
	if damaged == nil {
		return err
	}
	s.say("What was fetched before is damaged: everything is fetched again")
	if err := remove(repo); err != nil {
		return fmt.Errorf("remove the damaged repository: %w", err)
	}
	return s.fetchNewest()
}

// fetchNewest fetches the newest of the branch. A branch takes precedence over a tag of the same name.
func (s *Site) fetchNewest() error {
	repo := s.path(RepositoryDir)
	if st, err := os.Lstat(filepath.Join(repo, "HEAD")); err != nil || !st.Mode().IsRegular() {
		if err := remove(repo); err != nil {
			return fmt.Errorf("make the repository: %w", err)
		}
		if err := s.git(protocols, "init", "--quiet", "--bare", "--", repo); err != nil {
			return err
		}
	}
	for _, name := range []string{"shallow.lock", "config.lock", "packed-refs.lock", "refs/heads/" + deployed + ".lock"} {
		_ = os.Remove(filepath.Join(repo, name)) // left by a killed fetch
	}
	_ = os.Remove(filepath.Join(repo, "refs/tags", deployed)) // where versions before stored a tag
	s.say("Fetching %s", s.Branch)
	heads := "+refs/heads/" + s.Branch + ":refs/heads/" + deployed
	var missing string
	err := s.fetchRef(repo, heads, &missing)
	if err != nil && strings.Contains(missing, "couldn't find remote ref") {
		const tag = "refs/hostler/" + deployed
		if s.fetchRef(repo, "+refs/tags/"+s.Branch+":"+tag, &missing) != nil {
			s.say("%s", s.noBranch())
			return err
		}
		// An annotated tag is a separate object: the commit that it names is deployed.
		if err := s.git(protocols, "-C", repo, "update-ref", "refs/heads/"+deployed, tag+"^{commit}"); err != nil {
			return err
		}
		err = nil
	}
	if err != nil {
		_, _ = s.out.Write([]byte(missing)) // shown in addition to the error
		return err
	}
	return s.reportHostKeys()
}

// noBranch says that the repository has no such branch, and which one it has.
func (s *Site) noBranch() string {
	out := fmt.Sprintf("The repository has no branch or tag %s.", s.Branch)
	cmd := exec.Command("git", "ls-remote", "--quiet", "--symref", "--", s.Repository, "HEAD", "refs/heads/*")
	found := &wire.Ends{Limit: maxSaid}
	cmd.Dir, cmd.Stdout = s.RunDir, found
	if cmd.Run() != nil {
		return out
	}
	var all []string
	usual := ""
	for line := range strings.Lines(found.String()) {
		at, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if name, ok := strings.CutPrefix(at, "ref: refs/heads/"); ok && ref == "HEAD" {
			usual = name
		}
		if name, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
			if strings.EqualFold(name, s.Branch) {
				return out + " It has " + name + ", which is written otherwise."
			}
			all = append(all, name)
		}
	}
	switch {
	case usual != "":
		return out + " Its default branch is " + usual + "."
	case len(all) == 1:
		return out + " Its only branch is " + all[0] + "."
	}
	return out
}

// deployed is the branch that a fetch is stored under.
const deployed = "hostler-deploy"

// maxSaid is how much of what a Git server says is kept, in bytes.
const maxSaid = 64 << 10

// fetchRef fetches a branch or a tag, and the tags of its history, which scripts name versions with (git-describe(1)).
func (s *Site) fetchRef(repo, spec string, said *string) error {
	cmd := exec.Command("git", "-C", repo, "fetch", "--quiet", "--force", "--no-write-fetch-head", "--recurse-submodules=no", "--",
		s.Repository, spec)
	text := &wire.Ends{Limit: maxSaid} // a server decides how much it says
	cmd.Stdout, cmd.Stderr = text, text
	err := cmd.Run()
	*said = text.String()
	if err != nil {
		return fmt.Errorf("git fetch: %w", err)
	}
	return nil
}

// Look reads the newest commit of the branch from the repository, and the files of it that say what it is. A repository that can't be
// read is a finding, and no failure.
func (s *Site) Look() error {
	cmd := exec.Command("git", "ls-remote", "--quiet", "--", s.Repository, "refs/heads/"+s.Branch, "refs/tags/"+s.Branch, "refs/tags/"+s.Branch+"^{}")
	said, found := &wire.Ends{Limit: maxSaid}, &wire.Ends{Limit: maxSaid}
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.RunDir, found, said
	err := cmd.Run()
	_, _ = s.out.Write([]byte(said.String()))
	report := map[string]string{}
	commit, ref := newest(found.String(), s.Branch)
	switch {
	case err != nil:
		report[ReportRefused] = strings.TrimSpace(said.String() + "\n" + "git ls-remote: " + err.Error())
	case commit == "":
		missing := s.noBranch()
		s.say("%s", missing)
		report[ReportRefused] = missing
	default:
		s.say("%s is at %s", s.Branch, commit)
		report[ReportHash] = commit
		if files := filesReport(s.readFiles(commit, ref)); files != "" {
			report[ReportFiles] = files
		}
	}
	return errors.Join(s.reportHostKeys(), s.report(report))
}

// newest returns the commit that a deployment of a branch would take, and the ref to fetch for it, from what ls-remote printed: a branch
// takes precedence over a tag, and what an annotated tag names over the tag.
func newest(refs, branch string) (commit, ref string) {
	at := map[string]string{}
	for line := range strings.Lines(refs) {
		if commit, name, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			at[name] = commit
		}
	}
	if commit := at["refs/heads/"+branch]; commit != "" {
		return commit, "refs/heads/" + branch
	}
	return cmp.Or(at["refs/tags/"+branch+"^{}"], at["refs/tags/"+branch]), "refs/tags/" + branch
}

// clone checks the fetched commit out into a directory with its own repository, so that a script can use git there.
func (s *Site) clone(dir string) error {
	if err := s.git("file", "clone", "--quiet", "--local", "--no-checkout", "--single-branch", "--branch", deployed, "--",
		s.path(RepositoryDir), dir); err != nil {
		return err
	}
	if err := s.put(dir); err != nil {
		return err
	}
	return s.complete(dir)
}

// put makes a directory's files match the commit.
func (s *Site) put(dir string) error {
	commit := s.Commit
	if commit == "" {
		commit = "refs/remotes/origin/" + deployed
	}
	if err := s.setOrigin(dir); err != nil {
		return err
	}
	return s.git(protocols, "-C", dir, "checkout", "--quiet", "--force", "--no-track", "-B", s.Branch, commit, "--")
}

// submodules makes the submodules of a checkout those of its commit, wherever they were fetched from before.
func (s *Site) submodules(dir string) error {
	if err := s.git(protocols, "-C", dir, "submodule", "--quiet", "sync", "--recursive"); err != nil {
		return err
	}
	// How a submodule is updated is what .gitmodules says now, not what it said when the submodule was met first.
	modes, _ := s.quietly("-C", dir, "config", "--local", "--name-only", "--get-regexp", `^submodule\..*\.update$`)
	for line := range strings.Lines(modes) {
		if err := s.git(protocols, "-C", dir, "config", "--local", "--unset-all", strings.TrimSpace(line)); err != nil {
			return err
		}
	}
	update := []string{"-C", dir, "submodule", "--quiet", "update", "--init", "--recursive", "--force"}
	err := s.git(protocols, update...)
	if err != nil && s.deepen(dir) {
		err = s.git(protocols, update...)
	}
	if err != nil {
		s.say("The submodules of the repository can't be fetched: the deploy key has to reach their servers too")
		_ = s.reportHostKeys()
	}
	return err
}

// deepen fetches the whole history, and all branches, of submodules that .gitmodules recommends to fetch without (shallow = true): a
// server of the older protocol gives only commits that a branch or tag is at, and the repository may name an earlier one. It reports
// whether there was such a submodule.
func (s *Site) deepen(dir string) bool {
	const all = "2147483647" // infinite
	const fetch = `[ "$(git config -f "$toplevel/.gitmodules" "submodule.$name.shallow")" != true ] || {
		git fetch --quiet --recurse-submodules=no --depth=` + all + ` origin "+refs/heads/*:refs/remotes/origin/*" && echo deepened; }`
	said, err := s.quietly("-C", dir, "submodule", "--quiet", "foreach", "--recursive", fetch)
	if err != nil || said == "" {
		return false
	}
	s.say("Fetched the whole history of the submodules: their server gives no single commits")
	return true
}

// setOrigin makes a directory's repository fetch from the source of the code. Right after a clone the file is as git writes it,
// with one line for the address: replacing that line is what git would do, without a process, which counts in a deployment's
// time. Any other file is left to git.
func (s *Site) setOrigin(dir string) error {
	path := filepath.Join(dir, ".git", "config")
	was := "\n\turl = " + s.path(RepositoryDir) + "\n"
	raw, err := os.ReadFile(path)
	if err == nil && strings.Count(string(raw), was) == 1 && strings.Count(string(raw), "\turl = ") == 1 &&
		!strings.ContainsFunc(s.Repository, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s.Repository)
		return os.WriteFile(path, []byte(strings.Replace(string(raw), was, "\n\turl = \""+quoted+"\"\n", 1)), 0o644)
	}
	return s.git(protocols, "-C", dir, "config", "--replace-all", "remote.origin.url", s.Repository)
}

// Checkout makes the site's directory a checkout of its branch, for in-place deployments. An existing one stays unchanged: the script
// pulls, by Pull.
func (s *Site) Checkout() error {
	if s.Repository == "" {
		return nil
	}
	if err := errors.Join(s.mendRefs(s.path(".git")), s.mendConfig()); err != nil {
		return err
	}
	// otherwise an earlier one was interrupted
	if _, err := s.quietly("-C", s.Root, "--git-dir="+s.path(".git"), "rev-parse", "--verify", "--quiet", "HEAD"); err == nil {
		if err := s.lookBefore(); err != nil {
			return err
		}
		if err := s.unlock(); err != nil {
			return err
		}
		if err := s.git(protocols, "-C", s.Root, "config", "--replace-all", "remote.origin.url", s.Repository); err != nil {
			return s.foreign(err)
		}
		if err := s.linkOwn(); err != nil {
			return err
		}
		return s.reportCommit(s.Root)
	}
	if err := s.fetch(); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--", s.Root},
		{"-C", s.Root, "config", "--replace-all", "remote.origin.url", s.path(RepositoryDir)},
		{"-C", s.Root, "config", "--replace-all", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"},
	} {
		if err := s.git(protocols, args...); err != nil {
			return err
		}
	}
	if err := s.git("file", "-C", s.Root, "fetch", "--quiet", "--recurse-submodules=no", "origin",
		"+refs/heads/"+deployed+":refs/remotes/origin/"+deployed); err != nil {
		return err
	}
	back, err := s.keepOwn()
	if err != nil {
		return err
	}
	if err := s.putAside("refs/remotes/origin/"+deployed, nil); err != nil {
		return err
	}
	if err := errors.Join(s.put(s.Root), back()); err != nil {
		return err
	}
	if err := s.complete(s.Root); err != nil {
		return err
	}
	if err := s.linkOwn(); err != nil {
		return err
	}
	s.tellNode(s.Root)
	return s.reportCommit(s.Root)
}

// reportCommit reports the commit that a directory has checked out.
func (s *Site) reportCommit(dir string) error { return s.lookAt(dir, "HEAD")() }

// lookAt starts to read a commit; the returned function waits for that and reports it.
func (s *Site) lookAt(dir, rev string) (tell func() error) {
	type seen struct {
		text string
		err  error
	}
	done := make(chan seen, 1)
	go func() {
		text, err := s.quietly("-C", dir, "log", "-1", "--format=%H%x00%an%x00%s", "--end-of-options", rev, "--")
		done <- seen{text, err}
	}()
	return func() error {
		got := <-done
		if got.err != nil {
			return nil //nolint:nilerr // no repository: a site without one
		}
		parts := strings.SplitN(got.text, "\x00", 3)
		if len(parts) != 3 {
			return nil
		}
		s.say("%.12s %s", parts[0], cut(firstLine(parts[2])))
		return s.report(map[string]string{ReportHash: parts[0], ReportAuthor: cut(parts[1]), ReportMessage: cut(parts[2])})
	}
}

func cut(text string) string {
	const most = 1000
	if len(text) > most {
		text = text[:most]
	}
	return strings.ToValidUTF8(text, "")
}
