# A site's life by Terraform, with the configuration of life.tf, and the command line for what is done once.
set -eu

reach() { curl -sS --fail-with-body --data-binary "${2:-}" "$MOMENT/$1"; }
terraform() { "$TERRAFORM" "$@" -no-color -input=false; }

export TF_VAR_ip="$SERVER_IP" TF_VAR_port="$SERVER_PORT" TF_VAR_repository="$REPOSITORY" TF_VAR_endpoint="$ENDPOINT" TF_VAR_bucket="$BUCKET"
export TF_VAR_access_key="$ACCESS_KEY" TF_VAR_secret_key="$SECRET_KEY"

terraform apply -auto-approve -target hostler_server.life &
applying=$!
until line=$(hostler servers setup-command life 2>&1); do
  kill -0 "$applying" || exit 1
done
reach connect "$line"
wait "$applying"
terraform apply -auto-approve -target hostler_site.life -target hostler_database.shop -target hostler_storage_provider.archive -target data.hostler_deploy_key.life
reach installed "$("$TERRAFORM" output -raw deploy_key)"
hostler deploy life.example.com
reach deployed
terraform apply -auto-approve -parallelism 1
hostler backups run life 1 --wait
reach lost
hostler backups restore life 1 1 --database shop --wait --yes
reach restored
hostler deploy life.example.com
reach newer
hostler deployments rollback life.example.com 1 --wait
reach made
terraform plan -detailed-exitcode

terraform destroy -auto-approve -target hostler_site.life -target hostler_database.shop -target hostler_backup_configuration.shop -target hostler_storage_provider.archive
hostler database-users delete life shop --yes --wait
terraform destroy -auto-approve
reach gone
