import { expect, test } from 'vitest';
import { choices } from './filters';

test('the chosen option is in the menu, also if it was not found', () => {
  const found = [
    ['1', 'web-1'],
    ['2', 'web-2'],
  ] as const;
  expect(choices('Any server', found, '2', '#2')).toEqual([
    ['', 'Any server'],
    ['1', 'web-1'],
    ['2', 'web-2'],
  ]);
  expect(choices('Any server', found, '9', 'db-9')).toEqual([
    ['', 'Any server'],
    ['9', 'db-9'],
    ['1', 'web-1'],
    ['2', 'web-2'],
  ]);
  expect(choices('Any server', [], '', '#')).toEqual([['', 'Any server']]);
});
