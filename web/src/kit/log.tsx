// Output of work on a host. It is data: control sequences are dropped, nothing in it becomes markup.
import { ArrowDownToLine, Download, WrapText } from 'lucide-react';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from './button';
import { CopyButton } from './copy';
import { State } from './state';

const control = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** plain is text without control sequences, and without what turns the direction of reading round; of a line drawn over, what was drawn last. */
export function plain(text: string): string {
  return text.replace(control, '').replace(/\r\n/g, '\n').replace(/[^\n]*\r(?=[^\n])/g, '').replaceAll('\r', '');
}

const block = 200;
const Lines = memo(function Lines({ lines, from, hit, marked }: { lines: string[]; from: number; hit: string; marked: number }) {
  return (
    <div className="[contain-intrinsic-size:auto_4000px] [content-visibility:auto]">
      {lines.map((line, i) => {
        const n = from + i + 1;
        const found = hit !== '' && line.toLowerCase().includes(hit);
        const look = n === marked ? 'bg-warn-soft' : found ? 'bg-soft' : /: failed|^error|^E: |: reverted/i.test(line) ? 'text-danger' : '';
        return (
          <div key={n} id={'L' + n} className={`flex ${look}`}>
            <a href={'#L' + n} aria-label={`Line ${n}`} className="w-12 shrink-0 pr-3 text-right text-muted select-none hover:text-text">{n}</a>
            <span className="min-w-0 flex-1 pr-3">{line || ' '}</span>
          </div>
        );
      })}
    </div>
  );
});

export function Log({ text, live, name }: { text: string; live: boolean; name: string }) {
  const clean = useMemo(() => plain(text).replace(/\n$/, ''), [text]);
  const lines = useMemo(() => clean.split('\n'), [clean]);
  const [search, setSearch] = useState('');
  const [follow, setFollow] = useState(live);
  const [wrap, setWrap] = useState(true);
  const [marked, setMarked] = useState(() => Number(/^#L(\d+)$/.exec(location.hash)?.[1] ?? 0));
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (follow && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [follow, clean]);
  useEffect(() => {
    const moved = () => setMarked(Number(/^#L(\d+)$/.exec(location.hash)?.[1] ?? 0));
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  useEffect(() => {
    if (marked) document.getElementById('L' + marked)?.scrollIntoView({ block: 'center' });
  }, [marked, clean === '']);
  const hit = search.trim().toLowerCase();
  const hits = hit ? lines.filter((l) => l.toLowerCase().includes(hit)).length : 0;
  const download = () => {
    const a = document.createElement('a');
    a.href = URL.createObjectURL(new Blob([clean + '\n'], { type: 'text/plain' }));
    a.download = name + '.log';
    a.click();
    URL.revokeObjectURL(a.href);
  };
  const blocks = [];
  for (let i = 0; i < lines.length; i += block) blocks.push(<Lines key={i} lines={lines.slice(i, i + block)} from={i} hit={hit} marked={marked} />);
  return (
    <div className="panel overflow-hidden">
      <div className="flex flex-wrap items-center gap-1.5 border-b border-line px-3 py-2">
        {live ? <State state="running" text="Live" /> : <span className="text-muted">{clean === '' ? 'No output' : `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`}</span>}
        <input type="search" aria-label="Search in the output" placeholder="Search" data-filter value={search} onChange={(e) => setSearch(e.target.value)} className="control ml-2 max-w-48" />
        {hit && <span role="status" className="text-sm text-muted">{hits} found</span>}
        <span className="ml-auto flex items-center gap-0.5">
          <Button look="quiet" only icon={ArrowDownToLine} aria-pressed={follow} className={follow ? 'text-accent!' : ''} title="Follow" onClick={() => setFollow(!follow)}>Follow</Button>
          <Button look="quiet" only icon={WrapText} aria-pressed={wrap} className={wrap ? 'text-accent!' : ''} title="Wrap lines" onClick={() => setWrap(!wrap)}>Wrap lines</Button>
          <Button look="quiet" only icon={Download} title="Download" onClick={download}>Download</Button>
          <CopyButton text={clean} label="Copy the output" />
        </span>
      </div>
      <div ref={box} tabIndex={0} role="log" aria-label="Output" aria-live="off" onScroll={(e) => {
        const el = e.currentTarget;
        if (follow && el.scrollHeight - el.scrollTop - el.clientHeight > 60) setFollow(false);
      }} className={`max-h-[65vh] overflow-auto bg-sunken py-3 font-mono text-sm leading-6 ${wrap ? '[overflow-wrap:anywhere] whitespace-pre-wrap' : 'whitespace-pre'}`}>
        {clean === '' ? <p className="px-4 text-muted">{live ? 'Waiting for the first line.' : 'It printed nothing.'}</p> : blocks}
      </div>
    </div>
  );
}
