// What was typed into a form is kept in its tab until it is sent or discarded: across a detour, a closed dialog, a reload. Secrets are not kept.

/** Field is a control of a form that can be kept. A button is one if it adds rows: data-adds says how many there are. */
type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement | HTMLButtonElement;

/** adds reports whether a control is a button that adds rows. */
export const adds = (f: Element): f is HTMLButtonElement => f instanceof HTMLButtonElement && f.dataset.adds !== undefined;

/** Typed is what a person made of a field, and what the field was before. */
export interface Typed {
  was: string;
  is: string;
}

export type Draft = Record<string, Typed>;

const prefix = 'draft:';

/** secret are the names of fields whose values are never stored. confirm is typed again on purpose. */
const secret = /password|secret|token|key|certificate|^(confirm|code|content|environment)$/;

/** stateOf is what a field says; of one that is checked or not, whether it is. */
export function stateOf(f: Field): string {
  if (adds(f)) return f.dataset.adds!;
  return checkable(f) ? String(f.checked) : f.value;
}

function checkable(f: Field): f is HTMLInputElement {
  return f instanceof HTMLInputElement && (f.type === 'checkbox' || f.type === 'radio');
}

/** idOf tells the fields of a form apart; undefined for one that is not kept. */
export function idOf(f: Element): string | undefined {
  if (adds(f)) return `adds|${f.textContent}`;
  if (!(f instanceof HTMLInputElement || f instanceof HTMLTextAreaElement || f instanceof HTMLSelectElement)) return undefined;
  if (f instanceof HTMLInputElement && (f.type === 'password' || f.type === 'file' || f.type === 'hidden')) return undefined;
  if (secret.test(f.name)) return undefined;
  const label = f.labels?.[0]?.textContent ?? f.getAttribute('aria-label') ?? '';
  return f.name || label ? `${f.name}|${label}` : undefined;
}

/** fieldsOf are those of a form that are kept. */
export function fieldsOf(form: HTMLFormElement): [string, Field][] {
  const out: [string, Field][] = [];
  for (const f of form.elements) {
    const id = idOf(f);
    if (id !== undefined) out.push([id, f as Field]);
  }
  return out;
}

/** takes reports whether a field can have a value: what was chosen may no longer be there to choose. */
export function takes(f: Field, value: string): boolean {
  return !(f instanceof HTMLSelectElement) || [...f.options].some((o) => o.value === value);
}

/** setValue changes a field as a person would, so that the page takes notice. A button adds one row. */
export function setValue(f: Field, value: string) {
  if (adds(f)) return f.click();
  if (checkable(f)) {
    if (String(f.checked) !== value) f.click();
    return;
  }
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(f), 'value')?.set?.call(f, value);
  f.dispatchEvent(new Event(f instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
}

/** readDraft is the draft of what a form is for. */
export function readDraft(target: string): Draft {
  try {
    return JSON.parse(sessionStorage.getItem(prefix + target) ?? '{}') as Draft;
  } catch {
    return {};
  }
}

export function writeDraft(target: string, draft: Draft) {
  try {
    if (Object.keys(draft).length === 0) sessionStorage.removeItem(prefix + target);
    else sessionStorage.setItem(prefix + target, JSON.stringify(draft));
  } catch {
    // a browser without storage keeps what is on the page
  }
}

/** forgetDrafts is for who signs out: the next person in this tab does not see them. */
export function forgetDrafts() {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  } catch {
    // there are none
  }
}
