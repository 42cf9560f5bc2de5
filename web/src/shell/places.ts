// Where the parts of things are: the tabs of their pages, which the palette finds as well.
import type { Server, Site } from '../api/types';

export interface Place {
  to: string;
  text: string;
  exact?: boolean;
}

export const isBalanced = (s: Site) => !!s.meta?.balancer;
export const siteKind = (s: Site) => (isBalanced(s) ? 'Load balanced' : s.attributes.app_type);

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
  { to: `${server}/jobs`, text: 'Scheduled jobs' },
  ...(s.attributes.is_ready ? [{ to: `${server}/services`, text: 'Services' }] : []),
  { to: `${server}/monitors`, text: 'Monitors' },
  { to: `${server}/firewall`, text: 'Firewall' },
  { to: `${server}/network`, text: 'Network' },
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
];

export const accountPlaces: Place[] = [
  { to: '/account', text: 'Security', exact: true },
  { to: '/account/sessions', text: 'Sessions' },
  { to: '/account/tokens', text: 'Access tokens' },
  { to: '/account/log', text: 'Security log' },
];
