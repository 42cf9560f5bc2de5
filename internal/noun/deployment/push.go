package deployment

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	standardwebhooks "github.com/hostlerhq/hostler/internal/engine/delivery"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/git"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/value"
)

const (
	// maxPush is the largest body, in bytes: GitHub's limit.
	maxPush = 25 << 20
	// formPayload is the field of a form that has the JSON of a push.
	formPayload = "payload"
	// maxDeliveries is how many deliveries of a site are listed.
	maxDeliveries = 50
)

// What GitHub and its like, and Bitbucket, send to try a webhook.
const (
	eventPing        = "ping"
	eventDiagnostics = "diagnostics:ping"
)

// The verdicts on deliveries.
const (
	verdictDeployed = "deployed"
	verdictIgnored  = "ignored"
	verdictRefused  = "refused"
)

// push takes a provider's word that a branch has new commits. The body is read as it comes, of which a few fields are kept; nothing is believed before its
// signature was checked. Without the right one, the only effect is that the newest refusal is listed.
func (h *Hooks) push(w http.ResponseWriter, req *http.Request) {
	id, err := strconv.ParseInt(req.PathValue("site"), 10, 64)
	if err != nil {
		unknown(w)
		return
	}
	p, err := h.DB.Read().Ungranted().GetProject(req.Context(), id)
	if errors.Is(err, db.ErrNotFound) {
		unknown(w)
		return
	}
	if err != nil {
		h.failed(req.Context(), w, err)
		return
	}
	token, err := h.Deployer.Projects.HookToken(p)
	if err != nil {
		h.failed(req.Context(), w, err)
		return
	}
	mac, standard, sum := hmac.New(sha256.New, []byte(token.Reveal())), standardMAC(token, req.Header), sha256.New()
	body := io.TeeReader(http.MaxBytesReader(w, req.Body, maxPush), io.MultiWriter(mac, standard, sum))
	said, changes, unread := readPayload(req.Header.Get("Content-Type"), body)
	if _, err := io.Copy(io.Discard, body); errors.As(err, new(*http.MaxBytesError)) {
		answer(w, http.StatusRequestEntityTooLarge, "The body is too large.")
		return
	} else if err != nil { // it broke off, or was not complete when the server's time for a request was up
		answer(w, http.StatusRequestTimeout, "The body did not arrive in time.")
		return
	}
	d := delivery{site: p.SiteID, sender: senderOf(req.Header), event: eventOf(req.Header)}
	if !signed(p.Provider, token, req.Header, mac, standard) {
		d.verdict, d.reason = verdictRefused, unsigned(req.Header)+" "+secretHint
		h.note(req.Context(), d)
		unknown(w)
		return
	}
	d.branch, d.commit, d.reason = judge(d, p.Branch, said, changes)
	switch {
	case unread != nil:
		d.reason = "The body is not JSON, nor a form with it."
	case d.reason != "":
	case !fromProvider(p.Provider, d.sender):
		d.reason = "The site's repository is at another provider."
	case !p.PushToDeploy:
		d.reason = "Push to deploy is disabled for the site."
	case !pushedTo(p.URL, said.claims):
		d.reason = "The site deploys another repository. After a repository was renamed, change it in the site's settings."
	}
	if d.reason != "" {
		d.verdict = verdictIgnored
		h.note(req.Context(), d)
		answer(w, http.StatusOK, "Nothing to do: "+strings.ToLower(d.reason[:1])+d.reason[1:])
		return
	}
	r := Request{Type: TypePush, Hash: clean(d.commit.id), Author: clean(d.commit.author), Message: clean(d.commit.message),
		once: hex.EncodeToString(sum.Sum(nil))}
	h.deploy(req.Context(), w, p, r, &d)
}

const secretHint = "The webhook's secret (at GitLab its secret token, at Gitee its password) is the last part of the site's deploy hook. " +
	"GitLab's signing token is shown with the deploy hook."

// unsigned says why a delivery is not believed.
func unsigned(header http.Header) string {
	given := func(name string) bool { return header.Get(name) != "" }
	if slices.ContainsFunc(secrets, given) {
		return "The signature is wrong."
	}
	return "The webhook has no secret, so its deliveries are not signed."
}

// secrets are the headers with which senders show that they know the secret.
var secrets = append([]string{gitlabToken, giteeToken, standardwebhooks.HeaderSignature}, slices.Collect(maps.Keys(signatures))...)

// The headers in which the secret itself may stand.
const (
	gitlabToken = "X-Gitlab-Token"
	giteeToken  = "X-Gitee-Token"
)

// signingToken is the signing token that belongs to a hook's secret, in the form that GitLab takes.
func signingToken(token secret.String) secret.String {
	return standardwebhooks.SecretOf(signingKey(token))
}

