// What an event says, once its work has ended well: "Installing site shop" is then "Installed site shop".
import type { Event } from '../api/types';

/** Verbs whose past is not made by a rule. */
const irregular: Record<string, string> = {
  Going: 'Went',
  Making: 'Made',
  Putting: 'Put',
  Reading: 'Read',
  Running: 'Ran',
  Sending: 'Sent',
  Taking: 'Took',
  Writing: 'Wrote',
};

/** said returns the description of an event, in the past if its work succeeded. */
export function said(event: Event) {
  const description = event.attributes.description;
  if (event.meta?.operation?.state !== 'succeeded') return description;
  return description.replace(/^([A-Z][a-z]+)ing(?= )/, (verb, stem: string) => irregular[verb] ?? stem.replace(/(?<=[^aeiou])y$/, 'i') + 'ed');
}
