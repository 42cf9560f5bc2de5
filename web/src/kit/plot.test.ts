import { expect, test } from 'vitest';
import { percent, rate } from './numbers';
import { area, latest, line, place, runs, stepAt, top } from './plot';

test('a scale ends at a round number, and not below what is always shown', () => {
  expect(top([3, null, 40], 100)).toBe(100);
  expect(top([130], 100)).toBe(200);
  expect(top([1999, 2001], 1000)).toBe(5000);
  expect(top([9_000_000], 1000)).toBe(10_000_000);
  expect(top([null], 1000)).toBe(1000);
  expect(top([200], 100)).toBe(200);
});

test('a gap divides a line', () => {
  expect(runs([null, 1, 2, null, null, 3])).toEqual([
    [1, 2],
    [5, 5],
  ]);
  expect(runs([null, null])).toEqual([]);
  expect(line([0, 50, null, 100], 100)).toBe('M0.125 1L0.375 0.5M0.75 0H1');
  expect(line([null], 100)).toBe('');
  expect(area([0, 50, null, null], 100)).toBe('M0.125 1L0.375 0.5L0.375 1H0.125Z');
});

test('nothing is drawn above the scale', () => {
  expect(line([500, 0], 100)).toBe('M0.25 0L0.75 1');
});

test('marks and pointers find their step', () => {
  const from = '2026-03-01T12:00:00.000000Z';
  const until = '2026-03-01T13:00:00.000000Z';
  expect(place('2026-03-01T12:15:00.000000Z', from, until)).toBe(0.25);
  expect(stepAt(0.999, 60)).toBe(59);
  expect(stepAt(1, 60)).toBe(59);
  expect(stepAt(-0.1, 60)).toBe(0);
  expect(latest([1, 2, null])).toBe(1);
  expect(latest([null])).toBe(-1);
});

test('values have few digits', () => {
  expect([0, 7.25, 12.6, 250].map(percent)).toEqual(['0%', '7.3%', '13%', '250%']);
  expect([0, 999, 999.6, 1500, 12_345, 3_200_000].map(rate)).toEqual(['0 B/s', '999 B/s', '1 kB/s', '1.5 kB/s', '12 kB/s', '3.2 MB/s']);
});
