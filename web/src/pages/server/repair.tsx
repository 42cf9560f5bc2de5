import { t } from '@lingui/core/macro';
import { useWrite } from '../../api/query';
import { ConfirmName } from '../../kit/dialog';

/** Repair asks before all that is applied on a server is made so again; trying it out shows what differs. */
export default function Repair({ org, server, name, onClose }: { org: string; server: string; name: string; onClose: () => void }) {
  const write = useWrite('post', '/orgs/{organization}/servers/{server}/repairs', { organization: org, server }, onClose);
  return (
    <ConfirmName
      open
      easy
      onClose={onClose}
      title={t`Repair ${name}?`}
      name={name}
      submit={t`Repair`}
      keep={t`Cancel`}
      what={t`Restores files, systemd units, accounts and packages to their expected state. Missing databases and data directories are reported, not recreated.`}
      removal={{ ...write, submit: () => write.submit(), tryOut: () => write.tryOut() }}
      call={() => write.call()}
    />
  );
}
