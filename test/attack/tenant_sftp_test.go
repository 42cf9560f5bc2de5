package attack_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// outsider is the owner of a key, who is no member of the organization.
type outsider struct {
	signer ssh.Signer
	line   string
}

func newOutsider(t testing.TB, comment string) outsider {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return outsider{signer: signer, line: strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey()))) + " " + comment}
}

// dial logs in to a host with a key, or another way.
func (o outsider) dial(h *hosts.Host, user string, ways ...ssh.AuthMethod) (*ssh.Client, error) {
	if len(ways) == 0 {
		ways = []ssh.AuthMethod{ssh.PublicKeys(o.signer)}
	}
	return ssh.Dial("tcp", h.Addr(h.Port), &ssh.ClientConfig{
		User: user, Auth: ways, HostKeyCallback: ssh.InsecureIgnoreHostKey(), Timeout: 20 * time.Second, //nolint:gosec // the host is a test's
	})
}

// enters logs in and begins SFTP.
func (o outsider) enters(t testing.TB, h *hosts.Host, user string) (*ssh.Client, *sftp.Client) {
	t.Helper()
	c, err := o.dial(h, user)
	if err != nil {
		t.Fatalf("%s does not log in: %v\n%s",
			user, err, h.Exec(t, "sh", "-c", "journalctl -q --no-pager -u ssh -n 30; sshd -T -C user="+user+",host=x,addr=192.0.2.1,laddr=192.0.2.2,lport=22"))
	}
	t.Cleanup(func() { c.Close() })
	files, err := sftp.NewClient(c)
	if err != nil {
		t.Fatalf("%s gets no SFTP: %v\n%s", user, err, h.Exec(t, "sh", "-c", "journalctl -q --no-pager -u ssh -n 30"))
	}
	t.Cleanup(func() { files.Close() })
	return c, files
}

// refused fails the test if a key logs in.
func (o outsider) refused(t testing.TB, h *hosts.Host, user, why string) {
	t.Helper()
	c, err := o.dial(h, user)
	if err == nil {
		c.Close()
		t.Errorf("%s logs in %s", user, why)
	}
}

// closed fails the test unless the host ends a connection.
func closed(t testing.TB, c *ssh.Client, why string) {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Errorf("a session stays open %s", why)
	}
}

// sftpUser creates an SFTP user of a site and waits for it.
func (n *Tenant) sftpUser(t testing.TB, name string, more map[string]any, keys ...outsider) (path string) {
	t.Helper()
	w, many := n.host.world, n.host.Path("/sites/"+n.Site.ID+"/sftp-users")
	body := map[string]any{"name": name, "keys": lines(keys)}
	for k, v := range more {
		body[k] = v
	}
	path = many + "/" + w.Want(t, http.StatusAccepted, http.MethodPost, many, body).Data.ID
	n.sftpSettled(t, path)
	return path
}

func lines(keys []outsider) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.line
	}
	return out
}

func (n *Tenant) sftpSettled(t testing.TB, path string) panel.Resource {
	t.Helper()
	w := n.host.world
	r := w.Settled(t, 2*time.Minute, path)
	if r.Text("status") != "installed" {
		t.Fatalf("%s is %s: %+v\n%s", path, r.Text("status"), r.Operation(), w.Output(t, n.host.Server, r.Operation().EventID))
	}
	return r
}

