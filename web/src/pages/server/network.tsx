import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { Network as Icon, Pencil } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useList, useWrite } from '../../api/query';
import { Button, ButtonLink } from '../../kit/button';
import { Dialog } from '../../kit/dialog';
import { Check, useFieldErrors } from '../../kit/field';
import { Form } from '../../kit/form';
import { Empty, Failed, Section, Waiting } from '../../kit/page';
import { Table } from '../../kit/table';
import { EventWork } from '../event/work';
import { useServer } from './at';

const base = '/orgs/{organization}/servers/{server}/network';

/** Network is the servers that a server reaches, and that reach it, at private addresses. */
export function Network() {
  const { org } = useParams({ from: '/orgs/$org/servers/$server' });
  const server = useServer();
  const [editing, setEditing] = useState(false);
  const [event, setEvent] = useState<string>();
  const list = useList(base, { organization: org, server: server.id });
  const own = server.attributes.private_ip_address;
  const edit =
    own || list.rows.length > 0 ? (
      <Button
        look="primary"
        icon={Pencil}
        does={`put ${base}`}
        disabled={!own}
        why={t`This server has no private address. Set one in its settings.`}
        onClick={() => setEditing(true)}
      >
        <Trans>Edit peers</Trans>
      </Button>
    ) : (
      <ButtonLink to="/orgs/$org/servers/$server/settings" params={{ org, server: server.id }}>
        <Trans>Set a private address</Trans>
      </ButtonLink>
    );
  return (
    <Section
      title={t`Network`}
      plain
      text={t`The server and its peers can connect to each other's private addresses on all ports unless a firewall rule denies it.`}
      actions={list.rows.length > 0 && edit}
    >
      {event && <EventWork org={org} server={server.id} event={event} done={t`Firewall updated.`} ended={() => void list.refetch()} />}
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty
          icon={Icon}
          title={t`No peers`}
          text={
            own
              ? t`Allow connections between servers on the same private network, such as an application and its database.`
              : t`Servers with private addresses can be allowed to connect to each other, such as an application and its database. This one has none yet.`
          }
          action={edit}
        />
      ) : (
        <Table
          label={t`Peers`}
          rows={list.rows}
          more={list.more}
          id={(s) => s.id}
          columns={[
            { name: t`Name`, width: 'minmax(0,2fr)', cell: (s) => <span className="block truncate font-medium">{s.attributes.name}</span> },
            {
              name: t`Private address`,
              width: 'minmax(0,2fr)',
              named: true,
              cell: (s) => <span className="block truncate font-mono text-sm">{s.attributes.private_ip_address}</span>,
            },
          ]}
        />
      )}
      {editing && <EditPeers org={org} had={list.rows.map((s) => s.id)} onClose={() => setEditing(false)} begun={setEvent} />}
    </Section>
  );
}

function EditPeers({ org, had, onClose, begun }: { org: string; had: string[]; onClose: () => void; begun: (event: string) => void }) {
  const server = useServer();
  const [chosen, setChosen] = useState(had);
  const servers = useList('/orgs/{organization}/servers', { organization: org }, { query: { sort: 'name' }, all: true });
  const write = useWrite('put', base, { organization: org, server: server.id }, onClose);
  useEffect(() => {
    if (write.event) begun(write.event);
  }, [write.event, begun]);
  const fit = servers.rows.filter((s) => s.id !== server.id && (s.attributes.private_ip_address || had.includes(s.id)));
  const body = () => ({ servers: chosen.map(Number) });
  return (
    <Dialog open onClose={onClose} title={t`Edit peers`} wide={!!write.plan}>
      <Form write={write} submit={t`Save`} onSubmit={() => write.submit(body())} onPlan={() => write.tryOut(body())} call={() => write.call(body())}>
        {servers.isPending ? <Waiting /> : <Peers fit={fit} chosen={chosen} onChange={setChosen} />}
      </Form>
    </Dialog>
  );
}

function Peers({
  fit,
  chosen,
  onChange,
}: {
  fit: { id: string; attributes: { name: string; private_ip_address: string | null } }[];
  chosen: string[];
  onChange: (ids: string[]) => void;
}) {
  const errors = useFieldErrors('servers');
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-2 text-base font-medium">
        <Trans>Peers</Trans>
      </legend>
      {errors.length > 0 && (
        <p className="text-sm text-danger" role="alert">
          {errors.join(' ')}
        </p>
      )}
      {fit.length === 0 && (
        <p className="text-base text-muted">
          <Trans>No other server has a private address.</Trans>
        </p>
      )}
      {fit.map((s) => (
        <Check
          key={s.id}
          label={s.attributes.name}
          hint={s.attributes.private_ip_address}
          checked={chosen.includes(s.id)}
          onChange={(e) => onChange(e.target.checked ? [...chosen, s.id] : chosen.filter((id) => id !== s.id))}
        />
      ))}
    </fieldset>
  );
}
