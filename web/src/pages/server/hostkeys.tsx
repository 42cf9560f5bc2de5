import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { useGet, useWrite } from '../../api/query';
import type { Server } from '../../api/types';
import { Button } from '../../kit/button';
import { ConfirmName } from '../../kit/dialog';
import { Failed, Notice, Waiting } from '../../kit/page';

const path = '/orgs/{organization}/servers/{server}/host-keys';

/** HostKeysChanged shows the host keys of before and of now, and confirms those of now once a person has compared them. */
export function HostKeysChanged({ org, server }: { org: string; server: Server }) {
  const params = { organization: org, server: server.id };
  const doc = useGet(path, params, { quiet: true });
  const [asked, setAsked] = useState(false);
  const write = useWrite('put', path, params, () => setAsked(false));
  const name = server.attributes.name;
  const keys = doc.data?.data.attributes;
  const body = { host_keys: keys?.presented.map((k) => k.public_key) ?? [] };
  return (
    <div className="grid gap-2">
      <Notice
        tone="bad"
        action={
          keys?.changed && (
            <Button does={write.operation} onClick={() => setAsked(true)}>
              <Trans>Confirm new keys</Trans>
            </Button>
          )
        }
      >
        <Trans>
          The SSH host keys of this server changed, so Hostler does not log in. The connection may be intercepted, or the server was reinstalled or moved. A
          reinstalled server has to be added as a new one.
        </Trans>
      </Notice>
      {doc.isPending && <Waiting />}
      {doc.error && <Failed error={doc.error} again={() => void doc.refetch()} />}
      {keys && (
        <dl className="panel grid gap-2 px-5 py-4">
          <dt className="text-muted">
            <Trans>Confirmed</Trans>
          </dt>
          {keys.confirmed.map((k) => (
            <dd key={k.fingerprint} className="break-all font-mono text-sm">
              {k.fingerprint}
            </dd>
          ))}
          <dt className="text-muted">
            <Trans>Presented now</Trans>
          </dt>
          {keys.presented.map((k) => (
            <dd key={k.fingerprint} className="break-all font-mono text-sm">
              {k.fingerprint}
            </dd>
          ))}
        </dl>
      )}
      {asked && (
        <ConfirmName
          open
          onClose={() => setAsked(false)}
          title={t`Confirm the new host keys of ${name}?`}
          name={name}
          submit={t`Confirm`}
          what={
            <Trans>
              Compare the presented fingerprints with those that <code>for f in /etc/ssh/ssh_host_*.pub; do ssh-keygen -lf $f; done</code> prints on the
              server's console. From then on, Hostler trusts any machine with these keys, and sends it secrets and commands as root.
            </Trans>
          }
          removal={{ ...write, submit: () => write.submit(body), tryOut: undefined }}
          call={() => write.call(body)}
        />
      )}
    </div>
  );
}
