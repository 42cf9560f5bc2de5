#!/bin/sh
# Deploys a site from a pipeline, with hostler deploy: waits, shows the log, hands on what came of it, and fails with the reason.
#
#   HOSTLER_URL, HOSTLER_TOKEN, HOSTLER_ORG, HOSTLER_SITE   where, as whom, and what: the site's domain or id
#   HOSTLER_TIMEOUT            how long to wait, 90m without it; the deployment goes on after that
#   HOSTLER_DOWNLOAD, HOSTLER_SHA256   where the program is and its checksum, for machines without it
#   GITHUB_OUTPUT              the file of outputs of a step of GitHub
#   HOSTLER_DOTENV             the file of variables for later jobs of GitLab
set -u

fail() {
  if [ -n "${GITHUB_OUTPUT:-}" ]; then
    printf '::error title=Hostler::%s\n' "$(printf %s "$1" | sed 's/%/%25/g')" # in an annotation a percent sign stands for another character
  else
    printf 'hostler: %s\n' "$1" >&2
  fi
  exit "${2:-2}"
}

for name in HOSTLER_URL HOSTLER_TOKEN HOSTLER_ORG HOSTLER_SITE; do
  eval "value=\${$name:-}"
  [ -n "$value" ] || fail "$name is not set"
done
case $HOSTLER_SITE in -*) fail "HOSTLER_SITE must be a domain or an id, not $HOSTLER_SITE" ;; esac

work=$(mktemp -d) || fail "no temporary directory"
trap 'rm -rf "$work"' EXIT
program=hostler
if ! command -v hostler >/dev/null; then
  [ -n "${HOSTLER_DOWNLOAD:-}" ] && [ -n "${HOSTLER_SHA256:-}" ] || fail "hostler is not on this machine: set HOSTLER_DOWNLOAD and HOSTLER_SHA256"
  program=$work/hostler
  curl -fsSL -o "$program" "$HOSTLER_DOWNLOAD" || fail "$HOSTLER_DOWNLOAD can't be fetched"
  echo "$HOSTLER_SHA256  $program" | sha256sum -c - >/dev/null 2>&1 || fail "$HOSTLER_DOWNLOAD does not have the checksum $HOSTLER_SHA256"
  chmod 755 "$program"
fi

# A log is no command of the runner, whatever a deploy script prints.
token=
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$token"
fi
status=0
"$program" deploy "$HOSTLER_SITE" --timeout "${HOSTLER_TIMEOUT:-90m}" --outputs "$work/outputs" 2>"$work/errors" || status=$?
[ -z "$token" ] || echo "::$token::"
cat "$work/errors" >&2

touch "$work/outputs"
grep -q '^status=' "$work/outputs" || {
  case $status in
    6) echo "status=running" ;;
    *) echo "status=unknown" ;;
  esac
} >>"$work/outputs"
[ -z "${GITHUB_OUTPUT:-}" ] || cat "$work/outputs" >>"$GITHUB_OUTPUT"
[ -z "${HOSTLER_DOTENV:-}" ] || sed -n 's/^deployment=/HOSTLER_DEPLOYMENT=/p; s/^event=/HOSTLER_EVENT=/p; s/^status=/HOSTLER_STATUS=/p
  s/^commit=/HOSTLER_COMMIT=/p; s/^reason=/HOSTLER_REASON=/p' "$work/outputs" >"$HOSTLER_DOTENV"

[ "$status" != 0 ] || exit 0
reason=$(sed -n 's/^reason=//p' "$work/outputs")
fail "${reason:-$(tail -n 1 "$work/errors" | tr -d '\r')}" "$status"
