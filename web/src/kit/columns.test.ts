import { expect, test } from 'vitest';
import { fitting, template } from './columns';

const columns = [
  { name: 'Name', width: 'minmax(0,3fr)' },
  { name: 'Server' },
  { name: 'Status', width: '12rem' },
  { name: 'Type', width: '9rem', minor: true },
  { name: 'Added', width: '7rem', minor: true },
];
const names = (width: number) => fitting(columns, width)?.map((c) => c.name) ?? 'cards';

test('minor columns go first, the last ones before the others, and then rows are cards', () => {
  expect(names(80)).toEqual(['Name', 'Server', 'Status', 'Type', 'Added']);
  expect(names(50)).toEqual(['Name', 'Server', 'Status', 'Type']);
  expect(names(40)).toEqual(['Name', 'Server', 'Status']);
  expect(names(29)).toBe('cards');
});

test('a flexible column gets the width it asks for, or a minor one is left out', () => {
  const wide = [{ name: 'Name' }, { name: 'Domain', width: 'minmax(12rem,2fr)' }, { name: 'Added', width: '7rem', minor: true }];
  expect(fitting(wide, 34)?.length).toBe(3);
  expect(fitting(wide, 33)?.length).toBe(2);
  expect(template(wide)).toBe('minmax(11rem,1fr) minmax(12rem,2fr) 7rem');
});

test('nothing that is shown is narrower than it can be read', () => {
  for (let width = 15; width < 90; width += 0.25) {
    const shown = fitting(columns, width);
    if (!shown) continue;
    const least = template(shown)
      .split(' ')
      .map((w) => Number.parseFloat(w.replace('minmax(', '')));
    expect(least[0]).toBeGreaterThanOrEqual(11);
    expect(Math.min(...least)).toBeGreaterThanOrEqual(6.5);
    expect(least.reduce((a, b) => a + b) + 2 + least.length - 1).toBeLessThanOrEqual(width);
  }
});
