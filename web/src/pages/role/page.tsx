import { useParams } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import type { Permission } from '../../api/types';
import { Button } from '../../kit/button';
import { flags, shell } from '../../kit/copy';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Check, Input } from '../../kit/field';
import { Form } from '../../kit/form';
import { plural } from '../../kit/numbers';
import { Notice, Section } from '../../kit/page';
import { Pill } from '../../kit/state';
import { Table } from '../../kit/table';
import { permission } from '../../kit/words';
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
        Permissions <span className="font-normal text-muted">({plural(value.size, 'permission')})</span>
      </legend>
      <div role="group" aria-label="Presets" className="flex flex-wrap items-center gap-2">
        {presets.map((p) => (
          <Button key={p.title} aria-pressed={chosen === p.title} look={chosen === p.title ? 'primary' : 'plain'} onClick={() => onChange(new Set(p.names))}>
            {p.title}
          </Button>
        ))}
        {!chosen && value.size > 0 && <span className="text-sm text-muted">Custom</span>}
      </div>
      <div className="grid max-h-96 gap-4 overflow-y-auto rounded-lg border border-line p-4" tabIndex={0} role="group" aria-label="Permissions">
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
                      {rooted.has(n) && <span className="ml-1.5 text-sm text-warn">root</span>}
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
          {root.map((n) => `“${permission(n)}”`).join(', ')} {root.length === 1 ? 'amounts' : 'each amount'} to root access on servers.{' '}
          <a
            href="/docs/security#what-each-permission-amounts-to-on-a-host"
            target="_blank"
            rel="noreferrer"
            className="font-medium underline underline-offset-2"
          >
            What each permission allows
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
  return (
    <Section
      title="Roles"
      plain
      text="Five built-in roles. Create a custom role for anything else."
      actions={
        <Button look="primary" icon={Plus} needs="organization:manage" onClick={() => setEditing({ name: '' })}>
          New role
        </Button>
      }
    >
      <Table
        label="Roles"
        rows={roles.all}
        more={undefined}
        id={(r) => r.id}
        columns={[
          {
            name: 'Name',
            cell: (r) => (
              <span className="flex items-center gap-2 font-medium">
                {r.name}
                {!r.own && <Pill>Built-in</Pill>}
              </span>
            ),
          },
          { name: 'Permissions', width: '10rem', cell: (r) => <span className="text-muted">{plural(r.count, 'permission')}</span> },
          {
            name: 'Edit',
            width: '11rem',
            end: true,
            cell: (r) =>
              r.own ? (
                <span className="flex gap-1">
                  <Button look="quiet" needs="organization:manage" onClick={() => setEditing(r)}>
                    Edit
                  </Button>
                  <Button look="quiet" needs="organization:manage" onClick={() => setRemoving(r)}>
                    Delete
                  </Button>
                </span>
              ) : null,
          },
        ]}
      />
      {editing && <Edit org={org} role={editing} onClose={() => setEditing(null)} />}
      {removing && <Remove org={org} role={removing} onClose={() => setRemoving(null)} />}
    </Section>
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
    <Dialog open onClose={onClose} title={role.id ? `Edit ${role.name}` : 'New role'} wide>
      <Form
        write={write}
        submit={role.id ? 'Save' : 'Create role'}
        needs="organization:manage"
        onSubmit={() => write.submit(body())}
        call={() => write.call(body())}
        cli={() =>
          `hostler roles ${role.id ? `update ${role.id}${flags({ name: name.trim() })}` : `create ${shell(name.trim() || 'NAME')}`} --permission ${shell([...picked].join(','))}`
        }
      >
        <Input label="Name" name="name" autoFocus value={name} onChange={(e) => setName(e.target.value)} />
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
      title={`Delete the role ${role.name}?`}
      name={role.name}
      submit="Delete role"
      what="You can delete a role only when no one has it."
      removal={{ ...write, submit: () => write.submit() }}
      call={() => write.call()}
      cli={() => `hostler roles delete ${shell(role.name)}`}
    />
  );
}
