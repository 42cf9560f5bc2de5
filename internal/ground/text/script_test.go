package text_test

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/text"
)

// What people paste runs, whatever their editor made of its lines.
func TestPastedScripts(t *testing.T) {
	t.Parallel()
	for pasted, want := range map[string]string{
		"#!/bin/bash\r\necho one\r\nif true; then\r\n  echo two\r\nfi\r\n": "#!/bin/bash\necho one\nif true; then\n  echo two\nfi\n",
		"echo one\r\necho two":              "#!/bin/sh\necho one\necho two\n",
		"echo one\r\necho two\r":            "#!/bin/sh\necho one\necho two\n",
		"\ufeff#!/bin/bash\necho\n":         "#!/bin/bash\necho\n",
		"\ufeff\r\n\r\n#!/bin/bash\r\necho": "#!/bin/bash\necho\n",
		"\n  #!/usr/bin/env python3\nx = 1": "#!/usr/bin/env python3\nx = 1\n",
		"echo one\recho two\r":              "#!/bin/sh\necho one\necho two\n",
		"printf 'a\rb'\necho":               "#!/bin/sh\nprintf 'a\rb'\necho\n", // its own
		"cat <<E\r\na\r\nE\r\n":             "#!/bin/sh\ncat <<E\na\nE\n",
		"":                                  "#!/bin/sh\n\n",
		"echo one\r\r\nif true; then\r\r\necho two\r\nfi\r\r\r\n": "#!/bin/sh\necho one\nif true; then\necho two\nfi\n", // converted twice
	} {
		if got := text.Script("/bin/sh", pasted); got != want {
			t.Errorf("%q is %q, want %q", pasted, got, want)
		}
	}
}

// A script from a page is the same without the fence of Markdown, and with spaces that a shell knows.
func TestScriptFromAPage(t *testing.T) {
	t.Parallel()
	for pasted, want := range map[string]string{
		"```bash\r\ncd\u00a0/srv\r\nmake\r\n```\r\n": "#!/bin/sh\ncd /srv\nmake\n",
		"```\n#!/usr/bin/env php\n<?php\n```":        "#!/usr/bin/env php\n<?php\n",
		"$ cd /srv\n$ git pull\n\n":                  "#!/bin/sh\ncd /srv\ngit pull\n\n",
		"$ cd /srv\nAlready there.\n":                "#!/bin/sh\n$ cd /srv\nAlready there.\n",
		"echo `date`\n":                              "#!/bin/sh\necho `date`\n",
		"cat <<'E'\n```sh\nx\n```\nE\n":              "#!/bin/sh\ncat <<'E'\n```sh\nx\n```\nE\n",
	} {
		if got := text.Script("/bin/sh", pasted); got != want {
			t.Errorf("%q becomes %q, want %q", pasted, got, want)
		}
	}
}
