package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"aead.dev/minisign"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/engine/update"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// programs are releases as scripts: the test's own program under a version, or one with a fault.
var programs = map[string]string{
	"good": `exec hostler "$@"`,
	// Writes to the database, as a migration does, and fails.
	"broken": `case $1 in --version) exec hostler --version;; esac
echo a long enough pass phrase | hostler user create --email broken@example.com --password-stdin
exit 1`,
	"hanging": `case $1 in --version) exec hostler --version;; esac
exec sleep 1000`,
	"another": `HOSTLER_TEST_VERSION=v7.7.7 exec hostler "$@"`,
}

// releasesCommand serves the directory releases, and sets INDEX, the key of programs that publish makes, and the secret key.
func releasesCommand(ts *testscript.TestScript, _ bool, _ []string) {
	dir := ts.MkAbs("releases")
	ts.Check(os.MkdirAll(dir, 0o700))
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	ts.Defer(server.Close)
	public, private, err := minisign.GenerateKey(rand.Reader)
	ts.Check(err)
	text, err := private.MarshalText()
	ts.Check(err)
	ts.Setenv("HOSTLER_TEST_KEY", public.String())
	ts.Setenv("SECRET_KEY", string(text))
	ts.Setenv("INDEX", server.URL+"/index.json")
}

// seenCommand VERSION records the newest release that the source has named.
func seenCommand(ts *testscript.TestScript, _ bool, args []string) {
	s, err := app.OpenStore(context.Background(), app.Config{DataDir: ts.Getenv("HOSTLER_DATA_DIR")})
	ts.Check(err)
	ts.Check(s.DB.Tx(context.Background(), func(ctx context.Context, tx *db.Tx) error {
		return tx.PutSetting(ctx, "update", `{"version":"`+args[0]+`"}`)
	}))
	ts.Check(s.Close())
}

// publishCommand VERSION KIND [FILE] writes a program and, without FILE, a signed index of it.
func publishCommand(ts *testscript.TestScript, _ bool, args []string) {
	text := fmt.Sprintf("#!/bin/sh\nexport HOSTLER_TEST_VERSION=%s\n%s\n", args[0], programs[args[1]])
	if len(args) > 2 {
		ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(text), 0o700)) //nolint:gosec // a program
		return
	}
	dir := ts.MkAbs("releases")
	sum := sha256.Sum256([]byte(text))
	index, err := json.Marshal(update.Index{Version: args[0], Changes: "https://example.com/" + args[0], Expires: time.Now().Add(time.Hour),
		Programs: map[string]update.File{
			runtime.GOOS + "/" + runtime.GOARCH: {Name: "program", Size: int64(len(text)), SHA256: hex.EncodeToString(sum[:])},
		}})
	ts.Check(err)
	var key minisign.PrivateKey
	ts.Check(key.UnmarshalText([]byte(ts.Getenv("SECRET_KEY"))))
	for name, content := range map[string][]byte{"program": []byte(text), "index.json": index, "index.json.minisig": minisign.Sign(key, index)} {
		ts.Check(os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
}
