// Words for values of the API. Whatever has none is shown as it is.
import { t } from '@lingui/core/macro';
export const permissions: Record<string, string> = {
  'organization:view': t`View the organization`,
  'organization:manage': t`Manage the organization`,
  'organization:delete': t`Delete the organization`,
  'server:view': t`View servers`,
  'server:create': t`Add servers`,
  'server:delete': t`Delete servers`,
  'server:archive': t`Archive servers`,
  'server:transfer': t`Share and transfer servers`,
  'server:manage-meta': t`Edit server settings`,
  'server:manage-packages': t`Manage packages`,
  'server:manage-php': t`Manage PHP`,
  'server:manage-logs': t`Read server logs`,
  'server:manage-network': t`Manage network and firewall`,
  'server:manage-services': t`Manage services and operations`,
  'server:create-databases': t`Create databases`,
  'server:delete-databases': t`Delete databases`,
  'server:create-backups': t`Create backups`,
  'server:delete-backups': t`Delete backups`,
  'server:create-monitors': t`Create monitors`,
  'server:delete-monitors': t`Delete monitors`,
  'server:manage-password': t`Reset passwords`,
  'credential:view': t`View server providers`,
  'credential:manage': t`Manage server providers`,
  'user:view': t`View the account`,
  'server:create-keys': t`Add SSH keys`,
  'server:delete-keys': t`Remove SSH keys`,
  'server:web-terminal': t`Open a terminal`,
  'site:create': t`Create sites`,
  'site:delete': t`Delete sites`,
  'site:meta': t`Edit site settings`,
  'site:manage-deploys': t`Deploy`,
  'site:manage-environment': t`Read and edit environments (.env)`,
  'site:manage-ssl': t`Manage certificates`,
  'site:manage-commands': t`Run commands`,
  'site:manage-project': t`Edit repository and health check`,
  'site:manage-redirects': t`Manage redirects`,
  'site:manage-security': t`Manage security rules`,
  'site:manage-nginx': t`Edit nginx configurations`,
  'server:manage-nginx-templates': t`Manage nginx templates`,
  'storage:manage': t`Manage storage providers`,
  'server:create-daemons': t`Run background processes`,
  'server:delete-daemons': t`Delete background processes`,
  'server:create-schedulers': t`Schedule jobs`,
  'server:delete-schedulers': t`Delete scheduled jobs`,
  'site:manage-heartbeats': t`Manage heartbeats`,
  'site:manage-notifications': t`Manage webhooks`,
  'integrations:manage': t`Manage integrations`,
  'recipe:view': t`View recipes`,
  'recipe:manage': t`Manage and run recipes`,
  'team:view': t`View teams`,
  'team:create': t`Create teams`,
  'team:delete': t`Delete teams`,
};
/** permission is a permission in words; one that has none yet is made of its two parts. */
export const permission = (p: string) => permissions[p] ?? `${capital((p.split(':')[1] ?? p).replaceAll('-', ' '))} (${p.split(':')[0]})`;
/** permissionNamed is a permission as a sentence names it. */
export const permissionNamed = (p: string) => `“${permission(p)}” (${p})`;
/** requires says that what is shown needs a permission that the person's role does not include. */
export const requires = (p: string) => t`Requires the permission ${permissionNamed(p)}, which your role does not include.`;

export const serverTypes: Record<string, string> = {
  app: t`App server`,
  web: t`Web server`,
  loadbalancer: t`Load balancer`,
  database: t`Database server`,
  cache: t`Cache server`,
  worker: t`Worker`,
  meilisearch: 'Meilisearch',
  openclaw: 'OpenClaw',
};
export const methods: Record<string, string> = { round_robin: t`Round robin`, least_conn: t`Least connections`, ip_hash: t`By client IP address` };

/** states are the words of states; each has one word on all screens. */
const states: Record<string, string> = {
  pending: t`Queued`,
  waiting: t`Queued`,
  finished: t`Succeeded`,
  'failed-build': t`Build failed`,
  timeout: t`Timed out`,
  removing: t`Deleting`,
  uninstalling: t`Deleting`,
  backoff: t`Crash loop`,
  fatal: t`Failed to start`,
  succeeded: t`Succeeded`,
  installed: t`Installed`,
  ready: t`Ready`,
  connected: t`Connected`,
  active: t`Active`,
  deployed: t`Deployed`,
  enabled: t`Enabled`,
  'never-deployed': t`Never deployed`,
  created: t`Created`,
  failed: t`Failed`,
  unreachable: t`Unreachable`,
  disconnected: t`Disconnected`,
  changed: t`Changed`,
  'host key changed': t`Host key changed`,
  running: t`Running`,
  installing: t`Installing`,
  creating: t`Creating`,
  provisioning: t`Provisioning`,
  connecting: t`Connecting`,
  deleting: t`Deleting`,
  deploying: t`Deploying`,
  updating: t`Updating`,
  enabling: t`Enabling`,
  disabling: t`Disabling`,
  securing: t`Issuing certificate`,
  renewing: t`Renewing`,
  verifying: t`Verifying`,
  queued: t`Queued`,
  delivered: t`Delivered`,
  beating: t`On time`,
  registered: t`Registered`,
  missing: t`Missing`,
  exited: t`Exited`,
  stopped: t`Stopped`,
  restarting: t`Restarting`,
  starting: t`Starting`,
  stopping: t`Stopping`,
  cancelled: t`Cancelled`,
  maintenance: t`Maintenance`,
  disabled: t`Disabled`,
};
export const stateWord = (state: string) => states[state] ?? capital(state.replaceAll('-', ' '));

