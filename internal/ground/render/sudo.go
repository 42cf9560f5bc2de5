package render

import (
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Sudo returns the rule under which an account of sites reloads its PHP and restarts its background processes, as deploy scripts do it: "sudo -S service
// php8.4-fpm reload", "sudo supervisorctl restart daemon-7:*" (sudoers(5)). It allows two of our programs, which are first in
// secure_path. For service it lists the allowed arguments, so that other rules of the account keep working. The shared account may reload its PHP by the
// system's programs too, since tools that deploy over SSH name them; for an isolated account these would reload what others share.
func Sudo(user value.UnixUser, shared bool) string {
	service, supervisor := wire.SudoDirectory+"/service", wire.SudoDirectory+"/supervisorctl"
	commands := []string{supervisor}
	seen := map[string]bool{"5": true} // was never installed beside another
	for _, v := range value.PHPVersions() {
		if seen[v.Dotted()] {
			continue
		}
		seen[v.Dotted()] = true
		for _, verb := range []string{"reload", "restart"} {
			unit := "php" + v.Dotted() + "-fpm"
			commands = append(commands, service+" "+unit+" "+verb)
			if shared {
				commands = append(commands, "/usr/sbin/service "+unit+" "+verb,
					"/usr/bin/systemctl "+verb+" "+unit, "/usr/bin/systemctl "+verb+" "+unit+".service")
			}
		}
	}
	return fmt.Sprintf(`# Written by Hostler; changes are overwritten.
Defaults:%[1]s secure_path="%[2]s:%[4]s"
%[1]s ALL=(root) NOPASSWD: %[3]s
`, user, wire.SudoDirectory, strings.Join(commands, ", \\\n    "), wire.SearchPath)
}
