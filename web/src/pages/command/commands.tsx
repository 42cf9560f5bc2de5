import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { SquareTerminal } from 'lucide-react';
import { useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import type { Command } from '../../api/types';
import { Action } from '../../kit/action';
import { Textarea } from '../../kit/field';
import { Form } from '../../kit/form';
import { Log } from '../../kit/log';
import { lasted } from '../../kit/numbers';
import { Empty, Facts, Failed, Notice, Section, Waiting } from '../../kit/page';
import { Elapsed, State, Time } from '../../kit/state';
import { rowLink, Table } from '../../kit/table';
import { useAt } from '../site/at';

const many = '/orgs/{organization}/servers/{server}/sites/{site}/commands';
const runs = (c: Command) => c.attributes.status === 'waiting' || c.attributes.status === 'running';

function CommandState({ c }: { c: Command }) {
  const code = c.attributes.exit_code;
  const bad = c.attributes.status === 'finished' && !!code;
  return <State state={bad ? 'failed' : c.attributes.status} text={code ? t`Exited with ${code}` : undefined} />;
}

export function Commands() {
  const { site, params, to } = useAt();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const list = useList(many, params, { query: { sort: '-created_at' }, size: 50, every: (rows: Command[]) => (rows.some(runs) ? 2_000 : 15_000) });
  const write = useWrite('post', many, params, (a) => void navigate({ to: '/orgs/$org/sites/$site/commands/$command', params: { ...to, command: a.data.id } }));
  const body = () => ({ command: text });
  return (
    <div className="grid gap-8">
      <Section
        title={t`Run a command`}
        text={
          <Trans>
            Runs with bash in the site's directory as <span className="font-mono text-sm">{site.attributes.user}</span>, for up to five minutes. It is never
            retried automatically.
          </Trans>
        }
      >
        <Form write={write} submit={t`Run`} onSubmit={() => write.submit(body())} call={() => write.call(body())}>
          <Textarea
            label={t`Command`}
            name="command"
            rows={2}
            value={text}
            onChange={(e) => setText(e.target.value)}
            code
            placeholder="php artisan migrate --force"
            onKeyDown={(e) => {
              if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) e.currentTarget.form?.requestSubmit();
            }}
            hint={t`Ctrl+Enter to run.`}
          />
        </Form>
      </Section>
      <Section title={t`Commands`} plain>
        {list.isPending ? (
          <Waiting />
        ) : list.error && !list.data ? (
          <Failed error={list.error} again={() => void list.refetch()} />
        ) : list.rows.length === 0 ? (
          <Empty icon={SquareTerminal} title={t`No commands yet`} text={t`Commands appear here with their output and exit code.`} />
        ) : (
          <Table
            label={t`Commands`}
            rows={list.rows}
            id={(c) => c.id}
            more={list.more}
            columns={[
              {
                name: t`Command`,
                width: 'minmax(0,3fr)',
                cell: (c) => (
                  <Link
                    to="/orgs/$org/sites/$site/commands/$command"
                    params={{ ...to, command: c.id }}
                    className={rowLink + ' block truncate font-mono text-sm'}
                  >
                    {c.attributes.command}
                  </Link>
                ),
              },
              { name: t`Status`, width: '9rem', cell: (c) => <CommandState c={c} /> },
              { name: t`Duration`, width: '6rem', minor: true, cell: (c) => <span className="text-muted">{lasted(c.attributes.duration)}</span> },
              {
                name: t`Created`,
                width: '7rem',
                cell: (c) => (
                  <span className="text-muted">
                    <Time at={c.attributes.created_at} ago />
                  </span>
                ),
              },
            ]}
          />
        )}
      </Section>
    </div>
  );
}

export function CommandPage() {
  const { command } = useParams({ from: '/orgs/$org/sites/$site/commands/$command' });
  const { params, to } = useAt();
  const navigate = useNavigate();
  const at = { ...params, command };
  const doc = useGet(`${many}/{command}`, at, { every: (d: { data: Command }) => (runs(d.data) ? 1_000 : 30_000) });
  const c = doc.data?.data;
  const live = !!c && runs(c);
  const output = useGet(`${many}/{command}/output`, at, { every: live ? 1_500 : false });
  const again = useWrite('post', many, params, (a) => void navigate({ to: '/orgs/$org/sites/$site/commands/$command', params: { ...to, command: a.data.id } }));
  const end = useWrite('delete', `${many}/{command}`, at, () => {
    if (!live) void navigate({ to: '/orgs/$org/sites/$site/commands', params: to });
  });
  if (!c) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  const error = again.error ?? end.error;
  return (
    <div className="grid min-w-0 gap-5">
      <div className="flex flex-wrap items-start gap-3">
        <div className="min-w-0 flex-1 basis-72">
          <p className="text-sm text-muted">
            <Link to="/orgs/$org/sites/$site/commands" params={to} className="hover:text-text hover:underline">
              <Trans>All commands</Trans>
            </Link>
          </p>
          <h2 className="font-mono text-lg font-medium whitespace-pre-wrap [overflow-wrap:anywhere]">{c.attributes.command}</h2>
        </div>
        <span className="flex flex-wrap gap-2">
          {!live && <Action write={again} body={{ command: c.attributes.command }}>{t`Run again`}</Action>}
          <Action write={end} look={live ? 'danger' : 'plain'}>
            {live ? t`Stop` : t`Remove from list`}
          </Action>
        </span>
      </div>
      {error && (
        <Notice tone="bad" role="alert">
          {error.message}
        </Notice>
      )}
      {c.attributes.error_output && <Notice tone="bad">{c.attributes.error_output}</Notice>}
      <Facts
        rows={[
          [t`Status`, <CommandState key="s" c={c} />],
          [t`Started`, <Time key="t" at={c.attributes.created_at} />],
          [t`Duration`, live ? <Elapsed key="e" since={c.attributes.created_at} /> : lasted(c.attributes.duration)],
        ]}
      />
      {output.error && !output.data ? (
        <Failed error={output.error} />
      ) : (
        <Log text={output.data?.data.attributes.output ?? ''} live={live} name={`command-${c.id}`} />
      )}
    </div>
  );
}
