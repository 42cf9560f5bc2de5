import { plural } from '@lingui/core/macro';
import { expect, test } from 'vitest';
import { atMost, bytes, distance, lasted, number, span } from './numbers';

test('a duration of the API is written as on other screens', () => {
  const written = ['', '270ms', '1.5s', '49.2s', '1m2.5s', '1h0m3s'].map(lasted);
  expect(written).toEqual(['', '0.3 s', '1.5 s', '49 s', '1 min 3 s', '1 h 0 min']);
});

test('numbers have separators, and at most one digit after the point', () => {
  expect([0, 1.25, 1.96, 12345].map(number)).toEqual(['0', '1.3', '2', '12,345']);
  const servers = (n: number) => plural(n, { one: '# server', other: '# servers' });
  expect([0, 1, 2, 10_000].map(servers)).toEqual(['0 servers', '1 server', '2 servers', '10,000 servers']);
});

test('sizes are in powers of 1000', () => {
  expect([0, 999, 1000, 1540, 99_960, 250_400, 999_999, 3_000_000, 7e15].map(bytes)).toEqual([
    '0 bytes',
    '999 bytes',
    '1.0 kB',
    '1.5 kB',
    '100 kB',
    '250 kB',
    '1.0 MB',
    '3.0 MB',
    '7,000 TB',
  ]);
});

test('durations are in their largest units', () => {
  expect([-5, 59_400, 60_000, 3_599_000, 3_600_000, 86_400_000, 172_800_000].map(span)).toEqual([
    '0 s',
    '59 s',
    '1 min',
    '59 min 59 s',
    '1 h 0 min',
    '1 day',
    '2 days',
  ]);
});

test('distances from now are in their largest unit, and rounded before it is chosen', () => {
  expect([0, -4_900, 1_900, -5_000, 12_000].map(distance)).toEqual(['just now', 'just now', 'just now', '5 sec. ago', 'in 12 sec.']);
  expect([-59_400, -59_600, -300_000, 90_000].map(distance)).toEqual(['59 sec. ago', '1 min. ago', '5 min. ago', 'in 2 min.']);
  expect([-3_599_000, 7_200_000, -86_399_000, -300_000_000].map(distance)).toEqual(['1 hr. ago', 'in 2 hr.', '1 day ago', '3 days ago']);
});

test('a limit is rounded up, and does not count down by the second', () => {
  expect(atMost(30 * 60_000 - 1_000)).toBe('30 min');
  expect(atMost(12 * 3600_000 - 1_000)).toBe('12 h');
  expect(atMost(3 * 86400_000)).toBe('3 days');
  expect(atMost(-5)).toBe('1 min');
});
