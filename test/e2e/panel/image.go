package panel

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/practice"
	"github.com/hostlerhq/hostler/test/hosts"
)

// Image has every package of a web server and a load balancer, so that setting up takes seconds. BuildImage makes it, once on a machine.
const Image = "e2e"

// basic are what every server gets when it is set up.
const basic = "ca-certificates cron curl git gnupg logrotate nftables rsync sudo unattended-upgrades unzip tzdata "

const packages = basic + `nginx nodejs redis-server memcached
	php-fpm php-cli php-curl php-gd php-intl php-mbstring php-mysql php-pgsql php-sqlite3 php-xml php-zip php-bcmath`

// DatabaseImage has the database engines of the distribution instead.
const DatabaseImage = "e2e-database"

// BuildDatabaseImage makes DatabaseImage, as BuildImage makes Image.
func BuildDatabaseImage(t testing.TB) {
	t.Helper()
	hosts.Require(t)
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	if err := practice.BuildImage(ctx, logTo{t}, DatabaseImage, "base", strings.Fields(basic+"mariadb-server postgresql-15")...); err != nil {
		t.Fatal(err)
	}
}

// MySQLImage has MySQL, which of Debian only unstable has.
const MySQLImage = "e2e-mysql"

// BuildMySQLImage makes MySQLImage. It fails where a mirror has no Debian unstable, or is being changed.
func BuildMySQLImage(t testing.TB) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	return practice.BuildImage(ctx, logTo{t}, MySQLImage, "basesid", strings.Fields(basic+"mysql-server")...)
}

// TenantImage is Image with both database engines: an app server with either one takes seconds.
const TenantImage = "e2e-tenants"

// BuildTenantImage makes TenantImage, as BuildImage makes Image.
func BuildTenantImage(t testing.TB) {
	t.Helper()
	BuildImage(t)
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	if err := practice.BuildImage(ctx, logTo{t}, TenantImage, Image, "mariadb-server", "postgresql-15"); err != nil {
		t.Fatal(err)
	}
}

// TenantImage13 is TenantImage with Debian 13.
const TenantImage13 = "e2e-tenants13"

// BuildTenantImage13 makes TenantImage13, as BuildImage makes Image.
func BuildTenantImage13(t testing.TB) {
	t.Helper()
	BuildImage13(t)
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	if err := practice.BuildImage(ctx, logTo{t}, TenantImage13, Image13, "mariadb-server", "postgresql-17"); err != nil {
		t.Fatal(err)
	}
}

// VirtualImage is Image for a virtual host.
const VirtualImage = "e2e-virtual"

// BuildVirtualImage makes VirtualImage, as BuildImage makes Image.
func BuildVirtualImage(t testing.TB) {
	t.Helper()
	BuildImage(t)
	virtual(t, VirtualImage, Image)
}

// BuildKernelImage makes hosts.KernelImage, as BuildImage makes Image.
func BuildKernelImage(t testing.TB) {
	t.Helper()
	BuildTenantImage(t)
	virtual(t, hosts.KernelImage, TenantImage)
}

// virtual makes an image with what a virtual host needs: devices, AppArmor and quotas.
func virtual(t testing.TB, name, from string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if err := practice.BuildImage(ctx, logTo{t}, name, from, "udev", "apparmor", "quota"); err != nil {
		t.Fatal(err)
	}
}

// BuildImage makes Image; the test is skipped where practice servers can't run.
func BuildImage(t testing.TB) {
	t.Helper()
	hosts.Require(t)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if err := practice.BuildImage(ctx, logTo{t}, Image, "base", strings.Fields(packages)...); err != nil {
		t.Fatal(err)
	}
}

// Image13 is Image with Debian 13.
const Image13 = "e2e13"

// BuildImage13 makes Image13, as BuildImage makes Image.
func BuildImage13(t testing.TB) {
	t.Helper()
	hosts.Require(t)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if err := practice.BuildImage(ctx, logTo{t}, Image13, "base13", strings.Fields(packages)...); err != nil {
		t.Fatal(err)
	}
}

type logTo struct{ t testing.TB }

func (l logTo) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}
