# Makes a source of packages on a Debian server: those of the PHP 8.2 that it has, as PHP 8.3. Names, paths and the module API are of the same length, so
# that they can be replaced in programs too; they report a version 8.3, and both can be installed beside each other.
from='8[.]2' to=8.3 api=20220829 next=20230831 export LC_ALL=C
work=$(mktemp -d) && chmod 755 "$work" && cd "$work"
full=$(dpkg-query -W -f='${Version}' php8.2-cli)
patch=${full%%-*} && patch=${patch#8.2}
apt-get -qq update
dpkg-query -W -f='${db:Status-Status} ${Package}\n' 'php8.2-*' | sed -n 's/^installed //p' | xargs apt-get -qq -o APT::Sandbox::User=root download
mkdir -p /srv/php
for deb in *.deb; do
    dpkg-deb -R "$deb" p
    rm -rf p/DEBIAN/md5sums p/usr/share/doc p/usr/share/man p/usr/share/lintian
    # FPM composes the path of its configuration of numbers.
    find p -type f ! -path '*/DEBIAN/*' -exec sed -i "s#php$from#php$to#g; s#php-fpm$from#php-fpm$to#g; s#/$from#/$to#g; s#$from$patch#$to$patch#g
        s#$api#$next#g; s#/php/%d[.]%d/fpm/php-fpm[.]conf#/php/$to/fpm/php-fpm.conf\x00\x00#g" {} +
    find p/DEBIAN -type f ! -name control -exec sed -i "s#$from#$to#g; s#\b82\b#83#g" {} +
    sed -i "s#php$from#php$to#g; s#$from$patch#$to$patch#g; s#$api#$next#g" p/DEBIAN/control
    find p -depth '(' -name '*8.2*' -o -name "*$api*" ')' | while read -r path; do
        mv "$path" "${path%/*}/$(basename "$path" | sed "s#$from#$to#g; s#$api#$next#g")"
    done
    dpkg-deb --root-owner-group -Znone -b p /srv/php >/dev/null
    rm -r p
done
cd /srv/php && rm -r "$work"
for deb in *.deb; do
    dpkg-deb -f "$deb"
    printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' "$deb" "$(stat -c %s "$deb")" "$(sha256sum "$deb" | cut -d' ' -f1)"
done >Packages
echo 'deb [trusted=yes] file:/srv/php ./' >/etc/apt/sources.list.d/second.list
apt-get -qq update
