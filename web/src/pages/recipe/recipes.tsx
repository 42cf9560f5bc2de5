import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ChevronRight, Plus, ScrollText, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import type { Recipe } from '../../api/types';
import { Button, ButtonLink } from '../../kit/button';
import { ConfirmName } from '../../kit/dialog';
import { Changed, Editor, useDraft } from '../../kit/editor';
import { Choice, Input } from '../../kit/field';
import { Form, Saved } from '../../kit/form';
import { Log } from '../../kit/log';
import { Empty, Failed, Page, Section, Waiting } from '../../kit/page';
import { Time } from '../../kit/state';
import { rowLink, Table } from '../../kit/table';
import { RecipeRuns } from './runs';

const many = '/orgs/{organization}/recipes';
const one = `${many}/{recipe}` as const;

type User = 'root' | 'forge';
const users = [
  { value: 'root', title: 'root', text: t`Full access to the server.` },
  { value: 'forge', title: 'forge', text: t`The user of sites that are not isolated.` },
] as const;

/** Recipes are scripts for servers, kept in one place. */
export function Recipes() {
  const { org } = useParams({ from: '/orgs/$org' });
  const list = useList(many, { organization: org });
  const add = (
    <ButtonLink look="primary" icon={Plus} does={`post ${many}`} to="/orgs/$org/recipes/new" params={{ org }}>
      <Trans>New recipe</Trans>
    </ButtonLink>
  );
  return (
    <Page title={t`Recipes`} sub={t`Scripts to run on servers, shared with your teams.`} actions={list.rows.length > 0 ? add : undefined}>
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty icon={ScrollText} title={t`No recipes yet`} text={t`Create scripts to run on one or more servers.`} action={add} />
      ) : (
        <Table
          label={t`Recipes`}
          rows={list.rows}
          id={(r) => r.id}
          more={list.more}
          columns={[
            {
              name: t`Name`,
              width: 'minmax(0,3fr)',
              cell: (r) => (
                <Link to="/orgs/$org/recipes/$recipe" params={{ org, recipe: r.id }} className={rowLink + ' block truncate'}>
                  {r.attributes.name}
                </Link>
              ),
            },
            { name: t`Runs as`, width: '8rem', named: true, cell: (r) => <span className="font-mono text-sm">{r.attributes.user}</span> },
            {
              name: t`Script`,
              width: '8rem',
              minor: true,
              cell: (r) => <span className="text-muted">{plural(r.attributes.script.trimEnd().split('\n').length, { one: '# line', other: '# lines' })}</span>,
            },
            {
              name: t`Updated`,
              width: '8rem',
              cell: (r) => (
                <span className="text-muted">
                  <Time at={r.attributes.updated_at} ago />
                </span>
              ),
            },
          ]}
        />
      )}
      <ShippedRecipes org={org} />
    </Page>
  );
}

/** ShippedRecipes are those that come with Hostler. */
function ShippedRecipes({ org }: { org: string }) {
  const list = useList('/forge-recipes', {}, { size: 100 });
  return (
    <Section title={t`Built-in recipes`} plain text={t`Built-in recipes are read-only. To customize one, copy its script to a new recipe.`}>
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : (
        <Table
          label={t`Built-in recipes`}
          rows={list.rows}
          more={list.more}
          id={(r) => r.id}
          columns={[
            {
              name: t`Name`,
              width: 'minmax(0,2fr)',
              cell: (r) => (
                <Link to="/orgs/$org/recipes/shipped/$shipped" params={{ org, shipped: r.id }} className={rowLink + ' block truncate'}>
                  {r.attributes.name}
                </Link>
              ),
            },
            {
              name: t`Description`,
              width: 'minmax(0,4fr)',
              minor: true,
              cell: (r) => (
                <span className="block truncate text-muted" title={r.attributes.info}>
                  {r.attributes.info}
                </span>
              ),
            },
            { name: t`Runs as`, width: '8rem', named: true, cell: (r) => <span className="font-mono text-sm">{r.attributes.user}</span> },
          ]}
        />
      )}
    </Section>
  );
}

/** ShippedPage is a recipe that comes with Hostler, with its runs. */
export function ShippedPage() {
  const { org, shipped } = useParams({ from: '/orgs/$org/recipes/shipped/$shipped' });
  const doc = useGet('/forge-recipes/{forgeRecipe}', { forgeRecipe: shipped });
  const r = doc.data?.data;
  if (!r) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  const a = r.attributes;
  return (
    <div className="grid gap-6">
      <Crumbs org={org} name={a.name} />
      <Page
        title={a.name}
        sub={
          <>
            {a.info}{' '}
            <Trans>
              Runs as <span className="font-mono text-sm">{a.user}</span>.
            </Trans>
          </>
        }
      >
        <Log text={a.script} live={false} name={`recipe-${r.id}`} />
        <RecipeRuns org={org} recipe={r} dirty={false} />
      </Page>
    </div>
  );
}

