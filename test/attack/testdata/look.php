<?php
// What an account can see or use of a host that is not its own: files, sockets, ports, processes, and what the host's own tools print.
// inventory.json beside it has the words to look for and the commands to run, inventory.files every name there is. It prints a line for each
// finding: kind, tab, what. It runs on the command line and in a pool.
error_reporting(0);
set_time_limit(0);
ini_set('memory_limit', '512M');
$in = json_decode(file_get_contents(__DIR__.'/inventory.json'), true);
$me = posix_geteuid();
$found = [];
function found(string $kind, string $what): void { global $found; $found["$kind\t$what"] = true; }

// words reports which of the words of others are in a text, by what they are.
function words(string $text): array {
	global $in;
	$out = [];
	foreach ($in['words'] as $word => $is) if (strpos($text, (string)$word) !== false) $out[$is] = true;
	return array_keys($out);
}

// opens reports whether something can be opened, which is what counts: access control lists and capabilities included.
function opens(string $path, string $mode): bool { $f = @fopen($path, $mode); if ($f) fclose($f); return (bool)$f; }

// Files. Root has listed all of them: who attacks knows every name.
$list = fopen(__DIR__.'/inventory.files', 'r');
while (($line = stream_get_line($list, 1 << 20, "\0")) !== false) {
	[$uid, $gid, $type, $path] = explode("\t", $line, 4);
	if (strncmp($path, __DIR__.'/', strlen(__DIR__) + 1) == 0) continue;
	$system = preg_match('#^/(usr|boot|var/lib/dpkg|var/lib/apt|var/cache|etc/ssl/certs|etc/apt)/#', $path);
	$private = (int)$uid >= 1000 || preg_match('#^/(root|home|run/user|var/lib/hostler|etc/hostler|run/hostler[^/]*)(/|$)#', $path);
	if ((int)$uid === $me) continue;
	if ($private && @lstat($path) !== false) found('stat', $path);
	if ($type == 'd') {
		if (($private || $uid != 0 && !$system) && count(@scandir($path) ?: []) > 2) found('read', $path);
		if (posix_access($path, POSIX_W_OK | POSIX_X_OK)) found('write', $path);
	} elseif ($type == 'f') {
		if (posix_access($path, POSIX_W_OK)) found('write', $path);
		if ($system || !is_readable($path)) continue;
		if ($private || $uid != 0) { if (opens($path, 'r')) found('read', $path); continue; }
		if (filesize($path) < 4 << 20) foreach (words(file_get_contents($path)) as $is) found('mentions', "$path $is");
	} elseif ($type == 's') {
		foreach (['unix', 'udg'] as $kind) {
			if (($s = @stream_socket_client("$kind://$path", $code, $text, 1)) !== false) { fclose($s); found('connect', $path); break; }
		}
	} elseif ($type == 'b' || $type == 'c' || $type == 'p') {
		if (preg_match('#^/dev/(null|zero|full|random|urandom|tty|ptmx|pts/ptmx)$#', $path)) continue;
		if (posix_access($path, POSIX_R_OK)) found('read', $path);
		if (posix_access($path, POSIX_W_OK)) found('write', $path);
	}
}
// Sockets without a file.
foreach (file('/proc/net/unix') as $line) {
	if (!preg_match('/ @(\S+)$/', $line, $m)) continue;
	foreach (['unix', 'udg'] as $kind) {
		if (($s = @stream_socket_client("$kind://\0".$m[1], $code, $text, 1)) !== false) { fclose($s); found('connect', '@'.$m[1]); break; }
	}
}

