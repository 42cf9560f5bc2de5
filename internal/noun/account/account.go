// Package account manages the people and programs that call: users, their passwords and their tokens.
package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/value"
)

// Errors that the user can correct.
var (
	ErrEmail      = errors.New("the e-mail address is not valid")
	ErrEmailTaken = errors.New("a user with this e-mail address exists")
	ErrPassword   = errors.New("a password has 12 to 256 characters")
	ErrNoUser     = errors.New("there is no user with this e-mail address")
	ErrScopes     = errors.New("a token needs at least one scope")
)

// TokenPrefix makes our tokens recognisable to secret scanners.
const TokenPrefix = "hostler_pat_"

// CreateUser creates a user with a verified address. Addresses must differ by more than case.
func CreateUser(ctx context.Context, tx *db.Tx, name, email string, password secret.String) (query.User, error) {
	hash, err := HashPassword(password)
	if err != nil {
		return query.User{}, err
	}
	now := tx.Micros()
	return insertUser(ctx, tx, name, email, hash, &now)
}

// validEmail reports whether an account can have an address. Its domain is in ASCII: people sign in with the address as it is stored.
func validEmail(text string) bool {
	e, err := value.ParseEmail(text)
	return err == nil && e.Key() == strings.ToLower(text)
}

func insertUser(ctx context.Context, tx *db.Tx, name, email, hash string, verified *int64) (query.User, error) {
	if !validEmail(email) {
		return query.User{}, ErrEmail
	}
	if name == "" {
		name, _, _ = strings.Cut(email, "@")
	}
	user, err := tx.InsertUser(ctx, query.InsertUserParams{
		Name: name, Email: strings.ToLower(email), PasswordHash: hash, EmailVerifiedAt: verified,
		CreatedAt: tx.Micros(), UpdatedAt: tx.Micros(),
	})
	if db.IsUnique(err) {
		return user, ErrEmailTaken
	}
	if err != nil {
		return user, fmt.Errorf("create user: %w", err)
	}
	return user, nil
}

// FindUser returns the user with an e-mail address.
func FindUser(ctx context.Context, tx *db.Tx, email string) (query.User, error) {
	user, err := tx.Ungranted().GetUserByEmail(ctx, strings.ToLower(email))
	if errors.Is(err, db.ErrNotFound) {
		return user, ErrNoUser
	}
	if err != nil {
		return user, fmt.Errorf("find user: %w", err)
	}
	return user, nil
}

// CreateToken creates a personal access token. The token itself is returned once and not stored.
func CreateToken(ctx context.Context, tx *db.Tx, userID int64, name string, scopes access.Set, expires *time.Time,
	organizations ...int64,
) (secret.String, query.Token, error) {
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
	row, err := tx.InsertToken(ctx, query.InsertTokenParams{
		UserID: userID, Name: name, Hash: secret.Hash(token), Prefix: &prefix,
		Organizations: limited, Scopes: string(list), ExpiresAt: until, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return "", row, fmt.Errorf("create token: %w", err)
	}
	return secret.String(token), row, nil
}
