import { CornerDownRight, Download, Plus, Trash2, Upload } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useList, useWrite } from '../../api/query';
import type { Redirect } from '../../api/types';
import { Button, useMay } from '../../kit/button';
import { useDeed } from '../../kit/deed';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Choice, Input, Select, Textarea } from '../../kit/field';
import { Form } from '../../kit/form';
import { plural } from '../../kit/numbers';
import { Empty, Failed, Section, Waiting } from '../../kit/page';
import { useReorder } from '../../kit/reorder';
import { active, Pill, State, soonAny } from '../../kit/state';
import { Table } from '../../kit/table';
import { Work } from '../../kit/work';
import { useLastLine } from '../server/line';
import { useAt } from '../site/at';

const many = '/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules';
const manage = 'site:manage-redirects';

export function Redirects() {
  const { org, params } = useAt();
  const list = useList(many, params, { every: soonAny, size: 200 });
  const may = useMay(manage);
  const [adding, setAdding] = useState(false);
  useDeed('add', () => setAdding(true));
  const [importing, setImporting] = useState(false);
  const [removing, setRemoving] = useState<Redirect | null>(null);
  const order = useWrite('put', `${many}/reorder`, params);
  const [draft, setDraft] = useState<string[] | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const stored = list.rows;
  const place = (r: Redirect) => (draft?.includes(r.id) ? draft.indexOf(r.id) : stored.length);
  const rows = draft ? [...stored].sort((a, b) => place(a) - place(b)) : stored;
  const operation = (rows.find((r) => active(r.meta?.operation)) ?? rows.find((r) => r.meta?.operation?.state === 'failed'))?.meta?.operation;
  const last = useLastLine(operation?.event_id);
  const whole = !list.hasNextPage;
  const same = (other: Redirect[]) => other.every((r, i) => r.id === stored[i]?.id);
  const places = useReorder(
    rows,
    (next) => setDraft(same(next) ? null : next.map((r) => r.id)),
    (r) => r.attributes.from,
  );
  const fixed = { needs: manage, disabled: !whole || order.pending, why: whole ? 'Saving the order.' : 'Scroll to the end first.' };
  const body = () => ({ redirects: rows.map((r) => Number(r.id)) });
  const leave = () => {
    box.current?.focus(); // the bar goes, and what was pressed in it
    setDraft(null);
    order.reset();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was saved has come back
  useEffect(() => {
    if (draft && same(rows)) leave();
  }, [stored]); // what was saved has come back
  const add = (
    <Button look="primary" icon={Plus} needs={manage} onClick={() => setAdding(true)}>
      Add redirect
    </Button>
  );
  const bring = (
    <Button icon={Upload} needs={manage} onClick={() => setImporting(true)}>
      Import
    </Button>
  );
  return (
    <Section
      title="Redirects"
      plain
      text="Checked from top to bottom; the first match applies."
      actions={
        rows.length > 0 ? (
          <>
            <a
              href={`/api/orgs/${encodeURIComponent(org)}/servers/${params.server}/sites/${params.site}/redirect-rules/export`}
              download
              className="inline-flex h-9 items-center gap-1.5 rounded-lg border border-edge bg-surface px-3 font-medium shadow-raised hover:bg-hover max-md:h-11"
            >
              <Download className="size-4" aria-hidden />
              Export
            </a>
            {bring}
            {add}
          </>
        ) : undefined
      }
    >
      {places.status}
      {operation && <Work operation={operation} org={org} server={params.server} line={last} />}
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : rows.length === 0 ? (
        <Empty
          icon={CornerDownRight}
          title="No redirects"
          text="Redirect old URLs to new ones, individually or with a pattern."
          action={
            <span className="flex gap-2">
              {add}
              {bring}
            </span>
          }
        />
      ) : (
        <div ref={box} tabIndex={-1} className="min-w-0 outline-none">
          <Table
            label="Redirects"
            rows={rows}
            held={places.held}
            id={(r) => r.id}
            more={list.more}
            footer={plural(rows.length, 'redirect')}
            columns={[
              {
                name: 'From',
                width: 'minmax(0,2fr)',
                cell: (r) => (
                  <span className="flex items-center gap-2">
                    {may && places.handle(rows.indexOf(r), fixed)}
                    <span className="min-w-0 truncate font-mono text-sm" title={r.attributes.from}>
                      {r.attributes.from}
                    </span>
                  </span>
                ),
              },
              {
                name: 'To',
                width: 'minmax(0,2fr)',
                cell: (r) => (
                  <span className="block truncate font-mono text-sm" title={r.attributes.to}>
                    {r.attributes.to}
                  </span>
                ),
              },
              { name: 'Type', width: '7rem', cell: (r) => <Pill>{r.attributes.type === 'permanent' ? '301' : '302'}</Pill> },
              { name: 'Status', width: '7.5rem', cell: (r) => <State state={r.attributes.status} /> },
              {
                name: 'Edit',
                width: '8.5rem',
                end: true,
                cell: (r) => (
                  <span className="flex">
                    {places.buttons(rows.indexOf(r), fixed)}
                    <Button look="quiet" only icon={Trash2} needs={manage} onClick={() => setRemoving(r)}>{`Delete ${r.attributes.from}`}</Button>
                  </span>
                ),
              },
            ]}
          />
        </div>
      )}
      {draft && (
        <section aria-label="Order" className="sticky bottom-4 z-20 max-h-[70vh] overflow-y-auto rounded-xl border border-line bg-surface p-4 shadow-float">
          <Form
            write={order}
            submit="Save order"
            needs={manage}
            onSubmit={() => order.submit(body())}
            onPlan={() => order.tryOut(body())}
            call={() => order.call(body())}
            extra={
              <>
                <Button look="quiet" onClick={leave}>
                  Undo changes
                </Button>
                <span className="text-sm text-warn">Unsaved changes</span>
              </>
            }
          />
        </section>
      )}
      {adding && <Add onClose={() => setAdding(false)} />}
      {importing && <Import onClose={() => setImporting(false)} />}
      {removing && <Remove rule={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

function Add({ onClose }: { onClose: () => void }) {
  const { params } = useAt();
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [type, setType] = useState<'redirect' | 'permanent'>('permanent');
  const write = useWrite('post', many, params, onClose);
  const body = () => ({ from: from.trim(), to: to.trim(), type });
  return (
    <Dialog open onClose={onClose} title="Add a redirect" wide={!!write.plan}>
      <Form
        write={write}
        submit="Add redirect"
        needs={manage}
        onSubmit={() => write.submit(body())}
        onPlan={() => write.tryOut(body())}
        call={() => write.call(body())}
      >
        <Input
          label="From"
          name="from"
          autoFocus
          autoComplete="off"
          spellCheck={false}
          value={from}
          onChange={(e) => setFrom(e.target.value)}
          className="font-mono"
          placeholder="^/old/(.*)$"
          hint="A regular expression for the path. Without ^ and $ it matches anywhere in the path."
        />
        <Input
          label="To"
          name="to"
          autoComplete="off"
          spellCheck={false}
          value={to}
          onChange={(e) => setTo(e.target.value)}
          className="font-mono"
          placeholder="/new/$1"
          hint="A path or a full URL. $1 is the first capture group."
        />
        <Choice
          legend="Type"
          name="type"
          value={type}
          onChange={setType}
          options={[
            { value: 'permanent', title: 'Permanent (301)', text: 'Browsers and search engines cache it.' },
            { value: 'redirect', title: 'Temporary (302)', text: 'Not cached.' },
          ]}
        />
      </Form>
    </Dialog>
  );
}

function Remove({ rule, onClose }: { rule: Redirect; onClose: () => void }) {
  const { params } = useAt();
  const write = useWrite('delete', `${many}/{redirectRule}`, { ...params, redirectRule: rule.id }, onClose);
  return (
    <ConfirmName
      open
      easy
      onClose={onClose}
      title="Delete this redirect?"
      name={rule.attributes.from}
      submit="Delete redirect"
      what={
        <>
          From <code className="font-mono text-sm">{rule.attributes.from}</code> to <code className="font-mono text-sm">{rule.attributes.to}</code> is no longer
          redirected.
        </>
      }
      removal={{ ...write, submit: () => write.submit(), tryOut: () => write.tryOut() }}
      call={() => write.call()}
    />
  );
}

interface Imported {
  imported: number;
  invalid: { line: string; from: string; reason?: string | null }[];
  duplicates: { line: string; from: string; reason: string }[];
}

function Import({ onClose }: { onClose: () => void }) {
  const { params } = useAt();
  const [text, setText] = useState('');
  const [mode, setMode] = useState('append');
  const [done, setDone] = useState<Imported | null>(null);
  const write = useWrite('post', `${many}/import`, params, (a) => setDone(a as unknown as Imported));
  const body = () => {
    const form = new FormData();
    form.set('file', new Blob([text], { type: 'text/csv' }), 'redirects.csv');
    form.set('mode', mode);
    return form as never;
  };
  const left = done ? [...done.invalid, ...done.duplicates] : [];
  return (
    <Dialog open onClose={onClose} title={done ? 'Imported' : 'Import redirects'} wide>
      {done ? (
        <div className="grid gap-4">
          <p role="status">
            {plural(done.imported, 'redirect')} imported{left.length > 0 && `, ${plural(left.length, 'line')} skipped`}.
          </p>
          {left.length > 0 && (
            <ul className="panel max-h-72 divide-y divide-line overflow-y-auto" tabIndex={0} aria-label="Skipped lines">
              {left.map((l, i) => (
                <li key={i} className="flex flex-wrap gap-x-3 px-4 py-2 text-sm">
                  <span className="text-muted">Line {l.line}</span>
                  <span className="font-mono">{l.from}</span>
                  <span className="text-warn">{l.reason}</span>
                </li>
              ))}
            </ul>
          )}
          <div>
            <Button look="primary" onClick={onClose}>
              Close
            </Button>
          </div>
        </div>
      ) : (
        <Form
          write={write}
          submit="Import"
          needs={manage}
          onSubmit={() => write.submit(body())}
          onPlan={() => write.tryOut(body())}
          call={() => write.call(body())}
        >
          <div className="grid gap-1.5">
            <label htmlFor="csv" className="text-base font-medium">
              CSV file
            </label>
            <input
              id="csv"
              type="file"
              accept=".csv,text/csv,text/plain"
              className="text-base file:mr-3 file:rounded-lg file:border file:border-edge file:bg-surface file:px-3 file:py-1.5"
              onChange={(e) => void e.target.files?.[0]?.text().then(setText)}
            />
          </div>
          <Textarea
            label="Or paste CSV"
            name="file"
            rows={6}
            spellCheck={false}
            value={text}
            onChange={(e) => setText(e.target.value)}
            className="font-mono"
            placeholder={'from,to,type\n^/old$,/new,permanent'}
            hint="Columns: from, to, type. Export uses the same format."
          />
          <div className="max-w-sm">
            <Select
              label="Existing redirects"
              name="mode"
              value={mode}
              onChange={(e) => setMode(e.target.value)}
              options={[
                ['append', 'Keep, and add the new ones after them'],
                ['replace', 'Replace with the imported ones'],
              ]}
            />
          </div>
        </Form>
      )}
    </Dialog>
  );
}
