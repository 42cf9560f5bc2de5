// The language of the screens: the first that the browser asks for and that there is a catalogue of. The sources are in English, whose texts are where
// they are used. The macros of Lingui become calls of i18n and Trans (texts.ts at the top), with each text parsed by the build.
import { cloneElement, createElement, Fragment, isValidElement, type ReactElement, type ReactNode } from 'react';

/** Token is a part of a text: as it is, or a value by its name, which plural and select choose a text for. In a plural, # is the number. */
type Token = string | [name: string, kind?: string, cases?: Record<string, Message>];
export type Message = string | Token[];
type Values = Record<string, unknown>;

const source = 'en';
const catalogues = import.meta.glob<{ messages: Record<string, Message> }>(['../locales/*.po', '!../locales/en.po']);
const nameOf = (file: string) => file.slice(file.lastIndexOf('/') + 1, -'.po'.length);

/** choose is the first of the languages wanted that there is, or that is the general one of it: de for de-AT. */
export function choose(wanted: readonly string[], there: readonly string[]): string {
  const known = [source, ...there];
  return wanted.flatMap((tag) => [tag, tag.split('-')[0]!]).find((tag) => known.includes(tag)) ?? source;
}

/** language is what texts, their numbers and their plurals are in. */
export const language = choose(globalThis.navigator?.languages ?? [], Object.keys(catalogues).map(nameOf));
/** region is what dates are in: as the browser is set to. */
export const region: string | undefined = undefined;

let messages: Record<string, Message> = {};
/** translate makes texts those of a catalogue from then on. */
export function translate(to: Record<string, Message>) {
  messages = to;
}
/** ready is when texts may be asked for: at once in English, otherwise once the catalogue is there. */
export async function ready(): Promise<void> {
  const load = Object.entries(catalogues).find(([file]) => nameOf(file) === language)?.[1];
  if (!load) return;
  translate((await load()).messages);
  document.documentElement.lang = language;
}

const rules = { plural: new Intl.PluralRules(language), selectordinal: new Intl.PluralRules(language, { type: 'ordinal' }) };
const whole = new Intl.NumberFormat(language);

/** fill puts the values in a text. */
function fill(message: Message, values: Values, n?: number): string {
  if (typeof message === 'string') return message;
  return message
    .map((token) => {
      if (token === '#' && n !== undefined) return whole.format(n);
      if (typeof token === 'string') return token;
      const [name, kind, cases] = token;
      const value = values[name];
      if (!cases) return value ?? '';
      const rule = rules[kind as keyof typeof rules];
      const of = rule ? (cases[String(value)] ?? cases[rule.select(Number(value))]) : cases[String(value)];
      return fill(of ?? cases.other ?? '', values, rule ? Number(value) : n);
    })
    .join('');
}

/** text is a text in the language of the screens: of the catalogue, by the English one or by an id, or the English one. */
function text(english: Message, values: Values = {}, id = typeof english === 'string' ? english : JSON.stringify(english)): string {
  return fill(messages[id] ?? english, values);
}
export const i18n = { _: text };

const element = /<(\d+)>(.*?)<\/\1>|<(\d+)\/>/s;
/** build puts elements where a text has their numbers: <0>…</0> with what is between as children, or <0/>. */
function build(text: string, elements: ReactNode[]): ReactNode[] {
  const [all, pair, inner = '', single] = element.exec(text) ?? [];
  if (all === undefined) return [text];
  const at = text.indexOf(all);
  const of = elements[Number(pair ?? single)];
  const made = pair && isValidElement(of) ? cloneElement(of, undefined, ...build(inner, elements)) : of;
  return [text.slice(0, at), made, ...build(text.slice(at + all.length), elements)];
}

interface Text {
  message: Message;
  id?: string;
  values?: Values;
  components?: Record<string, ReactElement>;
}

/** Trans is a text with elements in it. A value that is not plain text is put in as elements are, so that nothing in it is taken for one. */
export function Trans({ message, id, values, components }: Text): ReactNode {
  const elements: ReactNode[] = Object.values(components ?? {});
  const plain: Values = {};
  for (const [name, value] of Object.entries(values ?? {}))
    plain[name] = typeof value === 'number' || (typeof value === 'string' && !value.includes('<')) ? value : `<${elements.push(value as ReactNode) - 1}/>`;
  return createElement(Fragment, null, ...build(text(message, plain, id), elements));
}
