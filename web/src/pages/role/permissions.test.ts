import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { groups, inGroups, presetOf, presets, rooted, unused } from './permissions';

const api = JSON.parse(readFileSync('../internal/edge/api/openapi.json', 'utf8'));
const names: string[] = api.components.schemas.Permission.enum;
const operations = JSON.stringify(api.paths);

test('each permission that an operation requires is in one group, and the others in the last', () => {
  const all = groups.flatMap((g) => g.names);
  expect(new Set(all).size).toBe(all.length);
  expect(all.filter((n) => !names.includes(n))).toEqual([]);
  const last = inGroups(names).at(-1);
  expect(last?.title).toBe(unused);
  expect(last?.names).toEqual(names.filter((n) => !operations.includes(n)));
});

test('what amounts to root is what the documentation says', () => {
  const table = readFileSync('../docs/security.md', 'utf8').split('<!-- powers -->')[1] ?? '';
  const rows = table.split('\n').filter((l) => l.includes('**root**'));
  expect(rows.map((l) => l.split('`')[1]).sort()).toEqual([...rooted].sort());
});

test('a preset is recognized', () => {
  for (const p of presets) expect(presetOf(new Set(p.names))).toBe(p.title);
  expect(presetOf(new Set(['server:view']))).toBe('');
});
