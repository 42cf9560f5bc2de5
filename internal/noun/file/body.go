package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

func (o *Operations) download(ctx context.Context, c api.Call[site.Path]) (*api.Outgoing, error) {
	h, raw, err := o.at(ctx, c, c.Query("path"))
	if err != nil {
		return nil, err
	}
	reply, err := o.ask(ctx, h, wire.FileQuery{Act: wire.FileStat, Path: raw})
	if err != nil {
		return nil, err
	}
	e := reply.File
	if e.Kind != wire.FileKindFile {
		return nil, api.Invalid("path", "There is no file at the path, but a %s.", e.Kind)
	}
	about(ctx, raw, map[string]any{"size": e.Size})
	return &api.Outgoing{
		Name: path.Base(string(raw)), Tag: fmt.Sprintf("%s-%d-%d", reply.Same, e.Modified, e.Size), Modified: time.UnixMicro(e.Modified),
		Content: &remote{size: e.Size, piece: func(offset int64) ([]byte, error) {
			part, err := o.ask(ctx, h, wire.FileQuery{
				Act: wire.FileRead, Path: raw, Offset: offset, Size: min(wire.MaxPiece, e.Size-offset), Same: reply.Same,
			})
			return part.Content, err
		}},
	}, nil
}

// remote reads a file on a server, as long as it was when its size was asked for: what is appended meanwhile is not read.
type remote struct {
	size, at int64
	piece    func(offset int64) ([]byte, error)
	buffer   []byte // what follows at
}

// Read reads what follows. A file that is shorter than it was is an error: the answer is broken off, and not taken for the file.
func (r *remote) Read(p []byte) (int, error) {
	if r.at >= r.size {
		return 0, io.EOF
	}
	if len(r.buffer) == 0 {
		var err error
		if r.buffer, err = r.piece(r.at); err != nil {
			return 0, err
		}
		if len(r.buffer) == 0 {
			return 0, io.ErrUnexpectedEOF
		}
	}
	n := copy(p, r.buffer)
	r.buffer, r.at = r.buffer[n:], r.at+int64(n)
	return n, nil
}

// Seek sets where Read continues.
func (r *remote) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the file")
	}
	if offset != r.at {
		r.at, r.buffer = offset, nil
	}
	return offset, nil
}

// abortWithin is how long the remains of an upload that failed may take to be removed.
const abortWithin = 20 * time.Second

func (o *Operations) upload(ctx context.Context, c api.Call[site.Path], in *api.Incoming) (api.Document[Resource], error) {
	var none api.Document[Resource]
	replace, err := c.Flag("replace")
	if err != nil {
		return none, err
	}
	h, raw, err := o.at(ctx, c, c.Query("path"))
	if err != nil {
		return none, err
	}
	if len(raw) == 0 {
		return none, api.Invalid("path", "The path field is required.")
	}
	q := wire.FileQuery{Path: raw, Replace: replace}
	q.Act, q.Size = wire.FileBegin, in.Size
	begun, err := o.ask(ctx, h, q)
	if err != nil {
		return none, err
	}
	q.Upload = begun.Upload
	reply, err := o.send(ctx, h, q, in)
	if err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortWithin)
		defer cancel()
		q.Act = wire.FileAbort
		_, _ = o.ask(ctx, h, q) // what is left is removed by a later upload
		return none, err
	}
	about(ctx, raw, map[string]any{"size": reply.File.Size})
	return o.document(h, raw, reply), nil
}

// send sends an upload piece by piece, and has it become the file.
func (o *Operations) send(ctx context.Context, h home, q wire.FileQuery, in *api.Incoming) (wire.FileReply, error) {
	q.Act, q.Size = wire.FileAppend, 0
	piece := make([]byte, wire.MaxPiece)
	for n := len(piece); n == len(piece); q.Offset += int64(n) {
		var err error
		if n, err = in.Next(piece); err != nil {
			return wire.FileReply{}, err
		}
		if n == 0 {
			break
		}
		q.Data = piece[:n]
		if _, err := o.ask(ctx, h, q); err != nil {
			return wire.FileReply{}, err
		}
	}
	if err := in.Again(); err != nil {
		return wire.FileReply{}, err
	}
	q.Act, q.Size, q.Data = wire.FileCommit, q.Offset, nil
	return o.ask(ctx, h, q)
}
