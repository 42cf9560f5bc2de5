import { plural, t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import type { Permission } from '../../api/types';
import { Button } from '../../kit/button';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Check, Input } from '../../kit/field';
import { Form } from '../../kit/form';
import { Notice, Section } from '../../kit/page';
import { Pill } from '../../kit/state';
import { Table } from '../../kit/table';
import { permission } from '../../kit/words';
import { InWords } from './allowed';
import { inGroups, presetOf, presets, rooted } from './permissions';
import { useRoles } from './roles';

/** Scopes is a picker of permissions in words, in groups by what they are about, with sets to begin with. */
export function Scopes({ value, onChange }: { value: Set<string>; onChange: (v: Set<string>) => void }) {
  const list = useGet('/permissions', {}, { query: { 'page[size]': 200 } });
  const names = useMemo(() => (list.data?.data ?? []).map((p) => p.attributes.name), [list.data]);
  const chosen = presetOf(value);
  const root = [...value].filter((n) => rooted.has(n));
  const flip = (names: readonly string[], on: boolean) => {
    const next = new Set(value);
    names.forEach((n) => (on ? next.add(n) : next.delete(n)));
    onChange(next);
  };
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-2 font-medium">
        <Trans>
          Permissions{' '}
          <span className="font-normal text-muted">
            (<Plural value={value.size} one="# permission" other="# permissions" />)
          </span>
        </Trans>
      </legend>
      <div role="group" aria-label={t`Presets`} className="flex flex-wrap items-center gap-2">
        {presets.map((p) => (
          <Button key={p.title} aria-pressed={chosen === p.title} look={chosen === p.title ? 'primary' : 'plain'} onClick={() => onChange(new Set(p.names))}>
            {p.title}
          </Button>
        ))}
        {!chosen && value.size > 0 && (
          <span className="text-sm text-muted">
            <Trans>Custom</Trans>
          </span>
        )}
      </div>
      <div className="grid max-h-96 gap-4 overflow-y-auto rounded-lg border border-line p-4" tabIndex={0} role="group" aria-label={t`Permissions`}>
        {inGroups(names).map(({ title, names }) => (
          <div key={title} className="grid gap-2">
            <Check
              label={<span className="font-medium">{title}</span>}
              checked={names.every((n) => value.has(n))}
              ref={(el) => {
                if (el) el.indeterminate = names.some((n) => value.has(n)) && !names.every((n) => value.has(n));
              }}
              onChange={(e) => flip(names, e.target.checked)}
            />
            <div className="grid gap-1.5 pl-6 sm:grid-cols-2">
              {names.map((n) => (
                <Check
                  key={n}
                  label={
                    <span title={n}>
                      {permission(n)}
                      {rooted.has(n) && (
                        <span className="ml-1.5 text-sm text-warn">
                          <Trans>root</Trans>
                        </span>
                      )}
                    </span>
                  }
                  checked={value.has(n)}
                  onChange={(e) => flip([n], e.target.checked)}
                />
              ))}
            </div>
          </div>
        ))}
      </div>
      {root.length > 0 && (
        <Notice tone="warn">
          {root.length === 1
            ? t`${root.map((n) => `“${permission(n)}”`).join(', ')} amounts to root access on servers.`
            : t`${root.map((n) => `“${permission(n)}”`).join(', ')} each amount to root access on servers.`}{' '}
          <a
            href="/docs/security#what-each-permission-amounts-to-on-a-host"
            target="_blank"
            rel="noreferrer"
            className="font-medium underline underline-offset-2"
          >
            <Trans>What each permission allows</Trans>
          </a>
        </Notice>
      )}
    </fieldset>
  );
}

