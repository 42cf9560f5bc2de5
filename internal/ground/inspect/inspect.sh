# Looks at what Hostler needs of a server, and changes nothing. Each finding is a line of its own:
#   refused WHAT|SENTENCE   Hostler could not manage this server, and what to do about it
#   noted WHAT|SENTENCE     Hostler manages it all the same
#   seen WHAT|VALUE         what it was decided by
# look FROM PORTS: FROM is an address that Hostler may log in from, PORTS are those that its services take, each with the programs that may have it.
look() (
  set +e -fu
  umask 077
  export LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  from=$1
  ports=$2
  tab=$(printf '\t')
  say() { printf '%s %s|%s\n' "$1" "$2" "$(printf %s "$3" | tr '\n' ' ')"; }
  refused() { say refused "$@"; }
  noted() { say noted "$@"; }
  seen() { say seen "$@"; }

  # The system.
  system=$(. /etc/os-release && printf '%s %s' "${ID:-}" "${VERSION_ID:-}")
  seen system "$system, $(uname -m), kernel $(uname -r)"
  case $system in
    'debian 12' | 'debian 13' | 'ubuntu 22.04' | 'ubuntu 24.04' | 'ubuntu 26.04') ;;
    *) refused system "$system is not supported; Hostler manages Debian 12 and 13 and Ubuntu 22.04, 24.04 and 26.04" ;;
  esac
  case $(uname -m) in
    x86_64 | aarch64) ;;
    *) refused architecture "the architecture $(uname -m) is not supported; Hostler manages amd64 and arm64" ;;
  esac
  [ -d /run/systemd/system ] || refused systemd "systemd does not run here: Hostler needs a whole system, not a container of one program"
  options() { # options DIRECTORY: those of the file system that it is on
    best='' found=''
    while read -r _ at _ with _; do
      case $1/ in
        "${at%/}"/*) [ "${#at}" -ge "${#best}" ] && best=$at found=$with ;;
      esac
    done </proc/self/mounts
    printf ',%s,' "$found"
  }
  case $(options /var/lib/hostler) in
    *,noexec,* | *,ro,*) refused /var "no program can be put into /var/lib and run there: mount its file system without noexec and ro" ;;
  esac
  for directory in /tmp /home; do
    case $(options "$directory") in
      *,noexec,* | *,nosuid,*) seen "$directory" "$(options "$directory")" ;;
    esac
  done

  case $ports in
    *80:nginx*)
      grep -qsx 'php-fpm (enforce)' /sys/kernel/security/apparmor/profiles &&
        refused AppArmor "AppArmor enforces its profile php-fpm, with which PHP can read the files of no site: aa-complain /etc/apparmor.d/php-fpm" ;;
  esac

  # Whether root can log in with a key, by what sshd itself says of such a login.
  root=$(getent passwd 0 | head -n 1)
  home=$(printf %s "$root" | cut -d : -f 6)
  shell=$(printf %s "$root" | cut -d : -f 7)
  [ "$(printf %s "$root" | cut -d : -f 1)" = root ] || refused root "the account with the number 0 is not called root"
  [ "$home" = /root ] || refused root "the home of root is $home and not /root"
  setting() { printf '%s\n' "$sshd" | sed -n "s/^$1 //Ip"; } # newer sshd print names with capitals
  matches() { # matches WORDS PATTERNS: whether one of the words is like one of the patterns, of which those with @ name a host as well
    for word in $1; do
      for pattern in $2; do
        # shellcheck disable=SC2254 # it is a pattern
        case $word in ${pattern%@*}) return 0 ;; esac
      done
    done
    return 1
  }
  if ! command -v sshd >/dev/null; then
    refused sshd "there is no SSH server: apt-get install openssh-server"
  elif sshd=$(sshd -T -C "user=root,host=$from,addr=$from" 2>/dev/null) && [ -n "$sshd" ]; then
    seen sshd "port $(setting port | tr '\n' ' ')permitrootlogin $(setting permitrootlogin)"
    case $(setting permitrootlogin) in
      no | forced-commands-only)
        refused PermitRootLogin "sshd does not let root log in (PermitRootLogin $(setting permitrootlogin)): set 'PermitRootLogin prohibit-password' below /etc/ssh, which admits keys only, and run 'systemctl reload ssh'" ;;
    esac
    [ "$(setting pubkeyauthentication)" = yes ] || refused PubkeyAuthentication "sshd accepts no keys: set 'PubkeyAuthentication yes' below /etc/ssh"
    case $(setting authenticationmethods) in
      '' | any | publickey) ;;
      *) refused AuthenticationMethods "sshd wants more than a key of root (AuthenticationMethods): exempt root, for example by 'Match User root' with 'AuthenticationMethods publickey'" ;;
    esac
    case $(setting forcecommand) in
      '' | none) ;;
      *) refused ForceCommand "sshd runs a command of its own for root (ForceCommand): exempt root from it" ;;
    esac
    allowed=$(setting allowusers) denied=$(setting denyusers) allowedgroups=$(setting allowgroups) deniedgroups=$(setting denygroups)
    if [ -n "$allowed" ] && ! matches root "$allowed"; then
      refused AllowUsers "sshd lets only these accounts log in: $allowed. Add root to AllowUsers below /etc/ssh and run 'systemctl reload ssh'"
    fi
    if [ -n "$denied" ] && matches root "$denied"; then
      refused DenyUsers "sshd refuses root: take it out of DenyUsers below /etc/ssh and run 'systemctl reload ssh'"
    fi
    if [ -n "$allowedgroups" ] && ! matches "$(id -nG root)" "$allowedgroups"; then
      refused AllowGroups "sshd lets only members of these groups log in: $allowedgroups. Add root to one of them, or the group root to AllowGroups"
    fi
    if [ -n "$deniedgroups" ] && matches "$(id -nG root)" "$deniedgroups"; then
      refused DenyGroups "sshd refuses the groups of root: change DenyGroups below /etc/ssh and run 'systemctl reload ssh'"
    fi
    read=no
    for file in $(setting authorizedkeysfile); do
      case $file in
        .ssh/authorized_keys | %h/.ssh/authorized_keys | /root/.ssh/authorized_keys | "$home/.ssh/authorized_keys") read=yes ;;
      esac
    done
    [ $read = yes ] || refused AuthorizedKeysFile "sshd reads keys from $(setting authorizedkeysfile) and not from ~/.ssh/authorized_keys, where Hostler puts those of people and its own: add .ssh/authorized_keys to AuthorizedKeysFile"
    if [ "$(setting strictmodes)" != no ]; then
      for path in / "$home" "$home/.ssh" "$home/.ssh/authorized_keys"; do
        [ -e "$path" ] || continue
        case $path in
          "$home/.ssh"*) [ -n "$(find "$path" -maxdepth 0 ! -uid 0)" ] || continue ;; # its mode is set with the key
          *) [ -n "$(find "$path" -maxdepth 0 \( ! -uid 0 -o -perm /022 \))" ] || continue ;;
        esac
        refused StrictModes "sshd takes no keys of root while others can write $path: chown root $path; chmod go-w $path"
      done
    fi
    if [ -r /etc/shadow ]; then
      shadow=$(grep '^root:' /etc/shadow)
      changed=$(printf %s "$shadow" | cut -d : -f 3) longest=$(printf %s "$shadow" | cut -d : -f 5) ends=$(printf %s "$shadow" | cut -d : -f 8)
      today=$(($(date +%s) / 86400))
      if [ "$(setting usepam)" = yes ]; then
        if [ "$changed" = 0 ] || { [ -n "$longest" ] && [ -n "$changed" ] && [ "$longest" -lt 99999 ] && [ $((changed + longest)) -lt "$today" ]; }; then
          refused password "root has to change its password at the next login, which ends every other work of it: run passwd, or give it none by 'passwd -l root; chage -d \$(date +%F) root'"
        fi
      else
        case $(printf %s "$shadow" | cut -d : -f 2) in
          '!'*) refused UsePAM "root is locked, and without UsePAM sshd lets no locked account log in: set 'UsePAM yes' below /etc/ssh, or run \"usermod -p '*' root\"" ;;
        esac
      fi
      if [ -n "$ends" ] && [ "$ends" -le "$today" ]; then refused expiry "the account root has expired: chage -E -1 root"; fi
    fi
  else
    noted sshd "what sshd is set to could not be read (sshd -T)"
  fi
  case ${shell##*/} in
    nologin | false) refused shell "root has the login shell $shell, which runs nothing: chsh -s /bin/bash root" ;;
    *)
      # As sshd starts it: bash then reads /root/.bashrc.
      answer=$(timeout 10 env -i HOME="$home" USER=root LOGNAME=root SHELL="$shell" SSH_CLIENT="$from 1 22" SSH_CONNECTION="$from 1 $from 22" \
        PATH=/usr/local/bin:/usr/bin:/bin:/usr/games "$shell" -c 'printf "\nhostler-%s\n" runs' </dev/null 2>/dev/null | tail -n 1)
      [ "$answer" = hostler-runs ] ||
        refused shell "the login shell of root runs no commands over SSH: a file like /root/.bashrc ends it or puts another program in its place; begin that file with: [ -n \"\$PS1\" ] || return" ;;
  esac

  # Who else has what Hostler manages.
  active() { systemctl is-active --quiet "$1" 2>/dev/null; }
  for manager in firewalld nftables; do
    active "$manager" && refused firewall "$manager is active on the server; disable it first, so that the two do not conflict: systemctl disable --now $manager"
  done
  grep -qsx 'ENABLED=yes' /etc/ufw/ufw.conf && noted firewall "ufw is active: disable it, or let Hostler take over its rules (take_over)"
  if command -v ss >/dev/null; then
    for port in $ports; do
      holders=$(ss -Hltnp "sport = :${port%%:*}" 2>/dev/null | grep -o '(("[^"]*"' | tr -d '("' | sort -u)
      for holder in $holders; do
        matches "$holder" "$(printf %s "${port#*:}" | tr , ' ')" ||
          refused "port ${port%%:*}" "port ${port%%:*} is taken by $holder, and Hostler's $(printf %s "${port#*:}" | cut -d , -f 1) needs it: stop $holder and keep it from starting, for example by 'systemctl disable --now $holder'"
      done
    done
  fi
  case " $ports " in
    *' 80:'*)
      claimed=$(set +f; grep -sElR '^[^#]*listen[^;#]*default_server' /etc/nginx/nginx.conf /etc/nginx/conf.d /etc/nginx/sites-enabled 2>/dev/null |
        grep -v '/sites-enabled/default$\|/90-hostler-catch-all.conf$' | tr '\n' ' ')
      [ -z "$claimed" ] || refused nginx "Hostler's nginx answers for unknown names, which another site has claimed: take default_server out of $claimed" ;;
  esac
  # Engines that are there: Hostler is their administrator as root, over the socket.
  case " $ports " in
    *' 3306:'*)
      for engine in 'mariadb VIA unix_socket' 'mysql WITH auth_socket'; do # the unit, which is also the client, and how root signs in
        client=${engine%% *}
        command -v $client >/dev/null || continue
        active $client && [ "$(systemctl show --property=Id --value $client)" = $client.service ] || continue # mysql is another name of mariadb's unit
        timeout 10 $client --no-defaults --protocol=socket --user=root --execute='SELECT 1' </dev/null >/dev/null 2>&1 ||
          refused $client "root has a password in $client, and Hostler signs in there as root of the machine: run '$client -u root -p' and ALTER USER 'root'@'localhost' IDENTIFIED ${engine#* }"
      done ;;
    *' 5432:'*)
      if active postgresql && command -v psql >/dev/null; then
        timeout 10 runuser -u postgres -- psql -X --no-password --command='SELECT 1' postgres </dev/null >/dev/null 2>&1 ||
          refused postgresql "the account postgres is not let into PostgreSQL, and Hostler signs in there as it: begin pg_hba.conf with 'local all postgres peer' and run 'systemctl reload postgresql'"
      fi ;;
  esac
  if getent passwd forge >/dev/null; then
    noted forge "there is an account forge: Hostler makes it the account of sites, closes its home to others, and keeps its files"
    [ "$(getent passwd forge | cut -d : -f 6)" = /home/forge ] || refused forge "the account forge has the home $(getent passwd forge | cut -d : -f 6), and Hostler needs it at /home/forge: usermod -d /home/forge -m forge"
  fi

  # Packages.
  if command -v dpkg >/dev/null; then
    busy=no
    for lock in /var/lib/dpkg/lock-frontend /var/lib/dpkg/lock; do
      inode=$(stat -c %i "$lock" 2>/dev/null) && grep -qs ":$inode " /proc/locks && busy=yes
    done
    broken=$(dpkg-query -W -f='${db:Status-Eflag} ${db:Status-Status} ${Package}\n' 2>/dev/null |
      awk '$1 != "ok" || $2 ~ /^(half-installed|half-configured|unpacked)$/ { print $3 }' | tr '\n' ' ')
    if [ $busy = yes ]; then
      noted packages "another program changes packages now: Hostler waits for it"
    elif [ -n "$broken" ]; then
      refused packages "packages are installed by half: $broken- nothing else can be installed before that is repaired: dpkg --configure -a, or apt-get -f install"
    fi
    held=$(dpkg-query -W -f='${db:Status-Want} ${Package}\n' 2>/dev/null | sed -n 's/^hold //p' | tr '\n' ' ')
    [ -z "$held" ] || noted packages "packages are on hold, and stay as they are: $held"
  else
    refused packages "there is no dpkg here"
  fi

  # What people ask about when something does not work.
  seen host "$(uname -n), $(df -kP / | sed -n '2s/^[^ ]* *[0-9]* *[0-9]* *\([0-9]*\).*/\1/p') KB free, $(sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo) KB of memory"
  getent hosts "$(uname -n)" >/dev/null 2>&1 || noted hostname "the name of the server does not resolve: add it to /etc/hosts, or programs like sudo are slow"
  seen zone "$(readlink /etc/localtime 2>/dev/null || cat /etc/timezone 2>/dev/null)$tab$(sed -n 's/^LANG=//p' /etc/default/locale 2>/dev/null)"
  for unit in ssh.socket ssh.service snapd docker apache2 nginx mysql mariadb postgresql redis-server needrestart unattended-upgrades systemd-resolved fail2ban; do
    active "$unit" && seen unit "$unit is active"
  done
  true
)
