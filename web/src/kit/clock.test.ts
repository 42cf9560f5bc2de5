import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { current, serverSays, watch } from './clock';
import { distance } from './numbers';

const start = Date.parse('2026-11-30T20:00:00Z');
beforeEach(() => void vi.useFakeTimers({ now: start }));
afterEach(() => {
  serverSays(new Date().toUTCString());
  vi.useRealTimers();
});

test('a clock that nothing watched is not behind what happened meanwhile', () => {
  current();
  vi.advanceTimersByTime(43_000);
  const created = Date.now();
  expect(distance(created - current())).toBe('just now');
  const stop = watch(() => undefined);
  vi.advanceTimersByTime(43_000);
  expect(distance(created - current())).toBe('43 sec. ago');
  stop();
});

// openshift/origin#2568 and openshift/origin-web-console#2175: ages by the browser's clock, and something deleted "in a few seconds".
test('a browser whose clock is behind shows nothing that happened as still to come', () => {
  const server = start + 5 * 60_000;
  serverSays(new Date(server).toUTCString());
  vi.advanceTimersByTime(1_000);
  expect(distance(server - 10_000 - current())).toBe('11 sec. ago');
  serverSays(null);
  expect(distance(server - 10_000 - current())).toBe('11 sec. ago');
  serverSays(new Date(Date.now() + 900).toUTCString()); // as good as equal
  vi.advanceTimersByTime(1_000);
  expect(current()).toBe(Date.now());
});
