import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import type { Transfer as Foreseen } from '../../api/types';
import { Button } from '../../kit/button';
import { Dialog } from '../../kit/dialog';
import { Check, Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { Failed, Notice, Opening, Waiting } from '../../kit/page';
import { useUser } from '../../shell/session';

const CreateOrganization = lazy(() => import('../organization/create'));

const headings = {
  blocks: t`Resolve before transferring`,
  detached: t`Detached (needs your confirmation)`,
  left: t`Not transferred`,
  reaches: t`Keeps working after the transfer; remove or regenerate if unwanted`,
} as const;

/** Transfer gives a server to another organization, after showing what can't move. */
export default function Transfer({ org, server, name, onClose }: { org: string; server: string; name: string; onClose: () => void }) {
  const navigate = useNavigate();
  const [to, setTo] = useState('');
  const [force, setForce] = useState(false);
  const orgs = useList('/orgs', {}, { all: true });
  const seen = useGet('/orgs/{organization}/servers/{server}/transfer', { organization: org, server });
  const write = useWrite('post', '/orgs/{organization}/servers/{server}/transfer', { organization: org, server }, () => {
    onClose();
    void navigate({ to: '/orgs/$org/servers/$server', params: { org: to, server } });
  });
  const may = !!useUser().meta?.can_create_organizations;
  const [creating, setCreating] = useState(false);
  const body = { to, force };
  const others = orgs.rows.filter((o) => o.attributes.slug !== org);
  const a = seen.data?.data.attributes;
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={t`Transfer ${name}?`}
      text={t`The server and everything on it move to another organization. Its sites stay online. Members of this organization lose access unless they are members there.`}
    >
      <Form
        write={write}
        submit={t`Transfer`}
        look="danger"
        onSubmit={() => write.submit(body)}
        call={() => write.call(body)}
        extra={
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
        }
      >
        <Select
          label={t`Organization`}
          name="to"
          value={to}
          onChange={(e) => setTo(e.target.value)}
          hint={
            orgs.isSuccess && others.length === 0
              ? may
                ? t`You are not a member of another organization. Create one, or ask to be invited.`
                : t`You are not a member of another organization. Ask an owner there to invite you.`
              : undefined
          }
          options={[['', t`Select an organization`] as const, ...others.map((o) => [o.attributes.slug, o.attributes.name] as const)]}
        />
        {may && (
          <div>
            <Button icon={Plus} onClick={() => setCreating(true)}>
              <Trans>Create organization</Trans>
            </Button>
          </div>
        )}
        {seen.isError ? <Failed error={seen.error} again={() => void seen.refetch()} /> : a ? <Items items={a.items} /> : <Waiting />}
        {a?.needs_force && <Check label={t`Detach what can't be transferred`} name="force" checked={force} onChange={(e) => setForce(e.target.checked)} />}
      </Form>
      <Suspense fallback={<Opening />}>
        {creating && (
          <CreateOrganization
            over
            onClose={() => setCreating(false)}
            done={(slug) => {
              setCreating(false);
              setTo(slug);
            }}
          />
        )}
      </Suspense>
    </Dialog>
  );
}

function Items({ items }: { items: Foreseen['items'] }) {
  return (
    <>
      {(Object.keys(headings) as (keyof typeof headings)[]).map((effect) => {
        const shown = items.filter((i) => i.effect === effect);
        if (shown.length === 0) return null;
        return (
          <Notice key={effect} tone={effect === 'blocks' ? 'bad' : 'info'}>
            <p className="font-medium">{headings[effect]}</p>
            <ul className="mt-1 grid gap-1">
              {shown.map((i) => (
                <li key={`${i.type} ${i.id ?? ''} ${i.name}`} className="[overflow-wrap:anywhere]">
                  <span className="font-medium">{i.name}</span>: {i.text}
                </li>
              ))}
            </ul>
          </Notice>
        );
      })}
    </>
  );
}
