package release

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// GitProgram is git's own, beside which deploy scripts in place have Git.
const GitProgram = "/usr/bin/git"

// keptRef is where a pull keeps what it would lose.
const keptRef = "refs/hostler/before-"

// Git is git for the scripts of sites that are deployed in place: a pull of the site's branch always ends at the pushed commit.
// Everything else is git's own.
func Git(args []string, get func(string) string, out *os.File) error {
	s, err := FromEnvironment(get, out)
	if err == nil && s.Release == "" && s.Repository != "" && s.pulls(args) {
		return s.Pull()
	}
	return syscall.Exec(GitProgram, append([]string{"git"}, args...), os.Environ())
}

// valued are the options of git pull whose value is the next argument (git-pull(1)).
var valued = []string{
	"--depth", "--deepen", "--shallow-since", "--shallow-exclude", "-s", "--strategy", "-X", "--strategy-option", "-o", "--server-option", "--cleanup",
	"--refmap", "--upload-pack", "--negotiation-tip",
}

// pulls reports whether arguments of git pull the site's branch into the site's directory.
func (s *Site) pulls(args []string) bool {
	dir, err := os.Getwd()
	if err != nil {
		return false
	}
	for len(args) > 1 && args[0] == "-C" {
		if dir, args = filepath.Join(dir, args[1]), args[2:]; filepath.IsAbs(args[0]) {
			return false
		}
	}
	if len(args) == 0 || args[0] != "pull" {
		return false
	}
	var operands []string
	for i, a := range args[1:] {
		if !strings.HasPrefix(a, "-") && !slices.Contains(valued, args[i]) {
			operands = append(operands, a)
		}
	}
	switch {
	case len(operands) > 2, len(operands) > 0 && operands[0] != "origin" && operands[0] != s.Repository, len(operands) == 2 && operands[1] != s.Branch:
		return false
	}
	cmd := exec.Command(GitProgram, "rev-parse", "--show-toplevel")
	cmd.Dir = dir
	top, err := cmd.Output()
	if err != nil {
		return false
	}
	one, err := os.Stat(strings.TrimSuffix(string(top), "\n"))
	other, otherErr := os.Stat(s.Root)
	return err == nil && otherErr == nil && os.SameFile(one, other)
}

// Pull makes the site's directory the newest commit of its branch, whatever happened to either. Changes made there stay where git can
// keep them beside the new commit; otherwise they, and commits that are not in the branch any more, are kept in a ref, which the output
// names.
func (s *Site) Pull() error {
	if err := s.pull(); err != nil {
		return s.foreign(err)
	}
	if err := s.linkOwn(); err != nil {
		return err
	}
	s.tellNode(s.Root)
	return s.reportCommit(s.Root)
}

func (s *Site) pull() error {
	if err := s.fetch(); err != nil {
		return err
	}
	const target = "refs/remotes/origin/" + deployed
	// Submodules are fetched by complete, over the protocols of code.
	if err := s.git("file", "-C", s.Root, "fetch", "--quiet", "--force", "--recurse-submodules=no", "--", s.path(RepositoryDir),
		"+refs/heads/"+deployed+":"+target); err != nil {
		return err
	}
	if err := s.freeBranch(target); err != nil {
		return err
	}
	_, _ = s.quietly("-C", s.Root, "update-ref", "refs/remotes/origin/"+s.Branch, target) // what git status compares with
	back, err := s.keepOwn()
	if err != nil {
		return err
	}
	if err := errors.Join(s.moveTo(target), back()); err != nil {
		return err
	}
	return s.complete(s.Root)
}

// moveTo makes the site's directory a commit: by a merge that loses nothing where there is one.
func (s *Site) moveTo(target string) error {
	branch, _ := s.quietly("-C", s.Root, "symbolic-ref", "--quiet", "--short", "HEAD")
	_, ahead := s.quietly("-C", s.Root, "merge-base", "--is-ancestor", "HEAD", target)
	if branch == s.Branch && ahead == nil && s.idle() {
		if _, err := s.quietly("-C", s.Root, "merge", "--quiet", "--ff-only", target); err == nil {
			return nil
		}
	}
	return s.become(target)
}

