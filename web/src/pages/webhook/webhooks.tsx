import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Webhook as Icon, KeyRound, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLacked } from '../../api/may';
import { useGet, useList, useWrite } from '../../api/query';
import type { Webhook } from '../../api/types';
import { Button } from '../../kit/button';
import { Code } from '../../kit/copy';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Input } from '../../kit/field';
import { Form } from '../../kit/form';
import { Empty, Failed, Notice, Section, Waiting } from '../../kit/page';
import { Time } from '../../kit/state';
import { rowLink, Table } from '../../kit/table';
import { permissionNamed } from '../../kit/words';
import { useAt } from '../site/at';
import { Deliveries } from './deliveries';

const many = '/orgs/{organization}/servers/{server}/sites/{site}/webhooks';
const one = `${many}/{deploymentWebhook}` as const;

/** Secret is what a receiver tells our messages from others by. */
export function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title={t`Secret`} text={t`Signs each message (Standard Webhooks). Shown only once.`}>
      <div className="grid gap-4">
        <Code text={secret} label={t`Secret`} wrap />
        <p className="text-sm text-muted">
          <Trans>The receiver verifies the webhook-signature header with it.</Trans>
        </p>
        <div>
          <Button look="primary" onClick={onClose}>
            <Trans>I've saved it</Trans>
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** Webhooks are told of the end of each deployment. */
export function Webhooks() {
  const { params, to } = useAt();
  const list = useList(many, params, { query: { sort: '-created_at' } });
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Webhook | null>(null);
  const add = (
    <Button look="primary" icon={Plus} does={`post ${many}`} onClick={() => setAdding(true)}>
      <Trans>Add webhook</Trans>
    </Button>
  );
  return (
    <Section
      title={t`Webhooks`}
      plain
      text={t`Sends a signed request after each deployment. Failed deliveries are retried for almost a day.`}
      actions={list.rows.length > 0 ? add : undefined}
    >
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty icon={Icon} title={t`No webhooks yet`} text={t`Add a URL to receive a POST request after each deployment.`} action={add} />
      ) : (
        <Table
          label={t`Webhooks`}
          rows={list.rows}
          more={list.more}
          id={(w) => w.id}
          columns={[
            {
              name: 'URL',
              width: 'minmax(0,3fr)',
              cell: (w) => (
                <Link
                  to="/orgs/$org/sites/$site/deployments/webhooks/$webhook"
                  params={{ ...to, webhook: w.id }}
                  className={rowLink + ' block truncate font-mono text-sm'}
                >
                  {w.attributes.url}
                </Link>
              ),
            },
            {
              name: t`Added`,
              width: '8rem',
              cell: (w) => (
                <span className="text-muted">
                  <Time at={w.attributes.created_at} ago />
                </span>
              ),
            },
            {
              name: t`Delete`,
              width: '2.5rem',
              end: true,
              cell: (w) => (
                <Button look="quiet" only icon={Trash2} does={`delete ${one}`} onClick={() => setRemoving(w)}>{t`Delete ${w.attributes.url}`}</Button>
              ),
            },
          ]}
        />
      )}
      {adding && <Add onClose={() => setAdding(false)} />}
      {removing && <Remove webhook={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

function Add({ onClose }: { onClose: () => void }) {
  const { params } = useAt();
  const [url, setURL] = useState('');
  const [secret, setSecret] = useState<string | null>(null);
  const write = useWrite('post', many, params, (a) => (a.data.meta?.shown_once?.secret ? setSecret(a.data.meta.shown_once.secret) : onClose()));
  const body = () => ({ url: url.trim() });
  if (secret) return <Secret secret={secret} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title={t`Add webhook`}>
      <Form write={write} submit={t`Add webhook`} onSubmit={() => write.submit(body())} call={() => write.call(body())}>
        <Address url={url} set={setURL} hint={t`Messages are sent as POST requests.`} />
      </Form>
    </Dialog>
  );
}

function Edit({ webhook: w, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { params } = useAt();
  const [url, setURL] = useState(w.attributes.url);
  const write = useWrite('put', one, { ...params, deploymentWebhook: w.id }, onClose);
  const body = () => ({ url: url.trim() });
  return (
    <Dialog open onClose={onClose} title={t`Edit webhook`}>
      <Form write={write} submit={t`Save webhook`} onSubmit={() => write.submit(body())} call={() => write.call(body())}>
        <Address url={url} set={setURL} hint={t`Messages that wait for another attempt go there too. The secret stays.`} />
      </Form>
    </Dialog>
  );
}

function Address({ url, set, hint }: { url: string; set: (url: string) => void; hint: string }) {
  return (
    <Input
      label={t`URL`}
      name="url"
      autoFocus
      inputMode="url"
      value={url}
      onChange={(e) => set(e.target.value)}
      code
      placeholder="https://chat.example.com/hooks/deploys"
      hint={hint}
    />
  );
}

function Remove({ webhook: w, onClose, gone }: { webhook: Webhook; onClose: () => void; gone?: () => void }) {
  const { params } = useAt();
  const write = useWrite('delete', one, { ...params, deploymentWebhook: w.id }, () => (gone ?? onClose)());
  return (
    <ConfirmName
      open
      easy
      onClose={onClose}
      title={t`Delete this webhook?`}
      name={w.attributes.url}
      submit={t`Delete webhook`}
      what={
        <Trans>
          <code className="font-mono text-sm">{w.attributes.url}</code> stops receiving requests. Pending deliveries are discarded.
        </Trans>
      }
      removal={{ ...write, submit: () => write.submit() }}
      call={() => write.call()}
    />
  );
}

export function WebhookPage() {
  const { webhook } = useParams({ from: '/orgs/$org/sites/$site/deployments/webhooks/$webhook' });
  const { params, to } = useAt();
  const navigate = useNavigate();
  const at = { ...params, deploymentWebhook: webhook };
  const doc = useGet(one, at);
  const lacks = useLacked(`put ${one}/secret`);
  const [editing, setEditing] = useState(false);
  const [renewing, setRenewing] = useState(false);
  const [removing, setRemoving] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const renew = useWrite('put', `${one}/secret`, at, (a) => {
    setRenewing(false);
    setSecret(a.data.meta?.shown_once?.secret ?? null);
  });
  const w = doc.data?.data;
  if (!w) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  return (
    <div className="grid min-w-0 gap-6">
      <div className="flex flex-wrap items-start gap-3">
        <div className="min-w-0 flex-1 basis-72">
          <p className="text-sm text-muted">
            <Link to="/orgs/$org/sites/$site/deployments/webhooks" params={to} className="hover:text-text hover:underline">
              <Trans>All webhooks</Trans>
            </Link>
          </p>
          <h2 className="font-mono text-lg font-medium [overflow-wrap:anywhere]">{w.attributes.url}</h2>
        </div>
        <span className="flex flex-wrap gap-2">
          <Button icon={Pencil} does={`put ${one}`} onClick={() => setEditing(true)}>
            <Trans>Edit</Trans>
          </Button>
          <Button icon={KeyRound} does={renew.operation} onClick={() => setRenewing(true)}>
            <Trans>New secret</Trans>
          </Button>
          <Button look="remove" icon={Trash2} does={`delete ${one}`} onClick={() => setRemoving(true)}>
            <Trans>Delete</Trans>
          </Button>
        </span>
      </div>
      {!lacks ? (
        <Deliveries path={`${one}/deliveries`} params={at} text={t`Requests and responses of the last 30 days.`} />
      ) : (
        <Notice>{t`You need the permission ${permissionNamed(lacks)} to view deliveries.`}</Notice>
      )}
      {editing && <Edit webhook={w} onClose={() => setEditing(false)} />}
      {renewing && (
        <ConfirmName
          open
          easy
          onClose={() => setRenewing(false)}
          title={t`Generate a new secret?`}
          name={w.attributes.url}
          submit={t`Generate secret`}
          what={t`The current secret stops working. The receiver rejects messages until it has the new one.`}
          removal={{ ...renew, submit: () => renew.submit() }}
          call={() => renew.call()}
        />
      )}
      {removing && (
        <Remove webhook={w} onClose={() => setRemoving(false)} gone={() => void navigate({ to: '/orgs/$org/sites/$site/deployments/webhooks', params: to })} />
      )}
      {secret && <Secret secret={secret} onClose={() => setSecret(null)} />}
    </div>
  );
}
