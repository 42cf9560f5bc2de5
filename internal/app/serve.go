package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/docs"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/mcp"
	"github.com/hostlerhq/hostler/internal/noun/deployment"
	"github.com/hostlerhq/hostler/internal/noun/heartbeat"
	"github.com/hostlerhq/hostler/internal/noun/storage"
	"github.com/hostlerhq/hostler/web"
)

// Timeouts of clients; readers has that of what they are sent.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 60 * time.Second
	idleTimeout       = 120 * time.Second
	shutdownTimeout   = 20 * time.Second
	tracesTimeout     = 3 * time.Second
	maxHeaderBytes    = 64 << 10
)

// settledAfter is when what only starting needed is given back.
const settledAfter = 10 * time.Second

// Listen opens the HTTP socket, so that its address is known before anything is served.
func (a *App) Listen(ctx context.Context) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", a.Config.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", a.Config.Listen, err)
	}
	return l, nil
}

// Serve works until ctx ends, then lets requests and jobs finish. started is called when nothing can fail any more before requests are answered.
func (a *App) Serve(ctx context.Context, l net.Listener, started func() error) error {
	defer a.Router.EndStreams()
	defer a.endTraces(context.WithoutCancel(ctx))
	unlock, err := a.lock(ctx, a.Config, false)
	if err != nil {
		_ = l.Close()
		return err
	}
	defer unlock()
	if err := a.decide(ctx); err != nil || a.Config.UntilReady {
		return errors.Join(err, l.Close())
	}
	server := &http.Server{
		Handler: a.Handler(), ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
	}
	if err := a.start(context.WithoutCancel(ctx)); err != nil {
		_ = l.Close()
		return err
	}
	if err := started(); err != nil {
		_ = l.Close()
		return errors.Join(err, a.stop(context.WithoutCancel(ctx)))
	}
	posting, endPosting := context.WithCancel(context.WithoutCancel(ctx))
	defer endPosting()
	go a.Outbox.Run(posting)
	go a.newest.Run(posting)
	failed := make(chan error, 1)
	go func() {
		failed <- a.front.serve(server, readers{newCrowd(l, a.Config.TrustedProxies, &a.refused), writeTimeout})
	}()
	settled := time.AfterFunc(settledAfter, func() {
		debug.FreeOSMemory()
		releasePages()
	})
	defer settled.Stop()
	a.Log.InfoContext(ctx, "serving", "listen", l.Addr().String(), "base_url", a.BaseURL.String(), "database", string(a.DB.Dialect))
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	a.Router.EndStreams()
	shutdown(ctx, server)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	return errors.Join(err, a.stop(last))
}

// shutdown lets requests finish, and closes the connections of those that take too long: a client that sends its body slowly stops nothing.
func shutdown(ctx context.Context, server *http.Server) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		_ = server.Close()
	}
}

// endTraces sends the last traces, or drops them where the collector does not take them.
func (a *App) endTraces(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, tracesTimeout)
	defer cancel()
	_ = a.traces.Shutdown(ctx)
}

// Handler returns everything that the HTTP server answers.
func (a *App) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/api/", a.Router)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, req *http.Request) {
		if err := a.Ready(req.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ok\n"))
	})
	mux.Handle("GET /metrics", a.metrics())
	mux.Handle("/bootstrap/", a.Router.Limited("bootstrap", api.LeastRateLimit, a.bootstrap))
	// A backup sends a request for each part, and many servers may share an address.
	mux.Handle(storage.RelayPath, a.Router.Limited("storage", a.Router.RateLimits().Most, a.relay))
	mux.Handle(deployment.HookPath, a.hooks)
	mux.Handle(deployment.PushPath, a.hooks)
	mux.Handle(heartbeat.PingPath, a.Router.Limited("heartbeats", 0, a.Heartbeats.Handler()))
	mux.Handle("GET "+api.Reference, a.viewer)
	guides := docs.Handler()
	mux.Handle("GET "+docs.Path, guides)
	mux.Handle("GET "+strings.TrimSuffix(api.Reference, "/"), guides) // a guide; the mux would redirect it to the reference
	provider := a.oauth.Handler()
	mux.Handle("/oauth/", provider)
	mux.Handle("GET /.well-known/oauth-authorization-server", provider)
	assistants := mcp.New(mcp.Config{
		Router: a.Router, API: a.Router, Authenticator: a.oauth.Sign.Authenticator, Issuer: a.oauth.Issuer.String(), Origins: a.origins(),
		Version: a.Config.Version, Log: a.Log,
	})
	mux.Handle(mcp.Path, assistants)
	mux.Handle(mcp.Metadata, assistants)
	mux.Handle(mcp.Metadata+mcp.Path, assistants)
	mux.Handle("/", a.setup.Lead(web.Handler()))
	traced := api.Traced(a.traces, mux)
	requests := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		traced.ServeHTTP(w, req.WithContext(db.For(req.Context(), db.Requests)))
	})
	return api.WithClientAddress(a.Config.TrustedProxies, secure(a.BaseURL.Scheme == "https", api.WithOrigins(a.origins(), requests)))
}

// secure sets the headers that every page needs; no page may be framed or load from elsewhere.
func secure(https bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		if https { // browsers ignore both over plain http, and complain of the second
			h.Set("Strict-Transport-Security", "max-age=31536000")
			h.Set("Cross-Origin-Opener-Policy", "same-origin")
		}
		h.Set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'")
		next.ServeHTTP(w, req)
	})
}
