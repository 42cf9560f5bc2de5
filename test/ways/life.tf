# A site's life by Terraform: what stays.
terraform {
  required_providers {
    hostler = { source = "hostlerhq/hostler" }
  }
}

provider "hostler" {}

variable "ip" { type = string }
variable "port" { type = number }
variable "repository" { type = string }
variable "endpoint" { type = string }
variable "bucket" { type = string }
variable "access_key" {
  type      = string
  sensitive = true
}
variable "secret_key" {
  type      = string
  sensitive = true
}

resource "hostler_server" "life" {
  name          = "life"
  provider_type = "custom"
  type          = "app"
  php_version   = "php82"
  database_type = "mariadb1011"
  custom        = { ip_address = var.ip, ssh_port = var.port }
}

resource "hostler_storage_provider" "archive" {
  name               = "Archive"
  provider_type      = "custom"
  endpoint           = var.endpoint
  bucket             = var.bucket
  access_key         = var.access_key
  access_key_version = 1
  secret_key         = var.secret_key
  secret_key_version = 1
}

resource "hostler_site" "life" {
  server_id               = hostler_server.life.id
  type                    = "php"
  name                    = "life.example.com"
  source_control_provider = "custom"
  repository              = var.repository
  branch                  = "main"
}

data "hostler_deploy_key" "life" {
  server_id = hostler_server.life.id
  site_id   = hostler_site.life.id
}

output "deploy_key" {
  value = data.hostler_deploy_key.life.key
}

resource "hostler_database" "shop" {
  server_id = hostler_server.life.id
  name      = "shop"
  user      = "shop"
}

data "hostler_domains" "life" {
  server_id = hostler_server.life.id
  site_id   = hostler_site.life.id
}

resource "hostler_certificate" "life" {
  server_id   = hostler_server.life.id
  site_id     = hostler_site.life.id
  domain_id   = data.hostler_domains.life.items[0].id
  type        = "letsencrypt"
  letsencrypt = { verification_method = "http-01", key_type = "ecdsa" }
}

resource "hostler_background_process" "worker" {
  server_id = hostler_server.life.id
  site_id   = hostler_site.life.id
  name      = "Worker"
  command   = "sleep infinity"
  user      = "forge"
  processes = 1
}

resource "hostler_site_scheduled_job" "report" {
  server_id = hostler_server.life.id
  site_id   = hostler_site.life.id
  name      = "Report"
  command   = "echo the job ran"
  user      = "forge"
  frequency = "nightly"
}

resource "hostler_backup_configuration" "shop" {
  server_id             = hostler_server.life.id
  storage_provider_id   = hostler_storage_provider.archive.id
  database_ids          = [hostler_database.shop.id]
  include_new_databases = true
  frequency             = "daily"
  time                  = "03:00"
  retention             = 7
}
