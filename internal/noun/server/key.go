package server

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// ServerKeyAttributes are the attributes of the key that Hostler logs in to a server with.
type ServerKeyAttributes struct {
	PublicKey   string `json:"public_key"`
	Fingerprint string `json:"fingerprint"`
}

// ResourceType returns serverKeys.
func (ServerKeyAttributes) ResourceType() string { return "serverKeys" }

// Metas are what the meta of these resources has besides.
func (ServerKeyAttributes) Metas() []any { return []any{LineMeta{}} }

// KeyResource is a server's key in a document.
type KeyResource = api.Resource[ServerKeyAttributes, api.NoRelationships]

// Keys makes and seals the keys of servers: each server has its own.
type Keys struct {
	Box *secret.Box
	// URL returns the address of one of our paths, as servers reach it.
	URL func(path string) string
}

func sealedAt(id int64, column string) secret.Place {
	return secret.Place{Table: "servers", Row: strconv.FormatInt(id, 10), Column: column}
}

// issue returns a new server its key and the secret of its bootstrap line.
func (k *Keys) issue(ctx context.Context, tx *db.Tx, row *query.Server) (*BootstrapMeta, error) {
	public, sealedKey, err := k.make(row.ID, "private_key")
	if err != nil {
		return nil, err
	}
	code := secret.Random(24)
	sealedCode, err := k.Box.Seal(sealedAt(row.ID, "bootstrap_secret"), []byte(code))
	if err != nil {
		return nil, err
	}
	if err := tx.SetServerKey(ctx, query.SetServerKeyParams{
		ID: row.ID, PublicKey: public, PrivateKey: sealedKey, BootstrapSecret: sealedCode,
		LineAt: tx.Micros(),
	}); err != nil {
		return nil, fmt.Errorf("keep key of server: %w", err)
	}
	row.PublicKey, row.PrivateKey, row.BootstrapSecret, row.LineAt = public, sealedKey, sealedCode, tx.Micros()
	return bootstrapMeta(k.URL, *row, secret.String(code)), nil
}

// Signer opens the private key of a server.
func (k *Keys) Signer(row query.Server) (ssh.Signer, error) {
	pem, err := k.Box.Open(sealedAt(row.ID, "private_key"), row.PrivateKey)
	if err != nil {
		return nil, err
	}
	signer, err := ssh.ParsePrivateKey(pem)
	if err != nil {
		return nil, fmt.Errorf("read key of server %d: %w", row.ID, err)
	}
	return signer, nil
}

func (o *Operations) registerKey() {
	const path = "/orgs/{organization}/servers/{server}/key"
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.key.show", Method: http.MethodGet, Path: path, Tag: "SSH Keys", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerView}, Noun: "server-key", Summary: "Get the server's key",
		Description: "Returns the public half of the key with which Hostler logs in.",
	}, o.Store.InPath, func(ctx context.Context, c api.Call[Path]) (api.Document[KeyResource], error) {
		return o.keyDocument(ctx, o.Store.DB.Reader(), c.Parent.Slug, c.Parent.Server)
	})
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.key.update", Method: http.MethodPut, Path: path, Tag: "SSH Keys", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerDelete}, Begins: true, Noun: "server-key", Summary: "Replace the server's key",
		Description: "Generates a new key. On a server that is set up, the new key replaces the old one once it has been tested; until then the old key " +
			"works. If the server is waiting for its setup command, meta.bootstrap contains a new command, shown once, and the old command is invalid.",
	}, o.Store.InPath, o.rotate)
}

