// The clock of everything that shows how long ago something was: it ticks once a second while something watches it, and goes by the server that says when
// things happened. A browser whose clock is behind would show what happened as something that is still to come.

/** tolerated is how far a browser's clock may be from the server's before it is corrected, in milliseconds: a header has whole seconds, and answers take time. */
const tolerated = 2_000;

let ahead = 0; // how far the server's clock is ahead of this one
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const watchers = new Set<() => void>();
const read = () => {
  now = Date.now() + ahead;
};

/** serverSays corrects the clock by the Date header of an answer that came just now. */
export function serverSays(date: string | null, at = Date.now()) {
  const difference = Date.parse(date ?? '') - at;
  if (!Number.isNaN(difference)) ahead = Math.abs(difference) > tolerated ? difference : 0;
}

/** watch calls f each second until what it returns is called. */
export function watch(f: () => void): () => void {
  watchers.add(f);
  timer ??= setInterval(() => {
    read();
    watchers.forEach((w) => w());
  }, 1000);
  return () => {
    watchers.delete(f);
    if (watchers.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** current is the time of the last tick. While the clock does not tick it is read again, once a second, so that it is never older than that. */
export function current(): number {
  if (!timer && Math.abs(Date.now() + ahead - now) >= 1000) read();
  return now;
}
