// Package sftpuser is the SFTP users of a site: logins that reach its directory and nothing else.
package sftpuser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/sshkey"
)

// Aspect is the part of a server that SFTP users belong to, deadline how long a change of them may take.
const (
	Aspect   = "sftp"
	deadline = 10 * time.Minute
)

const (
	maxUsers = 50
	maxKeys  = 20
	// maxComment is how much of a key's comment is kept, in bytes.
	maxComment = 100
)

// Specification is an SFTP user of a site.
type Specification struct {
	SiteID int64 `json:"site_id"`
	// Name is the name that it logs in with, which stays.
	Name string `json:"name"`
	// Keys are public keys: the type, the key and the comment of each.
	Keys []string `json:"keys"`
	// ExpiresOn is the last day on which it can log in, as 2006-01-02 in UTC, "" for no end.
	ExpiresOn string `json:"expires_on,omitempty"`
	CreatedBy *int64 `json:"created_by,omitempty"`
}

// closes reports whether sessions of before may have been opened with what is no longer allowed: with a key that is gone, or without the day on which it ends.
func (s Specification) closes(before Specification) bool {
	ends := s.ExpiresOn != "" && (before.ExpiresOn == "" || s.ExpiresOn < before.ExpiresOn)
	return ends || slices.ContainsFunc(before.Keys, func(k string) bool { return !has(s.Keys, k) })
}

// material is a key without its comment.
func material(key string) string {
	kind, rest, _ := strings.Cut(key, " ")
	text, _, _ := strings.Cut(rest, " ")
	return kind + " " + text
}

func has(keys []string, key string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return material(k) == material(key) })
}

// needs are the permissions for SFTP users: what a site serves and runs is in its directory, and its secrets are. They amount to those of its account.
func needs() []access.Permission {
	return []access.Permission{access.SiteManageDeploys, access.SiteManageEnvironment}
}

// Revoke removes an SFTP user for the operator of the installation, with its sessions. The server is locked.
func Revoke(ctx context.Context, tx *db.Tx, l *ledger.Ledger, on query.Server, row query.SFTPUser) error {
	return server.Leaked[Specification]{
		Noun: Users, Aspect: Aspect, ID: row.ID, SiteID: row.SiteID, Name: "SFTP user " + row.Name, Needs: needs(),
	}.Revoke(ctx, tx, l, on)
}

// Users is the noun.
var Users = &ledger.Noun[Specification]{
	Kind: "sftpUsers", Version: 1, Parent: "sites", In: func(s Specification) int64 { return s.SiteID }, Needs: needs(), Write: write,
}

// write makes the row follow the ledger. An SFTP user of a deleted site was deleted with it.
func write(ctx context.Context, tx *db.Tx, _ int64, row ledger.Row[Specification]) error {
	s, gone := row.Specification, row.Phase == ledger.Gone
	on, err := tx.Ungranted().GetSite(ctx, s.SiteID)
	if errors.Is(err, db.ErrNotFound) {
		gone = true
	} else if err != nil {
		return fmt.Errorf("read site of SFTP user %d: %w", row.ID, err)
	}
	if gone {
		_, err = tx.DeleteSFTPUser(ctx, row.ID)
	} else if err = claim(ctx, tx, on.ServerID, row); err == nil {
		err = tx.PutSFTPUser(ctx, query.PutSFTPUserParams{
			ID: row.ID, SiteID: s.SiteID, Name: s.Name, Keys: strings.Join(s.Keys, "\n"), ExpiresOn: s.ExpiresOn, CreatedBy: s.CreatedBy,
			Status: server.PartStatus(row.Phase), OperationID: row.OperationID, CreatedAt: tx.Micros(),
		})
	}
	if err != nil {
		return fmt.Errorf("write SFTP user %d: %w", row.ID, err)
	}
	return nil
}

// claim refuses a name that another SFTP user took since work that is tried again was accepted.
func claim(ctx context.Context, tx *db.Tx, serverID int64, row ledger.Row[Specification]) error {
	if row.Phase != ledger.Creating {
		return nil
	}
	rows, err := tx.Ungranted().ListSFTPUsers(ctx, serverID)
	if err != nil {
		return fmt.Errorf("list SFTP users: %w", err)
	}
	if slices.ContainsFunc(rows, func(r query.SFTPUser) bool { return r.ID != row.ID && r.Name == row.Specification.Name }) {
		return api.Conflict("The name is taken by another SFTP user of the server.")
	}
	return nil
}

// check reports what is wrong with a request, except for what else has the name on the server. had is the day on which it ended before.
func (s *Specification) check(f api.Fields, now time.Time, had string) {
	if len(f["expires_on"]) == 0 && s.ExpiresOn != "" {
		day, err := time.Parse(time.DateOnly, s.ExpiresOn)
		switch today := now.UTC().Format(time.DateOnly); {
		case err != nil || day.Year() < 1971:
			f.Add("expires_on", "The last day must be a date such as 2030-12-31.")
		case s.ExpiresOn < today && s.ExpiresOn != had:
			f.Add("expires_on", "The last day must not be in the past. It is %s in UTC.", today)
		}
	}
	if len(f["keys"]) > 0 {
		return
	}
	if len(s.Keys) > maxKeys {
		f.Add("keys", "An SFTP user can have at most %d keys.", maxKeys)
		return
	}
	var keys []string
	for i, text := range s.Keys {
		at := fmt.Sprintf("keys.%d", i)
		if len(f[at]) > 0 {
			continue
		}
		key, comment, err := sshkey.Parse(text, "SFTP users have none: what they may do is the same for all.")
		switch {
		case err != nil:
			f.Add(at, "%s", err)
			continue
		case has(keys, key):
			f.Add(at, "The key is given twice.")
			continue
		}
		if comment = plain(comment); comment != "" {
			key += " " + comment
		}
		keys = append(keys, key)
	}
	s.Keys = keys
}

// plain returns the beginning of a comment in which all can be seen.
func plain(comment string) string {
	comment = strings.Join(strings.FieldsFunc(comment, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }), " ")
	for i := range comment {
		if i > maxComment {
			return strings.TrimSpace(comment[:i])
		}
	}
	return comment
}

// checkName refuses a name that an account has, may have or had on the server.
func checkName(ctx context.Context, tx *db.Tx, f api.Fields, p site.Path, name string) error {
	if len(f["name"]) > 0 {
		return nil
	}
	user, err := value.ParseUnixUser(name)
	if err != nil {
		f.Add("name", "The name must be 1 to 32 lower-case letters, digits, dashes and underscores, and start with a letter.")
		return nil
	}
	rows, err := tx.ListSFTPUsers(ctx, p.Server)
	if err != nil {
		return fmt.Errorf("list SFTP users: %w", err)
	}
	sites, err := tx.ListServerSites(ctx, p.Server)
	if err != nil {
		return fmt.Errorf("list sites: %w", err)
	}
	of := 0
	for _, r := range rows {
		if r.SiteID == p.Site.ID {
			of++
		}
	}
	switch {
	case user.IsReserved() || strings.HasPrefix(name, "hostler"):
		f.Add("name", "The name is reserved for the system.")
	case slices.ContainsFunc(rows, func(r query.SFTPUser) bool { return r.Name == name }):
		f.Coded("name", api.CodeTaken, nil, "Another SFTP user of the server has this name.")
	case slices.ContainsFunc(sites, func(s query.Site) bool { return s.UnixUser == name }):
		f.Coded("name", api.CodeTaken, nil, "A site's account on the server has this name.")
	case of >= maxUsers:
		f.Add("name", "A site can have at most %d SFTP users.", maxUsers)
	}
	return nil
}
