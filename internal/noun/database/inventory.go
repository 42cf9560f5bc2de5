package database

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/dbaccount"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// found is what an engine has, as far as its names can be managed.
type found struct {
	databases []foundDatabase
	// users has no two accounts of one name; others has those that were left out for that reason, mighty those that may do anything, and strange those whose name
	// or host can't be managed. The engine's own accounts are in none of them.
	users, others, mighty, strange []foundUser
	// rights are what accounts, and roles of PostgreSQL's databases, were granted; members are the roles of databases that an account has.
	rights  map[holder][]right
	members map[holder][]string
	// open are databases of PostgreSQL that every account may enter, enters the roles of readers that may enter theirs, and public what every account may do in a
	// database beyond reading.
	open, enters []string
	public       map[string][]string
	// extensions are those of databases of PostgreSQL that were looked into.
	extensions map[string][]string
	// skipped are names that were left out, with the reason, in quotes.
	skipped []string
}

// foundDatabase is a database on an engine. mark is the engine's record of its creator.
type foundDatabase struct{ name, mark string }

type foundUser struct {
	name, host, mark string
	// databases are the names of the databases that it has access to, and ids those whose roles it has in PostgreSQL.
	databases []string
	ids       []int64
	readOnly  bool
	// proven is set if it has the password that was asked about.
	proven bool
}

func (f found) database(name string) (foundDatabase, bool) {
	i := slices.IndexFunc(f.databases, func(d foundDatabase) bool { return d.name == name })
	if i < 0 {
		return foundDatabase{}, false
	}
	return f.databases[i], true
}

// account finds an account by its name and host.
func (f found) account(name, host string) (foundUser, bool) {
	for _, u := range slices.Concat(f.users, f.others, f.mighty) {
		if u.name == name && u.host == host {
			return u, true
		}
	}
	return foundUser{}, false
}

// uses reports whether an account has access to a database.
func (u foundUser) uses(d schema) bool {
	return slices.Contains(u.databases, d.name.text) || slices.Contains(u.ids, d.id)
}

// separator returns what the client of an engine prints between columns.
func separator(kind Engine) string {
	if kind == PostgreSQL {
		return "|"
	}
	return "\t"
}

// parseInventory parses the output of inventory. The engine's own names are left out silently, others that can't be managed are named.
func parseInventory(kind Engine, text string) (found, error) {
	var f found
	write := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line == "" {
			continue
		}
		fields := strings.Split(line, separator(kind))
		var decoded []string
		for _, field := range fields[1:] {
			raw, err := hex.DecodeString(field)
			if err != nil { // a word of ours
				raw = []byte(field)
			}
			decoded = append(decoded, string(raw))
		}
		switch {
		case fields[0] == "database" && len(decoded) == 2:
			f.addDatabase(kind, foundDatabase{decoded[0], decoded[1]})
		case fields[0] == "account" && len(decoded) == 4:
			f.addUser(kind, foundUser{name: decoded[0], host: decoded[1], mark: decoded[3]}, decoded[2] == "super")
		case fields[0] == "grant" && len(decoded) == 4:
			database := unescaped(decoded[2])
			f.note(decoded[0], decoded[1], func(u *foundUser) { u.databases = append(u.databases, database) })
			write[decoded[0]] = write[decoded[0]] || decoded[3] == "write"
		case fields[0] == "member" && len(decoded) == 3:
			if f.members == nil {
				f.members = map[holder][]string{}
			}
			h := holder{decoded[0], decoded[1]}
			f.members[h] = append(f.members[h], decoded[2])
			role, number, _ := strings.Cut(strings.TrimPrefix(decoded[2], ours), "_")
			if id, err := strconv.ParseInt(number, 10, 64); err == nil && (role == "rw" || role == "ro") {
				f.note(decoded[0], decoded[1], func(u *foundUser) { u.ids = append(u.ids, id) })
				write[decoded[0]] = write[decoded[0]] || role == "rw"
			}
		case fields[0] == "right" && len(decoded) == 6:
			f.addRight(kind, decoded)
		case fields[0] == "open" && len(decoded) == 1:
			f.open = append(f.open, decoded[0])
		case fields[0] == "public" && len(decoded) == 2:
			if f.public == nil {
				f.public = map[string][]string{}
			}
			f.public[decoded[0]] = append(f.public[decoded[0]], decoded[1])
		case fields[0] == "extension" && len(decoded) == 2:
			if f.extensions == nil {
				f.extensions = map[string][]string{}
			}
			f.extensions[decoded[0]] = append(f.extensions[decoded[0]], decoded[1])
		case fields[0] == "enters" && len(decoded) == 1:
			f.enters = append(f.enters, decoded[0])
		case fields[0] == "password" && len(decoded) == 2:
			f.note(decoded[0], decoded[1], func(u *foundUser) { u.proven = true })
		default:
			return f, fmt.Errorf("the engine answered %q", line)
		}
	}
	for i, u := range f.users {
		f.users[i].readOnly = len(u.databases)+len(u.ids) > 0 && !write[u.name]
	}
	return f, nil
}

