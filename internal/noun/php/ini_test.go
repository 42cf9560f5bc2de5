package php

import (
	"strings"
	"testing"
)

func TestConfigurations(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		check func(string) (string, error)
		text  string
		want  string // of the error, "" for none
	}{
		"nothing": {checkINI, "", ""},
		"settings": {
			checkINI,
			"; mine\r\n[PHP]\r\nmemory_limit = 256M\r\n\r\nerror_reporting = E_ALL & ~E_DEPRECATED\ndisable_functions = exec, system\n", "",
		},
		"a quoted value":      {checkINI, `date.timezone = "Europe/Berlin"`, ""},
		"a setting of pools":  {checkINI, "pm = static", "line 1: pm can't be set"},
		"code":                {checkINI, "memory_limit=1G\n\nextension = /home/forge/x.so", "line 3: extension can't be set"},
		"code, by another":    {checkINI, "zend_extension=x", "can't be set"},
		"a file for requests": {checkINI, "auto_prepend_file = /tmp/x.php", "can't be set"},
		"a program":           {checkINI, "sendmail_path = /bin/sh", "can't be set"},
		"a section of paths":  {checkINI, "[PATH=/home]", "is no setting"},
		"an environment":      {checkINI, "session.name = ${HOME}", "takes a word"},
		"a long value":        {checkINI, "date.timezone = \"UTC\nextension=x\"", "line 1"},
		"a control character": {checkINI, "; a\x00b", "control character"},
		"a carriage return":   {checkINI, "; a\rextension=x", "can't be set"},
		"for all versions":    {checkINI, "upload_max_filesize = 1G", "with max-upload-size"},
		"pools": {
			checkPool,
			"pm = dynamic\npm.start_servers = 2\npm.process_idle_timeout = 10s\nphp_admin_value[memory_limit] = 64M\nphp_flag[display_errors] = on\n", "",
		},
		"another account":    {checkPool, "user = root", "line 1: user can't be set"},
		"another group":      {checkPool, "pm=static\ngroup=shadow", "line 2: group can't be set"},
		"another socket":     {checkPool, "listen = /run/x.sock", "can't be set"},
		"another pool":       {checkPool, "[other]", "is no setting"},
		"another file":       {checkPool, "include = /home/forge/*.conf", "can't be set"},
		"an environment var": {checkPool, "env[LD_PRELOAD] = /tmp/x.so", "env can't be set"},
		"code of a pool":     {checkPool, "php_admin_value[extension] = x", "extension can't be set"},
		"the shared memory":  {checkPool, "php_admin_flag[opcache.validate_permission] = off", "opcache.validate_permission can't be set"},
		"a log":              {checkPool, "slowlog = /etc/passwd", "can't be set"},
		"no manager":         {checkPool, "pm = banana", "static, dynamic or ondemand"},
		"no flag":            {checkPool, "php_flag[memory_limit] = on", "is no flag"},
		"too much":           {checkPool, strings.Repeat("; x\n", maxText), "larger than 64 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := tt.check(tt.text)
			if tt.want == "" && (err != nil || strings.Contains(text, "\r")) {
				t.Errorf("refused: %v, or kept as it was: %q", err, text)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("the error is %v, want %q", err, tt.want)
			}
		})
	}
}
