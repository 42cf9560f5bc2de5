// What an event says, once its work has ended well: "Installing site shop" is then "Installed site shop".
import type { Event } from '../api/types';

/** Verbs whose past is not made by a rule, in the language of the API. */
const irregular: Record<string, string> = {
  going: 'went',
  making: 'made',
  putting: 'put',
  reading: 'read',
  running: 'ran',
  sending: 'sent',
  taking: 'took',
  writing: 'wrote',
};

/** said returns the description of an event, in the past if its work succeeded. */
export function said(event: Event) {
  const description = event.attributes.description;
  if (event.meta?.operation?.state !== 'succeeded') return description;
  return description.replace(/^([A-Z][a-z]+)ing(?= )/, (verb, stem: string) => {
    const past = irregular[verb.toLowerCase()];
    return past ? past[0]!.toUpperCase() + past.slice(1) : stem.replace(/(?<=[^aeiou])y$/, 'i') + 'ed';
  });
}
