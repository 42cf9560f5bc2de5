// Package file provides the files of sites, which stay on their servers: they are read and written there as the site's account, and none of their content is
// stored here.
package file

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

const (
	resource = "siteFiles"
	// maxUpload is the largest file that can be uploaded, in bytes.
	maxUpload = 1 << 30
)

// Host works with files on servers.
type Host interface {
	Files(ctx context.Context, t host.Target, q wire.FileQuery) (wire.FileReply, error)
}

// Operations are the operations on the files of sites.
type Operations struct {
	DB      *db.DB
	Sites   *site.Store
	Hosts   Host
	Targets job.Targets
	Router  *api.Router
}

// FileAttributes are a file or directory of a site.
type FileAttributes struct {
	Name string `json:"name"`
	Path string `json:"path"`
	Kind string `json:"kind" enum:"file,directory,link,other" doc:"Other is a named pipe, a socket or a device, which is never opened."`
	Size int64  `json:"size"`
	Mode string `json:"mode" doc:"The permissions in octal, such as 0644."`
	// Owner and Group are names, or numbers without one.
	Owner      string   `json:"owner"`
	Group      string   `json:"group"`
	ModifiedAt api.Time `json:"modified_at"`
	Target     *string  `json:"target" doc:"Where a link points."`
	LeadsTo    *string  `json:"leads_to" enum:"file,directory,other,outside,missing"`
}

// ResourceType returns siteFiles.
func (FileAttributes) ResourceType() string { return resource }

// Metas are what the meta of these resources has besides.
func (FileAttributes) Metas() []any { return []any{Meta{}} }

// Resource is a file in a document.
type Resource = api.Resource[FileAttributes, api.NoRelationships]

// FileContentAttributes is the content of a small text file.
type FileContentAttributes struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
	// Text reports whether Content is all of the file.
	Text     bool        `json:"text"`
	Content  *api.Secret `json:"content" nullable:"true"`
	Revision *string     `json:"revision"`
}

// ResourceType returns siteFileContents.
func (FileContentAttributes) ResourceType() string { return "siteFileContents" }

// Metas are what the meta of these resources has besides.
func (FileContentAttributes) Metas() []any { return []any{Meta{}} }

// ContentResource is the content of a file in a document.
type ContentResource = api.Resource[FileContentAttributes, api.NoRelationships]

// Meta is what files add to meta.
type Meta struct {
	File FileMeta `json:"file" doc:"Where the file is, and what deployments do with it."`
}

// FileMeta is where a file is, and what else writes it.
type FileMeta struct {
	Path string `json:"path" doc:"Where the file is after links were followed."`
	// Deployment says what deployments do with a change of the file.
	Deployment string  `json:"deployment" enum:"kept,release,repository"`
	ManagedBy  *string `json:"managed_by" enum:"environment" doc:"What else writes the file: environment is the site's .env, which has operations of its own."`
	InPlace    bool    `json:"in_place" doc:"Whether the file was written over instead of being replaced, as it has several names, another owner or a mount."`
	Entries    *int64  `json:"entries" doc:"The number of files and directories, with this one; null unless count is true."`
	Bytes      *int64  `json:"bytes" doc:"The sum of the sizes of files; null unless count is true."`
}

// What deployments do with a change of a file.
const (
	fateKept       = "kept"
	fateRelease    = "release"
	fateRepository = "repository"
)

// environmentFile is the name of the file that the site's environment is written to.
const environmentFile = ".env"

// home is where the files of a site are.
type home struct {
	site.Path
	place site.Place
	base  string
}

// homeOf returns where the files of a site are now.
func (o *Operations) homeOf(ctx context.Context, p site.Path) (home, error) {
	if p.Site.Type == sitetype.Balancer {
		return home{}, api.Conflict("A site on a load balancer has no files.")
	}
	place, err := site.PlaceNow(ctx, o.DB.Read(), p.Server, p.Site.ID)
	if err != nil {
		return home{}, err
	}
	base, err := place.Base()
	return home{p, place, base.String()}, err
}

// metaOf returns what is known about a file at a place after links were followed.
func (h home) metaOf(raw []byte) FileMeta {
	at := string(raw)
	out := FileMeta{Path: shown(raw), Deployment: fateKept}
	application, err := h.place.Application()
	isEnvironment := at == environmentFile || err == nil && at == path.Join(application, environmentFile)
	switch {
	case isEnvironment:
		out.ManagedBy = new("environment")
	case h.place.Releases && strings.HasPrefix(at, release.ReleasesDir+"/"):
		out.Deployment = fateRelease
	case h.place.Code && !h.place.Releases:
		out.Deployment = fateRepository
	}
	return out
}

// needed returns why deployments need what is at a place, "" if they do not.
func (o *Operations) needed(ctx context.Context, h home, raw []byte) (string, error) {
	if !h.place.Releases {
		return "", nil
	}
	switch at := string(raw); {
	case at == release.ReleasesDir, at == release.CurrentLink, at == release.RepositoryDir:
		return fmt.Sprintf("Deployments need %s.", shown(raw)), nil
	case path.Dir(at) == release.ReleasesDir:
		live, err := o.ask(ctx, h, wire.FileQuery{Act: wire.FileStat, Path: []byte(release.CurrentLink)})
		if err == nil && string(live.Path) == at {
			return fmt.Sprintf("%s is the live release.", shown(raw)), nil
		}
	}
	return "", nil
}

func (h home) resourceOf(o *Operations, raw []byte, e *wire.FileEntry) Resource {
	a := FileAttributes{
		Name: written(e.Name), Path: shown(raw), Kind: e.Kind, Size: e.Size, Mode: fmt.Sprintf("%04o", e.Mode), Owner: e.Owner, Group: e.Group,
		ModifiedAt: api.TimeOf(e.Modified),
	}
	if e.Kind == wire.FileKindLink {
		a.Target, a.LeadsTo = new(written(e.Target)), new(e.Leads)
		if e.Leads == wire.FileKindLink { // that can't be: it was replaced while it was looked at
			a.LeadsTo = new(wire.FileLeadsNowhere)
		}
	}
	return Resource{ID: a.Path, Attributes: a, Links: o.links(h, "/entry", raw)}
}
