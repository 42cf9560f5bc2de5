// Where the parts of things are: the tabs of their pages, which the palette finds as well.
import { t } from '@lingui/core/macro';
import type { Does } from '../api/permissions';
import type { Server, Site } from '../api/types';
import type { Visit } from './recent';

export interface Place {
  to: string;
  text: string;
  exact?: boolean;
  /** group is the tab that the place is below, where it shares one. */
  group?: string;
  /** reads is what the whole page is about. Whoever may not read it has no tab that leads there. */
  reads?: Does;
}

/** groupsOf are tabs, each with the places that are below it, in their order; a place without a group is a tab of its own. */
export function groupsOf(places: Place[]): { text: string; places: Place[] }[] {
  const groups = new Map<string, Place[]>();
  for (const p of places) groups.set(p.group ?? p.text, [...(groups.get(p.group ?? p.text) ?? []), p]);
  return [...groups].map(([text, places]) => ({ text, places }));
}

export const isBalanced = (s: Site) => !!s.meta?.balancer;
export const siteKind = (s: Site) => (isBalanced(s) ? t`Load balanced` : s.attributes.app_type);

/** hasPHP reports whether servers of this type have PHP. */
export const hasPHP = (s: Server) => ['app', 'web', 'worker'].includes(s.attributes.type);

const host = '/orgs/{organization}/servers/{server}';
/** only is a place whose whole page is about one reading. */
const only = (reads: Does, place: Place): Place => ({ ...place, reads });
const server = '/orgs/$org/servers/$server';
const [status, sites, access] = [t`Overview`, t`Sites`, t`Access`];
export const serverPlaces = (s: Server): Place[] => [
  { to: server, text: t`Overview`, exact: true, group: status },
  { to: `${server}/monitors`, text: t`Monitors`, group: status },
  ...(s.attributes.is_ready ? [{ to: `${server}/services`, text: t`Services`, group: status }] : []),
  { to: `${server}/events`, text: t`Events`, group: status },
  ...(s.attributes.is_ready ? [only(`get ${host}/logs/{key}`, { to: `${server}/logs`, text: t`Logs`, group: status })] : []),
  { to: `${server}/sites`, text: t`Sites`, group: sites },
  { to: `${server}/jobs`, text: t`Scheduled jobs`, group: sites },
  ...(hasPHP(s) ? [{ to: `${server}/php`, text: 'PHP', group: sites }] : []),
  ...(['app', 'web', 'loadbalancer'].includes(s.attributes.type) ? [{ to: `${server}/templates`, text: 'Nginx', group: sites }] : []),
  ...(s.attributes.database_type
    ? [
        { to: `${server}/databases`, text: t`Databases` },
        { to: `${server}/backups`, text: t`Backups` },
      ]
    : []),
  only(`get ${host}/firewall-rules`, { to: `${server}/firewall`, text: t`Firewall`, group: access }),
  { to: `${server}/ssh-keys`, text: t`SSH keys`, group: access },
  { to: `${server}/network`, text: t`Network`, group: access },
  { to: `${server}/settings`, text: t`Settings` },
];

const site = '/orgs/$org/sites/$site';
const [code, traffic] = [t`Code`, t`Domains`];
export const sitePlaces = (s: Site): Place[] => [
  { to: site, text: t`Overview`, exact: true, group: status },
  { to: `${site}/activity`, text: t`Activity`, group: status },
  ...(isBalanced(s)
    ? [only(`get ${host}/sites/{site}/load-balancing-nodes`, { to: `${site}/balancing`, text: t`Load balancing` })]
    : [
        { to: `${site}/deployments`, text: t`Deployments` },
        only(`get ${host}/sites/{site}/environment`, { to: `${site}/environment`, text: t`Environment`, group: code }),
        only(`get ${host}/sites/{site}/files`, { to: `${site}/files`, text: t`Files`, group: code }),
        only(`get ${host}/sites/{site}/sftp-users`, { to: `${site}/sftp`, text: t`SFTP`, group: code }),
        { to: `${site}/commands`, text: t`Commands`, group: code },
      ]),
  only(`get ${host}/sites/{site}/domains`, { to: `${site}/domains`, text: t`Domains`, group: traffic }),
  only(`get ${host}/sites/{site}/redirect-rules`, { to: `${site}/redirects`, text: t`Redirects`, group: traffic }),
  only(`get ${host}/sites/{site}/security-rules`, { to: `${site}/security`, text: t`Security`, group: traffic }),
  only(`get ${host}/sites/{site}/nginx`, { to: `${site}/nginx`, text: 'Nginx', group: traffic }),
  ...(isBalanced(s) ? [] : [{ to: `${site}/processes`, text: t`Processes` }]),
  only(`get ${host}/sites/{site}/logs/nginx-access`, { to: `${site}/logs`, text: t`Logs` }),
  { to: `${site}/settings`, text: t`Settings` },
];