// signingKey derives the 32 bytes of a signing token from a hook's secret.
func signingKey(token secret.String) []byte {
	mac := hmac.New(sha256.New, []byte(token.Reveal()))
	_, _ = io.WriteString(mac, standardwebhooks.HeaderSignature)
	return mac.Sum(nil)
}

// standardMAC signs the body that is written to it as GitLab's signing tokens do (standardwebhooks.com).
func standardMAC(token secret.String, header http.Header) hash.Hash {
	return standardwebhooks.MAC(signingKey(token), header.Get(standardwebhooks.HeaderID), header.Get(standardwebhooks.HeaderTimestamp))
}

// signedAsStandard reports whether one of a header's signatures, separated by blanks, is right.
func signedAsStandard(header http.Header, mac hash.Hash) bool {
	want := standardwebhooks.Signature(mac)
	return slices.ContainsFunc(strings.Fields(header.Get(standardwebhooks.HeaderSignature)), func(given string) bool { return same(given, want) })
}

// signatures are the headers of the HMAC of a body, with what stands before it there.
var signatures = map[string]string{
	"X-Hub-Signature-256": "sha256=", // GitHub, and Gitea and Forgejo as well
	"X-Hub-Signature":     "sha256=", // Bitbucket
	"X-Forgejo-Signature": "",
	"X-Gitea-Signature":   "",
	"X-Gogs-Signature":    "",
}

// signed reports whether a sender knows the secret: GitLab sends it or signs with it as a signing token, Gitee sends it or its HMAC
// of a time, and the others sign the body with it (HMAC-SHA256). A repository of the provider custom may be at any of them; the
// secret itself is not taken where the provider signs.
func signed(provider string, token secret.String, header http.Header, mac, standard hash.Hash) bool {
	own := same(header.Get(gitlabToken), token.Reveal()) || same(header.Get(giteeToken), token.Reveal())
	if provider != git.GitHub && provider != git.Bitbucket && (own || signedByGitee(token, header) || signedAsStandard(header, standard)) {
		return true
	}
	want, ok := mac.Sum(nil), false
	for name, prefix := range signatures {
		given, has := strings.CutPrefix(header.Get(name), prefix)
		raw, err := hex.DecodeString(given)
		ok = has && err == nil && hmac.Equal(raw, want) || ok
	}
	return ok
}

func same(given, want string) bool {
	return given != "" && subtle.ConstantTimeCompare([]byte(given), []byte(want)) == 1
}

// signedByGitee reports whether a sender has signed the time of its delivery and the secret with it. Of the body nothing is signed: this is as good as the
// secret itself.
func signedByGitee(token secret.String, header http.Header) bool {
	mac := hmac.New(sha256.New, []byte(token.Reveal()))
	mac.Write([]byte(header.Get("X-Gitee-Timestamp") + "\n" + token.Reveal()))
	given, err := url.PathUnescape(header.Get(giteeToken)) // it is documented to be escaped, and often is not
	if err != nil {
		return false
	}
	raw, err := base64.StdEncoding.DecodeString(given)
	return err == nil && hmac.Equal(raw, mac.Sum(nil))
}

// events are the headers that name the event, with their senders. Gitea and Forgejo send those that they descend from, too.
var events = []struct{ header, sender string }{
	{"X-Forgejo-Event", "forgejo"}, {"X-Gitea-Event", "gitea"}, {"X-Gogs-Event", "gogs"}, {"X-GitHub-Event", git.GitHub}, {"X-Gitlab-Event", git.GitLab},
	{"X-Gitee-Event", gitee}, {"X-Event-Key", git.Bitbucket},
}

const gitee = "gitee"

func senderOf(header http.Header) string {
	for _, e := range events {
		if header.Get(e.header) != "" {
			return e.sender
		}
	}
	return "unknown"
}

func eventOf(header http.Header) string {
	for _, e := range events {
		if v := header.Get(e.header); v != "" {
			return value.Prefix(strings.ToValidUTF8(v, ""), 64)
		}
	}
	return ""
}

// delivery is a call of the push address.
type delivery struct {
	site                  int64
	sender, event, branch string
	commit                commit
	verdict, reason       string
	deployment            *int64
}

