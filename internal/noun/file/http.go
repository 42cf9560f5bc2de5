package file

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

const (
	// askWithin is how long a server may take to answer, and workWithin how long to count and remove a directory.
	askWithin  = 60 * time.Second
	workWithin = 150 * time.Second
	maxReason  = 300
)

var pathParam = api.Param{
	Name: "path", Type: "string",
	Description: `The path from the site's directory. A backslash is written as \\, and a byte of a name that is not text as \xNN.`,
}

// Register adds the operations.
func (o *Operations) Register() {
	const files = "/orgs/{organization}/servers/{server}/sites/{site}/files"
	// Commands can read and write every file of the account, so their permission is asked for and no lesser one.
	manage := []access.Permission{access.SiteManageCommands}
	named := func(more ...api.Param) []api.Param { return append([]api.Param{pathParam}, more...) }
	example := map[string]any{"path": "robots.txt"}
	operation := func(id, method, path, summary, description string) api.Operation {
		return api.Operation{
			ID: id, Method: method, Path: files + path, Tag: "Sites", Mode: api.Sync, Permissions: manage, Extension: true,
			InQuery: true, Invalid: true, Conflict: true, Noun: "files", Summary: summary, Description: description,
		}
	}
	index := operation("organizations.servers.sites.files.index", http.MethodGet, "", "List a directory of a site",
		"Read on the server, as the site's account: directories first, and by name. Links out of the site's directory are listed and not followed.")
	index.Query = named()
	index.Refused = true
	api.Index(o.Router, index, o.Sites.InPath, o.index)

	show := operation("organizations.servers.sites.files.show", http.MethodGet, "/entry", "Get a file or directory of a site",
		"Returns what the server says about it, not its content. A link is the file that it leads to.")
	show.Example = example
	show.Query = named(api.Param{Name: "count", Type: "boolean", Description: "Whether to count what is in a directory."})
	api.Show(o.Router, show, o.Sites.InPath, o.show)

	destroy := operation("organizations.servers.sites.files.destroy", http.MethodDelete, "/entry", "Delete a file or directory of a site",
		"Deleted files can't be restored. A link is removed, not what it leads to. A directory that is not empty is only deleted if entries is the number of "+
			"files and directories in it, with itself, as the operation that shows it counts them; else it is a 409.")
	destroy.Verb, destroy.Status = "delete", http.StatusNoContent
	destroy.Example = example
	destroy.Query = named(api.Param{Name: "entries", Type: "integer", Description: "How many files and directories are deleted; default 1."})
	api.Do(o.Router, destroy, o.Sites.InPath, o.destroy)

	content := operation("organizations.servers.sites.files.content.show", http.MethodGet, "/content", "Get the content of a text file of a site",
		"Returns files of at most 512 KiB that are UTF-8. Others have no content here; they can be downloaded. Each answer has a line in the audit log.")
	content.Query, content.Noted, content.Verb, content.Example = named(), true, "print", example
	api.Show(o.Router, content, o.Sites.InPath, o.content)

	write := operation("organizations.servers.sites.files.content.update", http.MethodPut, "/content", "Write a text file of a site",
		"The file has either all of the new content or all of the old, and keeps its permissions. It is a 409 if the file is no longer the revision that was read. "+
			"Line endings are not changed.")
	write.Verb = "write"
	api.Do(o.Router, write, o.Sites.InPath, o.update)

	mkdir := operation("organizations.servers.sites.files.directories.store", http.MethodPost, "/directories", "Create a directory of a site",
		"The directory that contains it must exist.")
	mkdir.Verb, mkdir.Status = "make-directory", http.StatusCreated
	api.Do(o.Router, mkdir, o.Sites.InPath, o.makeDirectory)

	move := operation("organizations.servers.sites.files.moves.store", http.MethodPost, "/moves", "Rename or move a file or directory of a site",
		"Nothing is replaced: the new path must be free.")
	move.Verb = "move"
	api.Do(o.Router, move, o.Sites.InPath, o.move)

	download := operation("organizations.servers.sites.files.download", http.MethodGet, "/download", "Download a file of a site",
		"Any file, of any size, as it is on the server. Range is supported. Each answer has a line in the audit log.")
	download.Query, download.Example = named(), example
	api.SendFile(o.Router, download, o.Sites.InPath, o.download)

	upload := operation("organizations.servers.sites.files.upload", http.MethodPut, "/upload", "Upload a file to a site",
		"The request's body is the file, of at most 1 GiB. It appears whole, once it has arrived: an upload that breaks off leaves nothing.")
	upload.Receives, upload.Example = maxUpload, example
	upload.Query = named(api.Param{Name: "replace", Type: "boolean", Description: "Whether an existing file may be replaced."})
	api.Receive(o.Router, upload, o.Sites.InPath, o.upload)
}