func (f *found) addDatabase(kind Engine, d foundDatabase) {
	if _, err := ParseName(kind, d.name); err == nil {
		f.databases = append(f.databases, d)
	} else if !strings.HasSuffix(err.Error(), ownSuffix) {
		f.skipped = append(f.skipped, fmt.Sprintf("database %q: %s", d.name, err))
	}
}

func (f *found) addUser(kind Engine, u foundUser, super bool) {
	if own(kind, u) {
		return
	}
	if kind != PostgreSQL && u.name == "" { // anonymous: whoever logs in from its host under a name that no account there has
		f.strange = append(f.strange, u)
		return
	}
	if super { // never adopted, but an account of ours that became an administrator still exists
		f.mighty = append(f.mighty, u)
		return
	}
	if _, err := ParseAccount(kind, "name", u.name); err != nil {
		if !strings.HasSuffix(err.Error(), ownSuffix) {
			f.skipped = append(f.skipped, fmt.Sprintf("account %q: %s", u.name, err))
		}
		f.strange = append(f.strange, u)
		return
	}
	if slices.ContainsFunc(f.users, func(other foundUser) bool { return other.name == u.name }) {
		f.others = append(f.others, u)
		f.skipped = append(f.skipped, fmt.Sprintf("account %q of %q: there is another one of this name", u.name, u.host))
		return
	}
	if !hostText(u.host) {
		f.skipped = append(f.skipped, fmt.Sprintf("account %q of %q: its host can't be managed", u.name, u.host))
		f.strange = append(f.strange, u)
		return
	}
	f.users = append(f.users, u)
}

// own reports whether an account belongs to the engine, or to Hostler itself. Of a name of the engine, one that others can log in to over the network does not.
func own(kind Engine, u foundUser) bool {
	lower := strings.ToLower(u.name)
	if kind == PostgreSQL {
		return u.name == maintenance || strings.HasPrefix(lower, "pg_") || strings.HasPrefix(lower, dbaccount.RunPrefix)
	}
	if !slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.host) {
		return false
	}
	return slices.Contains([]string{"root", "mysql", "debian-sys-maint", "mariadb.sys", "mysql.sys", "mysql.session", "mysql.infoschema"}, lower) ||
		strings.HasPrefix(lower, ours)
}

// label is an account that Hostler can't manage in a difference, with its host, which PostgreSQL does not have.
func (u foundUser) label(kind Engine) string {
	if kind == PostgreSQL {
		return text.Line(u.name)
	}
	return "'" + text.Line(u.name) + "'@'" + text.Line(u.host) + "'"
}

// hostText reports whether an account's host consists of harmless characters: addresses, names and the pattern %.
func hostText(host string) bool {
	return host != "" && len(host) <= 255 && !strings.ContainsFunc(host, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(".:%_-/", r)
	})
}

// note adds to what is known of an account.
func (f *found) note(name, host string, add func(*foundUser)) {
	for _, list := range [][]foundUser{f.users, f.others, f.mighty} {
		for i, u := range list {
			if u.name == name && u.host == host {
				add(&list[i])
			}
		}
	}
}

// look queries an engine's state, what every account may do in these databases, their extensions, and which of these passwords
// accounts have.
func (c *Converger) look(ctx context.Context, server query.Server, within []schema, passwords ...proof) (found, error) {
	kind := EngineOf(server)
	out, err := c.Asker.ask(ctx, server, "database-look", time.Minute, engineFor(kind).inventory(within, passwords...))
	var f found
	if err == nil {
		f, err = parseInventory(kind, out)
	}
	if err != nil {
		return f, fmt.Errorf("list databases of server %d: %w", server.ID, err)
	}
	return f, nil
}