/** Deed is something that is begun on a page; the name of the thing follows its words. */
export interface Deed {
  to: string;
  hash: 'add' | 'edit';
  /** text says what is begun, and of which server or site. */
  text: (of: string) => string;
  does: Does;
}

const add = (to: string, text: Deed['text'], does: Does): Deed => ({ to, hash: 'add', text, does });
export const serverDeeds = (s: Server): Deed[] => [
  add(`${server}/firewall`, (of) => t`Add firewall rule on ${of}`, `post ${host}/firewall-rules`),
  ...(s.attributes.database_type ? [add(`${server}/databases`, (of) => t`New database on ${of}`, `post ${host}/database/schemas`)] : []),
  add(`${server}/ssh-keys`, (of) => t`Add SSH key on ${of}`, `post ${host}/ssh-keys`),
  add(`${server}/jobs`, (of) => t`New scheduled job on ${of}`, `post ${host}/scheduled-jobs`),
  add(`${server}/monitors`, (of) => t`Add monitor on ${of}`, `post ${host}/monitors`),
];
export const siteDeeds = (s: Site): Deed[] => [
  ...(isBalanced(s)
    ? []
    : [{ to: `${site}/environment`, hash: 'edit', text: (of) => t`Edit environment of ${of}`, does: `put ${host}/sites/{site}/environment` } as Deed]),
  add(`${site}/domains`, (of) => t`Add domain to ${of}`, `post ${host}/sites/{site}/domains`),
  add(`${site}/redirects`, (of) => t`Add redirect on ${of}`, `post ${host}/sites/{site}/redirect-rules`),
  ...(isBalanced(s)
    ? []
    : [
        add(`${site}/processes`, (of) => t`New process on ${of}`, `post ${host}/background-processes`),
        add(`${site}/processes/jobs`, (of) => t`New scheduled job on ${of}`, `post ${host}/sites/{site}/scheduled-jobs`),
      ]),
];

const settings = '/orgs/$org/settings';
export const settingsPlaces: Place[] = [
  { to: settings, text: t`Organization`, exact: true },
  { to: `${settings}/storage`, text: t`Storage`, reads: 'get /orgs/{organization}/storage-providers' },
  { to: `${settings}/git`, text: t`Git`, reads: 'get /orgs/{organization}/source-control-providers' },
  { to: `${settings}/dns`, text: t`DNS`, reads: 'get /orgs/{organization}/dns-providers' },
  { to: `${settings}/accounts`, text: t`Server providers`, reads: 'get /orgs/{organization}/server-credentials' },
  { to: `${settings}/notifications`, text: t`Notifications`, reads: 'get /orgs/{organization}/notification-channels' },
  { to: `${settings}/programs`, text: t`OAuth applications`, reads: 'get /orgs/{organization}/oauth-clients' },
  { to: `${settings}/audit`, text: t`Audit log`, reads: 'get /orgs/{organization}/audit' },
];

const team = '/orgs/$org/team';
export const teamPlaces: Place[] = [
  { to: team, text: t`People`, exact: true },
  { to: `${team}/teams`, text: t`Teams` },
  { to: `${team}/roles`, text: t`Roles` },
  { to: `${team}/ssh-access`, text: t`SSH access` },
];

export const accountPlaces: Place[] = [
  { to: '/account', text: t`Security`, exact: true },
  { to: '/account/sessions', text: t`Sessions` },
  { to: '/account/tokens', text: t`Access tokens` },
  { to: '/account/log', text: t`Security log` },
];

const any = { attributes: { type: 'app', database_type: 'x', is_ready: true } } as never;
const none = { attributes: {} } as never;
const balanced = { attributes: {}, meta: { balancer: {} } } as never;
const known: [Place, string][] = [
  ...[...serverPlaces(any), ...sitePlaces(none), ...sitePlaces(balanced)].map((p): [Place, string] => [p, '']),
  ...settingsPlaces.map((p): [Place, string] => [p, t`Settings`]),
  ...teamPlaces.map((p): [Place, string] => [p, t`Team`]),
  ...accountPlaces.map((p): [Place, string] => [p, t`Your account`]),
];

/** labelOf is a visit in the words of the palette: "web-1: Firewall". Pages of an organization itself have none; they have keys. */
export function labelOf({ path, title }: Visit): string {
  let best: [Place, string] | undefined;
  for (const entry of known) {
    const fits = new RegExp(`^${entry[0].to.replaceAll(/\$\w+/g, '[^/]+')}(?:/|$)`).test(path.replace(/\/new$/, '/'));
    if (fits && entry[0].to.length > (best?.[0].to.length ?? 0)) best = entry;
  }
  if (best && !/\/(servers|sites)\/(new|archives)$/.test(path)) {
    const [place, of] = best;
    if (of) return `${of}: ${place.text}`;
    return place.exact ? title : `${title}: ${place.text}`;
  }
  return /\/recipes\/\d+/.test(path) ? title : '';
}
