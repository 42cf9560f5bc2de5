// The permissions in groups by what they are about, and sets of them to begin with.
import { t } from '@lingui/core/macro';

const view = ['organization:view', 'server:view', 'team:view', 'recipe:view', 'credential:view', 'user:view'];

/** scopes are what a token or an application is offered first: to read. */
export const scopes = { token: ['organization:view', 'server:view', 'user:view'], application: ['organization:view', 'server:view'] };

/** groups are the permissions by subject, in the order of the picker. */
export const groups: readonly { title: string; names: readonly string[] }[] = [
  { title: t`View`, names: view },
  {
    title: t`Deployments`,
    names: [
      'site:manage-deploys',
      'site:manage-environment',
      'site:manage-project',
      'site:manage-commands',
      'site:manage-notifications',
      'server:manage-packages',
    ],
  },
  {
    title: t`Sites`,
    names: [
      'site:create',
      'site:delete',
      'site:meta',
      'site:manage-ssl',
      'site:manage-redirects',
      'site:manage-security',
      'site:manage-nginx',
      'server:manage-nginx-templates',
      'site:manage-heartbeats',
      'integrations:manage',
    ],
  },
  { title: t`Processes and jobs`, names: ['server:create-daemons', 'server:delete-daemons', 'server:create-schedulers', 'server:delete-schedulers'] },
  {
    title: t`Databases and backups`,
    names: ['server:create-databases', 'server:delete-databases', 'server:create-backups', 'server:delete-backups', 'storage:manage'],
  },
  {
    title: t`Servers`,
    names: [
      'server:create',
      'server:delete',
      'server:archive',
      'server:transfer',
      'server:manage-meta',
      'server:manage-services',
      'server:manage-php',
      'server:manage-network',
      'server:manage-logs',
      'server:create-monitors',
      'server:delete-monitors',
      'server:create-keys',
      'server:delete-keys',
      'recipe:manage',
      'credential:manage',
    ],
  },
  { title: t`Organization and teams`, names: ['organization:manage', 'team:create', 'team:delete'] },
];

const grouped = new Set(groups.flatMap((g) => g.names));
/** unused is the title of the group of permissions that no operation requires: other implementations of the API have them. */
export const unused = t`Not used by Hostler`;

/** inGroups puts the names of the API into groups; ones that belong to none come last. */
export function inGroups(names: readonly string[]): { title: string; names: readonly string[] }[] {
  const rest = names.filter((n) => !grouped.has(n));
  return [
    ...groups.map((g) => ({ title: g.title, names: g.names.filter((n) => names.includes(n)) })),
    ...(rest.length ? [{ title: unused, names: rest }] : []),
  ].filter((g) => g.names.length > 0);
}

/** rooted are the permissions that amount to root on servers, alone or with those of a viewer (see docs/security.md). */
export const rooted: ReadonlySet<string> = new Set([
  'server:create',
  'server:create-keys',
  'server:create-daemons',
  'server:create-schedulers',
  'recipe:manage',
]);

/** presets are sets that a role or a token may begin with. */
export const presets: readonly { title: string; names: readonly string[] }[] = [
  { title: t`View only`, names: view },
  { title: t`Deploy`, names: [...view.filter((n) => n !== 'credential:view'), 'site:manage-deploys'] },
  {
    title: t`Sites`,
    names: [...view.filter((n) => n !== 'credential:view'), ...(groups[1]?.names ?? []), ...(groups[2]?.names ?? [])],
  },
  { title: t`All`, names: groups.flatMap((g) => g.names) },
];

/** presetOf is the title of the preset that a set is equal to, empty where it is none. */
export const presetOf = (value: ReadonlySet<string>): string =>
  presets.find((p) => p.names.length === value.size && p.names.every((n) => value.has(n)))?.title ?? '';
