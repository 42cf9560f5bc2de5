package server

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/access"
	"github.com/hostlerhq/hostler/internal/api"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/host"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/secret"
)

// ServerKeyAttributes are the attributes of the key that Hostler logs in to a server with.
type ServerKeyAttributes struct {
	PublicKey   string `json:"public_key"`
	Fingerprint string `json:"fingerprint"`
}

// ResourceType is serverKeys.
func (ServerKeyAttributes) ResourceType() string { return "serverKeys" }

// KeyResource is a server's key in a document.
type KeyResource = api.Resource[ServerKeyAttributes, api.NoRelationships]

// Keys makes, seals and shows the keys of servers: each server has its own.
type Keys struct {
	Box    *secret.Box
	Router *api.Router
}

func place(id int64, column string) secret.Place {
	return secret.Place{Table: "servers", Row: strconv.FormatInt(id, 10), Column: column}
}

// issue gives a new server its key and the secret of its bootstrap line.
func (k *Keys) issue(ctx context.Context, tx *db.Tx, row *query.Server) (*api.BootstrapMeta, error) {
	private, public, _, err := host.NewKey("hostler-server-" + strconv.FormatInt(row.ID, 10))
	if err != nil {
		return nil, fmt.Errorf("make key of server: %w", err)
	}
	sealedKey, err := k.Box.Seal(place(row.ID, "private_key"), private)
	if err != nil {
		return nil, err
	}
	code := secret.Random(24)
	sealedCode, err := k.Box.Seal(place(row.ID, "bootstrap_secret"), []byte(code))
	if err != nil {
		return nil, err
	}
	if err := tx.SetServerKey(ctx, row.ID, public, sealedKey, sealedCode); err != nil {
		return nil, fmt.Errorf("keep key of server: %w", err)
	}
	row.PublicKey, row.PrivateKey, row.BootstrapSecret = public, sealedKey, sealedCode
	return bootstrapMeta(k.Router, *row, secret.String(code), tx.Now), nil
}

// Signer opens the private key of a server.
func (k *Keys) Signer(row query.Server) (ssh.Signer, error) {
	pem, err := k.Box.Open(place(row.ID, "private_key"), row.PrivateKey)
	if err != nil {
		return nil, err
	}
	signer, err := ssh.ParsePrivateKey(pem)
	if err != nil {
		return nil, fmt.Errorf("read key of server %d: %w", row.ID, err)
	}
	return signer, nil
}

func (k *Keys) register(o *Operations) {
	const path = "/orgs/{organization}/servers/{server}/key"
	api.Show(k.Router, api.Operation{
		ID: "organizations.servers.key.show", Method: http.MethodGet, Path: path, Tag: "SSH Keys", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerView}, Summary: "Get the server's key", Description: "The public half of the key that Hostler logs in with.",
	}, o.Store.InPath, func(_ context.Context, c api.Call[Path]) (api.Document[KeyResource], error) {
		return k.document(c.Parent.Slug, c.Parent.Server)
	})
	api.Write(k.Router, api.Operation{
		ID: "organizations.servers.key.update", Method: http.MethodPut, Path: path, Tag: "SSH Keys", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerDelete}, Summary: "Replace the server's key",
		Description: "Makes a new key. On a server that is set up it takes the old one's place once it was tried; until then the old one stands.",
	}, o.Store.InPath, func(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Document[KeyResource], error) {
		return k.rotate(ctx, tx, o.Jobs, c)
	})
}

// rotate replaces the key of a server that was never reached, at once; a connected one keeps its key until the new one is on the host.
func (k *Keys) rotate(ctx context.Context, tx *db.Tx, _ *job.Queue, c api.Call[Path]) (api.Document[KeyResource], error) {
	if err := tx.LockServer(ctx, c.Parent.Server.ID); err != nil {
		return api.Document[KeyResource]{}, err
	}
	row, err := tx.GetServer(ctx, c.Parent.Server.ID)
	if err != nil {
		return api.Document[KeyResource]{}, fmt.Errorf("replace key: %w", err)
	}
	if row.HostKeys != "" {
		return api.Document[KeyResource]{}, api.Conflict("The key of a connected server can't be replaced yet.")
	}
	code, err := k.Box.Open(place(row.ID, "bootstrap_secret"), row.BootstrapSecret)
	if err != nil {
		return api.Document[KeyResource]{}, err
	}
	private, public, _, err := host.NewKey("hostler-server-" + strconv.FormatInt(row.ID, 10))
	if err != nil {
		return api.Document[KeyResource]{}, fmt.Errorf("make key of server: %w", err)
	}
	sealed, err := k.Box.Seal(place(row.ID, "private_key"), private)
	if err != nil {
		return api.Document[KeyResource]{}, err
	}
	sealedCode, err := k.Box.Seal(place(row.ID, "bootstrap_secret"), code)
	if err != nil {
		return api.Document[KeyResource]{}, err
	}
	if err := tx.SetServerKey(ctx, row.ID, public, sealed, sealedCode); err != nil {
		return api.Document[KeyResource]{}, fmt.Errorf("keep key of server: %w", err)
	}
	row.PublicKey = public
	return k.document(c.Parent.Slug, row)
}

func (k *Keys) document(slug string, row query.Server) (api.Document[KeyResource], error) {
	public, _, _, _, err := ssh.ParseAuthorizedKey([]byte(row.PublicKey))
	if err != nil {
		return api.Document[KeyResource]{}, fmt.Errorf("read key of server %d: %w", row.ID, err)
	}
	id := strconv.FormatInt(row.ID, 10)
	return api.Document[KeyResource]{Data: KeyResource{ID: id, Attributes: ServerKeyAttributes{PublicKey: row.PublicKey, Fingerprint: ssh.FingerprintSHA256(public)},
		Links: k.Router.Links("/orgs/" + slug + "/servers/" + id + "/key")}}, nil
}
