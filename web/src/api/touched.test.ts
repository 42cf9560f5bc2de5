import { expect, test } from 'vitest';
import { touched } from './touched';

const stale = (url: string, ...keys: string[]) => keys.filter(touched(url));
const keys = [
  '/orgs/main',
  '/orgs',
  '/user',
  '/orgs/main/members',
  '/orgs/main/attention',
  '/orgs/main/servers',
  '/orgs/main/servers/2/firewall-rules',
  'ask:/orgs/main/servers/2/logs/nginx',
  '/orgs/main/servers/3/firewall-rules',
  '/orgs/main/servers/metrics',
  '/orgs/main/sites/1',
  '/orgs/other/servers',
];

test('a change on a server makes stale what belongs to it, and the lists that show it', () => {
  expect(stale('/api/orgs/main/servers/2/firewall-rules?dry_run=false', ...keys)).toEqual([
    '/orgs/main/attention',
    '/orgs/main/servers',
    '/orgs/main/servers/2/firewall-rules',
    'ask:/orgs/main/servers/2/logs/nginx',
    '/orgs/main/servers/metrics',
    '/orgs/main/sites/1',
  ]);
});

test('any other change makes everything stale', () => {
  for (const url of ['/api/orgs/main/servers', '/api/orgs/main/roles/3', '/api/user/tokens', '/api/auth/logout', '/api/orgs/main/servers/archives/2/reconnect'])
    expect(stale(url, ...keys)).toEqual(keys);
});