// judge returns what was pushed to which branch, or the reason why it is nothing to deploy.
func judge(d delivery, wanted string, p pushed, changes []pushed) (branch string, c commit, reason string) {
	switch {
	case d.sender == "unknown":
		return "", c, "No header names the event, such as X-GitHub-Event."
	case d.event == eventPing, d.event == eventDiagnostics:
		return "", c, "This is a test of the webhook, and it works."
	case d.sender == git.Bitbucket:
		if d.event != "repo:push" && d.event != "repo:refs_changed" {
			return "", c, notPush(d.event)
		}
		return judgeChanges(wanted, changes)
	case d.sender == git.GitLab:
		if d.event != "Push Hook" && d.event != "Tag Push Hook" && (d.event != "System Hook" || p.object != "push") {
			return "", c, notPush(d.event)
		}
		p.head = p.last
		p.head.id = p.checkout
		if p.checkout == "" && !none(p.after) {
			p.head.id = p.after
		}
	case d.event != "push" && (d.sender != gitee || d.event != "Push Hook" && d.event != "Tag Push Hook"):
		return "", c, notPush(d.event)
	}
	c = p.head
	if c.id == "" {
		c = p.last
		c.id = p.after
	}
	branch, ok := strings.CutPrefix(p.ref, "refs/heads/")
	switch {
	case strings.HasPrefix(p.ref, "refs/tags/"):
		return "", c, "A tag was pushed, and the site deploys a branch."
	case !ok:
		return "", c, "The push names no branch."
	case p.deleted || none(p.after):
		return branch, commit{}, "The branch was deleted."
	}
	return branch, c, other(branch, wanted, c)
}

// judgeChanges judges a push of several changes: the one of the site's branch counts.
func judgeChanges(wanted string, changes []pushed) (branch string, c commit, reason string) {
	reason = "The push names no branch."
	for _, p := range changes {
		switch {
		case p.kind == "tag" || p.kind == "annotated_tag":
			if branch == "" {
				reason = "A tag was pushed, and the site deploys a branch."
			}
			continue
		case branch != "" && p.name != wanted, p.name == "":
			continue
		case p.deleted || none(p.head.id):
			branch, c, reason = p.name, commit{}, "The branch was deleted."
		default:
			branch, c = p.name, p.head
			reason = other(branch, wanted, c)
		}
	}
	return branch, c, reason
}

// none reports the commit of what is not there: nothing, or zeros (of SHA-1 or SHA-256).
func none(hash string) bool { return strings.Trim(hash, "0") == "" }

func notPush(event string) string { return fmt.Sprintf("The event %s is no push.", event) }

// other returns why a push to a branch is not deployed; "" if it is.
func other(branch, wanted string, c commit) string {
	if branch != wanted {
		return "The site deploys another branch."
	}
	if c.skip != "" {
		return "The commit's message says " + c.skip + "."
	}
	return ""
}

// note records a delivery. That it can't be is no reason to fail: the provider would send it again.
func (h *Hooks) note(ctx context.Context, d delivery) {
	err := h.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return noteDelivery(ctx, tx, d) })
	if err != nil {
		h.Log.ErrorContext(ctx, "a delivery was not recorded", "error", err)
	}
}

func noteDelivery(ctx context.Context, tx *db.Tx, d delivery) error {
	if d.verdict == verdictRefused { // anyone can send these: one is enough
		if err := tx.DeleteRefusedPushDeliveries(ctx, d.site); err != nil {
			return fmt.Errorf("note delivery: %w", err)
		}
	}
	_, err := tx.InsertPushDelivery(ctx, query.InsertPushDeliveryParams{
		SiteID: d.site, Sender: d.sender, Event: d.event, Branch: clean(d.branch), CommitHash: clean(d.commit.id), Verdict: d.verdict, Reason: d.reason,
		DeploymentID: d.deployment, CreatedAt: tx.Micros(),
	})
	if err == nil {
		err = tx.DeleteOldPushDeliveries(ctx, d.site, maxDeliveries)
	}
	if err != nil {
		return fmt.Errorf("note delivery: %w", err)
	}
	return nil
}

// repositoryPath returns the path of a repository's address in lower case, without .git; "" for what is no address.
func repositoryPath(address string) string {
	u, err := git.ParseURL(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(u.Path(), "/"), ".git"))
}

// fromProvider reports whether a push is of a provider. A site that was moved to another one often has a repository of the same name there, and the webhook of
// the former one has the same secret. A repository of the provider custom may be anywhere.
func fromProvider(provider, sender string) bool {
	return sender == provider || provider != git.GitHub && provider != git.GitLab && provider != git.Bitbucket
}

// pushedTo reports whether a push is of the repository with an address. A secret is a site's, and the site may have been moved to another repository: the
// former one, and whoever manages it, does not deploy the site any more. A push that names no repository is of none in particular.
func pushedTo(address string, claims []string) bool {
	want := repositoryPath(address)
	return len(claims) == 0 || want == "" || slices.ContainsFunc(claims, func(name string) bool {
		return name == want || strings.HasSuffix(want, "/"+name) // a server below a path of its host has a longer address
	})
}
