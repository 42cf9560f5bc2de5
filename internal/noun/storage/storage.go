// Package storage stores backups: in S3 buckets, over SFTP, or on a disk of the panel. The keys are write-only, and no host ever gets them: hosts
// get signed addresses for one object at a time.
package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// The providers of the contract.
const (
	S3       = "s3"
	Spaces   = "spaces"
	Hetzner  = "hetzner"
	OVH      = "ovh"
	Scaleway = "scaleway"
	Custom   = "custom"
)

// provider is a provider's name and host; %s is the region.
type provider struct{ name, host string }

func known(p string) provider {
	switch p {
	case S3:
		return provider{"Amazon S3", "s3.%s.amazonaws.com"}
	case Spaces:
		return provider{"DigitalOcean Spaces", "%s.digitaloceanspaces.com"}
	case Hetzner:
		return provider{"Hetzner", "%s.your-objectstorage.com"}
	case OVH:
		return provider{"OVH", "s3.%s.io.cloud.ovh.net"}
	case Scaleway:
		return provider{"Scaleway", "s3.%s.scw.cloud"}
	default:
		return provider{name: "Custom (S3 Compatible)"}
	}
}

// Endpoint returns where a provider's row leads to. The buckets of a custom one are named in the path, those of the others in the host.
func Endpoint(row query.StorageProvider) (*url.URL, error) {
	if row.Endpoint != nil {
		return parseEndpoint(*row.Endpoint)
	}
	p := known(row.Provider)
	if p.host == "" || row.Region == nil {
		return nil, fmt.Errorf("storage provider %d has no endpoint", row.ID)
	}
	host := fmt.Sprintf(p.host, *row.Region)
	if row.Provider == S3 && strings.HasPrefix(*row.Region, "cn-") {
		host += ".cn"
	}
	return &url.URL{Scheme: "https", Host: host}, nil
}

// bucketHosts end the names of hosts that the pages of these services show with the bucket in front: the address of one bucket, and not of the service.
var bucketHosts = []string{
	".amazonaws.com", ".digitaloceanspaces.com", ".r2.cloudflarestorage.com", ".wasabisys.com", ".backblazeb2.com", ".linodeobjects.com", ".scw.cloud",
	".vultrobjects.com", ".your-objectstorage.com",
}

// withoutBucket returns an endpoint without the bucket, which pages of providers show behind it, as Cloudflare's do, or in front.
func withoutBucket(endpoint, bucket string) string {
	u, err := url.Parse(endpoint)
	if err != nil || bucket == "" || u.Scheme != "https" && u.Scheme != "http" {
		return endpoint
	}
	if strings.Trim(u.Path, "/") == bucket {
		u.Path, u.RawPath = "", ""
	}
	if rest, ok := strings.CutPrefix(u.Host, bucket+"."); ok && slices.ContainsFunc(bucketHosts,
		func(end string) bool { return strings.HasSuffix("."+rest, end) }) {
		u.Host = rest
	}
	return u.String()
}

func parseEndpoint(text string) (*url.URL, error) {
	if text == diskEndpoint {
		return &url.URL{Scheme: "file", Path: "/"}, nil
	}
	u, err := url.Parse(text)
	over := err == nil && u.Scheme == sftpScheme
	switch {
	case err != nil || len(text) > 255 || (!over && u.Scheme != "https" && u.Scheme != "http") || u.Hostname() == "" ||
		strings.ContainsFunc(text, unicode.IsControl):
		return nil, fmt.Errorf("the endpoint must look like https://s3.example.com")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "" || (!over && u.Path != "" && u.Path != "/"):
		return nil, fmt.Errorf("the endpoint must have a scheme and a host only, and a port where it needs one: the bucket and the directory have fields of " +
			"their own")
	case u.Port() != "" && !isPort(u.Port()):
		return nil, fmt.Errorf("the endpoint's port must be a number from 1 to 65535")
	case !hostPattern.MatchString(u.Hostname()) && !isAddress(u.Hostname()):
		return nil, fmt.Errorf("the endpoint's host is not valid")
	}
	if !over {
		u.Path = ""
		return u, nil
	}
	dir, err := CleanDirectory(u.Path)
	if err != nil {
		return nil, fmt.Errorf("the endpoint's directory is not valid")
	}
	u.Path, u.RawPath = "", ""
	if dir != "" {
		u.Path = "/" + dir
	}
	return u, nil
}

