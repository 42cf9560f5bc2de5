import { Trans } from '@lingui/react/macro';
import { useIsFetching } from '@tanstack/react-query';
import { type RefObject, useEffect, useReducer, useRef, useState } from 'react';
import { Button } from './button';
import { adds, type Draft, fieldsOf, idOf, readDraft, setValue, stateOf, takes, writeDraft } from './kept';
import { Notice } from './page';

/** Returned says whether a draft was restored, or kept aside because its fields have changed on the server since. */
type Returned = 'back' | 'overtaken';

/**
 * useKept stores what is typed into a form, and restores it in a form for the same target. A field is restored automatically only while its saved value is the
 * one that was edited. Otherwise the new value is shown, and the person chooses.
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
  const [returned, setReturned] = useState<Returned | null>(null);
  const reading = useIsFetching() > 0; // fields may not have their values yet
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
    // The last field first: one that follows another by itself, as a slug does a name, follows again.
    for (const [id, field] of fieldsOf(form.current).reverse()) {
      const undo = undone.current[id];
      if (!undo) continue;
      delete undone.current[id];
      return put(field, undo.was);
    }
    let waiting: MutationObserver | undefined;
    let overtaken = false;
    for (const [id, field] of fieldsOf(form.current)) {
      const kept = left.current?.[id];
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
      if (kept && kept.was === stateOf(field) && takes(field, kept.is)) {
        delete left.current?.[id];
        draft.current[id] = kept;
        came.current = true;
        return put(field, kept.is);
      }
      if (kept?.is === stateOf(field)) delete left.current?.[id];
      else if (kept && takes(field, kept.is)) overtaken = true;
      if (!draft.current[id]) seen.current[id] = stateOf(field);
    }
    if (waiting) return () => waiting.disconnect(); // until all of it is there
    setReturned((is) => (overtaken ? (reading ? is : 'overtaken') : came.current ? 'back' : null));
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
    returned,
    /** putBack puts back what was typed over what has been changed elsewhere. */
    putBack: () => {
      if (!form.current) return;
      for (const [id, field] of fieldsOf(form.current)) if (left.current?.[id]) left.current[id].was = stateOf(field);
      again();
    },
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

/** Drafted says that a form has what was typed before, or that it has been changed since. */
export function Drafted({ kept }: { kept: ReturnType<typeof useKept> }) {
  if (!kept.returned) return null;
  const overtaken = kept.returned === 'overtaken';
  return (
    <Notice
      tone={overtaken ? 'warn' : 'info'}
      action={
        <>
          {overtaken && (
            <Button onClick={kept.putBack}>
              <Trans>Put it back</Trans>
            </Button>
          )}
          <Button look="quiet" onClick={kept.discard}>
            <Trans>Discard it</Trans>
          </Button>
        </>
      }
    >
      {overtaken ? <Trans>This was changed after you typed here. What you typed is kept.</Trans> : <Trans>What you typed here before is back.</Trans>}
    </Notice>
  );
}
