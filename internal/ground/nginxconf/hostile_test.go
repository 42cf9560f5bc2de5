package nginxconf

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
)

func server(body string) string {
	return "server {\nlisten 80;\nserver_name shop.example;\nroot /home/shop/shop.example/public;\n" + body + "\n}\n"
}

func location(body string) string { return server("location /x/ {\n" + body + "\n}") }

func top(text string) string { return text + "\n" + server("") }

// TestWhatATenantMayNotSay tries everything that a tenant could want from the nginx of a shared server. Each text is refused, and
// the refusal names the reason.
func TestWhatATenantMayNotSay(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		// Files written as root: nginx -t alone opens them.
		"RunsACommandAsRootFromCron": {server(`access_log /etc/cron.d/evil evil;`), "must be a log of the site"},
		"RunsACommandWithItsOwnLogFormat": {top("log_format site_12_evil '* * * * * root sh /tmp/x';\nserver { server_name shop.example; access_log " +
			"/etc/cron.d/x site_12_evil; }"), "must be a log of the site"},
		"WritesErrorsToAnyFile":          {server(`error_log /root/.bashrc;`), "must be a log of the site"},
		"WritesTheNeighboursLog":         {server(`access_log /var/log/nginx/hostler-13-access.log;`), "must be a log of the site"},
		"WritesALogWhoseNameItsIDBegins": {server(`access_log /var/log/nginx/hostler-123-access.log;`), "must be a log of the site"},
		"ClimbsOutOfTheLogDirectory":     {server(`error_log /var/log/nginx/hostler-12-x/../../../../etc/cron.d/x.log;`), "must be a log of the site"},
		"LogsToAPathThatVisitorsChoose":  {server(`access_log /var/log/nginx/hostler-12-$arg_x.log;`), "must be a log of the site"},
		"LogsToARelativePath":            {server(`error_log evil.log;`), "must be a log of the site"},
		"SendsLogsToAnotherServer":       {server(`access_log syslog:server=10.0.0.9;`), "must be a log of the site"},
		"KeepsErrorsInMemory":            {server(`error_log memory:1g debug;`), "must be a log of the site"},
		"ReadsErrorsOfTheMaster":         {server(`error_log stderr;`), "must be a log of the site"},
		"TakesMemoryWithALogsBuffer":     {server(`access_log /var/log/nginx/hostler-12-a.log combined buffer=1g;`), "too much"},
		"LogsInTheNeighboursFormat":      {server(`access_log /var/log/nginx/hostler-12-a.log site_13_x;`), "no format"},
		"MakesBodiesADirectoryOfRoots":   {server(`client_body_temp_path /etc/cron.d/x;`), "makes directories as root"},
		"MakesProxiedADirectoryOfRoots":  {server(`proxy_temp_path /home/other;`), "makes directories as root"},
		"MakesAnyDirectoryACache":        {top(`proxy_cache_path /etc/ssh keys_zone=site_12_a:1m max_size=1m;`), "must be /var/lib/nginx/hostler-12-"},
		"TakesTheNeighboursCache": {
			top(`fastcgi_cache_path /var/lib/nginx/hostler-13-a keys_zone=site_12_a:1m max_size=1m;`),
			"must be /var/lib/nginx/hostler-12-",
		},
		"CachesBesideItsDirectory": {
			top(`proxy_cache_path /var/lib/nginx/hostler-12-a keys_zone=site_12_a:1m max_size=1m temp_path=/x;`),
			"can't be said of a cache",
		},
		"FillsTheDiskWithACache":        {top(`proxy_cache_path /var/lib/nginx/hostler-12-a keys_zone=site_12_a:1m;`), "needs a max_size"},
		"TakesMemoryWithACache":         {top(`proxy_cache_path /var/lib/nginx/hostler-12-a keys_zone=site_12_a:1g max_size=1m;`), "too much"},
		"StoresAnswersAnywhere":         {location(`proxy_store /home/other/x;`), "writes files"},
		"UploadsWithDAV":                {location(`dav_methods PUT DELETE;`), "writes files"},
		"KeepsBodiesForever":            {location(`client_body_in_file_only on;`), "can be off only"},
		"LoadsCode":                     {top(`load_module /home/shop/evil.so;`), "loads code"},
		"BecomesRoot":                   {top(`user root;`), "whole server"},
		"SetsThePidFile":                {top(`pid /etc/passwd;`), "not among the directives"},
		"SetsTheEnvironment":            {top(`env LD_PRELOAD=/tmp/x.so;`), "not among the directives"},
		"SpeaksMail":                    {top(`mail { }`), "not among the directives"},
		"SpeaksTCP":                     {top(`stream { server { listen 22; } }`), "not among the directives"},
		"OpensASecondHTTPBlock":         {top(`http { }`), "not among the directives"},
		"RunsPerl":                      {location(`perl 'sub { system "id" }';`), "not among the directives"},
		"RunsLua":                       {location(`content_by_lua_block { os.execute("id") }`), "no module here"},
		"RunsJavaScript":                {location(`js_content x.y;`), "not among the directives"},
		"HidesADirectiveInQuotes":       {location(`"access_log" "/etc/cron.d/x";`), "must be a log of the site"},
		"HidesAnEscapeInADirective":     {location(`access\_log /etc/cron.d/x;`), "not among the directives"},
		"HidesAPathInEscapes":           {location(`access_log "/etc/cron.d/\x";`), "must be a log of the site"},
		"HidesADirectiveBehindAComment": {location("# nothing\naccess_log /etc/cron.d/x;"), "must be a log of the site"},
		"HidesADirectiveBehindAReturn":  {"server { server_name shop.example; # x\r access_log /etc/cron.d/x;\nerror_log /x; }", "must be a log of the site"},
		"HidesADirectiveInAQuotedBrace": {location("add_header X \"}\";\naccess_log /etc/cron.d/x;"), "must be a log of the site"},
		// Files read.
		"IncludesShadow":                {server(`include /etc/shadow;`), "include can name"},
		"IncludesItsOwnFiles":           {server(`include /home/shop/shop.example/*.conf;`), "include can name"},
		"IncludesTheNeighboursSettings": {server(`include /etc/nginx/hostler-conf/13/server/*.conf;`), "include can name"},
		"IncludesByGlob":                {server(`include /etc/nginx/fastcgi*;`), "include can name"},
		"IncludesInAMap":                {top("map $uri $site_12_x {\ninclude /etc/shadow;\n}"), "reads any file"},
		"IncludesInAGeoBlock":           {top("geo $site_12_x {\ninclude /etc/shadow;\n}"), "reads any file"},
		"IncludesInTypes":               {server("types {\ninclude /etc/shadow;\n}"), "reads any file"},
		"ServesTheNeighbour":            {location(`root /home/other/other.example;`), "root must be below"},
		"ServesTheWholeDisk":            {location(`root /;`), "root must be below"},
		"ServesItsHome":                 {location(`root /home/shop;`), "root must be below"},
		"ServesWhatBeginsWithItsName":   {location(`root /home/shop/shop.example.org;`), "root must be below"},
		"ClimbsOutOfItsRoot":            {location(`root /home/shop/shop.example/../../other;`), "root must be below"},
		"ServesWhatVisitorsChoose":      {location(`root $arg_x;`), "root must be below"},
		"ServesWhatItSets":              {server("set $x /home/other;\nlocation /x/ { root $x; }"), "root must be below"},
		"ServesWhatAnExpressionFound":   {server("location ~ ^/(.+)$ {\nalias /home/$1;\n}"), "alias must be below"},
		"AliasesTheNeighbour":           {location(`alias /home/other/;`), "alias must be below"},
		"AliasesOneStepUp":              {server("location /x {\nalias /home/shop/shop.example/;\n}"), "must end with a slash"},
		"AliasesChallengesElsewhere":    {server("location /x {\nalias /var/lib/hostler/acme-challenge/;\n}"), "alias must be below"},
		// Beside its directory: of shop.example, nginx makes shop.example.org by appending.
		"AliasesBesideItsDirectory":           {server("location /x {\nalias /home/shop/shop.example;\n}"), "must end with a slash"},
		"AliasesBesideItsDirectoryBelowSlash": {server("location /x/ {\nalias /home/shop/shop.example;\n}"), "must end with a slash"},
		"TriesBesideItsDirectory":             {server("root /home/shop/shop.example;\nlocation /x/ {\ntry_files .org/.env =404;\n}"), "must begin with a slash"},
		"TriesBesideItsDirectoryByHost":       {server("root /home/shop/shop.example;\nlocation /x/ {\ntry_files $host/.env =404;\n}"), "must begin with a slash"},
		"TriesBesideItsDirectoryAtLast":       {server("root /home/shop/shop.example;\nlocation /x/ {\ntry_files /none .org/.env;\n}"), "must begin with a slash"},
		"RewritesBesideItsDirectory":          {server("root /home/shop/shop.example;\nrewrite ^ .org/.env break;"), "must begin with a slash"},
		"RewritesBesideItsDirectoryAgain":     {server("root /home/shop/shop.example;\nrewrite ^ .org/.env last;"), "must begin with a slash"},
		"FollowsLinksOfItsOwn":                {location(`disable_symlinks off;`), "can be if_not_owner or on only"},
		"FollowsLinksBelowAPrefix":            {location(`disable_symlinks if_not_owner from=/;`), "can be if_not_owner or on only"},
		"ListsDirectoriesBehindLinks":         {location(`autoindex on;`), "follows links"},
		"TriesTheNeighboursFiles":             {location(`try_files /../../other/.env =404;`), "must not have .."},
		"TriesWhatVisitorsChoose":             {location(`try_files $arg_x =404;`), "must not look for $arg_x"},
		"TriesTheRawPath":                     {location(`try_files $request_uri =404;`), "must not look for $request_uri"},
		"TriesGroups":                         {server("location ~ ^/(.*)-(.*)$ {\ntry_files /$1$2 =404;\n}"), "groups"},
		"TriesWhatItSets":                     {location("set $x /a;\ntry_files $x =404;"), "must not look for $x"},
		"RewritesToTheNeighbour":              {location(`rewrite ^ /../../other/.env break;`), "must not have .."},
		"ErrsToTheNeighbour":                  {location(`error_page 404 /../../other/.env;`), "must not have .."},
		"IndexesTheNeighbour":                 {location(`index ../../other/.env;`), "without variables and without .."},
		"IndexesWhatVisitorsChoose":           {location(`index $arg_x;`), "without variables and without .."},
		"AsksWhetherTheNeighboursFileIsThere": {location("if (-f /home/other/.env) {\nreturn 204;\n}"), "if can look for"},
		"AsksForWhatVisitorsChoose":           {location("if (-e $arg_x) {\nreturn 204;\n}"), "if can look for"},
		"AsksBelowItsRootAndUp":               {location("if (!-d $document_root/../../other) {\nreturn 204;\n}"), "if can look for"},
		"AsksWithBlanks":                      {location("if ( -f /etc/passwd ) {\nreturn 204;\n}"), "if can look for"},
		"ServesTheNeighboursKey": {server("listen 443 ssl;\nssl_certificate /etc/ssl/hostler/13/chain.pem;\nssl_certificate_key " +
			"/etc/ssl/hostler/13/key.pem;"), "file that Hostler keeps"},
		"ServesAKeyThatVisitorsName":        {server("ssl_certificate_key /etc/ssl/$ssl_server_name;"), "file that Hostler keeps"},
		"CarriesAKeyInAVariable":            {server("ssl_certificate data:$arg_x;"), "file that Hostler keeps"},
		"ReadsAFileForParameters":           {server(`ssl_dhparam /root/x;`), "reads a file as root"},
		"ReadsAFileForClients":              {server(`ssl_client_certificate /root/x;`), "reads a file as root"},
		"ReadsAFileForUpstreams":            {location(`proxy_ssl_certificate_key /root/x;`), "reads a file as root"},
		"ReadsAnyFileForUpstreams":          {location(`proxy_ssl_trusted_certificate /root/x;`), "can be /etc/ssl/certs"},
		"WeakensTheProtocolsOfAll":          {server(`ssl_protocols SSLv3 TLSv1;`), "TLSv1.2 and TLSv1.3"},
		"AsksAResponderForIt":               {server(`ssl_stapling on;`), "can be off only"},
		"NamesItsUsersFile":                 {location(`auth_basic_user_file /home/shop/shop.example/pipe;`), "auth_basic_user_file can be"},
		"NamesTheNeighboursUsers":           {location(`auth_basic_user_file /etc/nginx/hostler-conf/13/users-1;`), "auth_basic_user_file can be"},
		"NamesTheNeighboursVariableOfUsers": {location(`auth_basic_user_file $hostler_users_13;`), "no variable that this site has"},
		// Other programs.
		"RunsCodeInTheNeighboursPool":       {location(`fastcgi_pass unix:/run/php/hostler-13-php8.4.sock;`), "site's own PHP pool"},
		"RunsCodeInAPoolThatVisitorsChoose": {location(`fastcgi_pass unix:/run/php/$arg_x;`), "site's own PHP pool"},
		"RunsCodeOverTCP":                   {location(`fastcgi_pass 127.0.0.1:9000;`), "site's own PHP pool"},
		"RunsCodeThroughAnUpstream": {"upstream site_12_a {\nserver unix:/run/php/hostler-13-php8.4.sock;\n}\n" +
			location(`fastcgi_pass site_12_a;`), "must be an address"},
		"PrependsAFileToPHP":              {location(`fastcgi_param PHP_VALUE "auto_prepend_file=/home/shop/evil";`), "settings of PHP"},
		"ChangesWhatPHPMayOpen":           {location(`fastcgi_param PHP_ADMIN_VALUE "open_basedir=/";`), "settings of PHP"},
		"RunsTheNeighboursScript":         {location(`fastcgi_param SCRIPT_FILENAME /home/other/index.php;`), "must be $document_root"},
		"RunsAScriptThatVisitorsChoose":   {location(`fastcgi_param SCRIPT_FILENAME $document_root$arg_x;`), "must be $document_root"},
		"RunsAnUploadUpwards":             {location(`fastcgi_param SCRIPT_FILENAME $document_root/../x.php;`), "must be $document_root"},
		"SpeaksToDocker":                  {location(`proxy_pass http://unix:/var/run/docker.sock:/;`), "must be an address"},
		"SpeaksToDockerWithoutAPath":      {location(`proxy_pass http://unix:/var/run/docker.sock;`), "must be an address"},
		"SpeaksToTheNeighboursProgram":    {location(`proxy_pass http://127.0.0.1:20003;`), "none of the site's own"},
		"SpeaksToTheDatabase":             {location(`proxy_pass http://localhost:5432;`), "none of the site's own"},
		"SpeaksToLoopbackBesideOne":       {location(`proxy_pass http://127.0.0.2:6379;`), "not a public address"},
		"SpeaksToLoopbackInOneNumber":     {location(`proxy_pass http://2130706433:6379;`), "must be an address"},
		"SpeaksToLoopbackInHex":           {location(`proxy_pass http://0x7f.1:6379;`), "must be an address"},
		"SpeaksToLoopbackInSix":           {location(`proxy_pass http://[::ffff:127.0.0.1]:6379;`), "not a public address"},
		"SpeaksToLoopbackThroughNAT64":    {location(`proxy_pass http://[64:ff9b::7f00:1]:6379;`), "not a public address"},
		"SpeaksToTheUnspecifiedAddress":   {location(`proxy_pass http://0.0.0.0:6379;`), "not a public address"},
		"ReadsTheCloudsMetadata":          {location(`proxy_pass http://169.254.169.254/latest/;`), "not a public address"},
		"SpeaksToThePrivateNetwork":       {location(`proxy_pass http://10.0.0.7:22;`), "not a public address"},
		"SpeaksToTheServersOwnAddress":    {location(`proxy_pass http://8.8.4.4:5432;`), "not a public address"},
		"SpeaksToANameThatItCanMove":      {location(`proxy_pass http://rebind.evil.example:6379;`), "must be an address"},
		"SpeaksToWhomVisitorsChoose":      {location(`proxy_pass http://$host;`), "proxy_pass must be"},
		"SpeaksToWhomAVariableNames":      {location("set $u 127.0.0.1:6379;\nproxy_pass http://$u/;"), "proxy_pass must be"},
		"MovesThePortWithAVariable":       {location(`proxy_pass http://127.0.0.1:3000$arg_x;`), "proxy_pass must be"},
		"MovesTheHostWithAnAt":            {location(`proxy_pass http://8.8.8.8@127.0.0.1:6379/;`), "proxy_pass must be"},
		"MovesTheHostWithAFragment":       {location(`proxy_pass http://127.0.0.1:6379#.8.8.8.8/;`), "proxy_pass must be"},
		"SpeaksToTheNeighboursUpstream":   {location(`proxy_pass http://hostler_13;`), "must be an address"},
		"MakesAnUpstreamOfTheNeighbour":   {top("upstream site_12_a {\nserver 127.0.0.1:20003;\n}"), "none of the site's own"},
		"MakesAnUpstreamThatMoves":        {top("upstream site_12_a {\nserver evil.example resolve;\n}"), "must be an address"},
		"TakesTheNeighboursUpstreamsName": {top("upstream api.other.example {\nserver 127.0.0.1:3000;\n}"), "one for all sites"},
		"LooksNamesUp":                    {location(`resolver 127.0.0.1;`), "look names up"},
		"SpeaksUWSGI":                     {location(`uwsgi_pass unix:/run/x;`), "can't be bound"},
		"SpeaksSCGI":                      {location(`scgi_pass 127.0.0.1:1;`), "can't be bound"},
		"SpeaksGRPC":                      {location(`grpc_pass 127.0.0.1:1;`), "can't be bound"},
		"ReadsTheCache":                   {location(`memcached_pass 127.0.0.1:11211;`), "cache of other sites"},
		"SpeaksFromAnotherAddress":        {location(`proxy_bind 10.0.0.1 transparent;`), "address of its choice"},
		// Names and settings of all sites.
		"AnswersForTheNeighbour":            {"server { server_name other.example; }", "not a name of this domain"},
		"AnswersForAllSubdomains":           {"server { server_name *.shop.example; }", "not a name of this domain"},
		"AnswersByExpression":               {`server { server_name ~.*; }`, "not a name of this domain"},
		"AnswersForAnEmptyName":             {`server { server_name ""; }`, "not a name of this domain"},
		"AnswersForEveryone":                {`server { listen 80; }`, "needs a server_name"},
		"BecomesTheDefault":                 {server(`listen 80 default_server;`), "listen can be"},
		"BreaksTheAddressOfAll":             {server(`listen 80 proxy_protocol;`), "listen can be"},
		"ListensElsewhere":                  {server(`listen 8080;`), "listen can be"},
		"ListensOnASocket":                  {server(`listen unix:/run/php/hostler-13-php8.4.sock;`), "listen can be"},
		"ListensWithoutACertificate":        {server(`listen 443 ssl;`), "no certificate"},
		"ChangesEveryUpgrade":               {server(`set $http_upgrade "";`), "can't be set"},
		"ChangesEveryUpgradeInCapitals":     {server(`set $HTTP_Upgrade "";`), "can't be set"},
		"SwitchesTheNeighboursPasswordOff":  {server(`set $hostler_realm_13 off;`), "can't be set"},
		"MapsTheNeighboursPasswordOff":      {top("map $uri $hostler_realm_13 {\ndefault off;\n}"), "one for all sites"},
		"NamesAGroupLikeTheNeighboursUsers": {server("location ~ ^/(?<hostler_users_13>x) {\n}"), "variable of all sites"},
		"NamesAGroupOfAll":                  {server("if ($uri ~ \"^/(?P<http_upgrade>x)\") {\nreturn 204;\n}"), "variable of all sites"},
		"NamesAGroupInQuotes":               {server("rewrite \"^/(?'http_upgrade'x)\" /y;"), "variable of all sites"},
		"MapsANameOfAll":                    {top("map $uri $backend {\ndefault 1;\n}"), "one for all sites"},
		"ReadsTheNeighboursMap":             {location(`return 200 $site_13_key;`), "no variable that this site has"},
		"ReadsTheNeighboursMapInBraces":     {location(`return 200 "a${site_13_key}b";`), "no variable that this site has"},
		"ReadsAMapFromBefore":               {location(`return 200 $api_key;`), "no variable that this site has"},
		"TakesTheNeighboursZone":            {location(`limit_req zone=site_13_a;`), "one for all sites"},
		"MakesAZoneOfAll":                   {top(`limit_req_zone $host zone=one:1m rate=1r/s;`), "one for all sites"},
		"TakesMemoryWithAZone":              {top(`limit_req_zone $host zone=site_12_a:4g rate=1r/s;`), "too much"},
		"TakesMemoryWithManyZones":          {top("limit_conn_zone $host zone=site_12_a:40m;\nlimit_conn_zone $host zone=site_12_b:40m;"), "too much"},
		"TakesMemoryWithEachRequest":        {location(`proxy_buffers 100000 1m;`), "more than 8m"},
		"TakesMemoryWithEachHeader":         {server(`large_client_header_buffers 1000 1m;`), "more than 8m"},
		"CachesInTheNeighboursZone":         {location(`fastcgi_cache site_13_a;`), "a zone that this configuration makes"},
		"KeepsAllFilesOpen":                 {server(`open_file_cache max=1000000;`), "one number for all sites"},
		"SharesSessionsOfItsOwn":            {server(`ssl_session_cache shared:mine:1g;`), "ssl_session_cache can be"},
		"SettlesThingsForAllServers":        {top(`client_max_body_size 1k;`), "not allowed here"},
		"TurnsAllLogsOff":                   {top(`access_log off;`), "not allowed here"},
		"SeesWhatAllSitesDo":                {location(`stub_status;`), "all sites"},
		"RunsCommandsInPages":               {location(`ssi on;`), "not bound"},
		"ServesFromAnIf":                    {location("if ($host) {\nroot /home/other;\n}"), "root must be below"},
		"HidesARootBelowALimit":             {location("limit_except GET {\nproxy_pass http://127.0.0.1:6379;\n}"), "none of the site's own"},
		// Text that parsers could interpret differently.
		"ClosesTheServerEarly":      {server("}\nserver {\nserver_name other.example;"), "not a name of this domain"},
		"ClosesTheHTTPBlock":        {"}\nhttp {\n", "too many"},
		"LeavesABlockOpen":          {"server {", "is missing"},
		"LeavesAQuoteOpen":          {server(`return 200 "x;`), "not closed"},
		"GluesWordsToQuotes":        {server(`return 200 "x"y;`), "no space after"},
		"BeginsWithAMark":           {"\ufeffserver { server_name shop.example; }", "not among the directives"},
		"WritesANul":                {server("return 200 \"a\x00b\";"), "no text"},
		"WritesNoText":              {server("return 200 \"\xff\";"), "no text"},
		"WritesAWordThatDoesNotFit": {server(`return 200 "` + strings.Repeat("a", 5000) + `";`), "longer than"},
		"NestsWithoutEnd":           {server(strings.Repeat("location /x/ {", 50) + strings.Repeat("}", 50)), "nested"},
		"MakesABlockOfADirective":   {server(`root /home/shop/shop.example { }`), "needs no block"},
		"MakesADirectiveOfABlock":   {server(`location /x/;`), "needs a block"},
		"LeavesARootEmpty":          {server(`root;`), "root must be below"},
		"GivesARootTwice":           {location(`root /home/shop/shop.example /home/other;`), "root must be below"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bounds()
			b.Addresses = append(b.Addresses, netip.MustParseAddr("8.8.4.4"))
			got := refusals(tt.text, b)
			if len(got) == 0 {
				t.Fatalf("accepted:\n%s", tt.text)
			}
			for _, r := range got {
				if strings.Contains(r.What, tt.want) && r.Line > 0 {
					return
				}
			}
			t.Errorf("refused for another reason: %v, want %q\n%s", got, tt.want, tt.text)
		})
	}
}

func TestARefusalNamesItsLine(t *testing.T) {
	t.Parallel()
	got := refusals("# one\nserver {\n    server_name shop.example;\n\n    access_log /etc/cron.d/x;\n    location / {\n        root\n            "+
		"/etc;\n    }\n}\n", bounds())
	if len(got) != 2 || got[0].Line != 5 || got[1].Line != 7 || !strings.HasPrefix(got[0].Error(), "Line 5: access_log must be") {
		t.Errorf("%v", got)
	}
}

func refusals(text string, b Bounds) []Refusal {
	tree, err := Read(text)
	var refusal Refusal
	if errors.As(err, &refusal) {
		return []Refusal{refusal}
	}
	return Judge(Plain(tree, b), b)
}