function Crumbs({ org, name }: { org: string; name: string }) {
  return (
    <nav aria-label={t`Breadcrumb`} className="-mb-3 flex items-center gap-1.5 text-sm text-muted">
      <Link to="/orgs/$org/recipes" params={{ org }} className="hover:text-text hover:underline">
        <Trans>Recipes</Trans>
      </Link>
      <ChevronRight className="size-3.5" aria-hidden />
      <span className="truncate">{name}</span>
    </nav>
  );
}

const given = ['server_name', 'server_id', 'server_type', 'ip_address', 'private_ip_address'].map((name) => `{{ ${name} }}`).join(', ');
const hint = t`A bash script. ${given} and ${'{{ username }}'} are replaced with the server's values.`;
const begin = '#!/usr/bin/env bash\nset -euo pipefail\n\n';

export function NewRecipe() {
  const { org } = useParams({ from: '/orgs/$org' });
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [user, setUser] = useState<User>('root');
  const draft = useDraft(begin);
  const write = useWrite('post', many, { organization: org }, (a) => {
    void navigate({ to: '/orgs/$org/recipes/$recipe', params: { org, recipe: a.data.id }, ignoreBlocker: true }); // what was typed is saved
  });
  const body = () => ({ name: name.trim(), user, script: draft.text });
  return (
    <div className="grid gap-6">
      <Crumbs org={org} name={t`New`} />
      <Page title={t`New recipe`}>
        <div className="panel p-5">
          <Form
            write={write}
            submit={t`Create recipe`}
            onSubmit={() => write.submit(body())}
            call={() => write.call(body())}
            extra={draft.dirty ? <Changed before={begin} after={draft.text} undo={draft.undo} /> : undefined}
          >
            <div className="max-w-md">
              <Input
                label={t`Name`}
                name="name"
                autoFocus
                autoComplete="off"
                value={name}
                onChange={(e) => setName(e.target.value)}
                placeholder={t`Install ImageMagick`}
              />
            </div>
            <Choice legend={t`Runs as`} name="user" value={user} onChange={setUser} options={users} />
            <Editor language="shell" label={t`Script`} name="script" value={draft.text} onChange={draft.set} rows={14} hint={hint} />
          </Form>
        </div>
      </Page>
    </div>
  );
}

export function RecipePage() {
  const { org, recipe } = useParams({ from: '/orgs/$org/recipes/$recipe' });
  const doc = useGet(one, { organization: org, recipe });
  const r = doc.data?.data;
  if (!r) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  return <Edit key={r.id} org={org} r={r} />;
}

function Edit({ org, r }: { org: string; r: Recipe }) {
  const navigate = useNavigate();
  const at = { organization: org, recipe: r.id };
  const a = r.attributes;
  const [name, setName] = useState(a.name);
  const [user, setUser] = useState<User>(a.user as User);
  const [removing, setRemoving] = useState(false);
  const draft = useDraft(a.script);
  const write = useWrite('put', one, at);
  const remove = useWrite('delete', one, at, () => void navigate({ to: '/orgs/$org/recipes', params: { org } }));
  const body = () => ({ name: name.trim(), user, script: draft.text });
  return (
    <div className="grid gap-6">
      <Crumbs org={org} name={a.name} />
      <Page
        title={a.name}
        sub={
          <Trans>
            Updated <Time at={a.updated_at} ago />
          </Trans>
        }
        actions={
          <Button look="remove" icon={Trash2} does={remove.operation} onClick={() => setRemoving(true)}>
            <Trans>Delete</Trans>
          </Button>
        }
      >
        <div className="panel p-5">
          <Form
            write={write}
            submit={t`Save`}
            onSubmit={() => write.submit(body())}
            call={() => write.call(body())}
            extra={
              draft.dirty ? (
                <Changed
                  before={a.script}
                  after={draft.text}
                  undo={() => {
                    draft.undo();
                    write.reset();
                  }}
                />
              ) : (
                <Saved shown={write.saved} />
              )
            }
          >
            <div className="max-w-md">
              <Input label={t`Name`} name="name" autoComplete="off" value={name} onChange={(e) => setName(e.target.value)} />
            </div>
            <Choice legend={t`Runs as`} name="user" value={user} onChange={setUser} options={users} />
            <Editor language="shell" label={t`Script`} name="script" value={draft.text} onChange={draft.set} rows={14} hint={hint} />
          </Form>
        </div>
        <RecipeRuns org={org} recipe={r} dirty={draft.dirty} />
      </Page>
      {removing && (
        <ConfirmName
          open
          onClose={() => setRemoving(false)}
          title={t`Delete ${a.name}?`}
          name={a.name}
          submit={t`Delete recipe`}
          what={t`The script is permanently deleted. Its effects on servers remain.`}
          removal={{ ...remove, submit: () => remove.submit() }}
          call={() => remove.call()}
        />
      )}
    </div>
  );
}
