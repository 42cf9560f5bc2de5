package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// ServerHostKeysAttributes are the SSH host keys that identify a server, and those that it presents now.
type ServerHostKeysAttributes struct {
	Changed   bool      `json:"changed" doc:"Whether the server presents none of its confirmed keys. Hostler then does not log in to it."`
	Confirmed []HostKey `json:"confirmed" nullable:"false"`
	Presented []HostKey `json:"presented" nullable:"false"`
	CheckedAt api.Time  `json:"checked_at"`
}

// HostKey is an SSH host key of a server.
type HostKey struct {
	PublicKey   string `json:"public_key"`
	Fingerprint string `json:"fingerprint" doc:"As ssh-keygen -l prints it."`
}

// ResourceType returns serverHostKeys.
func (ServerHostKeysAttributes) ResourceType() string { return "serverHostKeys" }

// HostKeysResource is the host keys of a server in a document.
type HostKeysResource = api.Resource[ServerHostKeysAttributes, api.NoRelationships]

// ConfirmHostKeysRequest names the keys that are a server's from now on.
type ConfirmHostKeysRequest struct {
	HostKeys []string `json:"host_keys" nullable:"false" maxItems:"8" doc:"Public keys as presented, each compared with the server's own by its fingerprint."`
}

// presentedWithin limits how long a server is asked for its host keys, and for a login.
const presentedWithin = 30 * time.Second

func (o *Operations) registerHostKeys() {
	const path = "/orgs/{organization}/servers/{server}/host-keys"
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.host-keys.show", Method: http.MethodGet, Path: path, Tag: "Servers", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerView}, Extension: true, Conflict: true, Summary: "Get the host keys of a server",
		Description: "Reads the SSH host keys that the server presents now, without logging in. 409 while the server has not been connected or can't be reached.",
	}, o.Store.InPath, o.hostKeys)
	api.WriteChecked(o.Router, api.Operation{
		ID: "organizations.servers.host-keys.update", Method: http.MethodPut, Path: path, Tag: "Servers", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerCreate}, Extension: true, Conflict: true, Summary: "Confirm new host keys of a server",
		Description: "Replaces the confirmed keys. Hostler then trusts any machine that has one of these keys, and sends it secrets and commands as root: compare " +
			"the fingerprints on the server's console first. Refused unless the server presents these keys and accepts Hostler's own key.",
		Example: map[string]any{"host_keys": []any{api.ExampleKey}},
	}, o.Store.InPath, o.checkHostKeys, o.confirmHostKeys)
}

// withHostKeys refuses servers without confirmed keys.
func withHostKeys(row query.Server) error {
	switch {
	case row.Revoked:
		return ErrArchived
	case row.Status == StatusDeleting || row.Status == StatusArchiving:
		return api.Conflict("The server is being removed.")
	case row.HostKeys == "" || row.IPAddress == nil:
		return api.Conflict("The server is not connected yet.")
	}
	return nil
}

func (o *Operations) hostKeys(ctx context.Context, c api.Call[Path]) (api.Document[HostKeysResource], error) {
	presented, err := o.presented(ctx, c.Parent.Server)
	if err != nil {
		return api.Document[HostKeysResource]{}, err
	}
	return o.hostKeysDocument(c.Parent.Slug, c.Parent.Server, presented)
}

// presented asks a server for its host keys now.
func (o *Operations) presented(ctx context.Context, row query.Server) ([]ssh.PublicKey, error) {
	if err := withHostKeys(row); err != nil {
		return nil, err
	}
	target, err := o.Keys.Target(row)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, presentedWithin)
	defer cancel()
	keys, err := host.ReadHostKeys(ctx, target.Addr)
	if err == nil {
		return keys, nil
	}
	reason := host.Reason(err)
	if reason == "" {
		reason = "its SSH server can't be asked for them"
	}
	return nil, api.Conflict("The host keys of the server can't be read: %s.", reason)
}

func (o *Operations) hostKeysDocument(slug string, row query.Server, presented []ssh.PublicKey) (api.Document[HostKeysResource], error) {
	confirmed, err := parseHostKeys(row.HostKeys)
	if err != nil {
		return api.Document[HostKeysResource]{}, err
	}
	a := ServerHostKeysAttributes{
		Changed: true, Confirmed: described(confirmed), Presented: described(presented),
		CheckedAt: api.TimeOf(o.Store.DB.Clock.Now().UnixMicro()),
	}
	for _, k := range a.Presented {
		a.Changed = a.Changed && !slices.Contains(a.Confirmed, k)
	}
	id := strconv.FormatInt(row.ID, 10)
	return api.Document[HostKeysResource]{Data: HostKeysResource{
		ID: id, Attributes: a,
		Links: o.Router.Links("/orgs/" + slug + "/servers/" + id + "/host-keys"),
	}}, nil
}

