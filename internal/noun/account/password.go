package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// Argon2id parameters: 19 MiB, two passes and one lane, of those that OWASP's Password Storage Cheat Sheet lists.
const (
	argonTime    = 2
	argonMemory  = 19 * 1024
	argonThreads = 1
	argonKey     = 32
)

// HashPassword returns the stored form of a password, in the PHC string format.
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

// VerifyPassword reports whether a password matches a hash. It takes the same time for a wrong password and for a malformed hash, which matches none.
func VerifyPassword(hash string, password secret.String) bool {
	h, err := parseHash(hash)
	if err != nil {
		h = passwordHash{memory: argonMemory, passes: argonTime, threads: argonThreads, salt: make([]byte, 16), key: make([]byte, argonKey)}
	}
	got := argon2.IDKey([]byte(password.Reveal()), h.salt, h.passes, h.memory, h.threads, argonKey)
	return subtle.ConstantTimeCompare(got, h.key) == 1 && err == nil
}

type passwordHash struct {
	memory, passes uint32
	threads        uint8
	salt, key      []byte
}

// errHash is returned for what is not a hash of HashPassword.
var errHash = errors.New("this is not a hash of a password")

// parseHash parses a hash of HashPassword, with current or earlier parameters: $argon2id$v=19$m=…,t=…,p=…$salt$key, as in the PHC string format. It
// refuses parameters that would exhaust memory, panic, or compare nothing. Errors have no part of the hash.
func parseHash(text string) (h passwordHash, err error) {
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != "v="+strconv.Itoa(argon2.Version) {
		return h, fmt.Errorf("%w: it does not begin with $argon2id$v=%d$", errHash, argon2.Version)
	}
	numbers := strings.Split(parts[3], ",")
	if len(numbers) != 3 {
		return h, fmt.Errorf("%w: it does not have three parameters", errHash)
	}
	memory, memoryErr := hashNumber(numbers[0], "m", 8, 1<<20)
	passes, passesErr := hashNumber(numbers[1], "t", 1, 16)
	threads, threadsErr := hashNumber(numbers[2], "p", 1, 16)
	if err := errors.Join(memoryErr, passesErr, threadsErr); err != nil {
		return h, err
	}
	h.memory, h.passes, h.threads = memory, passes, uint8(threads)
	var saltErr, keyErr error
	h.salt, saltErr = base64.RawStdEncoding.Strict().DecodeString(parts[4])
	h.key, keyErr = base64.RawStdEncoding.Strict().DecodeString(parts[5])
	if saltErr != nil || keyErr != nil || len(h.salt) < 8 || len(h.key) != argonKey || strings.ContainsAny(parts[4]+parts[5], "\r\n") { // which base64 skips
		return h, fmt.Errorf("%w: its salt or key is malformed", errHash)
	}
	return h, nil
}

// hashNumber parses a parameter such as m=19456: a decimal number without sign or leading zeros.
func hashNumber(text, name string, least, most uint64) (uint32, error) {
	digits, ok := strings.CutPrefix(text, name+"=")
	n, err := strconv.ParseUint(digits, 10, 32)
	if !ok || err != nil || n < least || n > most || strconv.FormatUint(n, 10) != digits {
		return 0, fmt.Errorf("%w: %s must be %d to %d", errHash, name, least, most)
	}
	return uint32(n), nil
}

// UpdatePasswordRequest changes the password.
type UpdatePasswordRequest struct {
	CurrentPassword api.Secret `json:"current_password" maxLength:"1024" writeOnly:"true"`
	Password        api.Secret `json:"password" minLength:"12" maxLength:"256" writeOnly:"true"`
	EndSessions     *bool      `json:"end_sessions,omitempty" default:"true" doc:"Whether to end all other sessions. Default true."`
	RevokeTokens    bool       `json:"revoke_tokens,omitempty" doc:"Revoke all personal access tokens and program authorizations."`
}

