import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ChevronRight, Play, Server as ServerIcon } from 'lucide-react';
import { useState } from 'react';
import { useGet, useList, useWrite } from '../api/query';
import type { Recipe, RecipeRun, Server } from '../api/types';
import { Action } from '../kit/action';
import { Button, ButtonLink } from '../kit/button';
import { shell } from '../kit/copy';
import { Dialog } from '../kit/dialog';
import { Check, useFieldErrors } from '../kit/field';
import { Form } from '../kit/form';
import { Log } from '../kit/log';
import { Empty, Facts, Failed, Notice, Page, Section, Waiting } from '../kit/page';
import { active, Elapsed, State, span, Time } from '../kit/state';
import { Filter, rowLink, Table } from '../kit/table';
import { Work } from '../kit/work';
import { useLastLine } from './server-line';
import { serverState } from './servers';

const many = '/orgs/{organization}/recipes/{recipe}/runs';
const manage = 'recipe:manage';
const runs = (r: RecipeRun) => r.attributes.status === 'waiting' || r.attributes.status === 'running';
const words: Record<string, string> = { waiting: 'Waiting', running: 'Running', finished: 'Done', failed: 'Failed' };

function RunState({ r }: { r: RecipeRun }) {
  return <State state={r.attributes.status} text={words[r.attributes.status]} />;
}

function Took({ r }: { r: RecipeRun }) {
  const { started_at: began, finished_at: ended } = r.attributes;
  if (!began) return null;
  return ended ? span(new Date(ended).getTime() - new Date(began).getTime()) : <Elapsed since={began} />;
}

/** useServerNames are the names of servers by their ids. */
function useServerNames(org: string) {
  const list = useList('/orgs/{organization}/servers', { organization: org }, { query: { sort: 'name' } });
  return (id: number) => list.rows.find((s) => s.id === String(id))?.attributes.name ?? `Server ${id}`;
}

/** RecipeRuns are what a recipe did, one line a server. */
export function RecipeRuns({ org, recipe, dirty }: { org: string; recipe: Recipe; dirty: boolean }) {
  const [choosing, setChoosing] = useState(false);
  const name = useServerNames(org);
  const list = useList(
    many,
    { organization: org, recipe: recipe.id },
    { query: { sort: '-created_at' }, size: 50, every: (rows: RecipeRun[]) => (rows.some(runs) ? 2_000 : 15_000) },
  );
  const run = (
    <Button look="primary" icon={Play} needs={manage} disabled={dirty} why="Save the script first." onClick={() => setChoosing(true)}>
      Run on servers
    </Button>
  );
  return (
    <Section
      title="Runs"
      plain
      text="Each server has a run of its own. None is ever started a second time by itself."
      actions={list.rows.length > 0 ? run : undefined}
    >
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty icon={Play} title="It never ran" text="Choose servers, and watch what it does on each of them." action={run} />
      ) : (
        <Table
          label="Runs"
          rows={list.rows}
          id={(r) => r.id}
          more={list.hasNextPage && !list.isFetching ? () => void list.fetchNextPage() : undefined}
          columns={[
            {
              name: 'Server',
              width: 'minmax(0,2fr)',
              cell: (r) => (
                <Link to="/orgs/$org/recipes/$recipe/runs/$run" params={{ org, recipe: recipe.id, run: r.id }} className={rowLink + ' block truncate'}>
                  {name(r.attributes.server_id)}
                </Link>
              ),
            },
            { name: 'State', width: '8rem', cell: (r) => <RunState r={r} /> },
            {
              name: 'Took',
              width: '8rem',
              minor: true,
              cell: (r) => (
                <span className="text-muted">
                  <Took r={r} />
                </span>
              ),
            },
            {
              name: 'Began',
              width: '8rem',
              cell: (r) => <span className="text-muted">{r.attributes.started_at ? <Time at={r.attributes.started_at} ago /> : 'not yet'}</span>,
            },
          ]}
        />
      )}
      {choosing && <Choose org={org} recipe={recipe} onClose={() => setChoosing(false)} />}
    </Section>
  );
}

