package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What apt-get -s upgrade prints on Debian 12 and on Ubuntu 24.04.
func TestUpgradable(t *testing.T) {
	t.Parallel()
	got := upgradable(`NOTE: This is only a simulation!
Reading package lists...
The following packages will be upgraded:
  base-files libc6 openssl
Inst base-files [12.4+deb12u4] (12.4+deb12u12 Debian:12.12/oldstable [amd64])
Inst openssl [3.0.11-1] (3.0.17-1~deb12u2 Debian:12.12/oldstable, Debian-Security:12/oldstable-security [amd64]) []
Inst libc6:i386 [2.36-9] (2.36-9+deb12u10 Debian:12.12/oldstable [i386])
Inst linux-image-6.1.0-40-amd64 (6.1.153-1 Debian-Security:12/oldstable-security [amd64])
Inst libssl3t64 [3.0.13-0ubuntu3] (3.0.13-0ubuntu3.5 Ubuntu:24.04/noble-updates, Ubuntu:24.04/noble-security [amd64])
Inst unlabelled [1.0] (2.0 stable-security [all])
Inst own [1.0] (1.1 hostler:1/not-security-really [all])
Conf base-files (12.4+deb12u12 Debian:12.12/oldstable [amd64])
`)
	want := pending{
		all:      []string{"base-files", "openssl", "libc6:i386", "libssl3t64", "unlabelled", "own"},
		security: []string{"openssl", "libssl3t64", "unlabelled"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(pending{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := upgradable(""); got.all != nil {
		t.Errorf("of nothing: %v", got)
	}
}
