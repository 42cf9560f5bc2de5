import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { Pencil, Plus, ShieldCheck, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useList, useWrite } from '../../api/query';
import type { Rule } from '../../api/types';
import { Button } from '../../kit/button';
import { useDeed } from '../../kit/deed';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Choice, Input } from '../../kit/field';
import { Form } from '../../kit/form';
import { Empty, Failed, Notice, Section, Waiting } from '../../kit/page';
import { active, Left, Pill, State, soonAny } from '../../kit/state';
import { Filter, Table } from '../../kit/table';

const base = '/orgs/{organization}/servers/{server}/firewall-rules';
const one = `${base}/{rule}` as const;

export function Firewall() {
  const { org, server } = useParams({ from: '/orgs/$org/servers/$server' });
  const params = { organization: org, server };
  const [editing, setEditing] = useState<Rule | 'new' | null>(null);
  const add = () => setEditing('new');
  useDeed('add', add);
  const [removing, setRemoving] = useState<Rule | null>(null);
  const [name, setName] = useState('');
  const list = useList(base, params, { query: { 'filter[name]': name }, every: soonAny });
  const working = list.rows.find((r) => active(r.meta?.operation))?.meta?.operation;
  const failed = list.rows.find((r) => r.meta?.operation?.state === 'failed')?.meta?.operation;
  return (
    <Section
      title={t`Firewall`}
      plain
      text={t`Ports are closed unless a rule allows them. Deny rules take precedence. Hostler's own access is always allowed.`}
      actions={
        <Button look="primary" icon={Plus} does={`post ${base}`} onClick={add}>
          <Trans>Add rule</Trans>
        </Button>
      }
    >
      {working && (
        <Notice tone="info" role="status">
          {working.step ? <Trans>Applying: {working.step}.</Trans> : <Trans>Applying.</Trans>}{' '}
          <Trans>
            The server reverts the change unless Hostler can connect again within <Left until={working.deadline} />.
          </Trans>
        </Notice>
      )}
      {!working && failed && (
        <Notice tone="bad" role="alert">
          <Trans>The last change failed and was rolled back: {failed.reason}</Trans>
        </Notice>
      )}
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : (
        <>
          {(list.rows.length > 8 || name) && <Filter label={t`Filter by name`} onChange={setName} />}
          {list.rows.length === 0 ? (
            <Empty
              icon={ShieldCheck}
              title={t`No rules`}
              text={t`Only Hostler can connect. Open the ports that visitors need, such as 80 and 443 for a web server.`}
              action={
                <Button look="primary" icon={Plus} does={`post ${base}`} onClick={add}>
                  <Trans>Add rule</Trans>
                </Button>
              }
            />
          ) : (
            <Table
              label={t`Firewall rules`}
              rows={list.rows}
              id={(r) => r.id}
              more={list.more}
              footer={plural(list.rows.length, { one: '# rule', other: '# rules' })}
              columns={[
                { name: t`Name`, width: 'minmax(0,2fr)', cell: (r) => <span className="block truncate font-medium">{r.attributes.name}</span> },
                {
                  name: t`Action`,
                  width: '6rem',
                  cell: (r) => <Pill tone={r.attributes.type === 'deny' ? 'bad' : 'good'}>{r.attributes.type === 'deny' ? t`Deny` : t`Allow`}</Pill>,
                },
                { name: t`Port`, width: '7rem', named: true, cell: (r) => <span className="font-mono text-sm">{r.attributes.port ?? t`All ports`}</span> },
                {
                  name: t`Source`,
                  width: 'minmax(0,2fr)',
                  named: true,
                  cell: (r) => (
                    <span className="block truncate font-mono text-sm" title={r.attributes.ip_address ?? undefined}>
                      {r.attributes.ip_address ?? (
                        <span className="font-sans text-muted">
                          <Trans>Any address</Trans>
                        </span>
                      )}
                    </span>
                  ),
                },
                { name: t`Status`, width: '8rem', minor: 'table', cell: (r) => <State state={r.attributes.status ?? 'unknown'} /> },
                {
                  name: t`Edit`,
                  width: '5rem',
                  end: true,
                  cell: (r) => (
                    <span className="flex">
                      <Button
                        look="quiet"
                        only
                        icon={Pencil}
                        does={`put ${one}`}
                        title={t`Edit ${r.attributes.name}`}
                        onClick={() => setEditing(r)}
                      >{t`Edit ${r.attributes.name}`}</Button>
                      <Button
                        look="quiet"
                        only
                        icon={Trash2}
                        does={`delete ${one}`}
                        title={t`Delete ${r.attributes.name}`}
                        onClick={() => setRemoving(r)}
                      >{t`Delete ${r.attributes.name}`}</Button>
                    </span>
                  ),
                },
              ]}
            />
          )}
        </>
      )}
      {editing && <EditRule params={params} rule={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />}
      {removing && <RemoveRule params={params} rule={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

function EditRule({ params, rule, onClose }: { params: { organization: string; server: string }; rule: Rule | null; onClose: () => void }) {
  const now = rule?.attributes;
  const [type, setType] = useState<'allow' | 'deny'>(now?.type === 'deny' ? 'deny' : 'allow');
  const [name, setName] = useState(now?.name ?? '');
  const [port, setPort] = useState(now?.port ?? '');
  const [from, setFrom] = useState(now?.ip_address ?? '');
  const make = useWrite('post', base, params, onClose);
  const change = useWrite('put', one, { ...params, rule: rule?.id ?? '' }, onClose);
  const write = rule ? change : make;
  const named = port.trim() && t`Port ${port.trim()}`;
  const body = () => ({ name: name.trim() || named, type, port: port.trim() || null, ip_address: from.trim() || null });
  return (
    <Dialog open onClose={onClose} title={now ? t`Edit ${now.name}` : t`Add a firewall rule`} wide={!!write.plan}>
      <Form
        write={write}
        submit={rule ? t`Save` : t`Add rule`}
        onSubmit={() => write.submit(body())}
        onPlan={() => write.tryOut(body())}
        call={() => write.call(body())}
      >
        <Choice
          legend={t`Action`}
          name="type"
          value={type}
          onChange={setType}
          options={[
            { value: 'allow', title: t`Allow` },
            { value: 'deny', title: t`Deny`, text: t`Takes precedence over allow rules.` },
          ]}
        />
        <Input label={t`Name`} name="name" autoComplete="off" value={name} onChange={(e) => setName(e.target.value)} placeholder={named || t`Office`} />
        <Input
          label={t`Port`}
          name="port"
          autoComplete="off"
          value={port}
          onChange={(e) => setPort(e.target.value)}
          className="font-mono"
          placeholder="443"
          hint={t`A port or a range such as 8000:8010. Leave blank for all ports.`}
        />
        <Input
          label={t`Source`}
          name="ip_address"
          value={from}
          onChange={(e) => setFrom(e.target.value)}
          code
          placeholder="203.0.113.0/24, 2001:db8::/48"
          hint={t`IP addresses or CIDR ranges, comma-separated. Leave blank to match any address.`}
        />
      </Form>
    </Dialog>
  );
}

function RemoveRule({ params, rule, onClose }: { params: { organization: string; server: string }; rule: Rule; onClose: () => void }) {
  const write = useWrite('delete', one, { ...params, rule: rule.id }, onClose);
  const a = rule.attributes;
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={t`Delete ${a.name}?`}
      name={a.name}
      submit={t`Delete rule`}
      removal={{ ...write, submit: () => write.submit(), tryOut: () => write.tryOut() }}
      call={() => write.call()}
      what={
        a.type === 'allow' ? (
          a.port ? (
            <Trans>
              Port {a.port} closes for {a.ip_address ?? t`any address`}, unless another rule allows it. Open connections are closed.
            </Trans>
          ) : (
            <Trans>All ports close for {a.ip_address ?? t`any address`}, unless another rule allows it. Open connections are closed.</Trans>
          )
        ) : a.port ? (
          <Trans>
            {a.ip_address ?? t`Any address`} is no longer denied access to port {a.port}.
          </Trans>
        ) : (
          <Trans>{a.ip_address ?? t`Any address`} is no longer denied access to all ports.</Trans>
        )
      }
    />
  );
}
