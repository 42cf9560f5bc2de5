import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { beat, elect, type Says } from './election';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** browser has tabs that hear each other, but not themselves. */
function browser() {
  const tabs = new Map<string, ReturnType<typeof elect>>();
  let most = 0;
  const leaders = () => [...tabs].filter(([, t]) => t.leads()).map(([id]) => id);
  const cut = new Set<string>();
  return {
    leaders,
    most: () => most,
    cut,
    open: (id: string, chance: number) => {
      const post = (says: Says) => {
        if (cut.has(says.id)) return;
        for (const [other, t] of tabs) if (other !== says.id && !cut.has(other)) t.heard(says);
      };
      tabs.set(id, elect({ id, post, chance: () => chance, led: () => (most = Math.max(most, leaders().length)) }));
    },
    close: (id: string) => {
      tabs.get(id)!.leave();
      tabs.delete(id);
    },
    crash: (id: string) => {
      cut.add(id);
      tabs.delete(id);
    },
  };
}

test('of six tabs one leads, and a new one does not take over', () => {
  const b = browser();
  ['c', 'a', 'f', 'b', 'e', 'd'].forEach((id, i) => b.open(id, i / 6));
  vi.advanceTimersByTime(1_000);
  expect(b.leaders()).toEqual(['c']);
  b.open('0', 0);
  vi.advanceTimersByTime(20 * beat);
  expect(b.leaders()).toEqual(['c']);
  expect(b.most()).toBe(1);
});

test('when the one that leads goes, another leads within a moment; when it crashes, within seconds', () => {
  const b = browser();
  ['a', 'b', 'c'].forEach((id, i) => b.open(id, i / 3));
  vi.advanceTimersByTime(1_000);
  b.close('a');
  vi.advanceTimersByTime(200);
  expect(b.leaders()).toHaveLength(1);
  const [second] = b.leaders();
  b.crash(second!);
  vi.advanceTimersByTime(6 * beat + 1);
  expect(b.leaders()).toHaveLength(1);
  expect(b.leaders()).not.toContain(second);
});

test('of two that claim at the same time one stays', () => {
  const b = browser();
  b.cut.add('a').add('b'); // they do not hear each other yet
  b.open('a', 0);
  b.open('b', 0);
  vi.advanceTimersByTime(1_000);
  expect(b.leaders()).toEqual(['a', 'b']);
  b.cut.clear();
  vi.advanceTimersByTime(2 * beat);
  expect(b.leaders()).toEqual(['a']);
});
