// A log file of a server: its newest lines, searched by the server, followed while somebody looks, and read backwards as far as it goes.
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useInfiniteQuery } from '@tanstack/react-query';
import { ArrowDownToLine, ArrowUp, Download, RefreshCw, WrapText } from 'lucide-react';
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { searched, send } from '../api/client';
import { useKnown } from '../api/may';
import { asks } from '../api/query';
import { Button } from './button';
import { plain } from './output';
import { Failed, Notice } from './page';
import { State } from './state';
import { Filter } from './table';

interface Answer {
  data: { attributes: { content: string }; meta?: { log?: { path: string; start: number; more: boolean } } };
}
// The most that is kept of what is followed: what is older is read again when it is wanted.
const most = 5_000;
const bad = /\b(emerg|alert|crit|critical|error|fatal|panic|exception)\b|^\S+ - \S+ \[[^\]]*\] "[^"]*" 5\d\d /i;
const warned = /\bwarn(ing)?\b/i;

const Lines = memo(function Lines({ lines, hit }: { lines: string[]; hit: string }) {
  return (
    <>
      {lines.map((l, i) => (
        <div
          key={i}
          className={`px-4 ${hit && l.toLowerCase().includes(hit) ? 'bg-soft' : ''} ${bad.test(l) ? 'text-danger' : warned.test(l) ? 'text-warn' : ''}`}
        >
          {l || ' '}
        </div>
      ))}
    </>
  );
});

/** useFollowed is what a stream told since it was opened. */
function useFollowed(url: string | null) {
  const [text, setText] = useState('');
  const [state, setState] = useState('');
  const [lost, setLost] = useState(false);
  useEffect(() => {
    if (!url) return;
    setText('');
    setState('');
    let again: ReturnType<typeof setTimeout> | undefined;
    let source: EventSource | undefined;
    let over = false;
    const open = () => {
      if (over) return;
      source = new EventSource(url);
      let first = true;
      source.onopen = () => setLost(false);
      source.onerror = () => {
        setLost(true);
        source?.close();
        clearTimeout(again);
        again = setTimeout(open, 2_000);
      };
      source.addEventListener('state', (m) => setState((JSON.parse(m.data as string) as { state?: string }).state ?? ''));
      source.addEventListener('log', (m) => {
        const more = (JSON.parse(m.data as string) as { content?: string }).content ?? '';
        const anew = first; // a stream that was opened again begins with the newest lines again
        first = false;
        setText((before) => (anew ? more : before + more).split('\n').slice(-most).join('\n'));
      });
    };
    open();
    return () => {
      over = true;
      clearTimeout(again);
      source?.close();
    };
  }, [url]);
  return { text, state, lost };
}