// Patterns: a region becomes part of a host name, a bucket too (the naming rules of Amazon S3 for buckets).
var (
	regionPattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)
	bucketPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	hostPattern   = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.?$`)
)

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// CheckBucket says what is wrong with a bucket's name.
func CheckBucket(name string) error {
	bare := strings.TrimPrefix(strings.TrimPrefix(name, "arn:aws:s3:::"), "s3://")
	if bucket, below, _ := strings.Cut(bare, "/"); bare != name || below != "" {
		if below = strings.Trim(below, "/"); below != "" {
			return fmt.Errorf("the bucket is %s alone, and the directory %s has a field of its own", text.Visible(bucket), text.Visible(below))
		}
		return fmt.Errorf("the bucket is its name alone: write %s", text.Visible(bucket))
	}
	if !bucketPattern.MatchString(name) || strings.Contains(name, "..") {
		return fmt.Errorf("the bucket must have 3 to 63 lower-case letters, digits, dots and dashes")
	}
	return nil
}

// CleanDirectory returns a place in a bucket, without slashes at its ends; "" is the bucket itself.
func CleanDirectory(text string) (string, error) {
	dir := strings.Trim(strings.TrimSpace(text), "/")
	if len(dir) > 400 || strings.ContainsFunc(dir, func(r rune) bool { return unicode.IsControl(r) || r == '\\' || r == unicode.ReplacementChar }) {
		return "", fmt.Errorf("the directory must be at most 400 characters, without control characters and backslashes")
	}
	if dir == "" {
		return "", nil
	}
	for part := range strings.SplitSeq(dir, "/") {
		if part == "" || part == "." || part == ".." {
			return "", fmt.Errorf("the directory must be names with single slashes between them")
		}
	}
	return dir, nil
}

// Keys are what opens a provider.
type Keys struct {
	AccessKey string `json:"access_key"`
	SecretKey string `json:"secret_key"`
}

func sealedAt(id int64) secret.Place {
	return secret.Place{Table: "storage_providers", Row: strconv.FormatInt(id, 10), Column: "secret"}
}

// Store reads providers for callers.
type Store struct {
	DB            *db.DB
	Box           *secret.Box
	Organizations *organization.Store
	Guard         outbound.Guard
	// Disk is the directory for backups on the disk of the machine that Hostler runs on; "" keeps none there.
	Disk string
	// URL is the address of a path of ours, as hosts reach it.
	URL func(path string) string

	sessions sessions
}

// Path is a provider that the caller can see.
type Path struct {
	organization.Path
	Provider query.StorageProvider
}

// InPath loads the organization and the provider that a path names.
func (s *Store) InPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	org, err := s.Organizations.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("storageConfiguration")
	if err != nil {
		return Path{}, err
	}
	row, err := s.Get(ctx, s.DB.Read(), org.Grant, id)
	return Path{Path: org, Provider: row}, err
}

// Get returns the provider with this id in the caller's organization.
func (s *Store) Get(ctx context.Context, q *query.Granted, g access.Grant, id int64) (query.StorageProvider, error) {
	row, err := q.GetStorageProvider(ctx, g, id)
	if err != nil {
		return row, fmt.Errorf("read storage provider %d: %w", id, err)
	}
	return row, nil
}

func (s *Store) keys(row query.StorageProvider) (Keys, error) {
	var k Keys
	if row.AssumeRole {
		return k, nil
	}
	plain, err := s.Box.Open(sealedAt(row.ID), row.Secret)
	if err != nil {
		return k, err
	}
	if err := json.Unmarshal(plain, &k); err != nil {
		return k, fmt.Errorf("read keys of storage provider %d: %w", row.ID, err)
	}
	return k, nil
}

// Open returns the bucket of a provider, or another one that its keys open.
func (s *Store) Open(row query.StorageProvider, bucket string) (*Bucket, error) {
	k, err := s.keys(row)
	if err != nil {
		return nil, err
	}
	return s.bucket(row, k, bucket)
}

func (s *Store) bucket(row query.StorageProvider, k Keys, name string) (*Bucket, error) {
	if onDisk(row) {
		return &Bucket{&files{
			bucket: name, link: s.linker(row, name), within: answerWithin,
			open: func(context.Context) (tree, error) { return openDisk(s.Disk, row.OrganizationID) },
		}}, nil
	}
	if overSFTP(row) {
		l, base, err := loginOf(row, k)
		if err != nil {
			return nil, err
		}
		return &Bucket{&files{
			bucket: name, link: s.linker(row, name), within: answerWithin,
			open: func(ctx context.Context) (tree, error) { return s.openSFTP(ctx, l, base) },
		}}, nil
	}
	there, err := newRemote(row, k, name, s.Guard)
	if err != nil {
		return nil, err
	}
	return &Bucket{there}, nil
}

// diskEndpoint is the endpoint of the disk of the machine that Hostler runs on.
const diskEndpoint = "file:///"

// onDisk reports whether a provider keeps its objects there.
func onDisk(row query.StorageProvider) bool {
	return row.Endpoint != nil && *row.Endpoint == diskEndpoint
}

// providers returns the names that the contract knows.
func providers() []string { return []string{S3, Spaces, Hetzner, OVH, Scaleway, Custom} }

func isKnown(p string) bool { return slices.Contains(providers(), p) }