export function Roles() {
  const { org } = useParams({ from: '/orgs/$org' });
  const roles = useRoles(org);
  const [editing, setEditing] = useState<{ id?: string; name: string } | null>(null);
  const [removing, setRemoving] = useState<{ id: string; name: string } | null>(null);
  const [reading, setReading] = useState<{ name: string; permissions: string[] } | null>(null);
  return (
    <Section
      title={t`Roles`}
      plain
      text={t`Five built-in roles. Create a custom role for anything else.`}
      actions={
        <Button look="primary" icon={Plus} does="post /orgs/{organization}/roles" onClick={() => setEditing({ name: '' })}>
          <Trans>New role</Trans>
        </Button>
      }
    >
      <Table
        label={t`Roles`}
        rows={roles.all}
        more={undefined}
        id={(r) => r.id}
        columns={[
          {
            name: t`Name`,
            cell: (r) => (
              <span className="flex items-center gap-2 font-medium">
                {r.name}
                {!r.own && (
                  <Pill>
                    <Trans>Built-in</Trans>
                  </Pill>
                )}
              </span>
            ),
          },
          {
            name: t`Permissions`,
            width: '11rem',
            cell: (r) => (
              <Button look="quiet" onClick={() => setReading(r)} className="-ml-3">
                {plural(r.count, { one: '# permission', other: '# permissions' })}
                <span className="sr-only">
                  {' '}
                  <Trans>of {r.name}</Trans>
                </span>
              </Button>
            ),
          },
          {
            name: t`Edit`,
            width: '11rem',
            end: true,
            cell: (r) =>
              r.own ? (
                <span className="flex gap-1">
                  <Button look="quiet" does="put /orgs/{organization}/roles/{role}" onClick={() => setEditing(r)}>
                    <Trans>Edit</Trans>
                  </Button>
                  <Button look="remove" does="delete /orgs/{organization}/roles/{role}" onClick={() => setRemoving(r)}>
                    <Trans>Delete</Trans>
                  </Button>
                </span>
              ) : null,
          },
        ]}
      />
      {reading && <Allowed role={reading} onClose={() => setReading(null)} />}
      {editing && <Edit org={org} role={editing} onClose={() => setEditing(null)} />}
      {removing && <Remove org={org} role={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

/** Allowed is what a role allows and what it does not, in words. */
function Allowed({ role, onClose }: { role: { name: string; permissions: string[] }; onClose: () => void }) {
  const list = useGet('/permissions', {}, { query: { 'page[size]': 200 } });
  const others = (list.data?.data ?? []).map((p) => p.attributes.name).filter((n) => !role.permissions.includes(n));
  return (
    <Dialog open onClose={onClose} title={role.name} wide>
      <div className="grid gap-6">
        <InWords title={t`Allowed`} names={role.permissions} />
        {others.length > 0 && <InWords title={t`Not allowed`} names={others} muted />}
      </div>
    </Dialog>
  );
}

function Edit({ org, role, onClose }: { org: string; role: { id?: string; name: string }; onClose: () => void }) {
  const [name, setName] = useState(role.name);
  const [picked, setPicked] = useState<Set<string>>(new Set());
  const stored = useList('/orgs/{organization}/roles/{role}/permissions', { organization: org, role: role.id ?? '' }, { enabled: !!role.id, all: true });
  useEffect(() => {
    if (stored.rows.length) setPicked(new Set(stored.rows.map((p) => p.attributes.name)));
  }, [stored.rows]);
  const make = useWrite('post', '/orgs/{organization}/roles', { organization: org }, onClose);
  const change = useWrite('put', '/orgs/{organization}/roles/{role}', { organization: org, role: role.id ?? '' }, onClose);
  const write = role.id ? change : make;
  const body = () => ({ name: name.trim(), permissions: [...picked] as Permission[] });
  return (
    <Dialog open onClose={onClose} title={role.id ? t`Edit ${role.name}` : t`New role`} wide>
      <Form write={write} submit={role.id ? t`Save` : t`Create role`} onSubmit={() => write.submit(body())} call={() => write.call(body())}>
        <Input label={t`Name`} name="name" autoFocus value={name} onChange={(e) => setName(e.target.value)} />
        <Scopes value={picked} onChange={setPicked} />
      </Form>
    </Dialog>
  );
}

function Remove({ org, role, onClose }: { org: string; role: { id: string; name: string }; onClose: () => void }) {
  const write = useWrite('delete', '/orgs/{organization}/roles/{role}', { organization: org, role: role.id }, onClose);
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={t`Delete the role ${role.name}?`}
      name={role.name}
      submit={t`Delete role`}
      what={t`You can delete a role only when no one has it.`}
      removal={{ ...write, submit: () => write.submit() }}
      call={() => write.call()}
    />
  );
}
