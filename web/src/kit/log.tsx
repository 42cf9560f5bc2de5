import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ArrowDownToLine, ChevronDown, ChevronRight, Download, FoldVertical, UnfoldVertical, WrapText } from 'lucide-react';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from './button';
import { CopyButton } from './copy';
import { plain, type Section, sections } from './output';
import { State } from './state';
import type { Tone } from './words';

const block = 200;
const Lines = memo(function Lines({ lines, from, hit, marked }: { lines: string[]; from: number; hit: string; marked: number }) {
  return (
    <div className="[contain-intrinsic-size:auto_4000px] [content-visibility:auto]">
      {lines.map((line, i) => {
        const n = from + i + 1;
        const found = hit !== '' && line.toLowerCase().includes(hit);
        const look = n === marked ? 'bg-warn-soft' : found ? 'bg-soft' : /: failed|^error|^fatal|^E: |: reverted/i.test(line) ? 'text-danger' : '';
        return (
          <div key={n} id={'L' + n} className={`flex ${look}`}>
            <a href={'#L' + n} aria-label={t`Line ${n}`} className="w-12 shrink-0 pr-3 text-right text-muted select-none hover:text-text">
              {n}
            </a>
            <span className="min-w-0 flex-1 pr-3">{line || ' '}</span>
          </div>
        );
      })}
    </div>
  );
});

function blocks(lines: string[], from: number, to: number, hit: string, marked: number) {
  const out = [];
  for (let i = from; i < to; i += block)
    out.push(<Lines key={i} lines={lines.slice(i, Math.min(i + block, to))} from={i} hit={hit} marked={marked >= i && marked <= to ? marked : 0} />);
  return out;
}

const tones: Record<string, Tone> = { changed: 'good', unchanged: 'idle', failed: 'bad', reverted: 'warn' };
const words: Record<string, string> = { changed: t`Done`, unchanged: t`No changes`, failed: t`Failed`, reverted: t`Rolled back` };
// A step that went well and printed more than this is folded at first, when it is read afterwards.
const long = 40;

