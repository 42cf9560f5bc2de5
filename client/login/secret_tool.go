package login

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// SecretTool is the keyring of a Linux desktop: GNOME's, KDE's or another one with the Secret Service of freedesktop.org, by the program secret-tool
// of libsecret.
type SecretTool struct{}

// SystemKeys returns the keyring of a Linux desktop, nil where there is none to ask: a server has no session bus.
func SystemKeys() Keyring {
	if _, err := exec.LookPath(secretTool); err != nil || os.Getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return nil
	}
	return SecretTool{}
}

const secretTool = "secret-tool"

// patience is how long a person has to unlock the keyring, which its own dialog asks for.
const patience = 2 * time.Minute

// Get returns a secret.
func (SecretTool) Get(service, name string) (string, error) {
	out, err := tell("", "lookup", "service", service, "login", name)
	if err == nil && out == "" {
		err = errors.New("the keyring does not have it")
	}
	return out, err
}

// Set puts a secret in the place of what was there. It is passed on the standard input, which no other program sees.
func (SecretTool) Set(service, name, secret string) error {
	_, err := tell(secret, "store", "--label", "Hostler: "+name, "service", service, "login", name)
	return err
}

// Delete removes a secret.
func (SecretTool) Delete(service, name string) error {
	_, err := tell("", "clear", "service", service, "login", name)
	return err
}

func tell(in string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, secretTool, args...) //nolint:gosec // the names of logins are its own arguments
	var out, wrong bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &out, &wrong
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", secretTool, args[0], err, strings.TrimSpace(wrong.String()))
	}
	return out.String(), nil
}