// freeBranch makes room for the name of the branch: a branch "feature" can't be beside "feature/one", which a renamed branch leaves
// (git-check-ref-format(1)). A branch of the site's directory that goes is kept in a ref, unless all of its commits are in the target.
func (s *Site) freeBranch(target string) error {
	text, err := s.quietly("-C", s.Root, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes/origin")
	if err != nil {
		return fmt.Errorf("list the branches of the site: %w", err)
	}
	for ref := range strings.Lines(text) {
		ref = strings.TrimSpace(ref)
		name, local := strings.CutPrefix(ref, "refs/heads/")
		if !local {
			name = strings.TrimPrefix(ref, "refs/remotes/origin/")
		}
		if !strings.HasPrefix(s.Branch, name+"/") && !strings.HasPrefix(name, s.Branch+"/") {
			continue
		}
		if at, _ := s.quietly("-C", s.Root, "symbolic-ref", "--quiet", "HEAD"); at == ref {
			if err := s.git(protocols, "-C", s.Root, "update-ref", "--no-deref", "HEAD", ref); err != nil {
				return err
			}
		}
		if _, inside := s.quietly("-C", s.Root, "merge-base", "--is-ancestor", ref, target); local && inside != nil {
			kept := "refs/hostler/branch-" + time.Now().UTC().Format("20060102-150405") + "/" + name
			if err := s.git(protocols, "-C", s.Root, "update-ref", kept, ref); err != nil {
				return err
			}
			s.say("The branch %s was in the way of %s; it is kept: git -C %s show %s", name, s.Branch, s.Root, kept)
		}
		if err := s.git(protocols, "-C", s.Root, "update-ref", "-d", ref); err != nil {
			return err
		}
	}
	return nil
}

// idle reports whether no merge or rebase was left in the middle.
func (s *Site) idle() bool {
	return !slices.ContainsFunc([]string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"}, func(name string) bool {
		_, err := os.Lstat(s.path(".git", name))
		return err == nil
	})
}

// become makes the site's directory a commit, and keeps what that loses.
func (s *Site) become(target string) error {
	if _, err := s.quietly("-C", s.Root, "ls-files", "--", ".git"); err != nil { // as a power cut leaves it
		s.say("Git's index of the site's directory was damaged: it is read from the commit again")
		if err := os.Remove(s.path(".git", "index")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the damaged index: %w", err)
		}
		if err := s.git(protocols, "-C", s.Root, "reset", "--quiet"); err != nil {
			return err
		}
	}
	if err := s.seeChanges(); err != nil {
		return err
	}
	if err := s.keepChanges(target); err != nil {
		return err
	}
	text, err := s.quietly("-C", s.Root, "ls-files", "-z")
	if err != nil {
		return fmt.Errorf("list the files of the site: %w", err)
	}
	known := map[string]bool{}
	for name := range strings.SplitSeq(text, "\x00") {
		known[name] = true
	}
	if err := s.putAside(target, known); err != nil {
		return err
	}
	if err := s.git(protocols, "-C", s.Root, "reset", "--quiet", "--hard"); err != nil {
		return err
	}
	for _, name := range []string{"rebase-merge", "rebase-apply"} {
		if err := remove(s.path(".git", name)); err != nil {
			return err
		}
	}
	return s.git(protocols, "-C", s.Root, "checkout", "--quiet", "--force", "--no-track", "-B", s.Branch, target, "--")
}

// complete brings what a commit only names: submodules, and files of Git LFS.
func (s *Site) complete(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, ".gitmodules")); err == nil {
		if err := s.submodules(dir); err != nil {
			return err
		}
	}
	if err := s.content(dir); err != nil {
		return err
	}
	return s.reportHostKeys()
}

// seeChanges takes the flags away with which files of the index hide what was changed in them (git-update-index(1), "assume-unchanged"
// and "skip-worktree"): git would refuse to replace such a file, or overwrite it silently. Files of Git LFS have one of ours, and those
// outside a sparse checkout are not there.
func (s *Site) seeChanges() error {
	if sparse, _ := s.quietly("-C", s.Root, "config", "--type=bool", "core.sparseCheckout"); sparse == "true" {
		return nil
	}
	text, err := s.quietly("-C", s.Root, "ls-files", "-z", "-v")
	if err != nil {
		return fmt.Errorf("list the files of the site: %w", err)
	}
	large, err := s.filtered(s.Root, "lfs")
	if err != nil {
		return err
	}
	hidden := map[string][]byte{}
	for entry := range strings.SplitSeq(text, "\x00") {
		flag, name, _ := strings.Cut(entry, " ")
		if flag == "S" || flag == "s" {
			hidden["--no-skip-worktree"] = append(hidden["--no-skip-worktree"], name+"\x00"...)
		}
		if flag == strings.ToLower(flag) && flag != "" && !slices.Contains(large, name) {
			hidden["--no-assume-unchanged"] = append(hidden["--no-assume-unchanged"], name+"\x00"...)
		}
	}
	for flag, names := range hidden {
		cmd := exec.Command("git", "-C", s.Root, "update-index", "-z", flag, "--stdin")
		cmd.Stdin, cmd.Stderr = bytes.NewReader(names), s.out
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("git update-index: %w", err)
		}
	}
	return nil
}