// links returns the address of a file.
func (o *Operations) links(h home, operation string, raw []byte) *api.SelfLinks {
	return o.Router.Links(h.URL() + "/files" + operation + "?path=" + url.QueryEscape(shown(raw)))
}

// ask has a server work with a file. What is between us and the server is a 409.
func (o *Operations) ask(ctx context.Context, h home, q wire.FileQuery) (wire.FileReply, error) {
	if !h.Server.IsReady {
		return wire.FileReply{}, api.Conflict("The server is not set up yet.")
	}
	target, err := o.Targets.Target(h.Server)
	if err != nil {
		return wire.FileReply{}, err
	}
	within := askWithin
	if q.Act == wire.FileCount || q.Act == wire.FileRemove {
		within = workWithin
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	q.Account, q.Below = h.place.Site.UnixUser, h.base
	out, err := o.Hosts.Files(ctx, target, q)
	switch reason := host.Reason(err); {
	case reason != "":
		return out, api.Conflict("The server can't be asked: %s.", strings.TrimSuffix(reason, "."))
	case errors.Is(err, context.DeadlineExceeded):
		return out, api.Conflict("The server did not answer within %s.", within)
	case err != nil:
		return out, err
	}
	return out, refusal(out)
}

// refusal returns the error that a reply is, nil if there is none.
func refusal(r wire.FileReply) error {
	if r.Problem == "" {
		return nil
	}
	field := "path"
	if r.AtTo {
		field = "new_path"
	}
	said := text.Clean(text.Line(r.Message), maxReason)
	switch r.Problem {
	case wire.FileMissing:
		return api.Invalid(field, "There is nothing at the %s: %s", field, said)
	case wire.FileExists:
		return api.Taken(field, "The %s is taken: %s", field, said)
	case wire.FileOutside, wire.FileWrong:
		return api.Invalid(field, "%s", said)
	case wire.FileChanged:
		return api.Conflict("%s Nothing was replaced: load it again.", said)
	case wire.FileDenied:
		return api.Conflict("The site's account is not allowed to do this: %s.", said)
	case wire.FileFull:
		return api.Conflict("The server has no space left for this, or the account has used up its quota. Nothing was changed: %s.", said)
	case wire.FileReadOnly:
		return api.Conflict("The file system is mounted read-only: %s.", said)
	}
	return api.Conflict("This did not work: %s", said)
}

// at returns the home of a call's site and the path that the call gives.
func (o *Operations) at(ctx context.Context, c api.Call[site.Path], path string) (home, []byte, error) {
	raw, err := read("path", path)
	if err != nil {
		return home{}, nil, err
	}
	h, err := o.homeOf(ctx, c.Parent)
	return h, raw, err
}

func (o *Operations) index(ctx context.Context, c api.Call[site.Path]) (api.Collection[Resource], error) {
	var out api.Collection[Resource]
	h, raw, err := o.at(ctx, c, c.Query("path"))
	if err != nil {
		return out, err
	}
	after, err := decodeCursor(c.List.Cursor)
	if err != nil {
		return out, err
	}
	page, err := o.ask(ctx, h, wire.FileQuery{Act: wire.FileList, Path: raw, After: after, Limit: c.List.Size})
	if err != nil {
		return out, err
	}
	out.Data = []Resource{}
	for i := range page.Entries {
		e := &page.Entries[i]
		out.Data = append(out.Data, h.resourceOf(o, join(raw, e.Name), e))
	}
	if len(page.Next) > 0 {
		out.Next = new(encodeCursor(page.Next))
	}
	return out, nil
}

// cursorMark begins a cursor, so that not every text is one.
const cursorMark = "name:"

// encodeCursor returns the cursor behind a name, which may be any bytes.
func encodeCursor(name []byte) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte(cursorMark), name...))
}

