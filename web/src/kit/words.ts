// Words for values of the API. Whatever has none is shown as it is.
export const permissions: Record<string, string> = {
  'organization:view': 'View the organization',
  'organization:manage': 'Manage the organization',
  'organization:delete': 'Delete the organization',
  'server:view': 'View servers',
  'server:create': 'Add servers',
  'server:delete': 'Delete servers',
  'server:archive': 'Archive servers',
  'server:transfer': 'Share and transfer servers',
  'server:manage-meta': 'Edit server settings',
  'server:manage-packages': 'Manage packages',
  'server:manage-php': 'Manage PHP',
  'server:manage-logs': 'Read server logs',
  'server:manage-network': 'Manage network and firewall',
  'server:manage-services': 'Manage services and operations',
  'server:create-databases': 'Create databases',
  'server:delete-databases': 'Delete databases',
  'server:create-backups': 'Create backups',
  'server:delete-backups': 'Delete backups',
  'server:create-monitors': 'Create monitors',
  'server:delete-monitors': 'Delete monitors',
  'server:manage-password': 'Reset passwords',
  'credential:view': 'View server providers',
  'credential:manage': 'Manage server providers',
  'user:view': 'View the account',
  'server:create-keys': 'Add SSH keys',
  'server:delete-keys': 'Remove SSH keys',
  'server:web-terminal': 'Open a terminal',
  'site:create': 'Create sites',
  'site:delete': 'Delete sites',
  'site:meta': 'Edit site settings',
  'site:manage-deploys': 'Deploy',
  'site:manage-environment': 'Edit environments',
  'site:manage-ssl': 'Manage certificates',
  'site:manage-commands': 'Run commands',
  'site:manage-project': 'Edit repository and health check',
  'site:manage-redirects': 'Manage redirects',
  'site:manage-security': 'Manage security rules',
  'site:manage-nginx': 'Edit nginx configurations',
  'server:manage-nginx-templates': 'Manage nginx templates',
  'storage:manage': 'Manage storage providers',
  'server:create-daemons': 'Run background processes',
  'server:delete-daemons': 'Delete background processes',
  'server:create-schedulers': 'Schedule jobs',
  'server:delete-schedulers': 'Delete scheduled jobs',
  'site:manage-heartbeats': 'Manage heartbeats',
  'site:manage-notifications': 'Manage webhooks',
  'integrations:manage': 'Manage integrations',
  'recipe:view': 'View recipes',
  'recipe:manage': 'Manage and run recipes',
  'team:view': 'View teams',
  'team:create': 'Create teams',
  'team:delete': 'Delete teams',
};
/** permission is a permission in words; one that has none yet is made of its two parts. */
export const permission = (p: string) => permissions[p] ?? `${capital((p.split(':')[1] ?? p).replaceAll('-', ' '))} (${p.split(':')[0]})`;
/** requires says that something, or what is shown, needs a permission that the person's role does not include. */
export const requires = (p: string, what = '') =>
  `${what ? `${what} requires` : 'Requires'} the permission “${permission(p)}” (${p}), which your role does not include.`;

export const serverTypes: Record<string, string> = {
  app: 'App server',
  web: 'Web server',
  loadbalancer: 'Load balancer',
  database: 'Database server',
  cache: 'Cache server',
  worker: 'Worker',
  meilisearch: 'Meilisearch',
  openclaw: 'OpenClaw',
};
export const methods: Record<string, string> = { round_robin: 'Round robin', least_conn: 'Fewest connections', ip_hash: 'By client IP address' };

/** states are the words of states that the API names otherwise; each state has one word on all screens. */
const states: Record<string, string> = {
  pending: 'Queued',
  waiting: 'Queued',
  finished: 'Succeeded',
  'failed-build': 'Build failed',
  timeout: 'Timed out',
  removing: 'Deleting',
  uninstalling: 'Deleting',
  backoff: 'Crash loop',
  fatal: 'Failed to start',
};
export const stateWord = (state: string) => states[state] ?? capital(state.replaceAll('-', ' '));

/** unitStates are the words of the states of systemd's units. */
export const unitStates: Record<string, string> = {
  active: 'Running',
  reloading: 'Reloading',
  inactive: 'Stopped',
  failed: 'Failed',
  activating: 'Starting',
  deactivating: 'Stopping',
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
/** because is the reason of work that failed, as a sentence: "The script exited with status 3." for "Script: exit status 3." */
export const because = (reason: string) => reason.replace(/^Script: exit status (\d+)\.?/, 'The script exited with status $1.');
/** labelOf is a field of the API in words, where no label says more: Size for hetzner.size_id. */
function labelOf(name: string): string {
  const last = name
    .replace(/[._](id|uuid)$/, '')
    .replace(/(\.\d+)+$/, '')
    .split('.')
    .pop()!;
  return capital(last).replace(/\b(ip|url|ssh|php|dns|csr)\b/gi, (s) => s.toUpperCase());
}
/** named is an error of the API in the words of a form: "Size must be …" for "The hetzner.size_id field must be …", and "Required." below the field. */
export function named(text: string, name: string, label?: string): string {
  const [all, field = '', rest = ''] = /^The ([\w.]+)(?: field)? ((?:is|must|may|can|has|does) .*|can't .*)$/s.exec(text) ?? [];
  if (!all || (field !== name && !/[._]/.test(field))) return text;
  if (field === name && label !== undefined && rest.startsWith('is required')) return capital(rest.replace('is ', ''));
  return `${field === name && label ? label.replace(/ \([^)]*\)$/, '') : labelOf(field)} ${rest}`;
}