// The owner of a key of an SFTP user reaches the files of one site, whatever they and its account try, and nothing at all once the
// key, the day or the user is over.
func TestSFTPUserStaysInItsSite(t *testing.T) {
	w := tenantWorld(t)
	all := w.Hosts()
	if !full() {
		all = all[:1]
	}
	for _, h := range all {
		a, b := h.Alice, h.Bob
		first, second := newOutsider(t, "first"), newOutsider(t, "second")
		path := a.sftpUser(t, "designer", nil, first, second)
		h.beside(t, a, b)
		conn, files := first.enters(t, h.Host, "designer")
		h.reaches(t, a, files)
		h.tries(t, a, b, conn, files)

		// A key that is removed is out, with what it opened; the other stays.
		w.Want(t, http.StatusAccepted, http.MethodPut, path, map[string]any{"keys": lines([]outsider{second})})
		a.sftpSettled(t, path)
		closed(t, conn, "although its key was removed")
		first.refused(t, h.Host, "designer", "with a key that was removed")
		second.enters(t, h.Host, "designer")

		today := time.Now().UTC().Format(time.DateOnly)
		w.Want(t, http.StatusAccepted, http.MethodPut, path, map[string]any{"expires_on": today})
		a.sftpSettled(t, path)
		conn, _ = second.enters(t, h.Host, "designer") // on its last day
		h.root(t, "usermod", "--expiredate", today, "designer")
		second.refused(t, h.Host, "designer", "after its last day")
		drift := w.Want(t, http.StatusOK, http.MethodGet, h.Path("/drift"), nil)
		if !strings.Contains(drift.Body, "SFTP user designer") {
			t.Errorf("the drift is %.2000s", drift.Body)
		}
		w.Want(t, http.StatusAccepted, http.MethodPut, path, map[string]any{"expires_on": nil})
		a.sftpSettled(t, path)
		second.enters(t, h.Host, "designer")

		w.Want(t, http.StatusAccepted, http.MethodDelete, path, nil)
		w.Gone(t, 2*time.Minute, path)
		closed(t, conn, "although its user was removed")
		second.refused(t, h.Host, "designer", "after it was removed")
		if left := h.root(t, "sh", "-c",
			"grep -rl designer /etc/passwd /etc/shadow /etc/group /etc/subuid /etc/ssh /etc/systemd/system /proc/mounts; ls /var/lib/hostler-sftp; true"); left != "" {
			t.Errorf("of the user there is left: %s", left)
		}
		if out := h.root(t, "cat", a.Base+"/.env"); !strings.Contains(out, a.Secret) {
			t.Errorf("the site's files are gone: %s", out)
		}
		a.run(t, "sh", "-c", "rm -rf "+a.Base+"/public/up* "+a.Base+"/out* "+a.Base+"/in*")
	}
	w.unharmed(t)
}