// rotate replaces the key of a server that was never reached, at once; a connected one keeps its key until a login with the new one has worked.
func (o *Operations) rotate(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Document[KeyResource], error) {
	var none api.Document[KeyResource]
	p, err := c.Parent.Current(ctx, tx)
	row := p.Server
	if err != nil {
		return none, err
	}
	if row.Revoked {
		return none, ErrArchived
	}
	if row.Status == StatusArchiving {
		return none, api.Conflict("The server is being archived.")
	}
	if awaited(row) {
		return none, errAwaited
	}
	if row.HostKeys == "" { // it never called: the line is replaced as well, and the old one is worth nothing
		line, err := o.again(ctx, tx, c.Parent.Grant, &row)
		if err != nil {
			return none, err
		}
		doc, err := o.keyDocument(ctx, tx.SQL, c.Parent.Slug, row)
		doc.Data.Meta = &api.Meta{Own: []any{LineMeta{line}}}
		return doc, err
	}
	open, err := tx.ListOpenAspects(ctx, row)
	if err != nil {
		return none, fmt.Errorf("list open work of server %d: %w", row.ID, err)
	}
	if slices.Contains(open, AspectKey) { // it is being replaced: asked again, it is not done twice
		return o.keyDocument(ctx, tx.SQL, c.Parent.Slug, row)
	}
	if err := o.Keys.next(ctx, tx, row); err != nil {
		return none, err
	}
	accepted, err := o.Queue.Begin(ctx, tx, job.Work{
		Grant: c.Parent.Grant, ServerID: row.ID, Ready: row.IsReady, Aspect: AspectKey, Resource: "servers",
		ResourceID: row.ID,
		Action:     "update", Description: "Replacing the key of " + row.Name, RanAs: "root", Within: keyDeadline,
	})
	if err != nil {
		return none, err
	}
	if err := tx.SetServerOperation(ctx, row.ID, &accepted.OperationID, tx.Micros()); err != nil {
		return none, fmt.Errorf("replace key: %w", err)
	}
	if row, err = tx.GetServer(ctx, row); err != nil {
		return none, fmt.Errorf("replace key: %w", err)
	}
	doc, err := o.keyDocument(ctx, tx.SQL, c.Parent.Slug, row)
	doc.Event = accepted.EventID
	return doc, err
}

// make returns a new key: its public half, and the private one sealed for a column.
func (k *Keys) make(server int64, column string) (public string, sealed []byte, err error) {
	private, public, _, err := host.NewKey(keyComment(server))
	if err != nil {
		return "", nil, fmt.Errorf("make key of server: %w", err)
	}
	sealed, err = k.Box.Seal(sealedAt(server, column), private)
	return public, sealed, err
}

// next makes the key that is to take the place of a server's own, unless there is one that an earlier replacement did not get to: the server may have it.
func (k *Keys) next(ctx context.Context, tx *db.Tx, row query.Server) error {
	if row.NextPublicKey != "" {
		return nil
	}
	public, sealed, err := k.make(row.ID, "next_private_key")
	if err != nil {
		return err
	}
	if err := tx.SetNextServerKey(ctx, row.ID, public, sealed); err != nil {
		return fmt.Errorf("keep next key of server: %w", err)
	}
	return nil
}

// keyComment marks the keys of Hostler on a server.
func keyComment(server int64) string { return "hostler-server-" + strconv.FormatInt(server, 10) }

func (o *Operations) keyDocument(ctx context.Context, q query.DBTX, slug string, row query.Server) (api.Document[KeyResource], error) {
	if row.PublicKey == "" { // archived: Hostler has none
		return api.Document[KeyResource]{}, api.ErrNotFound
	}
	public, _, _, _, err := ssh.ParseAuthorizedKey([]byte(row.PublicKey))
	if err != nil {
		return api.Document[KeyResource]{}, fmt.Errorf("read key of server %d: %w", row.ID, err)
	}
	id := strconv.FormatInt(row.ID, 10)
	res := KeyResource{
		ID: id, Attributes: ServerKeyAttributes{PublicKey: row.PublicKey, Fingerprint: ssh.FingerprintSHA256(public)},
		Links: o.Router.Links("/orgs/" + slug + "/servers/" + id + "/key"),
	}
	if row.NextPublicKey != "" {
		ops, err := job.ReadOperations(ctx, q, row.OperationID)
		if err != nil {
			return api.Document[KeyResource]{}, err
		}
		if row.OperationID != nil && ops[*row.OperationID].Aspect == AspectKey {
			res.Meta = &api.Meta{Operation: job.Meta(ops, row.OperationID)}
		}
	}
	return api.Document[KeyResource]{Data: res}, nil
}
