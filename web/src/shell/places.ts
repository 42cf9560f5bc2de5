// Where the parts of things are: the tabs of their pages, which the palette finds as well.
import type { Server, Site } from '../api/types';
import type { Visit } from './recent';

export interface Place {
  to: string;
  text: string;
  exact?: boolean;
}

export const isBalanced = (s: Site) => !!s.meta?.balancer;
export const siteKind = (s: Site) => (isBalanced(s) ? 'Load balanced' : s.attributes.app_type);

/** hasPHP reports whether servers of this type have PHP. */
export const hasPHP = (s: Server) => ['app', 'web', 'worker'].includes(s.attributes.type);

const server = '/orgs/$org/servers/$server';
export const serverPlaces = (s: Server): Place[] => [
  { to: server, text: 'Overview', exact: true },
  { to: `${server}/sites`, text: 'Sites' },
  ...(s.attributes.database_type
    ? [
        { to: `${server}/databases`, text: 'Databases' },
        { to: `${server}/backups`, text: 'Backups' },
      ]
    : []),
  ...(hasPHP(s) ? [{ to: `${server}/php`, text: 'PHP' }] : []),
  { to: `${server}/jobs`, text: 'Scheduled jobs' },
  ...(s.attributes.is_ready ? [{ to: `${server}/services`, text: 'Services' }] : []),
  { to: `${server}/monitors`, text: 'Monitors' },
  { to: `${server}/firewall`, text: 'Firewall' },
  { to: `${server}/network`, text: 'Network' },
  { to: `${server}/ssh-keys`, text: 'SSH keys' },
  { to: `${server}/events`, text: 'Events' },
  ...(s.attributes.is_ready ? [{ to: `${server}/logs`, text: 'Logs' }] : []),
  ...(['app', 'web', 'loadbalancer'].includes(s.attributes.type) ? [{ to: `${server}/templates`, text: 'Nginx' }] : []),
  { to: `${server}/settings`, text: 'Settings' },
];

const site = '/orgs/$org/sites/$site';
export const sitePlaces = (s: Site): Place[] => [
  { to: site, text: 'Overview', exact: true },
  ...(isBalanced(s)
    ? [{ to: `${site}/balancing`, text: 'Load balancing' }]
    : [
        { to: `${site}/deployments`, text: 'Deployments' },
        { to: `${site}/environment`, text: 'Environment' },
      ]),
  { to: `${site}/domains`, text: 'Domains' },
  { to: `${site}/redirects`, text: 'Redirects' },
  { to: `${site}/security`, text: 'Security' },
  ...(isBalanced(s)
    ? []
    : [
        { to: `${site}/processes`, text: 'Processes' },
        { to: `${site}/commands`, text: 'Commands' },
      ]),
  { to: `${site}/logs`, text: 'Logs' },
  { to: `${site}/nginx`, text: 'Nginx' },
  { to: `${site}/settings`, text: 'Settings' },
];

/** Deed is something that is begun on a page; the name of the thing follows its words. */
export interface Deed {
  to: string;
  hash: 'add' | 'edit';
  text: string;
  needs: string;
}

const add = (to: string, text: string, needs: string): Deed => ({ to, hash: 'add', text, needs });
export const serverDeeds = (s: Server): Deed[] => [
  add(`${server}/firewall`, 'Add firewall rule on', 'server:manage-network'),
  ...(s.attributes.database_type ? [add(`${server}/databases`, 'New database on', 'server:create-databases')] : []),
  add(`${server}/ssh-keys`, 'Add SSH key on', 'server:create-keys'),
  add(`${server}/jobs`, 'New scheduled job on', 'server:create-schedulers'),
  add(`${server}/monitors`, 'Add monitor on', 'server:create-monitors'),
];
export const siteDeeds = (s: Site): Deed[] => [
  ...(isBalanced(s) ? [] : [{ to: `${site}/environment`, hash: 'edit', text: 'Edit environment of', needs: 'site:manage-environment' } as Deed]),
  add(`${site}/domains`, 'Add domain to', 'site:meta'),
  add(`${site}/redirects`, 'Add redirect on', 'site:manage-redirects'),
  ...(isBalanced(s)
    ? []
    : [add(`${site}/processes`, 'New process on', 'server:create-daemons'), add(`${site}/processes/jobs`, 'New scheduled job on', 'server:create-schedulers')]),
];

const settings = '/orgs/$org/settings';
export const settingsPlaces: Place[] = [
  { to: settings, text: 'Organization', exact: true },
  { to: `${settings}/storage`, text: 'Storage' },
  { to: `${settings}/git`, text: 'Git' },
  { to: `${settings}/dns`, text: 'DNS' },
  { to: `${settings}/accounts`, text: 'Server providers' },
  { to: `${settings}/notifications`, text: 'Notifications' },
  { to: `${settings}/programs`, text: 'OAuth applications' },
  { to: `${settings}/audit`, text: 'Audit log' },
];

const team = '/orgs/$org/team';
export const teamPlaces: Place[] = [
  { to: team, text: 'People', exact: true },
  { to: `${team}/teams`, text: 'Teams' },
  { to: `${team}/roles`, text: 'Roles' },
  { to: `${team}/ssh-access`, text: 'SSH access' },
];

export const accountPlaces: Place[] = [
  { to: '/account', text: 'Security', exact: true },
  { to: '/account/sessions', text: 'Sessions' },
  { to: '/account/tokens', text: 'Access tokens' },
  { to: '/account/log', text: 'Security log' },
];

const any = { attributes: { type: 'app', database_type: 'x', is_ready: true } } as never;
const none = { attributes: {} } as never;
const balanced = { attributes: {}, meta: { balancer: {} } } as never;
const known: [Place, string][] = [
  ...[...serverPlaces(any), ...sitePlaces(none), ...sitePlaces(balanced)].map((p): [Place, string] => [p, '']),
  ...settingsPlaces.map((p): [Place, string] => [p, 'Settings']),
  ...teamPlaces.map((p): [Place, string] => [p, 'Team']),
  ...accountPlaces.map((p): [Place, string] => [p, 'Your account']),
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