// Ports: whatever listens, and what it says without a password.
$ports = [];
foreach (['tcp', 'tcp6'] as $name) foreach (array_slice(file("/proc/net/$name"), 1) as $line) {
	$f = preg_split('/\s+/', trim($line));
	if ($f[3] == '0A') $ports[hexdec(substr($f[1], strrpos($f[1], ':') + 1))] = true;
}
foreach (['udp', 'udp6'] as $name) foreach (array_slice(file("/proc/net/$name"), 1) as $line) {
	$f = preg_split('/\s+/', trim($line));
	found('udp', (string)hexdec(substr($f[1], strrpos($f[1], ':') + 1)));
}
foreach (array_keys($ports) as $port) foreach (['127.0.0.1', '[::1]'] as $address) {
	$said = '';
	foreach (["PING\r\n", "stats\r\n", "GET / HTTP/1.0\r\nHost: localhost\r\n\r\n"] as $ask) {
		if (($s = @stream_socket_client("tcp://$address:$port", $code, $text, 1)) === false) continue 3;
		stream_set_timeout($s, 0, 300000);
		fwrite($s, $ask);
		$said .= fread($s, 200)."\n";
		fclose($s);
	}
	foreach (["KEYS *\r\n", "lru_crawler metadump all\r\n", "CONFIG GET dir\r\n"] as $ask) {
		if (($s = @stream_socket_client("tcp://$address:$port", $code, $text, 1)) === false) break;
		stream_set_timeout($s, 0, 300000);
		fwrite($s, $ask);
		while (strlen($said) < 1 << 20 && ($part = fread($s, 1 << 16)) !== '' && $part !== false) $said .= $part;
		fclose($s);
	}
	foreach (words($said) as $what) found('mentions', "port $port $what");
	$is = 'says nothing';
	foreach (['/\+PONG/' => 'redis without a password', '/NOAUTH|AUTH/' => 'redis', '/^STAT /m' => 'memcached without a password', '/SSH-2/' => 'ssh', '/MariaDB|mysql/i' => 'mysql', '/^HTTP/m' => 'http'] as $like => $name)
		if (preg_match($like, $said)) { $is = $name; break; }
	found('port', "$address:$port $is");
}

// Processes of others.
foreach (glob('/proc/[0-9]*') as $dir) {
	$s = @stat($dir);
	if ($s === false || $s['uid'] === $me) continue;
	$who = posix_getpwuid($s['uid'])['name'] ?? $s['uid'];
	found('process', "$who's name");
	$line = (string)@file_get_contents("$dir/cmdline");
	if ($line !== '') found('process', "$who's command line");
	foreach (words(str_replace("\0", ' ', $line)) as $is) found('mentions', "/proc/PID/cmdline $is");
	foreach (['environ', 'maps', 'mem', 'stack', 'syscall'] as $name) if (($f = @fopen("$dir/$name", 'r')) && fread($f, 1) !== '' && !feof($f)) found('process', "$who $name");
	foreach (['cwd', 'exe', 'root'] as $name) if (@readlink("$dir/$name") !== false) found('process', "$who $name");
	if (@scandir("$dir/fd")) found('process', "$who fd");
	if (posix_kill((int)basename($dir), 0)) found('process', "$who kill");
}

// What the host's tools say.
foreach ($in['commands'] as $command) {
	$out = (string)shell_exec("timeout 20 $command 2>&1 </dev/null");
	foreach (words($out) as $is) found('prints', "$command: $is");
}

// What PHP's own shared memory, sessions and uploads show.
if (PHP_SAPI !== 'cli') {
	$status = opcache_get_status(true);
	foreach (array_keys($status['scripts'] ?? []) as $script) if (words($script)) found('opcache', preg_replace('#script[0-9a-f]+#', 'script', $script));
	foreach ([session_save_path(), ini_get('upload_tmp_dir'), sys_get_temp_dir()] as $dir) {
		if ($dir === '' || $dir === false) continue;
		foreach (@scandir($dir) ?: [] as $name) {
			$s = @lstat("$dir/$name");
			if ($name[0] !== '.' && $s !== false && $s['uid'] !== $me) found('temporary', "$dir/$name");
		}
	}
	foreach ($_ENV + getenv() as $name => $value) foreach (words("$name=$value") as $is) found('environment', "$name $is");
}
ksort($found);
echo implode("\n", array_keys($found)), "\nend\tend\n";
