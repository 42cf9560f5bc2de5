package server

import (
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// MeilisearchUnit runs Meilisearch on a server of that type, MeilisearchPort is where it listens, meilisearchPackage is what its vendor calls it.
const (
	MeilisearchUnit    = "meilisearch.service"
	MeilisearchPort    = 7700
	meilisearchPackage = "meilisearch"
	meilisearchKey     = "/etc/hostler/meilisearch.env"
	meilisearchStarts  = 2 * time.Minute
)

// HasMeilisearch reports whether a type gets Meilisearch.
func HasMeilisearch(t Type) bool { return t == TypeMeilisearch }

// search installs Meilisearch from its vendor's repository. The repository is not signed, so apt takes this one package from it and no other, over TLS. It
// is put on hold: a newer version does not open the data of an older one, which is exported and imported instead.
func search(s Setup) (job.Stage, error) {
	if !HasMeilisearch(s.Server.Type) {
		return job.Stage{}, nil
	}
	return job.Stage{Name: "Meilisearch", Detach: true, Within: packagesWithin, Change: wire.Change{Steps: []wire.Step{
		{Name: "packages of Meilisearch's repository", File: &wire.File{
			Path: "/etc/apt/preferences.d/hostler-meilisearch", Mode: 0o644,
			Content: []byte(render.MeilisearchPin()),
		}},
		{Name: "repository of Meilisearch", File: &wire.File{
			Path: "/etc/apt/sources.list.d/hostler-meilisearch.sources", Mode: 0o644,
			Content: []byte(render.MeilisearchSource(s.Facts.Arch)),
		}},
		{Name: "install packages", Packages: &wire.Packages{Update: true, Names: []string{meilisearchPackage}, NoStart: true}},
		{Name: "hold Meilisearch", Exec: &wire.Exec{Argv: []string{"apt-mark", "hold", meilisearchPackage}}},
	}}}, nil
}

// searchSettings makes the master key on the server, which is the only place that has it, and starts Meilisearch with it.
func searchSettings(s Setup) (job.Stage, error) {
	if !HasMeilisearch(s.Server.Type) {
		return job.Stage{}, nil
	}
	const fresh = meilisearchKey + ".new"
	done := []string{"test", "-s", meilisearchKey}
	return job.Stage{Name: "Meilisearch settings", Within: settingsWithin, Change: wire.Change{Steps: []wire.Step{
		{Name: "file of the master key", Exec: &wire.Exec{Unless: done, Argv: []string{"install", "--mode=0600", "/dev/null", fresh}}},
		{Name: "make the master key", Exec: &wire.Exec{Unless: done, Argv: []string{"openssl", "rand", "-hex", "-out", fresh, "32"}}},
		{Name: "name the master key", Exec: &wire.Exec{Unless: done, Argv: []string{"sed", "--in-place", "s/^/MEILI_MASTER_KEY=/", fresh}}},
		{Name: "close the master key", Exec: &wire.Exec{Unless: done, Argv: []string{"chmod", "0600", fresh}}},
		{Name: "master key", Exec: &wire.Exec{Unless: done, Argv: []string{"mv", fresh, meilisearchKey}}},
		{Name: "unit of Meilisearch", File: &wire.File{
			Path: "/etc/systemd/system/" + MeilisearchUnit, Mode: 0o644,
			Content: []byte(render.MeilisearchUnit(meilisearchKey, MeilisearchPort)),
		}},
		{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}}},
		{Name: "enable Meilisearch", Exec: enable(MeilisearchUnit)},
		{Name: "restart Meilisearch", Action: &wire.Action{Argv: []string{"systemctl", "restart", MeilisearchUnit}}},
		{Name: "Meilisearch runs", Probe: &wire.Probe{Unit: MeilisearchUnit, Within: meilisearchStarts}},
		{Name: "Meilisearch takes connections", Probe: &wire.Probe{TCP: "127.0.0.1:7700", Within: meilisearchStarts}},
	}}}, nil
}
