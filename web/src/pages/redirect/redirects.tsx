import { plural, t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { CornerDownRight, Download, Pencil, Plus, Trash2, Upload } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useMay } from '../../api/may';
import { useList, useWrite } from '../../api/query';
import type { Redirect } from '../../api/types';
import { Button } from '../../kit/button';
import { useDeed } from '../../kit/deed';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Choice, Input, Select, Textarea } from '../../kit/field';
import { Form } from '../../kit/form';
import { Empty, Failed, Section, Waiting } from '../../kit/page';
import { useReorder } from '../../kit/reorder';
import { active, Pill, State, soonAny } from '../../kit/state';
import { Table } from '../../kit/table';
import { Work } from '../../kit/work';
import { useLastLine } from '../server/line';
import { useAt } from '../site/at';

const many = '/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules';
const one = `${many}/{redirectRule}` as const;

export function Redirects() {
  const { org, params } = useAt();
  const list = useList(many, params, { every: soonAny, size: 200 });
  const may = useMay(`put ${many}/reorder`);
  const [editing, setEditing] = useState<Redirect | 'new' | null>(null);
  useDeed('add', () => setEditing('new'));
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
  const fixed = { does: order.operation, disabled: !whole || order.pending, why: whole ? t`Saving the order.` : t`Scroll to the end first.` };
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
    <Button look="primary" icon={Plus} does={`post ${many}`} onClick={() => setEditing('new')}>
      <Trans>Add redirect</Trans>
    </Button>
  );
  const bring = (
    <Button icon={Upload} does={`post ${many}/import`} onClick={() => setImporting(true)}>
      <Trans>Import</Trans>
    </Button>
  );
  return (
    <Section
      title={t`Redirects`}
      plain
      text={t`Checked from top to bottom; the first match applies.`}
      actions={
        rows.length > 0 ? (
          <>
            <a
              href={`/api/orgs/${encodeURIComponent(org)}/servers/${params.server}/sites/${params.site}/redirect-rules/export`}
              download
              className="inline-flex h-9 items-center gap-1.5 rounded-lg border border-edge bg-surface px-3 font-medium shadow-raised hover:bg-hover max-md:h-11"
            >
              <Download className="size-4" aria-hidden />
              <Trans>Export</Trans>
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
          title={t`No redirects`}
          text={t`Redirect old URLs to new ones, individually or with a pattern.`}
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
            label={t`Redirects`}
            rows={rows}
            held={places.held}
            id={(r) => r.id}
            more={list.more}
            footer={plural(rows.length, { one: '# redirect', other: '# redirects' })}
            columns={[
              {
                name: t`From`,
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
                name: t`To`,
                width: 'minmax(0,2fr)',
                cell: (r) => (
                  <span className="block truncate font-mono text-sm" title={r.attributes.to}>
                    {r.attributes.to}
                  </span>
                ),
              },
              { name: t`Type`, width: '7rem', cell: (r) => <Pill>{r.attributes.type === 'permanent' ? '301' : '302'}</Pill> },
              { name: t`Status`, width: '7.5rem', minor: 'table', cell: (r) => <State state={r.attributes.status} /> },
              {
                name: t`Edit`,
                width: '11rem',
                end: true,
                cell: (r) => (
                  <span className="flex">
                    {places.buttons(rows.indexOf(r), fixed)}
                    <Button look="quiet" only icon={Pencil} does={`put ${one}`} onClick={() => setEditing(r)}>{t`Edit ${r.attributes.from}`}</Button>
                    <Button look="quiet" only icon={Trash2} does={`delete ${one}`} onClick={() => setRemoving(r)}>{t`Delete ${r.attributes.from}`}</Button>
                  </span>
                ),
              },
            ]}
          />
        </div>
      )}
      {draft && (
        <section aria-label={t`Order`} className="sticky bottom-4 z-20 max-h-[70vh] overflow-y-auto rounded-xl border border-line bg-surface p-4 shadow-float">
          <Form
            write={order}
            submit={t`Save order`}
            onSubmit={() => order.submit(body())}
            onPlan={() => order.tryOut(body())}
            call={() => order.call(body())}
            extra={
              <>
                <Button look="quiet" onClick={leave}>
                  <Trans>Undo changes</Trans>
                </Button>
                <span className="text-sm text-warn">
                  <Trans>Unsaved changes</Trans>
                </span>
              </>
            }
          />
        </section>
      )}
      {editing && <Edit rule={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />}
      {importing && <Import onClose={() => setImporting(false)} />}
      {removing && <Remove rule={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

function Edit({ rule, onClose }: { rule: Redirect | null; onClose: () => void }) {
  const { params } = useAt();
  const [from, setFrom] = useState(rule?.attributes.from ?? '');
  const [to, setTo] = useState(rule?.attributes.to ?? '');
  const [type, setType] = useState<'redirect' | 'permanent'>(rule?.attributes.type ?? 'permanent');
  const make = useWrite('post', many, params, onClose);
  const change = useWrite('put', one, { ...params, redirectRule: rule?.id ?? '' }, onClose);
  const write = rule ? change : make;
  const body = () => ({ from: from.trim(), to: to.trim(), type });
  return (
    <Dialog open onClose={onClose} title={rule ? t`Edit this redirect` : t`Add a redirect`} wide={!!write.plan}>
      <Form
        write={write}
        submit={rule ? t`Save` : t`Add redirect`}
        onSubmit={() => write.submit(body())}
        onPlan={() => write.tryOut(body())}
        call={() => write.call(body())}
      >
        <Input
          label={t`From`}
          name="from"
          autoFocus
          value={from}
          onChange={(e) => setFrom(e.target.value)}
          code
          placeholder="^/old/(.*)$"
          hint={t`A regular expression for the path. Without ^ and $ it matches anywhere in the path.`}
        />
        <Input
          label={t`To`}
          name="to"
          value={to}
          onChange={(e) => setTo(e.target.value)}
          code
          placeholder="/new/$1"
          hint={t`A path or a full URL. $1 is the first capture group.`}
        />
        <Choice
          legend={t`Type`}
          name="type"
          value={type}
          onChange={setType}
          options={[
            { value: 'permanent', title: t`Permanent (301)`, text: t`Browsers and search engines cache it.` },
            { value: 'redirect', title: t`Temporary (302)`, text: t`Not cached.` },
          ]}
        />
      </Form>
    </Dialog>
  );
}

function Remove({ rule, onClose }: { rule: Redirect; onClose: () => void }) {
  const { params } = useAt();
  const write = useWrite('delete', one, { ...params, redirectRule: rule.id }, onClose);
  return (
    <ConfirmName
      open
      easy
      onClose={onClose}
      title={t`Delete this redirect?`}
      name={rule.attributes.from}
      submit={t`Delete redirect`}
      what={
        <Trans>
          From <code className="font-mono text-sm">{rule.attributes.from}</code> to <code className="font-mono text-sm">{rule.attributes.to}</code> is no longer
          redirected.
        </Trans>
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
    <Dialog open onClose={onClose} title={done ? t`Imported` : t`Import redirects`} wide>
      {done ? (
        <div className="grid gap-4">
          <p role="status">
            {left.length > 0 ? (
              <Trans>
                <Plural value={done.imported} one="# redirect" other="# redirects" /> imported, <Plural value={left.length} one="# line" other="# lines" />{' '}
                skipped.
              </Trans>
            ) : (
              <Plural value={done.imported} one="# redirect imported." other="# redirects imported." />
            )}
          </p>
          {left.length > 0 && (
            <ul className="panel max-h-72 divide-y divide-line overflow-y-auto" tabIndex={0} aria-label={t`Skipped lines`}>
              {left.map((l, i) => (
                <li key={i} className="flex flex-wrap gap-x-3 px-4 py-2 text-sm">
                  <span className="text-muted">
                    <Trans>Line {l.line}</Trans>
                  </span>
                  <span className="font-mono">{l.from}</span>
                  <span className="text-warn">{l.reason}</span>
                </li>
              ))}
            </ul>
          )}
          <div>
            <Button look="primary" onClick={onClose}>
              <Trans>Close</Trans>
            </Button>
          </div>
        </div>
      ) : (
        <Form write={write} submit={t`Import`} onSubmit={() => write.submit(body())} onPlan={() => write.tryOut(body())} call={() => write.call(body())}>
          <div className="grid gap-1.5">
            <label htmlFor="csv" className="text-base font-medium">
              <Trans>CSV file</Trans>
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
            label={t`Or paste CSV`}
            name="file"
            rows={6}
            spellCheck={false}
            value={text}
            onChange={(e) => setText(e.target.value)}
            className="font-mono"
            placeholder={'from,to,type\n^/old$,/new,permanent'}
            hint={t`Columns: from, to, type. Export uses the same format.`}
          />
          <div className="max-w-sm">
            <Select
              label={t`Existing redirects`}
              name="mode"
              value={mode}
              onChange={(e) => setMode(e.target.value)}
              options={[
                ['append', t`Keep, and add the new ones after them`],
                ['replace', t`Replace with the imported ones`],
              ]}
            />
          </div>
        </Form>
      )}
    </Dialog>
  );
}
