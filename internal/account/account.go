// Package account is the people and programs that call: users, their passwords and their tokens.
package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"github.com/hostlerhq/hostler/internal/access"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/secret"
)

// Errors that a person can mend.
var (
	ErrEmail      = errors.New("the e-mail address is not valid")
	ErrEmailTaken = errors.New("a user with this e-mail address exists")
	ErrPassword   = errors.New("a password has 12 to 256 characters")
	ErrNoUser     = errors.New("there is no user with this e-mail address")
	ErrScopes     = errors.New("a token needs at least one scope")
)

// TokenPrefix makes our tokens recognisable to secret scanners.
const TokenPrefix = "hostler_pat_"

// Argon2id parameters (RFC 9106, second recommended option scaled to 19 MiB as OWASP lists it).
const (
	argonTime    = 2
	argonMemory  = 19 * 1024
	argonThreads = 1
	argonKey     = 32
)

// HashPassword derives what is stored of a password, in the PHC string format.
func HashPassword(password secret.String) (string, error) {
	if n := utf8.RuneCountInString(password.Reveal()); n < 12 || n > 256 {
		return "", ErrPassword
	}
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails since Go 1.24
	key := argon2.IDKey([]byte(password.Reveal()), salt, argonTime, argonMemory, argonThreads, argonKey)
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonThreads, encode(salt), encode(key)), nil
}

// VerifyPassword tells whether a password belongs to a hash. It takes the same time for a wrong password and for a malformed hash.
func VerifyPassword(hash string, password secret.String) bool {
	var version, memory, passes, threads int
	parts := strings.Split(hash, "$")
	salt, key := make([]byte, 16), make([]byte, argonKey)
	memory, passes, threads = argonMemory, argonTime, argonThreads
	if len(parts) == 6 {
		_, _ = fmt.Sscanf(parts[2], "v=%d", &version)
		_, _ = fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &threads)
		if s, err := base64.RawStdEncoding.DecodeString(parts[4]); err == nil {
			salt = s
		}
		if k, err := base64.RawStdEncoding.DecodeString(parts[5]); err == nil {
			key = k
		}
	}
	got := argon2.IDKey([]byte(password.Reveal()), salt, uint32(passes), uint32(memory), uint8(threads), uint32(len(key)))
	return len(parts) == 6 && subtle.ConstantTimeCompare(got, key) == 1
}

// CreateUser makes a user whose address is known to be theirs. Addresses differ by more than case.
func CreateUser(ctx context.Context, tx *db.Tx, name, email string, password secret.String) (query.User, error) {
	hash, err := HashPassword(password)
	if err != nil {
		return query.User{}, err
	}
	now := tx.Micros()
	return insertUser(ctx, tx, name, email, hash, &now)
}

func insertUser(ctx context.Context, tx *db.Tx, name, email, hash string, verified *int64) (query.User, error) {
	address, err := mail.ParseAddress(email)
	if err != nil || address.Address != email || len(email) > 254 {
		return query.User{}, ErrEmail
	}
	if name == "" {
		name, _, _ = strings.Cut(email, "@")
	}
	user, err := tx.InsertUser(ctx, query.InsertUserParams{Name: name, Email: strings.ToLower(email), PasswordHash: hash, EmailVerifiedAt: verified, CreatedAt: tx.Micros(), UpdatedAt: tx.Micros()})
	if db.IsUnique(err) {
		return user, ErrEmailTaken
	}
	if err != nil {
		return user, fmt.Errorf("create user: %w", err)
	}
	return user, nil
}

// FindUser is the user with an e-mail address.
func FindUser(ctx context.Context, tx *db.Tx, email string) (query.User, error) {
	user, err := tx.GetUserByEmail(ctx, strings.ToLower(email))
	if errors.Is(err, db.ErrNotFound) {
		return user, ErrNoUser
	}
	if err != nil {
		return user, fmt.Errorf("find user: %w", err)
	}
	return user, nil
}

// CreateToken makes a personal access token. The token itself is returned once and not kept.
func CreateToken(ctx context.Context, tx *db.Tx, userID int64, name string, scopes access.Set, expires *time.Time, organizations ...int64) (secret.String, query.Token, error) {
	if scopes.Empty() {
		return "", query.Token{}, ErrScopes
	}
	list, err := json.Marshal(scopes)
	if err != nil {
		return "", query.Token{}, fmt.Errorf("create token: %w", err)
	}
	var until *int64
	if expires != nil {
		micros := expires.UnixMicro()
		until = &micros
	}
	var limited *string
	if len(organizations) > 0 {
		raw, err := json.Marshal(organizations)
		if err != nil {
			return "", query.Token{}, fmt.Errorf("create token: %w", err)
		}
		text := string(raw)
		limited = &text
	}
	token := TokenPrefix + secret.Random(24)
	prefix := token[:len(TokenPrefix)+4]
	row, err := tx.InsertToken(ctx, query.InsertTokenParams{UserID: userID, Name: name, Hash: secret.Hash(token), Prefix: &prefix, Organizations: limited, Scopes: string(list), ExpiresAt: until, CreatedAt: tx.Micros()})
	if err != nil {
		return "", row, fmt.Errorf("create token: %w", err)
	}
	return secret.String(token), row, nil
}
