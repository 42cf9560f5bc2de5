// Who may call what: by the operations of the description, of which each button, link and form names its own.
import { operations } from './operations';

type Made = typeof operations;

/** Operation is one that needs a permission, by its method and path; with a field after it, what giving that field needs as well. */
export type Operation = Made[keyof Made][number];

/** Does is what is called, whole: an operation, or several that all have to be permitted. */
export type Does = Operation | readonly Operation[];

const needs = new Map<string, string[]>();
for (const [permissions, of] of Object.entries(operations)) for (const name of of) needs.set(name, permissions.split(' '));

/** needed are the permissions that a call needs. One that is not listed needs none. */
export const needed = (does: Does): string[] => [does].flat().flatMap((name) => needs.get(name) ?? []);

/** readable are the places whose pages have something to show to a person: without the permission for what a page reads, all of it would be a refusal. */
export const readable = <T extends { reads?: Does }>(held: ReadonlySet<string> | null | undefined, places: T[]): T[] =>
  held ? places.filter((p) => !p.reads || lacked(held, p.reads) === undefined) : places;

/** lacked is the first permission that a call needs and that is not among those held. */
export function lacked(held: ReadonlySet<string>, does: Does): string | undefined {
  return needed(does).find((p) => !held.has(p));
}
