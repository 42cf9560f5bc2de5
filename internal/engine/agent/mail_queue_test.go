package agent

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// records are the file of a mail in Postfix's queue: each text begins with the letter of its record.
func records(texts ...string) string {
	var b strings.Builder
	for _, t := range texts {
		b.WriteByte(t[0])
		n := len(t) - 1
		for ; n >= 0x80; n >>= 7 {
			b.WriteByte(byte(n&0x7f | 0x80))
		}
		b.WriteByte(byte(n))
		b.WriteString(t[1:])
	}
	return b.String()
}

// What a tenant had in the queues of Postfix and Exim is not sent after its last site; mail of others is.
func TestTenantSendsMailAfterItsLastSite(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.accounts()
	b.program("postsuper", `echo "postsuper $*" >>"$root/log"; sed 's/^/postsuper reads /' >>"$root/log"`)
	b.program("exim4", `echo "exim4 $*" >>"$root/log"`)
	b.mustRun(changeRun("create", firstOwner()))
	const uid = 4003 // which the account has
	received := func(uid int) string { return fmt.Sprintf("NReceived: by web-1 (Postfix, from userid %d)", uid) }
	head := []string{
		"C            1234             567               1               0        1234", "T1764270000 0", "Arewrite_context=local",
		"Sshop@web-1", "Rsomeone@example.com", "M",
	}
	pad := "N" + strings.Repeat("x", 300)
	for path, texts := range map[string][]string{
		"deferred/A/AAAAAAAA01": append(slices.Clone(head), received(uid), "N\tid AAAAAAAA01; now", "NFrom: shop", pad),
		"active/4cXnBk1BZ2z1":   append(slices.Clone(head), "p0", received(uid)),
		"hold/AAAAAAAA02":       append(slices.Clone(head), received(uid+1)),
		"incoming/AAAAAAAA03":   append(slices.Clone(head), "NReceived: from x (Postfix, from userid 4003) by web-1", received(uid)), // over SMTP
		"deferred/A/AAAAAAAA04": append(slices.Clone(head), "NFrom: shop", received(uid)),                                            // in its text
	} {
		b.write(postfixSpool+path, records(texts...))
	}
	// A filter put a header before the first: the list goes on elsewhere.
	moved := records(append(slices.Clone(head), "p            ")...)
	moved = moved[:len(moved)-14] + records(fmt.Sprintf("p%12d", len(moved)+50))
	b.write(postfixSpool+"deferred/B/BBBBBBBB05", moved+strings.Repeat(" ", len(moved)+50-len(moved))+records(received(uid)))
	b.write(postfixSpool+"deferred/B/broken", "\xff\xff\xff\xff\xff")
	b.write(eximSpool+"/1vOaaa-0001Ab-2X-H", "1vOaaa-0001Ab-2X-H\nshop 4003 4003\n<shop@web-1>\n")
	b.write(eximSpool+"/a/1vOaaa-00000000001-0abc-H", "1vOaaa-00000000001-0abc-H\nshop 4003 4003\n<shop@web-1>\n")
	b.write(eximSpool+"/1vOaab-0001Ab-2X-H", "1vOaab-0001Ab-2X-H\nroot 0 0\n<4003@web-1>\nshop 4003 4003\n")
	if err := os.Remove(b.path("/log")); err != nil {
		t.Fatal(err)
	}
	b.mustRun(changeRun("delete", retire(false)))
	var got []string
	for line := range strings.Lines(b.log()) {
		if id, ok := strings.CutPrefix(line, "postsuper reads "); ok {
			got = append(got, strings.TrimSpace(id))
		}
	}
	slices.Sort(got)
	if want := []string{"4cXnBk1BZ2z1", "AAAAAAAA01", "BBBBBBBB05"}; !slices.Equal(got, want) {
		t.Errorf("Postfix was told to remove %q, want %q\n%s", got, want, b.log())
	}
	if !strings.Contains(b.log(), "exim4 -Mrm 1vOaaa-0001Ab-2X a") && !strings.Contains(b.log(), "exim4 -Mrm 1vOaaa-0001Ab-2X 1vOaaa-00000000001-0abc\n") {
		t.Errorf("Exim was told\n%s", b.log())
	}
}
