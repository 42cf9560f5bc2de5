// Editing a file: line numbers, what changes, and no way to lose what was typed by a click on a link.
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useBlocker } from '@tanstack/react-router';
import { FileDiff } from 'lucide-react';
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import { Button } from './button';
import { Dialog } from './dialog';
import { Diff } from './diff';
import { useFieldErrors } from './field';
import { unified } from './lines';
import type { Language, Piece } from './paint';

/** useDraft is what was typed on top of what is stored. What was saved stays shown until what is stored is the same. */
export function useDraft(stored: string | undefined) {
  const [draft, setDraft] = useState<string | null>(null);
  useEffect(() => {
    if (draft !== null && draft === stored) setDraft(null);
  }, [draft, stored]);
  return { text: draft ?? stored ?? '', set: setDraft, dirty: draft !== null && draft !== stored, undo: () => setDraft(null) };
}

/** useSent keeps a text that was sent to be checked on the server. While it is checked, it is what is stored; refused, what was stored before is put back,
 * and what was sent comes back as a draft, to be mended. again reads what is stored; the function that is returned takes what is sent. */
export function useSent(draft: ReturnType<typeof useDraft>, stored: string | undefined, refused: boolean, again: () => void): (text: string) => void {
  const sent = useRef<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is refused
  useEffect(() => {
    if (refused) again();
  }, [refused]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when what is stored arrives
  useEffect(() => {
    // not before what was put back is here: until then what was typed is what is stored, and would not count as typed
    if (!refused || sent.current === null || stored === undefined || stored === sent.current) return;
    draft.set(sent.current);
    sent.current = null;
  }, [refused, stored]);
  return (text) => {
    sent.current = text;
  };
}

// The longest text that is painted: each key paints it again.
const mostPainted = 200_000;
const lineHeight = 24; // of leading-6

const colours: Record<Piece[1], string> = {
  '': '',
  comment: 'text-muted',
  keyword: 'text-accent',
  name: 'text-info',
  text: 'text-warn',
  number: 'text-warn',
};

/** usePaint is the grammar of a language, once it is here. */
function usePaint(language?: Language) {
  const [paint, setPaint] = useState<typeof import('./paint').paint | null>(null);
  useEffect(() => {
    if (language) import('./paint').then((m) => setPaint(() => m.paint)).catch(() => undefined); // without it the text has one colour
  }, [language]);
  return paint;
}

/** Painted is the text of the lines in sight, in colours, below a field whose own text can't be seen. */
function Painted({ pieces, top, left, shown }: { pieces: Piece[][]; top: number; left: number; shown: number }) {
  const first = Math.max(0, Math.floor(top / lineHeight) - 2);
  return (
    <div aria-hidden data-painted className="pointer-events-none absolute inset-0 overflow-hidden px-3 py-2.5">
      <pre className="font-mono text-sm leading-6 max-md:text-base" style={{ transform: `translate(${-left}px, ${first * lineHeight - top}px)` }}>
        {pieces.slice(first, first + shown + 5).map((line, i) => (
          <span key={first + i} className="block min-h-6 w-max">
            {line.map(([text, kind], n) => (
              <span key={n} className={colours[kind]}>
                {text}
              </span>
            ))}
          </span>
        ))}
      </pre>
    </div>
  );
}

const numbersFor = (n: number) => Array.from({ length: n }, (_, i) => i + 1).join('\n');

/** Editor is a field for a whole file, in the colours of its language. Tab leaves it, as it leaves every field: nobody is caught in it. */
export function Editor({
  label,
  name,
  value,
  onChange,
  hint,
  rows = 18,
  mark,
  readOnly,
  language,
}: {
  label: string;
  name: string;
  language?: Language;
  value: string;
  onChange: (v: string) => void;
  hint?: ReactNode;
  rows?: number;
  mark?: number;
  readOnly?: boolean;
}) {
  const id = useId();
  const errors = useFieldErrors(name, label);
  const gutter = useRef<HTMLPreElement>(null);
  const count = value.split('\n').length;
  const numbers = useMemo(() => numbersFor(count), [count]);
  const shown = Math.min(Math.max(rows, count + 1), 32);
  const paint = usePaint(language);
  const [at, setAt] = useState({ top: 0, left: 0, height: 0 });
  const pieces = useMemo(() => (paint && language && value.length < mostPainted ? paint(language, value) : null), [paint, language, value]);
  return (
    <div className="grid min-w-0 gap-1.5">
      <label htmlFor={id} className="text-base font-medium">
        {label}
      </label>
      <div
        className={`grid grid-cols-[auto_minmax(0,1fr)] overflow-hidden rounded-lg border bg-surface focus-within:outline-2 focus-within:outline-accent ${errors.length ? 'border-danger' : 'border-edge'}`}
      >
        <div className="overflow-hidden border-r border-line bg-sunken">
          <pre ref={gutter} aria-hidden className="py-2.5 pr-2.5 pl-3 text-right font-mono text-sm leading-6 text-muted select-none">
            {mark
              ? numbers.split('\n').map((n) => (
                  <span key={n} className={`block ${Number(n) === mark ? 'font-semibold text-danger' : ''}`}>
                    {n}
                  </span>
                ))
              : numbers}
          </pre>
        </div>
        <div className="relative grid min-w-0">
          {pieces && <Painted pieces={pieces} top={at.top} left={at.left} shown={Math.max(shown, Math.ceil(at.height / lineHeight))} />}
          <textarea
            id={id}
            name={name}
            rows={shown}
            value={value}
            readOnly={readOnly}
            spellCheck={false}
            autoCapitalize="off"
            autoCorrect="off"
            autoComplete="off"
            wrap="off"
            onChange={(e) => onChange(e.target.value)}
            onScroll={(e) => {
              const { scrollTop: top, scrollLeft: left, clientHeight: height } = e.currentTarget;
              if (gutter.current) gutter.current.style.transform = `translateY(${-top}px)`;
              setAt({ top, left, height });
            }}
            aria-invalid={errors.length > 0 || undefined}
            aria-describedby={[errors.length ? id + '-error' : '', hint ? id + '-hint' : ''].filter(Boolean).join(' ') || undefined}
            className={`block w-full resize-y overflow-auto bg-transparent px-3 py-2.5 font-mono text-sm leading-6 outline-none max-md:text-base ${pieces ? 'relative selection:bg-accent/25 [-webkit-text-fill-color:transparent]' : ''}`}
          />
        </div>
      </div>
      {errors.length > 0 && (
        <p id={id + '-error'} className="text-sm text-danger">
          {errors.join(' ')}
        </p>
      )}
      {hint && (
        <p id={id + '-hint'} className="text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}

/** Changed says that there is something unsaved, shows what, and asks before it is lost. */
export function Changed({ before, after, undo, keep }: { before: string; after: string; undo: () => void; keep?: boolean }) {
  const [open, setOpen] = useState(false);
  const leave = useBlocker({
    shouldBlockFn: ({ current, next }) => !keep && (current.pathname !== next.pathname || JSON.stringify(current.search) !== JSON.stringify(next.search)),
    enableBeforeUnload: () => !keep,
    withResolver: true,
  });
  return (
    <>
      <Button look="quiet" onClick={undo}>
        <Trans>Undo changes</Trans>
      </Button>
      <Button look="quiet" icon={FileDiff} onClick={() => setOpen(true)}>
        <Trans>Changes</Trans>
      </Button>
      <span className="text-sm text-warn" role="status">
        <Trans>Unsaved changes</Trans>
      </span>
      {open && (
        <Dialog open onClose={() => setOpen(false)} title={t`Changes`} wide>
          <div className="overflow-hidden rounded-lg border border-line">
            <Diff text={unified(before, after) || ' ' + t`Only the line ending of the last line differs.`} />
          </div>
        </Dialog>
      )}
      {leave.status === 'blocked' && (
        <Dialog open onClose={leave.reset} title={t`Discard unsaved changes?`} text={t`Your changes have not been saved.`}>
          <div className="flex flex-wrap gap-2">
            <Button look="primary" onClick={leave.reset}>
              <Trans>Keep editing</Trans>
            </Button>
            <Button look="danger" onClick={leave.proceed}>
              <Trans>Discard changes</Trans>
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
