import { expect, test } from 'vitest';
import { hasCommand, written } from './command';
import commands from './commands.json';
import type { Call } from './query';

const line = (method: Call['method'], url: string, body?: unknown) => written({ method, url: `/api${url}`, body }, commands as never);

test('a call is a command with its arguments, fields and parameters', () => {
  expect(line('post', '/orgs/acme/servers/3/firewall-rules', { name: 'my office', type: 'allow', port: '22', ip_address: null })).toBe(
    "hostler firewall create 3 'my office' --type allow --port 22 --ip-address null",
  );
  expect(line('delete', '/orgs/acme/servers/3/database/schemas/7?force=true')).toBe('hostler databases delete 3 7 --force');
  expect(line('put', '/orgs/acme/servers/3/network', { servers: [1, 2] })).toBe('hostler network update 3 --servers 1,2');
});

test('the server of a site follows from the site, and an action is a verb', () => {
  expect(line('delete', '/orgs/acme/servers/3/sites/9/redirect-rules/4')).toBe('hostler redirects delete 9 4');
  expect(line('post', '/orgs/acme/servers/3/background-processes/5/actions', { action: 'restart' })).toBe('hostler processes restart 3 5');
});

test('secrets are never part of a line', () => {
  const shown = line('post', '/orgs/acme/storage-providers', { name: 'box', provider: 'custom', access_key: 'AKIA', secret_key: "it's secret" });
  expect(shown).toBe('hostler storage create box --provider custom --access-key-stdin --secret-key-stdin');
  expect(line('post', '/orgs/acme/recipes', { name: 'x', user: 'root', script: 'rm -rf /' })).toBe('hostler recipes create x --user root --script-file FILE');
});

test('not in a line for any request either', () => {
  const call: Call = { method: 'post', url: '/api/orgs/acme/boxes', body: { name: 'a', password: 'a pass phrase' } };
  expect(written(call, [{ method: 'post', path: '/orgs/{organization}/boxes', secrets: ['password'] }])).toBe(
    "hostler api POST '/orgs/{org}/boxes' --field name=a --field password=SECRET",
  );
  expect(line('post', '/orgs/acme/servers/3/sites', { name: 'a.example.com', wordpress_password: 'a pass phrase' })).toBe(
    'hostler sites create 3 a.example.com --wordpress-password-stdin',
  );
});

test('a field that is called like a parameter of the path is not lost', () => {
  expect(line('put', '/orgs/acme/servers/3/sites/9/domains/4/certificates/5', { certificate: 'PEM' })).toBe(
    'hostler certificates update 9 4 5 --certificate-file FILE',
  );
});

test('fields in objects, falsehoods and files', () => {
  expect(line('put', '/orgs/acme/notification-channels/2', { enabled: false })).toBe('hostler notifications update 2 --enabled=false');
  const form = new FormData();
  form.set('mode', 'append');
  form.set('file', new File(['from,to'], 'my rules.csv'));
  expect(line('post', '/orgs/acme/servers/3/sites/9/redirect-rules/import', form)).toBe("hostler redirects import 9 'my rules.csv' --mode append");
});

test('the fields of a provider have the flags that all providers have', () => {
  expect(line('post', '/orgs/acme/servers', { name: "it's", provider: 'custom', type: 'web', custom: { ip_address: '192.0.2.1' } })).toBe(
    "hostler servers create 'it'\\''s' --provider custom --type web --ip-address 192.0.2.1",
  );
});

test('objects in a list are JSON', () => {
  expect(line('put', '/orgs/acme/servers/3/sites/9/load-balancing-nodes', { balancer_method: 'ip_hash', balancing: [{ server_id: 2, weight: 1 }] })).toBe(
    'hostler nodes update 9 --balancer-method ip_hash --balancing \'[{"server_id":2,"weight":1}]\'',
  );
});

test('what has no command of its own is a request', () => {
  expect(line('put', '/orgs/acme/servers/3/host-keys', { host_keys: ["it's"] })).toBe(
    "hostler api PUT '/orgs/{org}/servers/3/host-keys' --field 'host_keys=[\"it'\\''s\"]'",
  );
});

test('what only a person can do has no command', () => {
  expect(hasCommand('/api/user/tokens')).toBe(false);
  expect(hasCommand('/api/orgs/acme/servers')).toBe(true);
});