func decodeCursor(cursor string) (name []byte, err error) {
	if cursor == "" {
		return nil, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	name, ok := bytes.CutPrefix(raw, []byte(cursorMark))
	if err != nil || !ok || len(name) == 0 || bytes.ContainsAny(name, "/\x00") {
		return nil, db.ErrCursor
	}
	return name, nil
}

func join(dir, name []byte) []byte { return []byte(path.Join(string(dir), string(name))) }

// document shows a file after something was done with it.
func (o *Operations) document(h home, raw []byte, reply wire.FileReply) api.Document[Resource] {
	data := h.resourceOf(o, raw, reply.File)
	meta := h.metaOf(reply.Path)
	meta.InPlace = reply.InPlace
	if reply.Count > 0 {
		meta.Entries, meta.Bytes = &reply.Count, &reply.Bytes
	}
	data.Meta = &api.Meta{Own: []any{Meta{meta}}}
	return api.Document[Resource]{Data: data}
}

func (o *Operations) show(ctx context.Context, c api.Call[site.Path]) (api.Document[Resource], error) {
	var none api.Document[Resource]
	counts, err := c.Flag("count")
	if err != nil {
		return none, err
	}
	h, raw, err := o.at(ctx, c, c.Query("path"))
	if err != nil {
		return none, err
	}
	q := wire.FileQuery{Act: wire.FileStat, Path: raw}
	if counts {
		q.Act = wire.FileCount
	}
	reply, err := o.ask(ctx, h, q)
	if err != nil {
		return none, err
	}
	return o.document(h, raw, reply), nil
}

func (o *Operations) content(ctx context.Context, c api.Call[site.Path]) (api.Document[ContentResource], error) {
	var none api.Document[ContentResource]
	h, raw, err := o.at(ctx, c, c.Query("path"))
	if err != nil {
		return none, err
	}
	reply, err := o.ask(ctx, h, wire.FileQuery{Act: wire.FileStat, Path: raw})
	if err != nil {
		return none, err
	}
	if reply.File.Kind != wire.FileKindFile {
		return none, api.Invalid("path", "There is no file at the path, but a %s.", reply.File.Kind)
	}
	api.About(ctx, resource, shown(raw), map[string]any{"path": shown(reply.Path), "size": reply.File.Size})
	return o.contentOf(h, raw, reply), nil
}

func (o *Operations) contentOf(h home, raw []byte, reply wire.FileReply) api.Document[ContentResource] {
	out := ContentResource{
		ID: shown(raw), Links: o.links(h, "/content", raw), Meta: &api.Meta{Own: []any{Meta{h.metaOf(reply.Path)}}},
		Attributes: FileContentAttributes{Path: shown(raw), Size: reply.File.Size, Text: reply.Text},
	}
	if reply.Revision != "" {
		out.Attributes.Revision = &reply.Revision
	}
	if reply.Text {
		out.Attributes.Content = new(api.SecretOf(string(reply.Content)))
	}
	return api.Document[ContentResource]{Data: out}
}

// entries returns how many entries a call may remove.
func entries(given string) (int64, error) {
	if given == "" {
		return 1, nil
	}
	n, err := strconv.ParseInt(given, 10, 64)
	if err != nil || n < 1 {
		return 0, api.Invalid("entries", "The entries must be a number of files and directories, at least 1.")
	}
	return n, nil
}
