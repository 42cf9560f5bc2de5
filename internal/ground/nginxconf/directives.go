package nginxconf

import "strings"

// rule is the allowed contexts of a directive and the check of its arguments beyond the variables that they name; nil for none.
type rule struct {
	in    place
	check func(j *judge, args []string)
}

// directives are everything that a site can use. A directive belongs here only if it stays within the site whatever its
// arguments: it opens no file, socket or name that its check does not restrict, and it changes nothing for the other sites of the
// server.
var directives = func() map[string]rule {
	out := map[string]rule{}
	add := func(in place, check func(*judge, []string), names string) {
		for _, name := range strings.Fields(names) {
			out[name] = rule{in, check}
		}
	}
	const serverOrLocation = inServer | inLocation
	const withIf = serverOrLocation | inIf

	// Blocks.
	add(inTop, (*judge).server, "server")
	add(inServer|inLocation, nil, "location")
	add(inServer|inLocation, (*judge).condition, "if")
	add(inLocation, nil, "limit_except")
	add(inTop, (*judge).upstream, "upstream")
	add(inTop, func(j *judge, args []string) { j.made(args, 1) }, "map split_clients")
	add(inTop, func(j *judge, args []string) { j.made(args, len(args)-1) }, "geo")
	add(serverOrLocation, nil, "types")

	// Names of a vhost.
	add(inServer, (*judge).listen, "listen")
	add(inServer, (*judge).names, "server_name")
	add(inServer, (*judge).certificate, "ssl_certificate ssl_certificate_key")
	add(inServer, (*judge).sessions, "ssl_session_cache")
	add(inServer, only("off"), "ssl_stapling ssl_session_tickets")
	add(inServer, (*judge).protocols, "ssl_protocols")
	add(inServer, nil, `ssl_ciphers ssl_prefer_server_ciphers ssl_session_timeout ssl_ecdh_curve ssl_early_data http2`)
	add(serverOrLocation, (*judge).include, "include")

	// Files.
	add(withIf, (*judge).root, "root")
	add(inLocation, (*judge).alias, "alias")
	add(serverOrLocation, (*judge).tries, "try_files")
	add(serverOrLocation, (*judge).index, "index")
	add(withIf, (*judge).uris, "error_page rewrite")
	add(serverOrLocation, (*judge).subrequest, "auth_request mirror")
	add(withIf, only("if_not_owner", "on"), "disable_symlinks")
	add(withIf, (*judge).accessLog, "access_log")
	add(serverOrLocation, (*judge).errorLog, "error_log")
	add(inTop, (*judge).logFormat, "log_format")
	add(inRequest, (*judge).users, "auth_basic_user_file")
	add(inTop, (*judge).cachePath, "proxy_cache_path fastcgi_cache_path")
	add(serverOrLocation, (*judge).zone, "proxy_cache fastcgi_cache")

	// Upstream programs.
	add(inRequest, (*judge).proxyPass, "proxy_pass")
	add(inLocation|inIf, (*judge).fastcgiPass, "fastcgi_pass")
	add(withIf, (*judge).param, "fastcgi_param")
	add(serverOrLocation, plainPath, "fastcgi_index")
	add(serverOrLocation, only(systemCertificates), "proxy_ssl_trusted_certificate")
	add(inUpstream, (*judge).sharedZone, "zone")
	add(inUpstream, nil, "least_conn ip_hash hash random keepalive keepalive_requests keepalive_timeout keepalive_time")

	// Limits whose zones are shared by name across all sites.
	add(inTop, (*judge).limitZone, "limit_req_zone limit_conn_zone")
	add(withIf, (*judge).limit, "limit_req")
	add(withIf, (*judge).limitConn, "limit_conn")

	// Directives that use memory for each request or connection.
	add(inRequest, (*judge).sizes, `client_body_buffer_size client_header_buffer_size large_client_header_buffers gzip_buffers output_buffers
		proxy_buffer_size proxy_buffers proxy_busy_buffers_size proxy_temp_file_write_size subrequest_output_buffer_size ssl_buffer_size
		fastcgi_buffer_size fastcgi_buffers fastcgi_busy_buffers_size fastcgi_temp_file_write_size`)

	// Directives that affect only the answer.
	add(withIf, (*judge).set, "set auth_request_set")
	add(withIf, nil, "return break rewrite_log")
	add(inLocation, nil, "internal empty_gif")
	add(inRequest, nil, `allow deny auth_basic satisfy`)
	add(withIf, nil, `add_header add_trailer expires charset charset_types override_charset source_charset default_type gzip gzip_comp_level gzip_disable
		gzip_http_version gzip_min_length gzip_proxied gzip_static gzip_types gzip_vary gunzip sub_filter sub_filter_last_modified sub_filter_once
		sub_filter_types sendfile sendfile_max_chunk limit_rate limit_rate_after`)
	add(serverOrLocation, nil, `absolute_redirect chunked_transfer_encoding client_body_in_single_buffer client_body_timeout client_header_timeout
		client_max_body_size etag if_modified_since ignore_invalid_headers keepalive_disable keepalive_requests keepalive_time keepalive_timeout
		limit_conn_dry_run limit_conn_log_level limit_conn_status limit_req_dry_run limit_req_log_level limit_req_status lingering_close lingering_time
		lingering_timeout log_not_found log_subrequest max_ranges merge_slashes mirror_request_body msie_padding msie_refresh port_in_redirect
		postpone_output real_ip_header real_ip_recursive recursive_error_pages referer_hash_bucket_size reset_timedout_connection secure_link
		secure_link_md5 secure_link_secret send_timeout server_name_in_redirect server_tokens set_real_ip_from tcp_nodelay tcp_nopush
		types_hash_bucket_size types_hash_max_size underscores_in_headers valid_referers`)
	add(serverOrLocation, only("off"), "client_body_in_file_only")
	add(serverOrLocation, nil, `proxy_buffering proxy_cache_background_update proxy_cache_bypass proxy_cache_convert_head proxy_cache_key proxy_cache_lock
		proxy_cache_lock_age proxy_cache_lock_timeout proxy_cache_max_range_offset proxy_cache_methods proxy_cache_min_uses proxy_cache_revalidate
		proxy_cache_use_stale proxy_cache_valid proxy_connect_timeout proxy_cookie_domain proxy_cookie_flags proxy_cookie_path proxy_force_ranges
		proxy_hide_header proxy_http_version proxy_ignore_client_abort proxy_ignore_headers proxy_intercept_errors proxy_limit_rate
		proxy_max_temp_file_size proxy_method proxy_next_upstream proxy_next_upstream_timeout proxy_next_upstream_tries proxy_no_cache
		proxy_pass_header proxy_pass_request_body proxy_pass_request_headers proxy_read_timeout proxy_redirect proxy_request_buffering
		proxy_send_lowat proxy_send_timeout proxy_set_body proxy_set_header proxy_socket_keepalive proxy_ssl_ciphers proxy_ssl_name
		proxy_ssl_protocols proxy_ssl_server_name proxy_ssl_session_reuse proxy_ssl_verify proxy_ssl_verify_depth`)
	add(serverOrLocation, nil, `fastcgi_buffering fastcgi_cache_background_update fastcgi_cache_bypass fastcgi_cache_key fastcgi_cache_lock
		fastcgi_cache_lock_age fastcgi_cache_lock_timeout fastcgi_cache_max_range_offset fastcgi_cache_methods fastcgi_cache_min_uses
		fastcgi_cache_revalidate fastcgi_cache_use_stale fastcgi_cache_valid fastcgi_catch_stderr fastcgi_connect_timeout fastcgi_force_ranges
		fastcgi_hide_header fastcgi_ignore_client_abort fastcgi_ignore_headers fastcgi_intercept_errors fastcgi_keep_conn fastcgi_limit_rate
		fastcgi_max_temp_file_size fastcgi_next_upstream fastcgi_next_upstream_timeout fastcgi_next_upstream_tries fastcgi_no_cache
		fastcgi_pass_header fastcgi_pass_request_body fastcgi_pass_request_headers fastcgi_read_timeout fastcgi_request_buffering fastcgi_send_lowat
		fastcgi_send_timeout fastcgi_socket_keepalive fastcgi_split_path_info`)
	return out
}()

