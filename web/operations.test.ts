import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { operations } from './src/api/operations';
import { lacked, needed } from './src/api/permissions';

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'));

/** found are the places in screens where something stands, comments left out. */
const found = (what: RegExp) =>
  files.flatMap((name) =>
    readFileSync(`src/${name}`, 'utf8')
      .replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, ''))
      .split('\n')
      .flatMap((line, i) => (what.test(line) ? [`${name}:${i + 1}: ${line.trim()}`] : [])),
  );

test('no screen names a permission: a button, a link and a form name the operation that they call', () => {
  expect(files.length).toBeGreaterThan(100);
  const names = [...new Set(Object.keys(operations).flatMap((of) => of.split(' ')))];
  expect(names.length).toBeGreaterThan(30);
  expect(found(new RegExp(`['"\`](${names.join('|')})['"\`]|\\bneeds=`))).toEqual([]);
});

test('no screen names a command: it is made of the call', () => {
  expect(found(/\bhostler [a-z$]/)).toEqual([]);
});

test('an operation needs its permissions, and more for certain fields', () => {
  const make = 'post /orgs/{organization}/servers/{server}/sites';
  expect(needed(make)).toEqual(['site:create']);
  expect(needed([make, `${make} limits`])).toEqual(['site:create', 'server:manage-services']);
  expect(lacked(new Set(['server:manage-services']), [`${make} limits`, make])).toBe('site:create');
  expect(lacked(new Set(['server:manage-services', 'site:create']), [make, `${make} limits`])).toBeUndefined();
  expect(lacked(new Set(), 'delete /user/tokens/{token}' as typeof make)).toBeUndefined();
});
