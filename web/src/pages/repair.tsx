import { useWrite } from '../api/query';
import { shell } from '../kit/copy';
import { ConfirmName } from '../kit/dialog';

/** Repair asks before all that is applied on a server is made so again; trying it out shows what differs. */
export default function Repair({ org, server, name, onClose }: { org: string; server: string; name: string; onClose: () => void }) {
  const write = useWrite('post', '/orgs/{organization}/servers/{server}/repairs', { organization: org, server }, onClose);
  return (
    <ConfirmName
      open
      easy
      onClose={onClose}
      title={`Repair ${name}?`}
      name={name}
      submit="Repair"
      keep="Cancel"
      needs="server:manage-services"
      what="Files, units, accounts and packages become what they should be again. Databases and directories of data that are missing are reported, and never made empty in their place."
      removal={{ ...write, submit: () => write.submit(), tryOut: () => write.tryOut() }}
      call={() => write.call()}
      cli={() => `hostler servers repair ${shell(name)}`}
    />
  );
}
