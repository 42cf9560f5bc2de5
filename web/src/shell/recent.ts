// The pages that were open last, for the palette. They stay in the browser, and go when the person signs out.

/** Visit is a page that was left: its address, and the title that it had. */
export interface Visit {
  path: string;
  title: string;
}

/** most is how many visits are kept. */
export const most = 12;
const key = 'hostler.recent';

/** after returns the visits with one more, newest first, each address once. Pages without a title of their own, such as one that was not found, are left out. */
export function after(visits: Visit[], last: Visit): Visit[] {
  const title = last.title.replace(/ · Hostler$/, '');
  if (!title || title === 'Hostler') return visits;
  return [{ path: last.path, title }, ...visits.filter((v) => v.path !== last.path)].slice(0, most);
}

export function readVisits(): Visit[] {
  try {
    const all: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(all) ? all.filter((v): v is Visit => typeof v?.path === 'string' && typeof v?.title === 'string') : [];
  } catch {
    return [];
  }
}
export function visit(last: Visit) {
  try {
    localStorage.setItem(key, JSON.stringify(after(readVisits(), last)));
  } catch {
    /* without storage, nothing is recent */
  }
}
export function forgetVisits() {
  try {
    localStorage.removeItem(key);
  } catch {
    /* there are none */
  }
}