/** unitStates are the words of the states of systemd's units. */
export const unitStates: Record<string, string> = {
  active: t`Running`,
  reloading: t`Reloading`,
  inactive: t`Stopped`,
  failed: t`Failed`,
  activating: t`Starting`,
  deactivating: t`Stopping`,
};

// The name of a program, and how many digits of its version come before the point.
const programs: Record<string, [string, number]> = { php: ['PHP', 1], mysql: ['MySQL', 1], mariadb: ['MariaDB', 2], postgres: ['PostgreSQL', 2] };
/** version is a program with its version as people write it: PHP 8.4 for php84, MariaDB 10.11 for mariadb1011, MariaDB for mariadb. */
export function version(value: string): string {
  const [, name = '', digits = ''] = /^([a-z]+)(\d*)$/.exec(value) ?? [];
  const program = programs[name];
  if (!program) return value;
  const minor = digits.slice(program[1]);
  return `${program[0]} ${digits.slice(0, program[1])}${minor && '.' + minor}`.trim();
}

export type Tone = 'good' | 'bad' | 'busy' | 'warn' | 'idle';
export const tones: Record<string, Tone> = {
  succeeded: 'good',
  installed: 'good',
  ready: 'good',
  connected: 'good',
  active: 'good',
  finished: 'good',
  deployed: 'good',
  enabled: 'good',
  'never-deployed': 'idle',
  created: 'good',
  failed: 'bad',
  'failed-build': 'bad',
  unreachable: 'bad',
  disconnected: 'bad',
  changed: 'bad',
  'host key changed': 'bad',
  pending: 'busy',
  running: 'busy',
  installing: 'busy',
  removing: 'busy',
  creating: 'busy',
  provisioning: 'busy',
  connecting: 'busy',
  deleting: 'busy',
  deploying: 'busy',
  updating: 'busy',
  enabling: 'busy',
  disabling: 'busy',
  securing: 'busy',
  renewing: 'busy',
  waiting: 'busy',
  verifying: 'busy',
  uninstalling: 'busy',
  queued: 'busy',
  delivered: 'good',
  beating: 'good',
  registered: 'good',
  missing: 'bad',
  fatal: 'bad',
  backoff: 'bad',
  exited: 'warn',
  stopped: 'warn',
  restarting: 'busy',
  starting: 'busy',
  stopping: 'busy',
  cancelled: 'warn',
  maintenance: 'warn',
  disabled: 'warn',
  timeout: 'bad',
};
export const tone = (state: string): Tone => tones[state] ?? 'idle';
export const capital = (s: string): string => s.replaceAll('_', ' ').replace(/^./, (c) => c.toUpperCase());
/** actions are what work does, before it has begun its first step. A verb that says too little alone has words here. */
const actions: Record<string, string> = {
  order: t`Requesting the certificate`,
  create: t`Creating`,
  update: t`Updating`,
  delete: t`Deleting`,
  install: t`Installing`,
  renew: t`Renewing the certificate`,
  activate: t`Activating the certificate`,
  deploy: t`Deploying`,
  restore: t`Restoring`,
  prove: t`Restoring a backup to verify it`,
  backup: t`Backing up`,
  run: t`Starting`,
};
/** doing is what work does now: its step, or what it is for. */
export const doing = (step: string | null | undefined, action: string) => capital(step || actions[action] || action);
/** labelOf is a field of the API in words, where no label says more: Size for hetzner.size_id. */
function labelOf(name: string): string {
  const last = name
    .replace(/[._](id|uuid)$/, '')
    .replace(/(\.\d+)+$/, '')
    .split('.')
    .pop()!;
  return capital(last).replace(/\b(ip|url|ssh|php|dns|csr)\b/gi, (s) => s.toUpperCase());
}
/** Problem is what is wrong with a field: the API's sentence, and what it says in codes. */
export type Problem = { text: string; code: string; params?: Record<string, unknown>; field?: string; says?: string };
/** Fields maps the name of a field, as the API spells it, to what is wrong with it. */
export type Fields = Record<string, Problem[]>;
/** named is an error of the API in the words of a form: "Size must be …" for what is said of hetzner.size_id, and "Required." below the field. */
export function named(problem: Problem, name: string, label?: string): string {
  const { field, says } = problem;
  if (!field || !says || (field !== name && !/[._]/.test(field))) return problem.text;
  if (field === name && label !== undefined && problem.code === 'required') return capital(says.replace('is ', ''));
  return `${field === name && label ? label.replace(/ \([^)]*\)$/, '') : labelOf(field)} ${says}`;
}
/** texts are the messages about fields, as the API has them. */
export const texts = (fields: Fields): string =>
  Object.values(fields)
    .flat()
    .map((p) => p.text)
    .join(' ');
