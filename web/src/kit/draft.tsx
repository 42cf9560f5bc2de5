import { Trans } from '@lingui/react/macro';
import { type RefObject, useEffect, useReducer, useRef, useState } from 'react';
import { Button } from './button';
import { adds, type Draft, fieldsOf, idOf, readDraft, setValue, stateOf, writeDraft } from './kept';
import { Notice } from './page';

/**
 * useKept keeps what is typed into a form, and puts it back into a form for the same target. A field gets its draft back only while it says what it said before
 * it was changed: what has changed on the server meanwhile is shown.
 */
export function useKept(form: RefObject<HTMLFormElement | null>, target: string | undefined) {
  const seen = useRef<Record<string, string>>({});
  const left = useRef<Draft | null>(null);
  const draft = useRef<Draft>({});
  const putting = useRef(false);
  const of = useRef<string | undefined>(undefined);
  const undone = useRef<Draft>({});
  const added = useRef(false);
  const came = useRef(false); // something was put back, and not discarded
  const [back, setBack] = useState(false);
  const [, again] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    if (!form.current || !target) return;
    if (of.current !== target) {
      of.current = target;
      seen.current = {};
      draft.current = {};
      undone.current = {};
      came.current = false;
      left.current = readDraft(target);
    }
    // One field is set before each render: several fields may be parts of one state of the page, and each is changed from what was last rendered.
    const put = (field: Parameters<typeof setValue>[0], value: string) => {
      putting.current = true;
      setValue(field, value);
      putting.current = false;
      again();
    };
    let waiting: MutationObserver | undefined;
    for (const [id, field] of fieldsOf(form.current)) {
      const kept = left.current?.[id];
      const undo = undone.current[id];
      if (adds(field)) {
        const [is, was] = [stateOf(field), draft.current[id]?.was ?? seen.current[id] ?? stateOf(field)];
        if (kept && Number(kept.was) <= Number(is) && Number(is) < Number(kept.is)) {
          if (field.ariaDisabled) {
            waiting = new MutationObserver(again); // until the page knows what to add
            waiting.observe(field, { attributes: true, attributeFilter: ['aria-disabled'] });
            continue;
          }
          came.current = true;
          return put(field, kept.is);
        }
        delete left.current?.[id];
        if (kept ? is === kept.is : draft.current[id] || (added.current && is !== was)) draft.current[id] = { was: kept?.was ?? was, is };
        else seen.current[id] = is;
        if (added.current) writeDraft(target, { ...left.current, ...draft.current });
        added.current = false;
        continue;
      }
      if (undo) {
        delete undone.current[id];
        return put(field, undo.was);
      }
      if (kept && kept.was === stateOf(field)) {
        delete left.current?.[id];
        draft.current[id] = kept;
        came.current = true;
        return put(field, kept.is);
      }
      if (!draft.current[id]) seen.current[id] = stateOf(field);
    }
    if (!waiting) setBack(came.current); // once all of it is there
    return () => waiting?.disconnect();
  });
  return {
    /** changed is for what bubbles up from the fields. */
    changed: (e: { target: EventTarget }) => {
      const id = e.target instanceof Element ? idOf(e.target) : undefined;
      if (!target || putting.current || id === undefined || !form.current) return;
      delete left.current?.[id];
      for (const [other, field] of fieldsOf(form.current)) {
        const was = draft.current[other]?.was ?? seen.current[other];
        if (was === undefined) continue;
        if (stateOf(field) === was) delete draft.current[other];
        else if (other === id || draft.current[other]) draft.current[other] = { was, is: stateOf(field) };
      }
      writeDraft(target, { ...left.current, ...draft.current });
    },
    /** pressed is for clicks: what adds rows is seen with the next render. */
    pressed: (e: { target: EventTarget }) => {
      const button = e.target instanceof Element && e.target.closest('button');
      if (button && adds(button) && !putting.current) added.current = true;
    },
    /** back is set if a draft was put back. */
    back,
    discard: () => {
      if (!target) return;
      came.current = false;
      undone.current = Object.fromEntries(Object.entries(draft.current).filter(([id]) => !id.startsWith('adds|'))); // an empty row is easily removed
      draft.current = {};
      left.current = {};
      writeDraft(target, {});
      again();
    },
  };
}

/** PutBack says that a form has what was typed before. */
export function PutBack({ discard }: { discard: () => void }) {
  return (
    <Notice
      action={
        <Button look="quiet" onClick={discard}>
          <Trans>Discard it</Trans>
        </Button>
      }
    >
      <Trans>What you typed here before is back.</Trans>
    </Notice>
  );
}