// reaches tries what an SFTP user is for.
func (h *TenantHost) reaches(t *testing.T, a *Tenant, files *sftp.Client) {
	t.Helper()
	if at, err := files.Getwd(); err != nil || at != a.Base {
		t.Errorf("the session begins at %q, %v", at, err)
	}
	f, err := files.Create("public/up.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(f, "uploaded")
	if err = errors.Join(err, f.Close(), files.Mkdir("public/uploads")); err != nil {
		t.Fatal(err)
	}
	if code, body := a.visit(t, "/up.txt"); code != http.StatusOK || body != "uploaded" {
		t.Errorf("what was uploaded answers %d %s", code, body)
	}
	if out := h.root(t, "stat", "-c", "%U %G %a", a.Base+"/public/up.txt", a.Base+"/public/uploads"); out != a.User+" "+a.User+" 644\n"+a.User+" "+
		a.User+" 755\n" {
		t.Errorf("what was uploaded is %s", out)
	}
	a.run(t, "ln", "-sfn", a.Base+"/public", a.Base+"/inside")
	if st, err := files.Stat(a.Base + "/inside/up.txt"); err != nil || st.Size() != 8 {
		t.Errorf("an absolute link of the site leads to %v, %v", st, err)
	}
}

// tries attacks from inside.
func (h *TenantHost) tries(t *testing.T, a, b *Tenant, conn *ssh.Client, files *sftp.Client) {
	t.Helper()
	a.run(t, "sh", "-c", "ln -sfn /etc "+a.Base+"/out1 && ln -sfn ../../../../../.. "+a.Base+"/out2 && ln -sfn "+b.Base+" "+a.Base+"/out3")
	if err := files.Symlink("/proc/1/root", "out4"); err != nil {
		t.Errorf("a link: %v", err)
	}
	for _, p := range []string{
		"/etc/passwd", "/etc", "/proc/self", "/dev/null", a.Home + "/secret", b.Base, a.Home + "/.ssh", "../../../../etc/passwd", "out1/passwd", "out2/etc/passwd",
		"out2/root", "out3/.env", "out4/etc/passwd", "/var/lib/hostler", "../.bashrc",
	} {
		if _, err := files.Stat(p); err == nil {
			t.Errorf("%s is reached", p)
		}
	}
	if list, err := files.ReadDir("/"); err != nil || len(list) != 1 || list[0].Name() != "home" {
		t.Errorf("the root has %v, %v", list, err)
	}
	for _, p := range []string{"/x", "/home/x", a.Home + "/x", "../x", "out1/x", "/home/alice/.ssh"} {
		if f, err := files.Create(p); err == nil {
			f.Close()
			t.Errorf("%s is written", p)
		}
		if err := files.Mkdir(p); err == nil {
			t.Errorf("%s is made", p)
		}
	}
	for _, p := range []string{a.Base, a.Home, "/home"} {
		if err := files.Rename(p, "/moved"); err == nil {
			t.Errorf("%s is moved", p)
		}
		if err := files.RemoveDirectory(p); err == nil {
			t.Errorf("%s is removed", p)
		}
	}
	for name, begin := range map[string]func(s *ssh.Session) error{
		"a shell":    func(s *ssh.Session) error { return s.Shell() },
		"a program":  func(s *ssh.Session) error { return s.Start("cat /etc/passwd; id") },
		"scp":        func(s *ssh.Session) error { return s.Start("scp -f /etc/passwd") },
		"a terminal": func(s *ssh.Session) error { return s.RequestPty("xterm", 20, 80, nil) },
		"a system":   func(s *ssh.Session) error { return s.RequestSubsystem("netconf") },
	} {
		h.asks(t, conn, name, begin)
	}
	for _, to := range []string{"127.0.0.1:80", "127.0.0.1:3306", "169.254.169.254:80"} {
		if c, err := conn.Dial("tcp", to); err == nil {
			c.Close()
			t.Errorf("%s is forwarded to", to)
		}
	}
	if c, err := conn.Dial("unix", "/run/mysqld/mysqld.sock"); err == nil {
		c.Close()
		t.Error("a socket is forwarded to")
	}
	for _, network := range []string{"tcp", "unix"} {
		if l, err := conn.Listen(network, map[string]string{"tcp": "127.0.0.1:0", "unix": a.Base + "/sock"}[network]); err == nil {
			l.Close()
			t.Errorf("the host listens on %s", network)
		}
	}
	if _, _, err := conn.OpenChannel("tun@openssh.com", ssh.Marshal(struct{ Mode, Unit uint32 }{1, 0x7fffffff})); err == nil {
		t.Error("there is a tunnel")
	}
}

// asks opens a session for something other than SFTP, and fails the test if it says anything of the host.
func (h *TenantHost) asks(t *testing.T, conn *ssh.Client, name string, begin func(s *ssh.Session) error) {
	t.Helper()
	s, err := conn.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	in, err := s.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := begin(s); err != nil {
		return
	}
	if name == "a terminal" {
		t.Error("there is a terminal")
	}
	_, _ = io.WriteString(in, "id\ncat /etc/passwd\n")
	_ = in.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	defer context.AfterFunc(ctx, func() { s.Close() })()
	raw, _ := io.ReadAll(out)
	if text := string(raw); strings.Contains(text, "uid=") || strings.Contains(text, "root:") {
		t.Errorf("%s answers %q", name, text)
	}
}

// beside looks from outside: other ways in, other accounts, and an account that puts something else in place of its site.
func (h *TenantHost) beside(t *testing.T, a, b *Tenant) {
	t.Helper()
	var none outsider
	for name, way := range map[string]ssh.AuthMethod{
		"password": ssh.Password("designer"), "empty password": ssh.Password(""),
		"questions": ssh.KeyboardInteractive(func(string, string, []string, []bool) ([]string, error) { return []string{""}, nil }),
	} {
		if c, err := none.dial(h.Host, "designer", way); err == nil {
			c.Close()
			t.Errorf("%s logs in", name)
		}
	}
	newOutsider(t, "other").refused(t, h.Host, "designer", "with a key of others")
	for _, n := range []*Tenant{a, b} {
		if out, err := n.try("ls", "/var/lib/hostler-sftp/designer"+a.Base); err == nil {
			t.Errorf("%s sees the directory through the mount: %s", n.User, out)
		}
	}
	if out := h.root(t, "findmnt", "-n", "-o", "OPTIONS", "/var/lib/hostler-sftp/designer"+a.Base); !strings.Contains(out, "nosuid") ||
		!strings.Contains(out, "nodev") ||
		!strings.Contains(out, "noexec") {
		t.Errorf("the mount is %s", out)
	}
	// Whatever is in place of the site, root mounts nothing of others.
	for _, lead := range []string{b.Base, "/root", "/etc"} {
		a.run(t, "sh", "-c", `mv "$1" "$1.was" && ln -s "$2" "$1"`, "sh", a.Base, lead)
		out, err := h.Host.TryExec("systemctl", "restart", "hostler-sftp-designer.service")
		if err == nil {
			t.Errorf("%s in place of the site is mounted: %s", lead, out)
		}
		if mounts := h.root(t, "sh", "-c", "grep hostler-sftp /proc/mounts; true"); mounts != "" {
			t.Errorf("with a link to %s there is %s", lead, mounts)
		}
		a.run(t, "sh", "-c", `rm "$1" && mv "$1.was" "$1"`, "sh", a.Base)
	}
	h.root(t, "systemctl", "restart", "hostler-sftp-designer.service")
}

// Settings that others have are kept and do not keep a user out; where one would let a user out of its site, the user is not let in. Names of accounts are left
// to them, and a site goes with its users although one is connected.
func TestSFTPUserBesideOtherSettings(t *testing.T) {
	w := tenantWorld(t)
	h := w.MariaDB
	const lists, first = "/etc/ssh/sshd_config.d/90-people.conf", "/etc/ssh/sshd_config.d/00-aaa.conf"
	h.root(t, "cp", "-a", "/etc/ssh/sshd_config", "/root/sshd_config.was")
	t.Cleanup(func() {
		h.root(t, "sh", "-c", "mv /root/sshd_config.was /etc/ssh/sshd_config; rm -f "+lists+" "+first+"; systemctl reload ssh; userdel claimed; true")
	})
	h.Host.WriteFile(t, lists, []byte("AllowUsers root forge\nAllowGroups root forge\nMatch User forge\n  X11Forwarding no\n"), 0o644)
	h.root(t, "sh", "-c", `printf 'Match Group nogroup\n  X11Forwarding no\n' >>/etc/ssh/sshd_config && sshd -t && systemctl reload ssh`)
	o, a := newOutsider(t, "one"), h.Alice
	path := a.sftpUser(t, "x-y_z", nil, o)
	_, files := o.enters(t, h.Host, "x-y_z")
	if _, err := files.ReadDir("public"); err != nil {
		t.Error(err)
	}
	if out := h.root(t, "systemctl", "is-enabled", "hostler-sftp-x-y_z.service"); out != "enabled\n" {
		t.Errorf("when the server starts, the directory is %s", out)
	}
	w.Want(t, http.StatusAccepted, http.MethodDelete, path, nil)
	w.Gone(t, 2*time.Minute, path)

	many := h.Path("/sites/" + a.Site.ID + "/sftp-users")
	refused := func(name, why string) {
		t.Helper()
		at := many + "/" + w.Want(t, http.StatusAccepted, http.MethodPost, many, map[string]any{"name": name, "keys": lines([]outsider{o})}).Data.ID
		r := w.Settled(t, 2*time.Minute, at)
		if out := w.Output(t, h.Server, r.Operation().EventID); r.Text("status") != "failed" || !strings.Contains(out+r.Operation().Reason, why) {
			t.Errorf("%s is %s: %s\n%s", name, r.Text("status"), r.Operation().Reason, out)
		}
		o.refused(t, h.Host, name, "although it was refused")
		w.Want(t, http.StatusAccepted, http.MethodDelete, at, nil)
		w.Gone(t, 2*time.Minute, at)
		if left := h.root(t, "sh", "-c",
			"ls /etc/ssh/sshd_config.d /etc/ssh/hostler-sftp /var/lib/hostler-sftp /etc/systemd/system | grep -e "+name+"; true"); left != "" {
			t.Errorf("of %s there is left: %s", name, left)
		}
	}
	h.Host.WriteFile(t, first, []byte("Match User over-ridden\n  ForceCommand /bin/sh\n"), 0o644)
	refused("over-ridden", "would not confine over-ridden")
	h.root(t, "rm", first)
	h.root(t, "useradd", "claimed")
	refused("claimed", "existed on this server before")
	h.root(t, "id", "claimed")

	site := w.Want(t, http.StatusAccepted, http.MethodPost, h.Path("/sites"), map[string]any{
		"type": "static-html", "name": "carol.example.com", "is_isolated": true, "isolated_user": "carol",
	}).Data
	w.Settled(t, 3*time.Minute, "/sites/"+site.ID)
	carol := &Tenant{host: h, User: "carol", Domain: "carol.example.com", Home: "/home/carol", Base: "/home/carol/carol.example.com", Site: site}
	carol.sftpUser(t, "carols", nil, o)
	conn, _ := o.enters(t, h.Host, "carols")
	w.Want(t, http.StatusAccepted, http.MethodDelete, h.Path("/sites/"+site.ID), nil)
	w.Gone(t, 5*time.Minute, "/sites/"+site.ID)
	closed(t, conn, "although its site was deleted")
	o.refused(t, h.Host, "carols", "although its site was deleted")
	if left := h.root(t, "sh", "-c",
		"grep -rl carol /etc/passwd /etc/shadow /etc/group /etc/ssh /etc/systemd/system /proc/mounts; ls /var/lib/hostler-sftp; true"); left != "" {
		t.Errorf("of the site there is left: %s", left)
	}
	w.unharmed(t)
}
