import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { Cog, Pencil, Play, Plus, RotateCcw, Square, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { address } from '../../api/client';
import { useLacked } from '../../api/may';
import { useGet, useList, useWrite } from '../../api/query';
import type { Process } from '../../api/types';
import { Action } from '../../kit/action';
import { Button } from '../../kit/button';
import { useDeed } from '../../kit/deed';
import { ConfirmName } from '../../kit/dialog';
import { LogFile } from '../../kit/log-file';
import { Empty, Facts, Failed, Notice, Section, Waiting } from '../../kit/page';
import { active, Pill, State, soon, soonAny, Time } from '../../kit/state';
import { rowLink, Table } from '../../kit/table';
import { SubTabs } from '../../kit/tabs';
import { permissionNamed } from '../../kit/words';
import { Work } from '../../kit/work';
import { useLastLine } from '../server/line';
import { useAt } from '../site/at';
import { ProcessForm, processes } from './form';

const one = `${processes}/{backgroundProcess}` as const;

export function ProcessesFrame() {
  const { site, to } = useAt();
  return (
    <div className="grid min-w-0 gap-6">
      <SubTabs
        label={t`Processes`}
        params={to}
        tabs={[
          { to: '/orgs/$org/sites/$site/processes', text: t`Background processes`, exact: true },
          { to: '/orgs/$org/sites/$site/processes/jobs', text: t`Scheduled jobs` },
          { to: '/orgs/$org/sites/$site/processes/heartbeats', text: t`Heartbeats` },
          // they are of packages of PHP
          ...(site.attributes.php_version ? [{ to: '/orgs/$org/sites/$site/processes/integrations', text: t`Integrations` }] : []),
        ]}
      />
      <Outlet />
    </div>
  );
}

const ProcessState = ({ p }: { p: Process }) => <State state={p.attributes.status} tone={p.attributes.status === 'running' ? 'good' : undefined} />;
const nameOf = (p: Process) => p.meta?.process?.name || p.attributes.command;

/** Processes are programs that run beside a site's requests: queues, servers of sockets. */
export function Processes() {
  const { org, params, to } = useAt();
  const list = useList(processes, { organization: org, server: params.server }, { query: { 'filter[site_id]': params.site }, every: soonAny });
  const [adding, setAdding] = useState(false);
  useDeed('add', () => setAdding(true));
  const [removing, setRemoving] = useState<Process | null>(null);
  const operation = (list.rows.find((r) => active(r.meta?.operation)) ?? list.rows.find((r) => r.meta?.operation?.state === 'failed'))?.meta?.operation;
  const last = useLastLine(operation?.event_id);
  const add = (
    <Button look="primary" icon={Plus} does={`post ${processes}`} onClick={() => setAdding(true)}>
      <Trans>New process</Trans>
    </Button>
  );
  return (
    <Section title={t`Background processes`} plain text={t`Started at boot and restarted when they exit.`} actions={list.rows.length > 0 ? add : undefined}>
      {operation && <Work operation={operation} org={org} server={params.server} line={last} />}
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty icon={Cog} title={t`No background processes yet`} text={t`Run a queue worker or a WebSocket server. systemd keeps it running.`} action={add} />
      ) : (
        <Table
          label={t`Background processes`}
          rows={list.rows}
          id={(p) => p.id}
          more={list.more}
          columns={[
            {
              name: t`Process`,
              width: 'minmax(0,3fr)',
              cell: (p) => (
                <span className="grid">
                  <span className="flex min-w-0 items-center gap-2">
                    <Link to="/orgs/$org/sites/$site/processes/$process" params={{ ...to, process: p.id }} className={rowLink + ' truncate'}>
                      {nameOf(p)}
                    </Link>
                    {p.meta?.process?.integration && (
                      <Pill>
                        <Trans>Integration</Trans>
                      </Pill>
                    )}
                  </span>
                  <span className="truncate font-mono text-sm text-muted">{p.attributes.command}</span>
                </span>
              ),
            },
            { name: t`Status`, width: '11rem', cell: (p) => <ProcessState p={p} /> },
            { name: t`User`, width: '7rem', minor: true, cell: (p) => <span className="font-mono text-sm">{p.attributes.user}</span> },
            { name: t`Instances`, width: '5rem', minor: true, cell: (p) => p.attributes.processes },
            {
              name: t`Delete`,
              width: '2.5rem',
              end: true,
              cell: (p) => (
                <Button
                  look="quiet"
                  only
                  icon={Trash2}
                  does={`delete ${one}`}
                  disabled={!!p.meta?.process?.integration}
                  why={t`Managed by an integration. Turn off the integration instead.`}
                  onClick={() => setRemoving(p)}
                >{t`Delete ${nameOf(p)}`}</Button>
              ),
            },
          ]}
        />
      )}
      {adding && <ProcessForm process={null} onClose={() => setAdding(false)} />}
      {removing && <Remove process={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

function Remove({ process: p, onClose, gone }: { process: Process; onClose: () => void; gone?: () => void }) {
  const { org, params } = useAt();
  const write = useWrite('delete', one, { organization: org, server: params.server, backgroundProcess: p.id }, () => (gone ?? onClose)());
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={t`Delete ${nameOf(p)}?`}
      name={nameOf(p)}
      submit={t`Delete process`}
      what={
        <Trans>
          The process is stopped, then <code className="font-mono text-sm">{p.attributes.command}</code> and its output are deleted.
        </Trans>
      }
      removal={{ ...write, submit: () => write.submit(), tryOut: () => write.tryOut() }}
      call={() => write.call()}
    />
  );
}

export function ProcessPage() {
  const { process: id } = useParams({ from: '/orgs/$org/sites/$site/processes/$process' });
  const { org, params, to } = useAt();
  const navigate = useNavigate();
  const at = { organization: org, server: params.server, backgroundProcess: id };
  const doc = useGet(one, at, { every: soon });
  const act = useWrite('post', `${one}/actions`, at);
  const [editing, setEditing] = useState(false);
  const [removing, setRemoving] = useState(false);
  const lacks = useLacked(`get ${one}/log`);
  const p = doc.data?.data;
  const operation = p?.meta?.operation;
  const last = useLastLine(operation?.event_id);
  if (!p) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  const a = p.attributes;
  const m = p.meta?.process;
  const busy = active(operation);
  const stopped = a.status === 'stopped';
  const turn = stopped ? 'start' : 'stop';
  const wait = t`An operation is in progress.`;
  return (
    <div className="grid min-w-0 gap-5">
      <div className="flex flex-wrap items-start gap-3">
        <div className="min-w-0 flex-1 basis-72">
          <p className="text-sm text-muted">
            <Link to="/orgs/$org/sites/$site/processes" params={to} className="hover:text-text hover:underline">
              <Trans>All processes</Trans>
            </Link>
          </p>
          <h2 className="text-xl font-semibold [overflow-wrap:anywhere]">{nameOf(p)}</h2>
          <p className="font-mono text-sm text-muted [overflow-wrap:anywhere]">{a.command}</p>
        </div>
        <span className="flex flex-wrap gap-2">
          {!stopped && <Action write={act} body={{ action: 'restart' }} plans icon={RotateCcw} disabled={busy} why={wait}>{t`Restart`}</Action>}
          <Action write={act} body={{ action: turn }} plans icon={stopped ? Play : Square} disabled={busy} why={wait}>
            {stopped ? t`Start` : t`Stop`}
          </Action>
          <span className="flex gap-2">
            <Button icon={Pencil} does={`put ${one}`} disabled={!!m?.integration} why={t`Managed by an integration.`} onClick={() => setEditing(true)}>
              <Trans>Edit</Trans>
            </Button>
            <Button
              look="quiet"
              only
              icon={Trash2}
              does={`delete ${one}`}
              disabled={!!m?.integration}
              why={t`Managed by an integration. Turn off the integration instead.`}
              onClick={() => setRemoving(true)}
            >{t`Delete ${nameOf(p)}`}</Button>
          </span>
        </span>
      </div>
      {act.error && (
        <Notice tone="bad" role="alert">
          {act.error.message}
        </Notice>
      )}
      {operation && (busy || operation.state === 'failed') && <Work operation={operation} org={org} server={params.server} line={last} />}
      {a.status === 'backoff' && (
        <Notice tone="warn">
          <Trans>Crash loop: the process keeps exiting and is being restarted. Check its latest output.</Trans>
        </Notice>
      )}
      <Facts
        rows={[
          [t`Status`, <ProcessState key="s" p={p} />],
          [
            t`Runs as`,
            <span key="u" className="font-mono text-sm">
              {a.user}
            </span>,
          ],
          [t`Instances`, a.processes],
          [
            t`Directory`,
            !a.directory ? (
              t`Site directory`
            ) : (
              <span key="d" className="font-mono text-sm">
                {a.directory}
              </span>
            ),
          ],
          [t`Startup time`, m && `${plural(m.startsecs, { one: '# second', other: '# seconds' })}`],
          [t`Stop signal`, m && t`${m.stopsignal}, killed after ${plural(m.stopwaitsecs, { one: '# second', other: '# seconds' })}`],
          [t`Added`, <Time key="t" at={a.created_at} />],
        ]}
      />
      <Section title={t`Output`} plain text={t`Recent output, read from the server.`}>
        {!lacks ? (
          <LogFile
            url={address(`${one}/log`, at)}
            name={`process-${p.id}`}
            empty={t`No output yet.`}
            actions={<Action write={act} body={{ action: 'empty-log' }} plans look="quiet" disabled={busy} why={wait}>{t`Clear`}</Action>}
          />
        ) : (
          <Notice>
            <Trans>Output may contain secrets. You need the permission {permissionNamed(lacks)} to read it.</Trans>
          </Notice>
        )}
      </Section>
      {editing && <ProcessForm process={p} onClose={() => setEditing(false)} />}
      {removing && <Remove process={p} onClose={() => setRemoving(false)} gone={() => void navigate({ to: '/orgs/$org/sites/$site/processes', params: to })} />}
    </div>
  );
}
