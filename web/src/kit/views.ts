// Filters of a list that were saved under a name. They stay in the browser of the person who saved them.

/** Values are the filters of a list by their names; those that are blank filter nothing. */
export type Values = Record<string, string>;
export interface View {
  name: string;
  values: Values;
}

const key = (list: string) => `hostler.filters.${list}`;
const set = (values: Values) => Object.entries(values).filter(([, v]) => v);

/** same reports whether two filters let the same rows through. */
export const same = (a: Values, b: Values) => set(a).length === set(b).length && set(a).every(([name, v]) => b[name] === v);

/** saved returns the views with one more, in alphabetical order; one of the same name is replaced. */
export const saved = (views: View[], view: View): View[] =>
  [...views.filter((v) => v.name !== view.name), { name: view.name, values: Object.fromEntries(set(view.values)) }].sort((a, b) =>
    a.name.localeCompare(b.name),
  );

export function readViews(list: string): View[] {
  try {
    const all: unknown = JSON.parse(localStorage.getItem(key(list)) ?? '[]');
    return Array.isArray(all) ? all.filter((v): v is View => typeof v?.name === 'string' && !!v.values && typeof v.values === 'object') : [];
  } catch {
    return [];
  }
}
export function writeViews(list: string, views: View[]) {
  try {
    localStorage.setItem(key(list), JSON.stringify(views));
  } catch {
    /* they last as long as the page */
  }
}
