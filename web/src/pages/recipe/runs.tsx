import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ChevronRight, Play, Server as ServerIcon } from 'lucide-react';
import { useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import type { Recipe, RecipeRun, Server, ShippedRecipe } from '../../api/types';
import { Action } from '../../kit/action';
import { Button, ButtonLink } from '../../kit/button';
import { Dialog } from '../../kit/dialog';
import { Check, useFieldErrors } from '../../kit/field';
import { Form } from '../../kit/form';
import { Log } from '../../kit/log';
import { useMails } from '../../kit/mail';
import { span } from '../../kit/numbers';
import { Empty, Facts, Failed, Notice, Page, Section, Waiting } from '../../kit/page';
import { active, Elapsed, State, Time } from '../../kit/state';
import { Filter, rowLink, Table } from '../../kit/table';
import { texts } from '../../kit/words';
import { Work } from '../../kit/work';
import { useLastLine } from '../server/line';
import { serverState } from '../server/servers';

const many = '/orgs/{organization}/recipes/{recipe}/runs';
type Any = Recipe | ShippedRecipe;
const isShipped = (r: Any): r is ShippedRecipe => r.type === 'forgeRecipes';

/** place is where the runs of a recipe are: of the organization's, or of one that comes with Hostler. */
function place(org: string, id: string, shipped: boolean) {
  return shipped
    ? { path: '/forge-recipes/{forgeRecipe}/runs' as typeof many, params: { forgeRecipe: id } }
    : ({ path: many, params: { organization: org, recipe: id } } as { path: typeof many; params: Record<string, string> });
}

/** page and runPage lead to a recipe and to one of its runs. */
const page = (org: string, id: string, shipped: boolean) =>
  shipped
    ? ({ to: '/orgs/$org/recipes/shipped/$shipped', params: { org, shipped: id } } as const)
    : ({ to: '/orgs/$org/recipes/$recipe', params: { org, recipe: id } } as const);
const runPage = (org: string, id: string, shipped: boolean, run: string) =>
  shipped
    ? ({ to: '/orgs/$org/recipes/shipped/$shipped/runs/$run', params: { org, shipped: id, run } } as const)
    : ({ to: '/orgs/$org/recipes/$recipe/runs/$run', params: { org, recipe: id, run } } as const);
const runs = (r: RecipeRun) => r.attributes.status === 'waiting' || r.attributes.status === 'running';

function RunState({ r }: { r: RecipeRun }) {
  return <State state={r.attributes.status} />;
}

function Took({ r }: { r: RecipeRun }) {
  const { started_at: began, finished_at: ended } = r.attributes;
  if (!began) return null;
  return ended ? span(new Date(ended).getTime() - new Date(began).getTime()) : <Elapsed since={began} />;
}

/** useServerNames are the names of servers by their ids. */
function useServerNames(org: string) {
  const list = useList('/orgs/{organization}/servers', { organization: org }, { query: { sort: 'name' }, all: true });
  return (id: number) => list.rows.find((s) => s.id === String(id))?.attributes.name ?? t`Server ${id}`;
}

/** RecipeRuns are what a recipe did, one line a server. */
export function RecipeRuns({ org, recipe, dirty }: { org: string; recipe: Any; dirty: boolean }) {
  const [choosing, setChoosing] = useState(false);
  const name = useServerNames(org);
  const at = place(org, recipe.id, isShipped(recipe));
  const list = useList(at.path, at.params, { query: { sort: '-created_at' }, size: 50, every: (rows: RecipeRun[]) => (rows.some(runs) ? 2_000 : 15_000) });
  const run = (
    <Button look="primary" icon={Play} does={`post ${at.path}`} disabled={dirty} why={t`Save the script first.`} onClick={() => setChoosing(true)}>
      <Trans>Run on servers</Trans>
    </Button>
  );
  return (
    <Section
      title={t`Runs`}
      plain
      text={t`Each server has its own run. Runs are never retried automatically.`}
      actions={list.rows.length > 0 ? run : undefined}
    >
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty icon={Play} title={t`No runs yet`} text={t`Choose servers and follow the output on each of them.`} action={run} />
      ) : (
        <Table
          label={t`Runs`}
          rows={list.rows}
          id={(r) => r.id}
          more={list.more}
          columns={[
            {
              name: t`Server`,
              width: 'minmax(0,2fr)',
              cell: (r) => (
                <Link {...runPage(org, recipe.id, isShipped(recipe), r.id)} className={rowLink + ' block truncate'}>
                  {name(r.attributes.server_id)}
                </Link>
              ),
            },
            { name: t`Status`, width: '8rem', cell: (r) => <RunState r={r} /> },
            {
              name: t`Duration`,
              width: '8rem',
              minor: true,
              cell: (r) => (
                <span className="text-muted">
                  <Took r={r} />
                </span>
              ),
            },
            {
              name: t`Started`,
              width: '8rem',
              cell: (r) => <span className="text-muted">{r.attributes.started_at ? <Time at={r.attributes.started_at} ago /> : t`Not yet`}</span>,
            },
          ]}
        />
      )}
      {choosing && <Choose org={org} recipe={recipe} onClose={() => setChoosing(false)} />}
    </Section>
  );
}

