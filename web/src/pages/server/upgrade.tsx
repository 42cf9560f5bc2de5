import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { useWrite } from '../../api/query';
import type { Server } from '../../api/types';
import { Button } from '../../kit/button';
import { Dialog } from '../../kit/dialog';
import { Check } from '../../kit/field';
import { Form } from '../../kit/form';

type Updates = NonNullable<NonNullable<Server['meta']>['updates']>;

/** Updates says how many packages have a newer version, and upgrades them. */
export default function Updates({ org, server, name, updates }: { org: string; server: string; name: string; updates: Updates }) {
  const [open, setOpen] = useState(false);
  const text =
    updates.pending === 0
      ? t`Up to date`
      : updates.security > 0
        ? t`${plural(updates.pending, { one: '# update', other: '# updates' })} available, ${updates.security} security`
        : plural(updates.pending, { one: '# update available', other: '# updates available' });
  return (
    <span className="flex flex-wrap items-center gap-3">
      {text}
      {updates.reboot_needed && <span>{t`Reboot required`}</span>}
      {updates.pending > 0 && (
        <Button does="post /orgs/{organization}/servers/{server}/upgrades" onClick={() => setOpen(true)}>
          <Trans>Upgrade</Trans>
        </Button>
      )}
      {open && <Upgrade org={org} server={server} name={name} updates={updates} onClose={() => setOpen(false)} />}
    </span>
  );
}

function Upgrade({ org, server, name, updates, onClose }: { org: string; server: string; name: string; updates: Updates; onClose: () => void }) {
  const write = useWrite('post', '/orgs/{organization}/servers/{server}/upgrades', { organization: org, server }, onClose);
  const [security, setSecurity] = useState(false);
  const [reboot, setReboot] = useState(false);
  const body = { security_only: security, reboot };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t`Upgrade packages on ${name}?`}
      text={t`Installs the latest versions from the server's package sources. Packages restart their own services, which can briefly interrupt requests.`}
    >
      <Form
        write={write}
        submit={t`Upgrade packages`}
        onSubmit={() => write.submit(body)}
        onPlan={() => write.tryOut(body)}
        call={() => write.call(body)}
        extra={
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
        }
      >
        <Check label={t`Security updates only (${updates.security})`} name="security_only" checked={security} onChange={(e) => setSecurity(e.target.checked)} />
        <Check label={t`Reboot afterwards if required`} name="reboot" checked={reboot} onChange={(e) => setReboot(e.target.checked)} />
      </Form>
    </Dialog>
  );
}
