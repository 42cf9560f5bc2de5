import { expect, test } from 'vitest';
import { same, saved } from './views';

test('views are sorted, and one of the same name is replaced', () => {
  const two = saved(saved([], { name: 'web', values: { type: 'web', status: '' } }), { name: 'Broken', values: { status: 'problems' } });
  expect(two.map((v) => v.name)).toEqual(['Broken', 'web']);
  expect(two[1]?.values).toEqual({ type: 'web' });
  expect(saved(two, { name: 'web', values: { type: 'app' } })[1]?.values).toEqual({ type: 'app' });
});

test('blank filters are none', () => {
  expect(same({ type: 'web', status: '' }, { type: 'web' })).toBe(true);
  expect(same({ type: 'web' }, { type: 'web', status: 'problems' })).toBe(false);
  expect(same({}, { type: '' })).toBe(true);
});