// keepChanges keeps commits that the target lacks, and changes that are in no commit, in a ref.
func (s *Site) keepChanges(target string) error {
	head, err := s.quietly("-C", s.Root, "rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil {
		return fmt.Errorf("read the site's commit: %w", err)
	}
	_, _ = s.quietly("-C", s.Root, "add", "-u") // conflicts of a merge that was left have no tree
	changed, err := s.quietly("-C", s.Root, "-c", "user.name=Hostler", "-c", "user.email=hostler@localhost", "stash", "create", "before a deployment")
	if err != nil {
		return fmt.Errorf("keep what was changed in the site's directory: %w", err)
	}
	commits, err := s.quietly("-C", s.Root, "log", "--format=%h %s", "--max-count=20", head, "--not", target, "--")
	if err != nil {
		return fmt.Errorf("compare with the pushed commit: %w", err)
	}
	if changed == "" && commits == "" {
		return nil
	}
	keep := head
	if changed != "" {
		keep = changed
	}
	ref := keptRef + time.Now().UTC().Format("20060102-150405")
	if err := s.git(protocols, "-C", s.Root, "update-ref", "-m", "before a deployment", ref, keep); err != nil {
		return err
	}
	s.say("The site's directory and the pushed branch went different ways: the directory becomes the pushed commit")
	for line := range strings.Lines(commits) {
		s.say("  no longer there: commit %s", strings.TrimSpace(line))
	}
	if changed != "" {
		names, _ := s.quietly("-C", s.Root, "diff", "--name-only", head, changed, "--")
		for line := range strings.Lines(names) {
			s.say("  no longer there: changes in %s", strings.TrimSpace(line))
		}
	}
	s.say("All of that is kept: git -C %s show %s", s.Root, ref)
	return nil
}

// keepOwn reads the site's own files that the repository's last commit does not have so; back writes them again where what comes is
// another: the panel's .env stands above the repository's, also where git, which takes an ignored file for one that may go, has replaced
// it.
func (s *Site) keepOwn() (back func() error, err error) {
	kept := map[string][]byte{}
	for _, name := range own {
		for _, rel := range slices.Compact([]string{name, filepath.Join(s.Application, name)}) {
			if st, err := os.Lstat(s.path(rel)); err != nil || !st.Mode().IsRegular() || s.sameAs("HEAD", rel) {
				continue
			}
			if kept[rel], err = os.ReadFile(s.path(rel)); err != nil {
				return nil, fmt.Errorf("keep %s: %w", rel, err)
			}
		}
	}
	return func() error {
		for rel, content := range kept {
			if st, err := os.Lstat(s.path(rel)); err == nil && st.Mode().IsRegular() {
				if now, err := os.ReadFile(s.path(rel)); err == nil && bytes.Equal(now, content) {
					continue
				}
			}
			next := filepath.Join(filepath.Dir(s.path(rel)), envNext) // renamed, since a link would be followed
			if err := os.MkdirAll(filepath.Dir(next), 0o755); err != nil {
				return fmt.Errorf("keep %s: %w", rel, err)
			}
			if err := os.WriteFile(next, content, 0o600); err != nil {
				return fmt.Errorf("keep %s: %w", rel, err)
			}
			if err := os.Rename(next, s.path(rel)); err != nil {
				return fmt.Errorf("keep %s: %w", rel, err)
			}
			s.say("Kept the site's own %s, not the repository's", rel)
		}
		return nil
	}, nil
}

// unlock removes the locks of a git that was killed. A site is deployed by one at a time; a lock of the last minute may be a person's.
func (s *Site) unlock() error {
	for _, name := range []string{"index.lock", "HEAD.lock", "shallow.lock", "config.lock", "packed-refs.lock", filepath.Join("refs", "heads", s.Branch+".lock")} {
		path := s.path(".git", name)
		if st, err := os.Lstat(path); err == nil && time.Since(st.ModTime()) > time.Minute {
			s.say("Removing .git/%s, left by a git that was ended", name)
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// foreign adds to an error which of the site's files belong to another account, such as root after a git pull by hand: git can't replace
// them.
func (s *Site) foreign(err error) error {
	var found []string
	uid := os.Getuid()
	_ = filepath.WalkDir(s.Root, func(path string, d fs.DirEntry, walkErr error) error {
		if walkErr != nil {
			return nil //nolint:nilerr // a directory that can't be read is listed itself
		}
		info, statErr := d.Info()
		if statErr != nil {
			return nil //nolint:nilerr // removed meanwhile
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != uid {
			found = append(found, path)
		}
		if len(found) > 4 {
			return fs.SkipAll
		}
		return nil
	})
	if len(found) == 0 {
		return err
	}
	return errors.Join(err, fmt.Errorf("these belong to another account, and git can't replace them: %s; give them back with chown -R %s: %s",
		strings.Join(found, ", "), os.Getenv("USER"), s.Root))
}