export function LogFile({
  url,
  stream,
  name,
  empty,
  actions,
}: {
  /** url is the address of the log at the API, stream that of what is added to it; without one the log is read again and again. */
  url: string;
  stream?: string;
  name: string;
  empty: string;
  actions?: ReactNode;
}) {
  const [search, setSearch] = useState('');
  const [follow, setFollow] = useState(false);
  const [wrap, setWrap] = useState(true);
  const box = useRef<HTMLDivElement>(null);
  const found = useInfiniteQuery({
    queryKey: [asks + url, search],
    queryFn: ({ pageParam, signal }) => send('get', url + searched({ search, before: pageParam }), undefined, signal) as Promise<Answer>,
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (last) => (last.data.meta?.log?.more ? last.data.meta.log.start : undefined),
    enabled: useKnown(), // the page of a log says itself what reading it needs
    refetchOnWindowFocus: false,
    refetchInterval: follow && !stream ? 3_000 : false,
    retry: false,
  });
  const live = useFollowed(follow && stream ? stream + searched({ search }) : null);
  const followed = follow && !!stream;
  const text = useMemo(
    () =>
      plain(
        followed
          ? live.text
          : [...(found.data?.pages ?? [])]
              .reverse()
              .map((p) => p.data.attributes.content.replace(/\n?$/, '\n'))
              .join(''),
      ).replace(/\n+$/, ''),
    [followed, live.text, found.data],
  );
  const lines = useMemo(() => (text.trim() === '' ? [] : text.replace(/^\n+/, '').split('\n')), [text]);
  const path = found.data?.pages[0]?.data.meta?.log?.path;
  const atEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new text scrolls
  useEffect(() => {
    if (box.current && atEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  const older = async () => {
    const el = box.current;
    const before = el?.scrollHeight ?? 0;
    atEnd.current = false;
    await found.fetchNextPage();
    requestAnimationFrame(() => {
      if (el) el.scrollTop += el.scrollHeight - before;
    }); // what was read stays where it was
  };
  const download = () => {
    const a = document.createElement('a');
    a.href = URL.createObjectURL(new Blob([text + '\n'], { type: 'text/plain' }));
    a.download = name + '.log';
    a.click();
    URL.revokeObjectURL(a.href);
  };
  const broken = followed ? live.state : '';
  return (
    <div className="grid min-w-0 gap-3">
      {found.error && !followed && <Failed error={found.error} again={() => void found.refetch()} />}
      {broken && (
        <Notice tone="warn" role="status">
          {broken}
        </Notice>
      )}
      <div className="panel min-w-0 overflow-hidden">
        <div className="flex flex-wrap items-center gap-1.5 border-b border-line px-3 py-2">
          <div className="min-w-40 flex-1 basis-48">
            <Filter label={t`Search the log`} onChange={setSearch} />
          </div>
          <span className="flex flex-wrap items-center gap-0.5">
            <Button
              icon={ArrowDownToLine}
              aria-pressed={follow}
              className={follow ? 'text-accent!' : ''}
              onClick={() => {
                atEnd.current = true;
                setFollow(!follow);
              }}
            >
              {follow ? t`Following` : t`Follow`}
            </Button>
            <Button
              look="quiet"
              only
              icon={RefreshCw}
              title={t`Refresh`}
              disabled={followed}
              why={t`Already following.`}
              pending={found.isRefetching && !found.isFetchingNextPage && !follow}
              onClick={() => {
                atEnd.current = true;
                void found.refetch();
              }}
            >
              <Trans>Refresh</Trans>
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
            <Button look="quiet" only icon={Download} title={t`Download`} disabled={lines.length === 0} why={t`Nothing to download.`} onClick={download}>
              <Trans>Download</Trans>
            </Button>
            {actions}
          </span>
        </div>
        <div
          ref={box}
          tabIndex={0}
          role="log"
          aria-label={name}
          aria-live="off"
          aria-busy={found.isPending || undefined}
          onScroll={(e) => {
            const el = e.currentTarget;
            atEnd.current = el.scrollHeight - el.scrollTop - el.clientHeight < 60;
          }}
          className={`max-h-[65vh] min-h-40 overflow-auto bg-sunken py-3 font-mono text-sm leading-6 ${wrap ? '[overflow-wrap:anywhere] whitespace-pre-wrap' : 'whitespace-pre'}`}
        >
          {!followed && found.hasNextPage && (
            <div className="px-3 pb-2 font-sans">
              <Button look="quiet" icon={ArrowUp} pending={found.isFetchingNextPage} onClick={() => void older()}>
                <Trans>Older lines</Trans>
              </Button>
            </div>
          )}
          {lines.length > 0 ? (
            <Lines lines={lines} hit={search.toLowerCase()} />
          ) : (
            <p className="px-4 text-muted">
              {found.isPending && !followed
                ? t`Loading from the server`
                : found.error && !followed
                  ? t`The log could not be read.`
                  : search
                    ? t`No matching lines.`
                    : followed
                      ? t`Waiting for output.`
                      : empty}
            </p>
          )}
        </div>
        <div className="flex flex-wrap items-center gap-x-4 border-t border-line px-4 py-2 text-sm text-muted">
          {follow ? (
            <State state="running" text={live.lost ? t`Reconnecting` : t`Live`} />
          ) : (
            <span>{plural(lines.length, { one: '# line', other: '# lines' })}</span>
          )}
          {path && <span className="min-w-0 truncate font-mono">{path}</span>}
        </div>
      </div>
    </div>
  );
}