// modules are the beginnings of directives of modules that Debian's nginx does not load, with what to write instead.
var modules = map[string]string{
	"brotli":      "gzip compresses the same",
	"zstd":        "gzip compresses the same",
	"more_":       "add_header sets headers, and proxy_hide_header and fastcgi_hide_header leave them out",
	"pagespeed":   "leave it out",
	"modsecurity": "leave it out",
	"passenger":   "let the site have a start command, and http://hostler_… lead to it",
	"http3":       "leave it out, visitors use HTTP/2",
	"quic":        "leave it out, visitors use HTTP/2",
}

const autoindex = "follows links out of the site when it lists a directory: write the list as a page, index.html when the site " +
	"is built or index.php"

// refused explains why a well-known directive is not among them.
var refused = map[string]string{
	"autoindex_exact_size":      "is for autoindex, which " + autoindex,
	"resolver":                  "would let nginx look names up and connect to what they lead to",
	"load_module":               "loads code into nginx",
	"user":                      "is a setting of the whole server",
	"ssl_trusted_certificate":   "reads a file as root",
	"ssl_dhparam":               "reads a file as root",
	"ssl_client_certificate":    "reads a file as root",
	"autoindex":                 autoindex,
	"open_file_cache":           "keeps files open, of which nginx has one number for all sites",
	"stub_status":               "shows what all sites do",
	"proxy_bind":                "would let nginx speak from an address of its choice",
	"uwsgi_pass":                "can't be bound to the site",
	"scgi_pass":                 "can't be bound to the site",
	"grpc_pass":                 "can't be bound to the site",
	"memcached_pass":            "reaches the cache of other sites",
	"client_body_temp_path":     "makes directories as root",
	"proxy_temp_path":           "makes directories as root",
	"fastcgi_temp_path":         "makes directories as root",
	"uwsgi_temp_path":           "makes directories as root",
	"scgi_temp_path":            "makes directories as root",
	"proxy_store":               "writes files",
	"fastcgi_store":             "writes files",
	"dav_methods":               "writes files",
	"proxy_ssl_certificate":     "reads a file as root",
	"proxy_ssl_certificate_key": "reads a file as root",
	"ssi":                       "is not bound to the site",
	"open_log_file_cache":       "opens logs by name",
}

const systemCertificates = "/etc/ssl/certs/ca-certificates.crt"
