package app

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// newSetup returns what creates the first account and its organization.
func newSetup(sign *account.Sign) *account.Setup {
	return &account.Setup{Sign: sign, CreateOrganization: func(ctx context.Context, tx *db.Tx, user query.User) error {
		_, err := organization.Create(ctx, tx, "Main", "main", user.ID)
		return err
	}}
}

// metrics serves metrics to this machine, and to callers with the token.
func (a *App) metrics() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		&operationStates{a.DB}, &databasePools{a.DB},
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "hostler_database_reads_total", Help: "Queries of the database outside of transactions."},
			func() float64 { return float64(a.DB.Reads()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "hostler_connections_refused_total", Help: "Connections beyond what one address, or all, may hold."},
			func() float64 { return float64(a.refused.Load()) }))
	serve := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !a.mayReadMetrics(req) {
			http.Error(w, "forbidden", http.StatusForbidden)
			return
		}
		serve.ServeHTTP(w, req)
	})
}

// forwards are headers of proxies, by which a request is known to be forwarded. Any that begins with X-Forwarded- is, too.
var forwards = []string{"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip"}

// mayReadMetrics reports whether a caller has the token, or without one is on this machine. A proxy beside Hostler is, but those that it speaks for are not: it
// names them in a header, trusted or not, or hands on the name that they called. Only a panel that serves HTTPS itself is called by its own name here.
func (a *App) mayReadMetrics(req *http.Request) bool {
	if token := a.Config.MetricsToken.Reveal(); token != "" {
		return constantEqual(strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer "), token)
	}
	for name := range req.Header {
		if slices.Contains(forwards, name) || strings.HasPrefix(name, "X-Forwarded-") {
			return false
		}
	}
	host := req.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	at, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if host != "localhost" && (err != nil || !at.IsLoopback()) && (a.front == nil || !strings.EqualFold(host, a.BaseURL.Hostname())) {
		return false
	}
	at, err = netip.ParseAddr(api.ClientAddress(req.Context()))
	return err == nil && at.IsLoopback()
}

// operationStates counts operations by state on each scrape.
type operationStates struct{ db *db.DB }

var operationsDesc = prometheus.NewDesc("hostler_operations", "Operations by aspect and state.", []string{"aspect", "state"}, nil)

func (*operationStates) Describe(ch chan<- *prometheus.Desc) { ch <- operationsDesc }

func (o *operationStates) Collect(ch chan<- prometheus.Metric) {
	rows, err := o.db.Read().Ungranted().CountOperations(context.Background())
	if err != nil {
		ch <- prometheus.NewInvalidMetric(operationsDesc, err)
		return
	}
	for _, row := range rows {
		ch <- prometheus.MustNewConstMetric(operationsDesc, prometheus.GaugeValue, float64(row.Count), row.Aspect, row.State)
	}
}

// databasePools shows how much the connections to the database are used.
type databasePools struct{ db *db.DB }

var (
	connectionsDesc = prometheus.NewDesc("hostler_database_connections", "Connections to the database by use and state: most, open, in use.",
		[]string{"use", "state"}, nil)
	waitsDesc  = prometheus.NewDesc("hostler_database_waits_total", "How often a connection to the database was waited for.", []string{"use"}, nil)
	waitedDesc = prometheus.NewDesc("hostler_database_wait_seconds_total", "How long connections to the database were waited for.", []string{"use"}, nil)
)

func (*databasePools) Describe(ch chan<- *prometheus.Desc) {
	ch <- connectionsDesc
	ch <- waitsDesc
	ch <- waitedDesc
}

func (p *databasePools) Collect(ch chan<- prometheus.Metric) {
	for _, s := range p.db.PoolStats() {
		for state, n := range map[string]int{"most": s.Most, "open": s.Open, "in use": s.Taken} {
			ch <- prometheus.MustNewConstMetric(connectionsDesc, prometheus.GaugeValue, float64(n), s.Use, state)
		}
		ch <- prometheus.MustNewConstMetric(waitsDesc, prometheus.CounterValue, float64(s.Waits), s.Use)
		ch <- prometheus.MustNewConstMetric(waitedDesc, prometheus.CounterValue, s.Waited.Seconds(), s.Use)
	}
}
