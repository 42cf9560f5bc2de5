package render

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// ServiceUpstream returns nginx's file with the port of the site's live program (ngx_http_upstream_module). Each deployment
// switches it on the host, so a plan writes it only if it does not exist.
func ServiceUpstream(siteID int64, port value.Port) (string, error) {
	if siteID <= 0 || port.IsZero() {
		return "", errors.New("an upstream needs its site and a port")
	}
	c := conf{}
	c.line("# Written by Hostler with each deployment; changes are overwritten.")
	c.open("upstream %s", UpstreamName(siteID))
	c.line("server 127.0.0.1:%s;", port)
	c.close()
	return c.b.String(), c.err
}

// ServiceUnitInput is the program of a site in one of its two slots.
type ServiceUnitInput struct {
	SiteID    int64
	Name      string // of the site, for display
	Port      value.Port
	User      value.UnixUser // its group has the same name
	Directory value.AbsPath  // of the release
	Argv      []string       // the first is an absolute path
	Path      string         // a directory of programs that comes before the system's, "" for none
	EnvFile   value.AbsPath
	Isolated  bool // the account is an isolated site's
	Share     Share
}

// ServiceUnit returns a systemd unit (systemd.service(5)). The program is restarted whenever it ends, and is asked to end before
// it is killed. Nothing in its directory is read or written as root: its output goes to the journal, its variables are in a file
// of root's.
func ServiceUnit(in ServiceUnitInput) (string, error) {
	if in.SiteID <= 0 || in.Port.IsZero() || in.User.IsZero() || in.User.String() == "root" || in.Directory.IsZero() ||
		in.EnvFile.IsZero() || len(in.Argv) == 0 || !strings.HasPrefix(in.Argv[0], "/") {
		return "", errors.New("the unit of a program needs its site, port, account, directory and command")
	}
	name, err := systemdText(in.Name)
	if err != nil {
		return "", err
	}
	directory, err := systemdText(in.Directory.String())
	if err != nil {
		return "", err
	}
	file, err := systemdText(in.EnvFile.String())
	if err != nil {
		return "", err
	}
	words := make([]string, len(in.Argv))
	for i, arg := range in.Argv {
		if words[i], err = systemdQuote(arg); err != nil {
			return "", err
		}
	}
	walls := "ProtectProc=invisible\nProtectSystem=full\n"
	if in.Isolated {
		walls = enclosure(in.User)
	}
	walls = in.Share.lines() + walls
	search := ""
	if in.Path != "" {
		word, err := systemdQuote("PATH=" + in.Path + ":" + wire.SearchPath)
		if err != nil {
			return "", err
		}
		search = "Environment=" + word + "\n"
	}
	return fmt.Sprintf(`# Written by Hostler with each deployment; changes are overwritten.
[Unit]
Description=Hostler: %s on port %s
After=network.target
StartLimitIntervalSec=0

[Service]
Type=exec
User=%s
Group=%[3]s
WorkingDirectory=%[4]s
Environment=NODE_ENV=production HOST=127.0.0.1
%[9]sEnvironmentFile=%[5]s
ExecStart=%[6]s
Restart=always
RestartSec=1
TimeoutStopSec=15
SyslogIdentifier=hostler-site-%[7]d
NoNewPrivileges=yes
%[8]s
[Install]
WantedBy=multi-user.target
`, name, in.Port, in.User, directory, file, strings.Join(words, " "), in.SiteID, walls, search), nil
}

// systemdText returns s as a whole value other than a command line: "%" begins specifiers there as well (systemd.unit(5)).
func systemdText(s string) (string, error) {
	if err := oneLine("systemd", s); err != nil {
		return "", err
	}
	return strings.ReplaceAll(s, "%", "%%"), nil
}
