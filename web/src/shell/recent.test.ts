import { expect, test } from 'vitest';
import { labelOf } from './places';
import { after, most, type Visit } from './recent';

test('the last page comes first, once', () => {
  let all: Visit[] = [];
  for (const path of ['/a', '/b', '/a']) all = after(all, { path, title: `${path} · Hostler` });
  expect(all).toEqual([
    { path: '/a', title: '/a' },
    { path: '/b', title: '/b' },
  ]);
  expect(after(all, { path: '/c', title: 'Hostler' })).toBe(all);
  for (let i = 0; i < 2 * most; i++) all = after(all, { path: `/${i}`, title: 'x' });
  expect(all.length).toBe(most);
});

test('a visit is called as the palette calls the page', () => {
  const label = (path: string, title: string) => labelOf({ path, title });
  expect(label('/orgs/main/servers/2', 'web-1')).toBe('web-1');
  expect(label('/orgs/main/servers/2/firewall', 'web-1')).toBe('web-1: Firewall');
  expect(label('/orgs/main/servers/2/events/9', 'web-1')).toBe('web-1: Events');
  expect(label('/orgs/main/sites/1/deployments/script', 'shop.example.com')).toBe('shop.example.com: Deployments');
  expect(label('/orgs/main/sites/4/balancing', 'shop.example.com')).toBe('shop.example.com: Load balancing');
  expect(label('/orgs/main/settings/storage', 'Settings')).toBe('Settings: Storage');
  expect(label('/orgs/main/recipes/3', 'Install agent')).toBe('Install agent');
  expect(label('/orgs/main', 'Home')).toBe('');
  expect(label('/orgs/main/servers', 'Servers')).toBe('');
  expect(label('/orgs/main/servers/new', 'Add server')).toBe('');
});
