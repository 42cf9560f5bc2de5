import { expect, test } from 'vitest';
import { groupsOf, serverPlaces } from './places';

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
