import { expect, test } from 'vitest';
import { readable } from '../api/permissions';
import { groupsOf, type Place, serverPlaces, settingsPlaces, sitePlaces } from './places';

const server = (type: string, database: string | null) => ({ attributes: { type, database_type: database, is_ready: true } }) as never;
const names = (s: never) => groupsOf(serverPlaces(s)).map((g) => g.text);

test('a server has six tabs at most, each with its pages', () => {
  expect(names(server('app', 'mysql'))).toEqual(['Overview', 'Sites', 'Databases', 'Backups', 'Access', 'Settings']);
  expect(names(server('loadbalancer', null))).toEqual(['Overview', 'Sites', 'Access', 'Settings']);
  const all = groupsOf(serverPlaces(server('app', 'mysql'))).flatMap((g) => g.places);
  expect(all.map((p) => p.to).sort()).toEqual(
    serverPlaces(server('app', 'mysql'))
      .map((p) => p.to)
      .sort(),
  );
});

test('a site has seven tabs at most', () => {
  const names = (s: unknown) => groupsOf(sitePlaces(s as never)).map((g) => g.text);
  expect(names({ attributes: {} })).toEqual(['Overview', 'Deployments', 'Code', 'Domains', 'Processes', 'Logs', 'Settings']);
  expect(names({ attributes: {}, meta: { balancer: {} } })).toEqual(['Overview', 'Load balancing', 'Domains', 'Logs', 'Settings']);
});

test('a viewer has no tab whose page only says what is missing', () => {
  const viewer = new Set(['organization:view', 'server:view', 'credential:view', 'team:view', 'recipe:view', 'user:view']);
  const names = (places: Place[]) => readable(viewer, places).map((p) => p.text);
  expect(names(serverPlaces(server('app', 'mysql')))).not.toContain('Firewall');
  expect(names(sitePlaces({ attributes: {} } as never))).toEqual(['Overview', 'Activity', 'Deployments', 'Commands', 'Processes', 'Settings']);
  expect(names(settingsPlaces)).toEqual(['Organization', 'DNS', 'Server providers']);
  expect(readable(null, settingsPlaces)).toEqual(settingsPlaces); // while it is not known
});
