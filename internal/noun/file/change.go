package file

import (
	"context"
	"maps"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// UpdateFileContentRequest writes a text file.
type UpdateFileContentRequest struct {
	Path    string     `json:"path" minLength:"1" maxLength:"16384"`
	Content api.Secret `json:"content"`
	// Revision is that of the content that this one follows; without it, the file must not exist yet.
	Revision *string `json:"revision,omitempty" nullable:"true" maxLength:"64"`
}

// StoreFileDirectoryRequest creates a directory.
type StoreFileDirectoryRequest struct {
	Path string `json:"path" minLength:"1" maxLength:"16384"`
}

// MoveFileRequest renames or moves a file or directory.
type MoveFileRequest struct {
	Path    string `json:"path" minLength:"1" maxLength:"16384"`
	NewPath string `json:"new_path" minLength:"1" maxLength:"16384"`
}

// about has the audit log say which file a call is about.
func about(ctx context.Context, raw []byte, more map[string]any) {
	attributes := map[string]any{"path": shown(raw)}
	maps.Copy(attributes, more)
	api.About(ctx, resource, shown(raw), attributes)
}

func (o *Operations) update(ctx context.Context, c api.Call[site.Path], b UpdateFileContentRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	content := b.Content.Reveal()
	if len(content) > wire.MaxText {
		c.Fields.Add("content", "The content must have at most %d bytes. Larger files can be uploaded.", wire.MaxText)
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	h, raw, err := o.at(ctx, c, b.Path)
	if err != nil {
		return none, err
	}
	q := wire.FileQuery{Act: wire.FileWrite, Path: raw, Data: []byte(content)}
	if b.Revision != nil {
		q.Revision = *b.Revision
	}
	about(ctx, raw, map[string]any{"size": len(content)})
	reply, err := o.ask(ctx, h, q)
	if err != nil {
		return none, err
	}
	return o.document(h, raw, reply), nil
}

func (o *Operations) makeDirectory(ctx context.Context, c api.Call[site.Path], b StoreFileDirectoryRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	h, raw, err := o.at(ctx, c, b.Path)
	if err != nil {
		return none, err
	}
	about(ctx, raw, nil)
	reply, err := o.ask(ctx, h, wire.FileQuery{Act: wire.FileMake, Path: raw})
	if err != nil {
		return none, err
	}
	return o.document(h, raw, reply), nil
}

func (o *Operations) move(ctx context.Context, c api.Call[site.Path], b MoveFileRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	h, raw, err := o.at(ctx, c, b.Path)
	if err != nil {
		return none, err
	}
	to, err := read("new_path", b.NewPath)
	if err != nil {
		return none, err
	}
	if why, err := o.needed(ctx, h, raw); err != nil || why != "" {
		return none, refused(why, err)
	}
	about(ctx, to, map[string]any{"from": shown(raw)})
	reply, err := o.ask(ctx, h, wire.FileQuery{Act: wire.FileMove, Path: raw, To: to})
	if err != nil {
		return none, err
	}
	return o.document(h, to, reply), nil
}

func refused(why string, err error) error {
	if err != nil {
		return err
	}
	return api.Conflict("%s It can't be renamed or deleted here.", why)
}

func (o *Operations) destroy(ctx context.Context, c api.Call[site.Path], _ api.NoBody) (api.Document[api.NoBody], error) {
	var none api.Document[api.NoBody]
	count, err := entries(c.Query("entries"))
	if err != nil {
		return none, err
	}
	h, raw, err := o.at(ctx, c, c.Query("path"))
	if err != nil {
		return none, err
	}
	if len(raw) == 0 {
		return none, api.Invalid("path", "The path field is required: the site's directory itself can't be deleted.")
	}
	if why, err := o.needed(ctx, h, raw); err != nil || why != "" {
		return none, refused(why, err)
	}
	about(ctx, raw, map[string]any{"entries": count})
	_, err = o.ask(ctx, h, wire.FileQuery{Act: wire.FileRemove, Path: raw, Count: count})
	return none, err
}
