import { Trans } from '@lingui/react/macro';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { Button } from './button';
import { type Draft, fieldsOf, idOf, readDraft, setValue, stateOf, writeDraft } from './kept';
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
  const [back, setBack] = useState(false);
  useEffect(() => {
    if (!form.current || !target) return;
    if (of.current !== target) {
      of.current = target;
      seen.current = {};
      draft.current = {};
      left.current = readDraft(target);
    }
    for (const [id, field] of fieldsOf(form.current)) {
      const kept = left.current?.[id];
      if (kept && kept.was === stateOf(field)) {
        delete left.current?.[id];
        draft.current[id] = kept;
        putting.current = true;
        setValue(field, kept.is);
        putting.current = false;
        setBack(true);
      } else if (!draft.current[id]) {
        seen.current[id] = stateOf(field);
      }
    }
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
    /** back is set if a draft was put back. */
    back,
    discard: () => {
      setBack(false);
      if (!target || !form.current) return;
      const was = draft.current;
      draft.current = {};
      left.current = {};
      writeDraft(target, {});
      putting.current = true;
      for (const [id, field] of fieldsOf(form.current)) if (was[id]) setValue(field, was[id].was);
      putting.current = false;
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