// PasswordAttributes list what still works after a password change, which ends no tokens.
type PasswordAttributes struct {
	EndedSessions     int64    `json:"ended_sessions" doc:"The number of other sessions that were ended."`
	RemainingTokens   []string `json:"remaining_tokens" nullable:"false" doc:"The names of the personal access tokens that still work."`
	RemainingPrograms []string `json:"remaining_programs" nullable:"false" doc:"The names of the programs that can still act for the person."`
}

// ResourceType returns passwords.
func (PasswordAttributes) ResourceType() string { return "passwords" }

// PasswordResource is a changed password in a document.
type PasswordResource = api.Resource[PasswordAttributes, api.NoRelationships]

func (p *Personal) updatePassword(ctx context.Context, c api.Call[access.Actor], b UpdatePasswordRequest) (api.Document[PasswordResource], error) {
	var none api.Document[PasswordResource]
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	user, err := p.again(ctx, c.Parent, "current_password", b.CurrentPassword.Reveal())
	if err != nil {
		return none, err
	}
	hash, err := p.Sign.derive(ctx, b.Password.Reveal())
	if err != nil {
		return none, err
	}
	res := PasswordResource{ID: strconv.FormatInt(user.ID, 10), Links: p.Sign.Router.Links("/user/password")}
	err = p.db().Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		ended, err := setPassword(ctx, tx, user.ID, hash, b.EndSessions == nil || *b.EndSessions, c.Parent.SessionID, b.RevokeTokens)
		if err != nil {
			return err
		}
		res.Attributes, err = remaining(ctx, tx, user)
		res.Attributes.EndedSessions = ended
		return err
	})
	return api.Document[PasswordResource]{Data: res}, err
}

// remaining returns which credentials of a user work without the password.
func remaining(ctx context.Context, tx *db.Tx, user query.User) (PasswordAttributes, error) {
	tokens, err := tx.ListWorkingTokenNames(ctx, user, new(tx.Micros()))
	if err != nil {
		return PasswordAttributes{}, fmt.Errorf("list tokens: %w", err)
	}
	programs, err := tx.ListWorkingProgramNames(ctx, user)
	if err != nil {
		return PasswordAttributes{}, fmt.Errorf("list programs: %w", err)
	}
	return PasswordAttributes{RemainingTokens: append([]string{}, tokens...), RemainingPrograms: append([]string{}, programs...)}, nil
}

func (s *Sign) derive(ctx context.Context, password string) (string, error) {
	var hash string
	err := s.expensive(ctx, func() (err error) {
		hash, err = HashPassword(secret.String(password))
		return err
	})
	if errors.Is(err, ErrPassword) {
		return "", api.Invalid("password", "%s", ErrPassword)
	}
	return hash, err
}

// setPassword stores a new password, and ends the sessions of the old one. It returns their number.
func setPassword(ctx context.Context, tx *db.Tx, user int64, hash string, endSessions bool, except int64, revokeTokens bool) (ended int64, err error) {
	if err := tx.SetPassword(ctx, user, hash, tx.Micros()); err != nil {
		return 0, fmt.Errorf("set password: %w", err)
	}
	if endSessions {
		if ended, err = tx.DeleteUserSessions(ctx, user, except); err != nil {
			return 0, fmt.Errorf("end sessions: %w", err)
		}
	}
	if revokeTokens {
		if err := tx.RevokeUserTokens(ctx, user, new(tx.Micros())); err != nil {
			return 0, fmt.Errorf("revoke tokens: %w", err)
		}
		if err := tx.EndUserOAuthDevices(ctx, &user); err != nil {
			return 0, fmt.Errorf("revoke tokens: %w", err)
		}
		if err := tx.RevokeUserOAuthGrants(ctx, user, new(tx.Micros())); err != nil {
			return 0, fmt.Errorf("revoke tokens: %w", err)
		}
	}
	_, err = tx.DeleteEmailTokens(ctx, user, purposeReset)
	return ended, err
}
