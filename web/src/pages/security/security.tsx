import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Plus, ShieldHalf, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useList, useWrite } from '../../api/query';
import type { SecurityRule } from '../../api/types';
import { Button } from '../../kit/button';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Input } from '../../kit/field';
import { Form } from '../../kit/form';
import { Empty, Failed, Notice, Section, Waiting } from '../../kit/page';
import { active, State, soonAny } from '../../kit/state';
import { Table } from '../../kit/table';
import { Work } from '../../kit/work';
import { useLastLine } from '../server/line';
import { useAt } from '../site/at';

const many = '/orgs/{organization}/servers/{server}/sites/{site}/security-rules';

/** Security is what visitors need a password for. */
export function Security() {
  const { org, params } = useAt();
  const list = useList(many, params, { every: soonAny, query: { sort: 'path' } });
  const [editing, setEditing] = useState<SecurityRule | 'new' | null>(null);
  const [removing, setRemoving] = useState<SecurityRule | null>(null);
  const operation = (list.rows.find((r) => active(r.meta?.operation)) ?? list.rows.find((r) => r.meta?.operation?.state === 'failed'))?.meta?.operation;
  const last = useLastLine(operation?.event_id);
  const add = (
    <Button look="primary" icon={Plus} does={`post ${many}`} onClick={() => setEditing('new')}>
      <Trans>Protect path</Trans>
    </Button>
  );
  return (
    <Section
      title={t`Security rules`}
      plain
      text={t`Require a username and password for a path and everything below it. The rule with the longest matching path applies.`}
      actions={list.rows.length > 0 ? add : undefined}
    >
      {operation && <Work operation={operation} org={org} server={params.server} line={last} />}
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty
          icon={ShieldHalf}
          title={t`No protected paths`}
          text={t`Protect the whole site during development, or a part of it such as /admin.`}
          action={add}
        />
      ) : (
        <Table
          label={t`Security rules`}
          rows={list.rows}
          id={(r) => r.id}
          more={list.more}
          columns={[
            { name: t`Name`, width: 'minmax(0,2fr)', cell: (r) => <span className="block truncate font-medium">{r.attributes.name}</span> },
            {
              name: t`Path`,
              width: 'minmax(0,2fr)',
              named: true,
              cell: (r) =>
                r.attributes.path ? (
                  <span className="block truncate font-mono text-sm">{r.attributes.path}</span>
                ) : (
                  <span className="text-muted">
                    <Trans>Whole site</Trans>
                  </span>
                ),
            },
            { name: t`Status`, width: '8rem', cell: (r) => <State state={r.attributes.status ?? 'unknown'} /> },
            {
              name: t`Edit`,
              width: '11rem',
              end: true,
              cell: (r) => (
                <span className="flex gap-1">
                  <Button look="quiet" does={`put ${many}/{securityRule}`} onClick={() => setEditing(r)}>
                    <Trans>Edit</Trans>
                  </Button>
                  <Button look="remove" does={`delete ${many}/{securityRule}`} onClick={() => setRemoving(r)}>
                    <Trans>Delete</Trans>
                  </Button>
                </span>
              ),
            },
          ]}
        />
      )}
      {editing && <Edit rule={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />}
      {removing && <Remove rule={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

let keys = 0;

function Edit({ rule, onClose }: { rule: SecurityRule | null; onClose: () => void }) {
  const { params } = useAt();
  const [name, setName] = useState(rule?.attributes.name ?? t`Restricted`);
  const [path, setPath] = useState(rule?.attributes.path ?? '');
  const [people, setPeople] = useState(() => [{ key: ++keys, username: '', password: '' }]);
  const make = useWrite('post', many, params, onClose);
  const change = useWrite('put', `${many}/{securityRule}`, { ...params, securityRule: rule?.id ?? '' }, onClose);
  const write = rule ? change : make;
  const body = () => ({
    name: name.trim(),
    path: path.trim() || undefined,
    credentials: people.map((p) => ({ username: p.username.trim(), password: p.password })),
  });
  const changed = () => ({
    name: name.trim(),
    path: path.trim() || null,
    credentials: people.map((p) => ({ username: p.username.trim(), password: p.password || undefined })),
  });
  const hidden = (b: ReturnType<typeof body> | ReturnType<typeof changed>) => ({
    ...b,
    credentials: b.credentials.map((c) => ({ ...c, password: c.password && '…' })),
  });
  const set = (i: number, part: Partial<(typeof people)[number]>) => setPeople(people.map((p, j) => (i === j ? { ...p, ...part } : p)));
  return (
    <Dialog open onClose={onClose} title={rule ? t`Edit ${rule.attributes.name}` : t`Protect path`} wide={!!write.plan}>
      <Form
        write={write}
        submit={rule ? t`Save` : t`Protect path`}
        onSubmit={() => (rule ? change.submit(changed()) : make.submit(body()))}
        onPlan={() => (rule ? change.tryOut(changed()) : make.tryOut(body()))}
        call={() => write.call(hidden(rule ? changed() : body()))}
      >
        <Input
          label={t`Path`}
          name="path"
          autoFocus
          value={path}
          onChange={(e) => setPath(e.target.value)}
          code
          placeholder="/admin"
          hint={t`Leave blank to protect the whole site.`}
        />
        <Input label={t`Name`} name="name" autoComplete="off" value={name} onChange={(e) => setName(e.target.value)} hint={t`Shown in the sign-in prompt.`} />
        <fieldset className="grid gap-3">
          <legend className="mb-2 text-base font-medium">
            <Trans>Users</Trans>
          </legend>
          {rule && (
            <Notice>
              <Trans>This list replaces the current users. Leave a password blank to keep the existing one.</Trans>
            </Notice>
          )}
          {people.map((p, i) => (
            <div key={p.key} className="grid grid-cols-[1fr_1fr_auto] items-end gap-2">
              <Input
                label={i === 0 ? t`Username` : t`Username ${i + 1}`}
                name={`credentials.${i}.username`}
                autoComplete="off"
                spellCheck={false}
                value={p.username}
                onChange={(e) => set(i, { username: e.target.value })}
              />
              <Input
                label={i === 0 ? t`Password` : t`Password ${i + 1}`}
                name={`credentials.${i}.password`}
                type="password"
                autoComplete="new-password"
                value={p.password}
                onChange={(e) => set(i, { password: e.target.value })}
              />
              <Button
                look="quiet"
                only
                icon={Trash2}
                disabled={people.length === 1}
                why={t`At least one user is required.`}
                onClick={() => setPeople(people.filter((_, j) => j !== i))}
              >
                {p.username ? t`Remove ${p.username}` : t`Remove user ${i + 1}`}
              </Button>
            </div>
          ))}
          <div>
            <Button icon={Plus} data-adds={people.length} onClick={() => setPeople([...people, { key: ++keys, username: '', password: '' }])}>
              <Trans>Add user</Trans>
            </Button>
          </div>
        </fieldset>
      </Form>
    </Dialog>
  );
}

function Remove({ rule, onClose }: { rule: SecurityRule; onClose: () => void }) {
  const { params } = useAt();
  const write = useWrite('delete', `${many}/{securityRule}`, { ...params, securityRule: rule.id }, onClose);
  const a = rule.attributes;
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={t`Delete ${a.name}?`}
      name={a.name}
      submit={t`Delete rule`}
      what={
        a.path ? (
          <Trans>
            <code className="font-mono text-sm">{a.path}</code> becomes public unless another rule protects it.
          </Trans>
        ) : (
          <Trans>The whole site becomes public unless another rule protects it.</Trans>
        )
      }
      removal={{ ...write, submit: () => write.submit(), tryOut: () => write.tryOut() }}
      call={() => write.call()}
    />
  );
}
