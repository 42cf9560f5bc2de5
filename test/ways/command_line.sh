# A site's life by the command line.
set -eu

reach() { curl -sS --fail-with-body --data-binary "${2:-}" "$MOMENT/$1"; }

printf '%s\n' "$ACCESS_KEY" >"$XDG_CONFIG_HOME/access"
printf '%s\n' "$SECRET_KEY" >"$XDG_CONFIG_HOME/secret"

line=$(hostler servers create life --type app --ip-address "$SERVER_IP" --ssh-port "$SERVER_PORT" --php-version php82 --database-type mariadb1011)
reach connect "$line"
hostler storage create Archive --provider custom --endpoint "$ENDPOINT" --bucket "$BUCKET" --access-key-file "$XDG_CONFIG_HOME/access" --secret-key-file "$XDG_CONFIG_HOME/secret"
hostler sites create life life.example.com --type php --source-control-provider custom --repository "$REPOSITORY" --branch main --wait
reach installed "$(hostler deploy-key show life.example.com --output json)"
hostler databases create life shop --user shop --wait
hostler deploy life.example.com
reach deployed
hostler certificates create life.example.com life.example.com letsencrypt --verification-method http-01 --key-type ecdsa --wait
hostler processes create life Worker --command 'sleep infinity' --user forge --site life.example.com --processes 1 --wait
hostler site-scheduled-jobs create life.example.com 'echo the job ran' --name Report --frequency nightly --user forge --wait
hostler backup-configurations create life --storage-provider Archive --databases shop --include-new-databases --frequency daily --time 03:00 --retention 7 --wait
hostler backups run life 1 --wait
reach lost
hostler backups restore life 1 1 --database shop --wait --yes
reach restored
hostler deploy life.example.com
reach newer
hostler deployments rollback life.example.com 1 --wait
reach made

hostler backup-configurations delete life 1 --yes --wait
hostler site-scheduled-jobs delete life.example.com Report --yes --wait
hostler processes delete life Worker --yes --wait
hostler certificates delete life.example.com life.example.com 1 --yes --wait
hostler sites delete life.example.com --yes --wait
hostler databases delete life shop --yes --wait
hostler database-users delete life shop --yes --wait
hostler storage delete Archive --yes
hostler servers delete life --yes --wait
reach gone
