package passwd

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Accounts are found by name and by id, and belong to the groups that list them; lines of another form are left out.
func TestFiles(t *testing.T) {
	t.Parallel()
	f := Files{Root: t.TempDir()}
	if _, found, err := f.Account("web"); found || err != nil {
		t.Errorf("without a file there is one: %v, %v", found, err)
	}
	if err := os.Mkdir(filepath.Join(f.Root, "etc"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"passwd": "root:x:0:0::/root:/bin/sh\n+::::::::\nweb:x:4001:4002::/home/web:/bin/bash\nsame:x:4001:1::/:/bin/sh\nbad:x:one:1::/:/bin/sh\n",
		"group":  "root:x:0:\nmany:x:4100:" + strings.Repeat("member,", 20_000) + "last\nweb:x:4002:\nextra:x:4003:me,web\nadm:x:4:me\nempty:x:5:\n",
	} {
		if err := os.WriteFile(filepath.Join(f.Root, "etc", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := Account{Name: "web", Home: "/home/web", Shell: "/bin/bash", UID: 4001, GID: 4002}
	if acc, found, err := f.Account("web"); acc != want || !found || err != nil {
		t.Errorf("web is %+v, %v, %v", acc, found, err)
	}
	if acc, found, err := f.ByID(4001); acc != want || !found || err != nil {
		t.Errorf("4001 is %+v, %v, %v", acc, found, err)
	}
	if _, found, err := f.ByID(1); found || err != nil {
		t.Errorf("1 is there: %v, %v", found, err)
	}
	if _, _, err := f.Account("bad"); err == nil {
		t.Error("an id that is no number is read")
	}
	if ids, err := f.IDs(); err != nil || !ids["0"] || !ids["4001"] || ids["1"] {
		t.Errorf("ids are %v, %v", ids, err)
	}
	if gid, members, found, err := f.Group("extra"); gid != 4003 || !slices.Equal(members, []string{"me", "web"}) || !found || err != nil {
		t.Errorf("extra is %d with %v, %v, %v", gid, members, found, err)
	}
	if gids, err := f.GroupsOf("me"); err != nil || !slices.Equal(gids, []uint32{4003, 4}) {
		t.Errorf("me is in %v, %v", gids, err)
	}
}
