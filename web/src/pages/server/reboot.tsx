import { t } from '@lingui/core/macro';
import { useWrite } from '../../api/query';
import { ConfirmName } from '../../kit/dialog';

/** Reboot asks before a server is restarted, and says what does not answer meanwhile. */
export default function Reboot({ org, server, name, onClose }: { org: string; server: string; name: string; onClose: () => void }) {
  const write = useWrite('post', '/orgs/{organization}/servers/{server}/actions', { organization: org, server }, onClose);
  const body = { action: 'reboot' } as const;
  return (
    <ConfirmName
      open
      easy
      onClose={onClose}
      title={t`Reboot ${name}?`}
      name={name}
      submit={t`Reboot`}
      keep={t`Cancel`}
      what={t`Its sites are offline until the server is back. Running processes and deployments are stopped.`}
      removal={{ ...write, submit: () => write.submit(body), tryOut: () => write.tryOut(body) }}
      call={() => write.call(body)}
    />
  );
}
