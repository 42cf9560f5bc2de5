package php

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/text"
)

// maxText is the largest configuration, in bytes.
const maxText = 64 << 10

// kind is what a directive takes.
type kind int

const (
	boolean  kind = iota
	number        // digits, or -1
	size          // bytes, with K, M or G
	word          // letters, digits and . _ - /
	names         // words with commas and spaces between them
	levels        // constants of errors and operators
	duration      // digits, with s, m, h or d
	manager       // how FPM manages processes
)

var shapes = map[kind]*regexp.Regexp{
	boolean:  regexp.MustCompile(`^(?i:on|off|yes|no|true|false|0|1)$`),
	number:   regexp.MustCompile(`^(-1|[0-9]{1,10})$`),
	size:     regexp.MustCompile(`^(-1|[0-9]{1,12}[KMGkmg]?)$`),
	word:     regexp.MustCompile(`^[A-Za-z0-9._/-]{1,100}$`),
	names:    regexp.MustCompile(`^[A-Za-z0-9._, -]*$`),
	levels:   regexp.MustCompile(`^[A-Z0-9_&|~^() -]{1,400}$`),
	duration: regexp.MustCompile(`^[0-9]{1,8}[smhd]?$`),
	manager:  regexp.MustCompile(`^(static|dynamic|ondemand)$`),
}

var takes = map[kind]string{
	boolean: "on or off", number: "a number", size: "a size such as 256M", word: "a word", names: "words", levels: "constants such as E_ALL",
	duration: "a time such as 30s", manager: "static, dynamic or ondemand",
}

// directives are those of PHP that may be set. FPM's main process reads them as root, and every site runs with them: none names a file, a directory, a
// program or an address, loads code, or opens what the pool of a site closes.
var directives = table(map[kind]string{
	boolean: `allow_url_fopen apc.enable_cli assert.active display_errors display_startup_errors expose_php file_uploads html_errors ignore_repeated_errors
		ignore_repeated_source implicit_flush log_errors mail.add_x_header opcache.enable_cli opcache.save_comments opcache.validate_timestamps pcre.jit
		register_argc_argv report_memleaks session.cookie_httponly session.cookie_secure session.use_cookies session.use_only_cookies
		session.use_strict_mode short_open_tag zend.enable_gc zend.exception_ignore_args zlib.output_compression`,
	number: `default_socket_timeout max_file_uploads max_input_nesting_level max_input_time max_input_vars mysqli.max_links mysqli.max_persistent
		opcache.interned_strings_buffer opcache.max_accelerated_files opcache.max_wasted_percentage opcache.memory_consumption opcache.revalidate_freq
		output_buffering pcre.backtrack_limit pcre.recursion_limit precision realpath_cache_ttl serialize_precision session.cache_expire
		session.cookie_lifetime session.gc_divisor session.gc_maxlifetime session.gc_probability session.lazy_write session.sid_length
		zend.assertions zend.exception_string_param_max_len zlib.output_compression_level`,
	size:   `apc.shm_size memory_limit opcache.jit_buffer_size realpath_cache_size`,
	word:   `date.timezone default_charset default_mimetype opcache.jit request_order session.cache_limiter session.cookie_samesite session.name variables_order`,
	names:  `disable_classes disable_functions`,
	levels: `error_reporting`,
})

// poolDirectives are those of FPM that the pools of an account may have. Account, socket and what follows from them are Hostler's.
var poolDirectives = table(map[kind]string{
	manager:  `pm`,
	number:   `pm.max_children pm.max_requests pm.max_spare_servers pm.max_spawn_rate pm.min_spare_servers pm.start_servers rlimit_files`,
	duration: `pm.process_idle_timeout`,
	boolean:  `catch_workers_output decorate_workers_output`,
})

// elsewhere are directives with an operation of their own, for all versions.
var elsewhere = map[string]string{
	"upload_max_filesize": "max-upload-size", "post_max_size": "max-upload-size", "max_execution_time": "max-execution-time",
	"request_terminate_timeout": "max-execution-time", "opcache.enable": "opcache",
}

func table(of map[kind]string) map[string]kind {
	out := map[string]kind{}
	for k, text := range of {
		for name := range strings.FieldsSeq(text) {
			out[name] = k
		}
	}
	return out
}

var (
	section    = regexp.MustCompile(`^\[[A-Za-z0-9 _-]{1,64}\]$`)
	assignment = regexp.MustCompile(`^([A-Za-z0-9_.]{1,100})(?:\[([A-Za-z0-9_.]{1,100})\])?[ \t]*=[ \t]*(.*)$`)
	quoted     = regexp.MustCompile(`^"([^"\\$]*)"$`)
)

// checkINI reads the settings of FPM or of the command line. PHP's own reader interprets far more than these lines have: constants, variables of the
// environment, values of several lines. It returns the text with its line ends made even.
func checkINI(text string) (string, error) {
	return lines(text, func(line string) error {
		if section.MatchString(line) { // sections mean nothing, except for those with a path or a host
			return nil
		}
		m := assignment.FindStringSubmatch(line)
		if m == nil || m[2] != "" {
			return fmt.Errorf("%q is no setting", line)
		}
		return check(m[1], m[3], directives)
	})
}

// checkPool reads lines for the pools of an account.
func checkPool(text string) (string, error) {
	flags := []string{"php_flag", "php_admin_flag"}
	values := []string{"php_value", "php_admin_value"}
	return lines(text, func(line string) error {
		m := assignment.FindStringSubmatch(line)
		switch {
		case m == nil:
			return fmt.Errorf("%q is no setting", line)
		case m[2] == "":
			return check(m[1], m[3], poolDirectives)
		case slices.Contains(flags, m[1]):
			if k, known := directives[m[2]]; known && k != boolean {
				return fmt.Errorf("%s is no flag", m[2])
			}
			return check(m[2], m[3], directives)
		case slices.Contains(values, m[1]):
			return check(m[2], m[3], directives)
		}
		return fmt.Errorf("%s can't be set", m[1])
	})
}

func check(name, value string, allowed map[string]kind) error {
	if where := elsewhere[name]; where != "" {
		return fmt.Errorf("%s is set for all versions, with %s", name, where)
	}
	k, ok := allowed[name]
	if !ok {
		return fmt.Errorf("%s can't be set", name)
	}
	if m := quoted.FindStringSubmatch(value); m != nil {
		value = m[1]
	}
	if !shapes[k].MatchString(value) {
		return fmt.Errorf("%s takes %s, not %s", name, takes[k], strconv.Quote(value))
	}
	return nil
}

// lines checks each line that is neither empty nor a comment. An error says its number.
func lines(pasted string, check func(line string) error) (string, error) {
	pasted = text.Unix(pasted)
	if len(pasted) > maxText {
		return "", fmt.Errorf("the configuration is larger than %d KiB", maxText>>10)
	}
	n := 0
	for line := range strings.Lines(pasted) {
		n++
		line = strings.TrimRight(line, "\n")
		if i := strings.IndexFunc(line, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }); i >= 0 {
			return "", &lineError{n, errors.New("there is a control character")}
		}
		line = strings.Trim(line, " \t")
		if line == "" || strings.HasPrefix(line, ";") {
			continue
		}
		if err := check(line); err != nil {
			return "", &lineError{n, err}
		}
	}
	return pasted, nil
}

// lineError is why a line of a configuration is refused.
type lineError struct {
	line int
	why  error
}

func (e *lineError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.why) }
