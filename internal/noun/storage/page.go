package storage

import (
	"bytes"
	"encoding/xml"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/hostlerhq/hostler/internal/engine/agent/archive"
)

// pageCode stands for the code of a refusal that has a page for people in the place of a storage's error: a proxy, a firewall or a web server wrote it. The
// library would take its status for what the storage says, so that a 403 would be about the keys.
const pageCode = "HostlerPage"

// asError puts an error that the library can read in the place of a page, and the name of the call into one that the storage does not implement.
func asError(req *http.Request, resp *http.Response) {
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		raw = nil // the status has to do
	}
	said := minio.ErrorResponse{Code: pageCode}
	switch {
	case archive.IsPage(raw):
	case resp.StatusCode == http.StatusNotImplemented:
		said = minio.ErrorResponse{Code: minio.NotImplemented, Message: callOf(req)}
	default:
		resp.Body = rest{bytes.NewReader(raw), resp.Body}
		return
	}
	if raw, err = xml.Marshal(said); err != nil {
		return
	}
	resp.Body = rest{bytes.NewReader(raw), resp.Body}
	resp.ContentLength = int64(len(raw))
	resp.Header.Set("Content-Type", "application/xml")
	resp.Header.Set("Content-Length", strconv.Itoa(len(raw)))
}

// rest is what is read of a body, with the connection that it came by.
type rest struct {
	io.Reader
	io.Closer
}

// callOf returns the call that a request is, as the S3 API names it.
func callOf(req *http.Request) string {
	query := req.URL.Query()
	switch object := strings.Count(strings.Trim(req.URL.Path, "/"), "/") > 0; {
	case query.Has("uploads") && req.Method == http.MethodPost:
		return "CreateMultipartUpload"
	case query.Has("uploads"):
		return "ListMultipartUploads"
	case query.Has("uploadId") && req.Method == http.MethodPost:
		return "CompleteMultipartUpload"
	case query.Has("uploadId") && req.Method == http.MethodDelete:
		return "AbortMultipartUpload"
	case query.Has("uploadId"):
		return "UploadPart"
	case query.Has("list-type"):
		return "ListObjectsV2"
	case query.Has("location"):
		return "GetBucketLocation"
	case req.Method == http.MethodPut:
		return "PutObject"
	case req.Method == http.MethodDelete:
		return "DeleteObject"
	case req.Method == http.MethodHead:
		return "HeadObject"
	case object:
		return "GetObject"
	}
	return "ListBuckets"
}

// callInWords returns the call of callOf; storages have texts of their own in its place.
func callInWords(call string) string {
	if call == "" || strings.ContainsFunc(call, func(c rune) bool { return (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '2' }) {
		return "a call of the S3 API that backups need"
	}
	return "it has no " + call + ", which backups need"
}

// pageInWords says what a page with a status is about.
func pageInWords(status int) string {
	if words := archive.PageInWords(status); words != "" {
		return words
	}
	return notStorage
}
