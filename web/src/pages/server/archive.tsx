import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useNavigate } from '@tanstack/react-router';
import { PlugZap } from 'lucide-react';
import { useWrite } from '../../api/query';
import type { Server } from '../../api/types';
import { Action } from '../../kit/action';
import { ConfirmName } from '../../kit/dialog';
import { Notice } from '../../kit/page';

/** Archive asks before the access to a server is forgotten. */
export default function Archive({ org, server, name, onClose }: { org: string; server: string; name: string; onClose: () => void }) {
  const navigate = useNavigate();
  const write = useWrite('post', '/orgs/{organization}/servers/archives', { organization: org }, () => {
    onClose();
    void navigate({ to: '/orgs/$org/servers/$server', params: { org, server } });
  });
  const body = { server_id: Number(server) };
  return (
    <ConfirmName
      open
      easy
      onClose={onClose}
      title={t`Archive ${name}?`}
      name={name}
      submit={t`Archive`}
      keep={t`Cancel`}
      what={t`Hostler's keys are removed from the server, and its pending operations are cancelled. It keeps running, but without backups, certificate renewals or alerts until you reconnect it.`}
      removal={{ ...write, submit: () => write.submit(body), tryOut: undefined }}
      call={() => write.call(body)}
    />
  );
}

/** Archived says that a server is archived, and takes it back. */
export function Archived({ server, org }: { server: Server; org: string }) {
  const write = useWrite('delete', '/orgs/{organization}/servers/archives/{server}', { organization: org, server: server.id });
  return (
    <div className="grid gap-2">
      <Notice action={<Action write={write} icon={PlugZap}>{t`Reconnect`}</Action>}>
        <Trans>This server is archived. Hostler has no access to it and keeps its records. To reconnect it, run a new setup command on the same machine.</Trans>
      </Notice>
      {write.error && (
        <Notice tone="bad" role="alert">
          {write.error.message}
        </Notice>
      )}
    </div>
  );
}