const line = () => Number(/^#L(\d+)$/.exec(location.hash)?.[1] ?? 0);

/** Log is what work printed: followed while it runs, searched, folded by steps, each line an address of its own. */
export function Log({
  text,
  live,
  name,
  step,
}: {
  text: string;
  live: boolean;
  name: string;
  /** step is the one that runs: what no step has ended yet stands under it. */
  step?: string | null;
}) {
  const clean = useMemo(() => plain(text).replace(/\n$/, ''), [text]);
  const lines = useMemo(() => (clean === '' ? [] : clean.split('\n')), [clean]);
  const parts = useMemo(() => sections(lines), [lines]);
  const [search, setSearch] = useState('');
  const [follow, setFollow] = useState(live);
  const [wrap, setWrap] = useState(true);
  const [marked, setMarked] = useState(line);
  const [folded, setFolded] = useState<ReadonlyMap<number, boolean>>(new Map());
  const box = useRef<HTMLDivElement>(null);
  const watched = useRef(live); // what somebody watches is not folded under their eyes when it ends
  watched.current ||= live;
  const foldable = parts.filter((s) => s.name && s.to - s.from > 1);
  const hit = search.trim().toLowerCase();
  const hits = useMemo(() => (hit ? lines.flatMap((l, i) => (l.toLowerCase().includes(hit) ? [i] : [])) : []), [lines, hit]);
  const isFolded = (s: Section) => {
    if (!s.name || s.to - s.from <= 1 || (marked > s.from && marked < s.to) || (hit && hits.some((i) => i >= s.from && i < s.to - 1))) return false;
    return folded.get(s.from) ?? (!watched.current && (s.state === 'changed' || s.state === 'unchanged') && s.to - s.from > long);
  };
  const allFolded = foldable.length > 0 && foldable.every(isFolded);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new text scrolls
  useEffect(() => {
    if (follow && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [follow, clean]);
  useEffect(() => {
    const moved = () => setMarked(line());
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first text has the line to scroll to
  useEffect(() => {
    if (marked) document.getElementById('L' + marked)?.scrollIntoView({ block: 'center' });
  }, [marked, clean === '']);
  const download = () => {
    const a = document.createElement('a');
    a.href = URL.createObjectURL(new Blob([clean + '\n'], { type: 'text/plain' }));
    a.download = name + '.log';
    a.click();
    URL.revokeObjectURL(a.href);
  };
  const next = () => {
    const at = hits.find((i) => i + 1 > marked) ?? hits[0];
    if (at === undefined) return;
    setFollow(false);
    history.replaceState(history.state, '', '#L' + (at + 1));
    setMarked(at + 1);
  };
  return (
    <div className="panel overflow-hidden">
      <div className="flex flex-wrap items-center gap-1.5 border-b border-line px-3 py-2">
        {live ? (
          <State state="running" text={t`Live`} />
        ) : (
          <span className="text-muted">{clean === '' ? t`No output` : plural(lines.length, { one: '# line', other: '# lines' })}</span>
        )}
        <input
          type="search"
          aria-label={t`Search output`}
          placeholder={t`Search`}
          data-filter
          value={search}
          onChange={(e) => setSearch(e.target.value)}
          onKeyDown={(e) => e.key === 'Enter' && next()}
          className="control ml-2 max-w-48"
        />
        {hit && (
          <span role="status" className="text-sm text-muted">
            <Trans>{hits.length} found</Trans>
          </span>
        )}
        <span className="ml-auto flex items-center gap-0.5">
          {foldable.length > 1 && (
            <Button
              look="quiet"
              only
              icon={allFolded ? UnfoldVertical : FoldVertical}
              title={allFolded ? t`Expand all steps` : t`Collapse all steps`}
              onClick={() => setFolded(new Map(foldable.map((s) => [s.from, !allFolded])))}
            >
              {allFolded ? t`Expand all steps` : t`Collapse all steps`}
            </Button>
          )}
          <Button
            look="quiet"
            only
            icon={ArrowDownToLine}
            aria-pressed={follow}
            className={follow ? 'text-accent!' : ''}
            title={t`Follow`}
            onClick={() => setFollow(!follow)}
          >
            <Trans>Follow</Trans>
          </Button>
          <Button
            look="quiet"
            only
            icon={WrapText}
            aria-pressed={wrap}
            className={wrap ? 'text-accent!' : ''}
            title={t`Wrap lines`}
            onClick={() => setWrap(!wrap)}
          >
            <Trans>Wrap lines</Trans>
          </Button>
          <Button look="quiet" only icon={Download} title={t`Download`} onClick={download}>
            <Trans>Download</Trans>
          </Button>
          <CopyButton text={clean} label={t`Copy output`} />
        </span>
      </div>
      <div
        ref={box}
        tabIndex={0}
        role="log"
        aria-label={t`Output`}
        aria-live="off"
        onScroll={(e) => {
          const el = e.currentTarget;
          if (follow && el.scrollHeight - el.scrollTop - el.clientHeight > 60) setFollow(false);
        }}
        className={`max-h-[65vh] overflow-auto bg-sunken py-3 font-mono text-sm leading-6 ${wrap ? '[overflow-wrap:anywhere] whitespace-pre-wrap' : 'whitespace-pre'}`}
      >
        {clean === '' ? (
          <p className="px-4 text-muted">{live ? t`Waiting for output.` : t`No output.`}</p>
        ) : (
          parts.map((s) => {
            const shut = isFolded(s);
            return s.name ? (
              <div key={s.from}>
                {s.to - s.from > 1 && (
                  <button
                    type="button"
                    aria-expanded={!shut}
                    onClick={() => setFolded(new Map(folded).set(s.from, !shut))}
                    className="flex w-full items-center gap-2 py-0.5 pr-3 pl-3 text-left font-sans font-medium hover:bg-hover focus-visible:-outline-offset-2"
                  >
                    {shut ? (
                      <ChevronRight className="size-4 shrink-0 text-muted" aria-hidden />
                    ) : (
                      <ChevronDown className="size-4 shrink-0 text-muted" aria-hidden />
                    )}
                    <span className="min-w-0 flex-1 truncate">{s.name}</span>
                    {shut && <span className="text-sm font-normal text-muted">{plural(s.to - s.from - 1, { one: '# line', other: '# lines' })}</span>}
                    <span className="text-sm font-normal">
                      <State state={s.state} tone={tones[s.state]} text={words[s.state]} />
                    </span>
                  </button>
                )}
                {!shut && blocks(lines, s.from, s.to, hit, marked)}
              </div>
            ) : (
              <div key={s.from}>
                {live && step && (
                  <div className="flex items-center gap-2 py-0.5 pr-3 pl-9 font-sans font-medium">
                    <span className="min-w-0 flex-1 truncate">{step}</span>
                    <span className="text-sm font-normal">
                      <State state="running" text={t`Running`} />
                    </span>
                  </div>
                )}
                {blocks(lines, s.from, s.to, hit, marked)}
              </div>
            );
          })
        )}
      </div>
    </div>
  );
}