function Choose({ org, recipe, onClose }: { org: string; recipe: Any; onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<ReadonlyMap<string, Server>>(new Map());
  const mails = useMails();
  const [email, setEmail] = useState(false);
  const list = useList('/orgs/{organization}/servers', { organization: org }, { query: { 'filter[name]': name, sort: 'name' } });
  const at = place(org, recipe.id, isShipped(recipe));
  const write = useWrite('post', at.path, at.params, () => {
    onClose();
    void navigate(page(org, recipe.id, isShipped(recipe)));
  });
  const body = () => ({ servers: [...chosen.keys()].map(Number), email: email || undefined });
  const turn = (s: Server, on: boolean) => {
    const next = new Map(chosen);
    if (on) next.set(s.id, s);
    else next.delete(s.id);
    setChosen(next);
  };
  const none = list.isSuccess && list.rows.length === 0;
  // What is chosen stays in sight, also where the filter does not match it.
  const rows = [...[...chosen.values()].filter((s) => !list.rows.some((r) => r.id === s.id)), ...list.rows];
  return (
    <Dialog
      open
      onClose={onClose}
      title={t`Run ${recipe.attributes.name}`}
      text={
        <Trans>
          Runs as <span className="font-mono text-sm">{recipe.attributes.user}</span>, for up to 30 minutes on each server, on all servers in parallel.
        </Trans>
      }
    >
      {none && !name ? (
        <Empty
          icon={ServerIcon}
          title={t`No servers yet`}
          text={t`Add a server to run recipes on.`}
          action={
            <ButtonLink look="primary" does="post /orgs/{organization}/servers" to="/orgs/$org/servers/new" params={{ org }}>
              <Trans>Add server</Trans>
            </ButtonLink>
          }
        />
      ) : (
        <Form
          write={write}
          submit={chosen.size > 1 ? t`Run on ${chosen.size} servers` : t`Run`}
          onSubmit={() => write.submit(body())}
          call={() => write.call(body())}
        >
          <Servers
            rows={rows}
            order={[...chosen.keys()]}
            turn={turn}
            filter={<Filter label={t`Filter by name`} onChange={setName} />}
            none={
              list.isPending ? (
                <Waiting />
              ) : list.error && !list.data ? (
                <Failed error={list.error} again={() => void list.refetch()} />
              ) : list.rows.length === 0 ? (
                <p className="p-4 text-muted">
                  <Trans>No matching servers.</Trans>
                </p>
              ) : undefined
            }
          />
          <Check
            label={t`Email me the output`}
            hint={mails ? undefined : t`Not sent: no mail server is configured.`}
            checked={email}
            onChange={(e) => setEmail(e.target.checked)}
          />
        </Form>
      )}
    </Dialog>
  );
}

function Servers({
  rows,
  order,
  turn,
  filter,
  none,
}: {
  rows: Server[];
  /** order are the ids of those that are chosen. */
  order: string[];
  turn: (s: Server, on: boolean) => void;
  filter: React.ReactNode;
  /** none says why the filter found none. */
  none: React.ReactNode;
}) {
  const errors = useFieldErrors('servers');
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-2 text-base font-medium">
        <Trans>Servers</Trans>
      </legend>
      {filter}
      {errors.length > 0 && (
        <p className="text-sm text-danger" role="alert">
          {errors.join(' ')}
        </p>
      )}
      <div className="panel max-h-72 divide-y divide-line overflow-y-auto" tabIndex={0} role="group" aria-label={t`Available servers`}>
        {rows.map((s) => (
          <One key={s.id} s={s} at={order.indexOf(s.id)} on={order.includes(s.id)} turn={turn} />
        ))}
        {none}
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
      <Check
        label={s.attributes.name}
        hint={state === t`Ready` ? undefined : t`${state}: will wait`}
        checked={on}
        onChange={(e) => turn(s, e.target.checked)}
      />
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
  const title = useGet('/orgs/{organization}/recipes/{recipe}', { organization: org, recipe }).data?.data.attributes.name;
  return <Run org={org} recipe={recipe} run={run} shipped={false} title={title ?? t`Recipe`} />;
}

/** ShippedRunPage is a run of a recipe that comes with Hostler. */
export function ShippedRunPage() {
  const { org, shipped, run } = useParams({ from: '/orgs/$org/recipes/shipped/$shipped/runs/$run' });
  const title = useGet('/forge-recipes/{forgeRecipe}', { forgeRecipe: shipped }).data?.data.attributes.name;
  return <Run org={org} recipe={shipped} run={run} shipped title={title ?? t`Recipe`} />;
}

function Run({ org, recipe, run, shipped, title }: { org: string; recipe: string; run: string; shipped: boolean; title: string }) {
  const at = place(org, recipe, shipped);
  const doc = useGet(`${at.path}/{log}`, { ...at.params, log: run }, { every: (d: { data: RecipeRun }) => (runs(d.data) ? 1_000 : 30_000) });
  const name = useServerNames(org);
  const again = useWrite('post', at.path, at.params);
  const r = doc.data?.data;
  const operation = r?.meta?.operation;
  const last = useLastLine(operation?.event_id);
  if (!r) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  const a = r.attributes;
  const live = runs(r);
  return (
    <div className="grid gap-6">
      <nav aria-label={t`Breadcrumb`} className="-mb-3 flex items-center gap-1.5 text-sm text-muted">
        <Link to="/orgs/$org/recipes" params={{ org }} className="hover:text-text hover:underline">
          <Trans>Recipes</Trans>
        </Link>
        <ChevronRight className="size-3.5" aria-hidden />
        <Link {...page(org, recipe, shipped)} className="truncate hover:text-text hover:underline">
          {title}
        </Link>
        <ChevronRight className="size-3.5" aria-hidden />
        <span className="truncate">{name(a.server_id)}</span>
      </nav>
      <Page
        title={t`${title} on ${name(a.server_id)}`}
        state={<RunState r={r} />}
        actions={!live && <Action write={again} body={{ servers: [a.server_id] }} icon={Play}>{t`Run again on this server`}</Action>}
      >
        {again.error && (
          <Notice tone="bad" role="alert">
            {again.error.message} {texts(again.fields)}
          </Notice>
        )}
        {again.answer !== undefined && !again.error && !again.pending && (
          <Notice
            role="status"
            action={
              <Link {...page(org, recipe, shipped)} className="font-medium underline-offset-2 hover:underline">
                <Trans>All runs</Trans>
              </Link>
            }
          >
            <Trans>A new run has started.</Trans>
          </Notice>
        )}
        {operation && (active(operation) || operation.state === 'failed' || operation.state === 'cancelled') && (
          <Work operation={operation} org={org} server={String(a.server_id)} line={last} />
        )}
        <Facts
          rows={[
            [
              t`Server`,
              <Link
                key="s"
                to="/orgs/$org/servers/$server"
                params={{ org, server: String(a.server_id) }}
                className="font-medium text-accent underline-offset-2 hover:underline"
              >
                {name(a.server_id)}
              </Link>,
            ],
            [t`Started`, <Time key="b" at={a.started_at} />],
            [t`Duration`, <Took key="t" r={r} />],
          ]}
        />
        <Log text={a.output ?? ''} live={live} name={`recipe-run-${r.id}`} />
      </Page>
    </div>
  );
}
