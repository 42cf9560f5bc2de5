import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { fill, type Params } from '../../api/client';
import { type Call, useList, useWrite } from '../../api/query';
import { Action, type Writes } from '../../kit/action';
import { ButtonLink } from '../../kit/button';
import { Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { Failed, Notice, Section } from '../../kit/page';
import { Table } from '../../kit/table';

interface Named {
  id: string;
  attributes: { name: string };
}

interface Props {
  title: string;
  /** label is that of the choice of what to share. */
  label: string;
  text?: string;
  field: string;
  shared: Named[];
  all: Named[];
  error: unknown;
  share: Parameters<typeof Form>[0]['write'];
  add: (id: number) => void;
  call: (id: number) => Call;
  stop: Writes<undefined>;
  at: (id: string) => Params;
  none: React.ReactNode;
}

/** Shares are the things of one kind that a team has, and the way to give it another one. */
function Shares({ title, label, text, field, shared, all, error, share, add, call, stop, at, none }: Props) {
  const [chosen, setChosen] = useState('');
  const free = all.filter((s) => !shared.some((t) => t.id === s.id));
  const pick = free.find((s) => s.id === chosen)?.id ?? free[0]?.id;
  return (
    <Section title={title} plain text={text}>
      {stop.error && (
        <Notice tone="bad" role="alert">
          {stop.error.message}
        </Notice>
      )}
      {!!error && <Failed error={error} />}
      {shared.length > 0 && (
        <Table
          label={title}
          rows={shared}
          more={undefined}
          id={(s) => s.id}
          columns={[
            { name: t`Name`, cell: (s) => <span className="font-medium">{s.attributes.name}</span> },
            {
              name: t`Remove`,
              width: '10rem',
              end: true,
              cell: (s) => (
                <Action write={stop} at={at(s.id)} look="quiet" pending={false} label={t`Stop sharing ${s.attributes.name}`}>{t`Stop sharing`}</Action>
              ),
            },
          ]}
        />
      )}
      {pick ? (
        <Form write={share} submit={t`Share`} onSubmit={() => add(Number(pick))} call={() => call(Number(pick))}>
          <div className="max-w-sm">
            <Select
              label={label}
              name={field}
              value={pick}
              onChange={(e) => setChosen(e.target.value)}
              options={free.map((s) => [s.id, s.attributes.name] as const)}
            />
          </div>
        </Form>
      ) : (
        shared.length === 0 && !error && none
      )}
    </Section>
  );
}

type Of = { org: string; team: string };

/** unshared is what a list shows while something leaves it: the row is gone. */
const unshared = (list: string, name: string) => (_: unknown, at: Params) => ({
  list: fill(`/orgs/{organization}/teams/{team}/${list}`, at),
  id: String(at[name]),
});

export function SharedServers({ org, team }: Of) {
  const params = { organization: org, team };
  const shared = useList('/orgs/{organization}/teams/{team}/servers', params, { all: true });
  const all = useList('/orgs/{organization}/servers', { organization: org }, { query: { sort: 'name' }, all: true });
  const share = useWrite('post', '/orgs/{organization}/teams/{team}/servers', params);
  const remove = useWrite('delete', '/orgs/{organization}/teams/{team}/servers/{server}', params, undefined, { guess: unshared('servers', 'server') });
  return (
    <Shares
      title={t`Shared servers`}
      label={t`Share a server with this team`}
      field="server_id"
      text={t`Visible to this team's members and organization administrators only.`}
      shared={shared.rows}
      all={all.rows}
      error={shared.data ? null : shared.error}
      share={share}
      add={(id) => share.submit({ server_id: id })}
      call={(id) => share.call({ server_id: id })}
      stop={remove}
      at={(id) => ({ server: id })}
      none={
        <p className="text-muted">
          <Trans>No servers to share.</Trans>{' '}
          <ButtonLink look="quiet" to="/orgs/$org/servers/new" params={{ org }}>
            <Trans>Add server</Trans>
          </ButtonLink>
        </p>
      }
    />
  );
}

export function SharedRecipes({ org, team }: Of) {
  const params = { organization: org, team };
  const shared = useList('/orgs/{organization}/teams/{team}/recipes', params, { all: true });
  const all = useList('/orgs/{organization}/recipes', { organization: org }, { all: true });
  const share = useWrite('post', '/orgs/{organization}/teams/{team}/recipes', params);
  const remove = useWrite('delete', '/orgs/{organization}/teams/{team}/recipes/{recipe}', params, undefined, { guess: unshared('recipes', 'recipe') });
  return (
    <Shares
      title={t`Shared recipes`}
      label={t`Share a recipe with this team`}
      field="recipe_id"
      shared={shared.rows}
      all={all.rows}
      error={shared.data ? null : shared.error}
      share={share}
      add={(id) => share.submit({ recipe_id: id })}
      call={(id) => share.call({ recipe_id: id })}
      stop={remove}
      at={(id) => ({ recipe: id })}
      none={
        <p className="text-muted">
          <Trans>No recipes to share.</Trans>{' '}
          <ButtonLink look="quiet" to="/orgs/$org/recipes/new" params={{ org }}>
            <Trans>New recipe</Trans>
          </ButtonLink>
        </p>
      }
    />
  );
}

export function SharedAccounts({ org, team }: Of) {
  const params = { organization: org, team };
  const shared = useList('/orgs/{organization}/teams/{team}/server-credentials', params, { all: true });
  const all = useList('/orgs/{organization}/server-credentials', { organization: org }, { all: true });
  const share = useWrite('post', '/orgs/{organization}/teams/{team}/server-credentials', params);
  const remove = useWrite('delete', '/orgs/{organization}/teams/{team}/server-credentials/{credential}', params, undefined, {
    guess: unshared('server-credentials', 'credential'),
  });
  return (
    <Shares
      title={t`Shared server provider accounts`}
      label={t`Share an account with this team`}
      field="credential_id"
      shared={shared.rows}
      all={all.rows}
      error={shared.data ? null : shared.error}
      share={share}
      add={(id) => share.submit({ credential_id: id })}
      call={(id) => share.call({ credential_id: id })}
      stop={remove}
      at={(id) => ({ credential: id })}
      none={
        <p className="text-muted">
          <Trans>No accounts to share.</Trans>{' '}
          <ButtonLink look="quiet" to="/orgs/$org/settings/accounts" params={{ org }}>
            <Trans>Connect one</Trans>
          </ButtonLink>
        </p>
      }
    />
  );
}
