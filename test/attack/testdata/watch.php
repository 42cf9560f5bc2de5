<?php
// Reads command lines, environments and short-lived files of others as fast as it can until the file stop is beside it, and prints all that it saw once.
error_reporting(0);
$seen = [];
$dirs = ['/tmp', '/var/tmp', '/dev/shm', '/run', '/run/lock', '/etc', '/etc/nginx/conf.d', '/etc/nginx/hostler-conf', '/etc/nginx', '/etc/cron.d', '/etc/hostler', '/var/lib/hostler', '/var/lib/hostler/runs', '/var/lib/hostler/jobs', '/var/lib/hostler/processes', '/etc/systemd/system', '/etc/php/8.2/fpm/pool.d', '/etc/php/8.4/fpm/pool.d'];
while (!file_exists(__DIR__.'/stop')) {
	foreach (glob('/proc/[0-9]*') as $dir) {
		foreach (['cmdline', 'environ'] as $name) { $s = file_get_contents("$dir/$name"); if ($s !== false && $s !== '') $seen[strtr($s, "\0", ' ')] = 1; }
	}
	foreach ($dirs as $dir) foreach (scandir($dir) ?: [] as $name) {
		if ($name[0] === '.' && strlen($name) < 3) continue;
		$path = "$dir/$name";
		if (!is_file($path) || fileowner($path) === posix_geteuid()) continue;
		$at = $path.' '.filemtime($path).' '.filesize($path);
		if (isset($seen[$at])) continue;
		$seen[$at] = 1;
		if (filesize($path) < 1 << 20 && ($s = file_get_contents($path)) !== false) $seen[$s] = 1;
	}
	clearstatcache();
}
echo implode("\n", array_keys($seen)), "\nend\n";