function Choose({ org, recipe, onClose }: { org: string; recipe: Recipe; onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map());
  const [email, setEmail] = useState(false);
  const list = useList('/orgs/{organization}/servers', { organization: org }, { query: { 'filter[name]': name, sort: 'name' } });
  const write = useWrite('post', many, { organization: org, recipe: recipe.id }, () => {
    onClose();
    void navigate({ to: '/orgs/$org/recipes/$recipe', params: { org, recipe: recipe.id } });
  });
  const body = () => ({ servers: [...chosen.keys()].map(Number), email: email || undefined });
  const turn = (s: Server, on: boolean) => {
    const next = new Map(chosen);
    if (on) next.set(s.id, s.attributes.name);
    else next.delete(s.id);
    setChosen(next);
  };
  const none = list.isSuccess && list.rows.length === 0;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Run ${recipe.attributes.name}`}
      text={
        <>
          As <span className="font-mono text-sm">{recipe.attributes.user}</span>, for at most half an hour on each server, on all of them at once.
        </>
      }
    >
      {none && !name ? (
        <Empty
          icon={ServerIcon}
          title="No servers yet"
          text="A recipe needs a server to run on."
          action={
            <ButtonLink look="primary" needs="server:create" to="/orgs/$org/servers/new" params={{ org }}>
              Add a server
            </ButtonLink>
          }
        />
      ) : (
        <Form
          write={write}
          submit={chosen.size > 1 ? `Run on ${chosen.size} servers` : 'Run it'}
          needs={manage}
          onSubmit={() => write.submit(body())}
          call={() => write.call(body())}
          cli={() =>
            `hostler recipes run ${shell(recipe.attributes.name)}${[...chosen.values()].map((n) => ` --server ${shell(n)}`).join('')}${email ? ' --email' : ''}`
          }
        >
          <Servers rows={list.rows} chosen={chosen} turn={turn} filter={<Filter label="Filter by name" onChange={setName} />} order={[...chosen.keys()]} />
          <Check label="Mail me what it printed" checked={email} onChange={(e) => setEmail(e.target.checked)} />
        </Form>
      )}
    </Dialog>
  );
}

function Servers({
  rows,
  chosen,
  turn,
  filter,
  order,
}: {
  rows: Server[];
  chosen: ReadonlyMap<string, string>;
  turn: (s: Server, on: boolean) => void;
  filter: React.ReactNode;
  order: string[];
}) {
  const errors = useFieldErrors('servers');
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-2 text-base font-medium">Servers</legend>
      {filter}
      {errors.length > 0 && (
        <p className="text-sm text-danger" role="alert">
          {errors.join(' ')}
        </p>
      )}
      <div className="panel max-h-72 divide-y divide-line overflow-y-auto" tabIndex={0} role="group" aria-label="Servers to choose">
        {rows.map((s) => (
          <One key={s.id} s={s} at={order.indexOf(s.id)} on={chosen.has(s.id)} turn={turn} />
        ))}
        {rows.length === 0 && <p className="p-4 text-muted">No server is called like that.</p>}
      </div>
    </fieldset>
  );
}

/** One is a server with what is wrong with choosing it. */
function One({ s, at, on, turn }: { s: Server; at: number; on: boolean; turn: (s: Server, on: boolean) => void }) {
  const errors = useFieldErrors(`servers.${at}`);
  const [state] = serverState(s);
  return (
    <div className="grid gap-1 px-4 py-2.5">
      <Check label={s.attributes.name} hint={state === 'Ready' ? undefined : `${state}: it waits`} checked={on} onChange={(e) => turn(s, e.target.checked)} />
      {errors.length > 0 && (
        <p className="text-sm text-danger" role="alert">
          {errors.join(' ')}
        </p>
      )}
    </div>
  );
}

/** RecipeRunPage is a run on one server, watched while it goes on. */
export function RecipeRunPage() {
  const { org, recipe, run } = useParams({ from: '/orgs/$org/recipes/$recipe/runs/$run' });
  const at = { organization: org, recipe, log: run };
  const parent = useGet('/orgs/{organization}/recipes/{recipe}', { organization: org, recipe });
  const doc = useGet(`${many}/{log}`, at, { every: (d: { data: RecipeRun }) => (runs(d.data) ? 1_000 : 30_000) });
  const name = useServerNames(org);
  const again = useWrite('post', many, { organization: org, recipe });
  const r = doc.data?.data;
  const operation = r?.meta?.operation;
  const last = useLastLine(operation?.event_id);
  if (!r) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  const a = r.attributes;
  const live = runs(r);
  const title = parent.data?.data.attributes.name ?? 'Recipe';
  return (
    <div className="grid gap-6">
      <nav aria-label="Breadcrumb" className="-mb-3 flex items-center gap-1.5 text-sm text-muted">
        <Link to="/orgs/$org/recipes" params={{ org }} className="hover:text-text hover:underline">
          Recipes
        </Link>
        <ChevronRight className="size-3.5" aria-hidden />
        <Link to="/orgs/$org/recipes/$recipe" params={{ org, recipe }} className="truncate hover:text-text hover:underline">
          {title}
        </Link>
        <ChevronRight className="size-3.5" aria-hidden />
        <span className="truncate">{name(a.server_id)}</span>
      </nav>
      <Page
        title={`${title} on ${name(a.server_id)}`}
        state={<RunState r={r} />}
        actions={
          !live && (
            <Action
              write={again}
              body={{ servers: [a.server_id] }}
              icon={Play}
              needs={manage}
              cli={() => `hostler recipes run ${recipe} --server ${a.server_id}`}
            >
              Run it here again
            </Action>
          )
        }
      >
        {again.error && (
          <Notice tone="bad" role="alert">
            {again.error.message} {Object.values(again.fields).flat().join(' ')}
          </Notice>
        )}
        {again.answer !== undefined && !again.error && !again.pending && (
          <Notice
            role="status"
            action={
              <Link to="/orgs/$org/recipes/$recipe" params={{ org, recipe }} className="font-medium underline-offset-2 hover:underline">
                All runs
              </Link>
            }
          >
            Another run has begun.
          </Notice>
        )}
        {operation && (active(operation) || operation.state === 'failed' || operation.state === 'cancelled') && (
          <Work operation={operation} org={org} server={String(a.server_id)} line={last} />
        )}
        <Facts
          rows={[
            [
              'Server',
              <Link
                key="s"
                to="/orgs/$org/servers/$server"
                params={{ org, server: String(a.server_id) }}
                className="font-medium text-accent underline-offset-2 hover:underline"
              >
                {name(a.server_id)}
              </Link>,
            ],
            ['Began', <Time key="b" at={a.started_at} />],
            ['Took', <Took key="t" r={r} />],
          ]}
        />
        <Log text={a.output ?? ''} live={live} name={`recipe-run-${r.id}`} />
      </Page>
    </div>
  );
}