func keyLine(key ssh.PublicKey) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

func described(keys []ssh.PublicKey) []HostKey {
	out := make([]HostKey, len(keys))
	for i, key := range keys {
		out[i] = HostKey{PublicKey: keyLine(key), Fingerprint: ssh.FingerprintSHA256(key)}
	}
	return out
}

// askedHostKeys reads the keys of a request, sorted as they are kept.
func askedHostKeys(f api.Fields, b ConfirmHostKeysRequest) []ssh.PublicKey {
	const field = "host_keys"
	if len(f[field]) > 0 {
		return nil
	}
	var keys []ssh.PublicKey
	for _, text := range b.HostKeys {
		key, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(text))
		switch {
		case err != nil || len(options) > 0 || len(rest) > 0:
			f.Add(field, "Each host key must be a public key such as ssh-ed25519 AAAA….")
			return nil
		case slices.ContainsFunc(keys, func(k ssh.PublicKey) bool { return keyLine(k) == keyLine(key) }):
			f.Add(field, "The host keys must be different.")
			return nil
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		f.Add(field, "At least one host key is required.")
	}
	slices.SortFunc(keys, func(a, b ssh.PublicKey) int { return strings.Compare(keyLine(a), keyLine(b)) })
	return keys
}

// checkHostKeys asks the server whether it has the keys of the request, and logs in with them.
func (o *Operations) checkHostKeys(ctx context.Context, c api.Call[Path], b ConfirmHostKeysRequest) error {
	keys := askedHostKeys(c.Fields, b)
	if len(c.Fields) > 0 {
		return nil
	}
	presented, err := o.presented(ctx, c.Parent.Server)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if !slices.ContainsFunc(presented, func(k ssh.PublicKey) bool { return keyLine(k) == keyLine(key) }) {
			c.Fields.Add("host_keys", "The server does not present the key %s. It presents: %s.", ssh.FingerprintSHA256(key), fingerprintsOf(presented))
		}
	}
	if len(c.Fields) > 0 {
		return nil
	}
	target, err := o.Keys.Target(c.Parent.Server)
	if err != nil {
		return err
	}
	target.HostKeys = keys
	ctx, cancel := context.WithTimeout(ctx, presentedWithin)
	defer cancel()
	err = host.TryLogin(ctx, target)
	switch reason := host.Reason(err); {
	case errors.Is(err, host.ErrAuth):
		return api.Conflict("The machine has these keys, but refuses the login: %s. If the server was reinstalled, add it as a new server.", reason)
	case reason != "":
		return api.Conflict("The login with these keys could not be tested: %s.", reason)
	case errors.Is(err, context.DeadlineExceeded):
		return api.Conflict("The login with these keys could not be tested within %s.", presentedWithin)
	}
	return err
}

func fingerprintsOf(keys []ssh.PublicKey) string {
	var out []string
	for _, k := range described(keys) {
		out = append(out, k.Fingerprint)
	}
	return strings.Join(out, ", ")
}

// confirmHostKeys makes the keys of the request those of the server, which was asked for them a moment ago.
func (o *Operations) confirmHostKeys(ctx context.Context, tx *db.Tx, c api.Call[Path], b ConfirmHostKeysRequest) (api.Document[HostKeysResource], error) {
	var none api.Document[HostKeysResource]
	keys := askedHostKeys(c.Fields, b)
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	was := c.Parent.Server
	p, err := c.Parent.Current(ctx, tx)
	row := p.Server
	switch {
	case err != nil:
		return none, err
	case row.HostKeys != was.HostKeys || row.IPAddress == nil || was.IPAddress == nil || *row.IPAddress != *was.IPAddress || sshPort(row) != sshPort(was):
		return none, api.Conflict("The server was changed in the meantime.")
	}
	if err := withHostKeys(row); err != nil {
		return none, err
	}
	var lines strings.Builder
	for _, key := range keys {
		_, _ = lines.WriteString(keyLine(key) + "\n")
	}
	row.HostKeys = lines.String()
	if err := tx.SetServerIdentity(ctx, query.SetServerIdentityParams{
		ID: row.ID, HostKeys: row.HostKeys, IPAddress: row.IPAddress, SSHPort: row.SSHPort,
		Facts: row.Facts, UpdatedAt: tx.Micros(),
	}); err != nil {
		return none, fmt.Errorf("confirm host keys: %w", err)
	}
	if err := job.Answered(ctx, tx, row); err != nil {
		return none, fmt.Errorf("confirm host keys: %w", err)
	}
	return o.hostKeysDocument(c.Parent.Slug, row, keys)
}
