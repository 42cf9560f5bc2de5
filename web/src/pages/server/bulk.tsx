import { KeyRound, PackageCheck, Play, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { fill } from '../../api/client';
import { useList } from '../../api/query';
import type { Server } from '../../api/types';
import { Bulk, type Target } from '../../kit/bulk';
import { Button } from '../../kit/button';
import { Check, Input, Select } from '../../kit/field';
import { plural } from '../../kit/numbers';
import { Notice } from '../../kit/page';
import { type Selection, SelectionBar } from '../../kit/selection';
import { commentOf, isPrivate, privateKey } from '../sshkey/key';
import { Options, PublicKey } from '../sshkey/keys';

const manage = 'server:manage-services';
const runs = 'recipe:manage';
const adds = 'server:create-keys';

/** ServersBar is what can be done with several servers at once. */
export function ServersBar({ org, rows, selection }: { org: string; rows: Server[]; selection: Selection<Server> }) {
  const [doing, setDoing] = useState<'reboot' | 'recipe' | 'upgrade' | 'key' | null>(null);
  const chosen = [...selection.chosen.values()];
  const close = () => setDoing(null);
  return (
    <>
      <SelectionBar of={selection} rows={rows} one="server">
        <Button icon={RotateCw} needs={manage} onClick={() => setDoing('reboot')}>
          Reboot
        </Button>
        <Button icon={PackageCheck} needs={manage} onClick={() => setDoing('upgrade')}>
          Upgrade packages
        </Button>
        <Button icon={Play} needs={runs} onClick={() => setDoing('recipe')}>
          Run recipe
        </Button>
        <Button icon={KeyRound} needs={adds} onClick={() => setDoing('key')}>
          Add SSH key
        </Button>
      </SelectionBar>
      {doing === 'reboot' && (
        <Bulk
          org={org}
          title={`Reboot ${plural(chosen.length, 'server')}?`}
          text="Their sites are offline until the servers are back up. Running processes and deployments are stopped."
          submit={(n) => `Reboot ${plural(n, 'server')}`}
          needs={manage}
          plans
          targets={chosen.map((s) =>
            target(s, fill('/orgs/{organization}/servers/{server}/actions', { organization: org, server: s.id }), { action: 'reboot' }),
          )}
          onClose={close}
        />
      )}
      {doing === 'upgrade' && <Upgrade org={org} chosen={chosen} onClose={close} />}
      {doing === 'key' && <AddKey org={org} chosen={chosen} onClose={close} />}
      {doing === 'recipe' && <RunRecipe org={org} chosen={chosen} onClose={close} />}
    </>
  );
}

const target = (s: Server, path: string, body: unknown): Target => ({
  id: s.id,
  name: s.attributes.name,
  server: s.id,
  path,
  body,
  why: s.attributes.revoked ? 'Archived.' : s.attributes.is_ready ? undefined : 'Not set up yet.',
});

function Upgrade({ org, chosen, onClose }: { org: string; chosen: Server[]; onClose: () => void }) {
  const [security, setSecurity] = useState(false);
  const [reboot, setReboot] = useState(false);
  return (
    <Bulk
      org={org}
      title={`Upgrade packages on ${plural(chosen.length, 'server')}?`}
      text="Installs the latest versions from each server's package sources. Packages restart their own services, which can briefly interrupt requests."
      submit={(n) => `Upgrade ${plural(n, 'server')}`}
      needs={manage}
      plans
      targets={chosen.map((s) =>
        target(s, fill('/orgs/{organization}/servers/{server}/upgrades', { organization: org, server: s.id }), { security_only: security, reboot }),
      )}
      onClose={onClose}
    >
      <Check label="Security updates only" name="security_only" checked={security} onChange={(e) => setSecurity(e.target.checked)} />
      <Check label="Reboot afterwards if required" name="reboot" checked={reboot} onChange={(e) => setReboot(e.target.checked)} />
    </Bulk>
  );
}

/** AddKey adds one person's key to several servers. A private key is not kept in the field. */
function AddKey({ org, chosen, onClose }: { org: string; chosen: Server[]; onClose: () => void }) {
  const [key, setKey] = useState('');
  const [name, setName] = useState('');
  const [user, setUser] = useState('forge');
  const [options, setOptions] = useState('');
  const [refused, setRefused] = useState(false);
  const called = name.trim() || commentOf(key);
  return (
    <Bulk
      org={org}
      title={`Add an SSH key to ${plural(chosen.length, 'server')}`}
      text="The owner of the key can log in to the account on each server."
      submit={(n) => `Add to ${plural(n, 'server')}`}
      needs={adds}
      plans
      missing={key.trim() ? (called ? undefined : 'Enter a name for the key.') : 'Paste a public key first.'}
      targets={chosen.map((s) =>
        target(s, fill('/orgs/{organization}/servers/{server}/ssh-keys', { organization: org, server: s.id }), {
          name: called,
          key: key.trim(),
          user,
          ...(options.trim() ? { options: options.trim() } : {}),
        }),
      )}
      onClose={onClose}
    >
      {refused && (
        <Notice tone="bad" role="alert">
          {privateKey}
        </Notice>
      )}
      <PublicKey
        value={key}
        onChange={(text) => {
          setRefused(isPrivate(text));
          setKey(isPrivate(text) ? '' : text);
        }}
      />
      <Input
        label="Name"
        name="name"
        autoComplete="off"
        value={name}
        onChange={(e) => setName(e.target.value)}
        placeholder={commentOf(key) || "Ada's laptop"}
      />
      <Select
        label="Account"
        name="user"
        value={user}
        onChange={(e) => setUser(e.target.value)}
        options={[
          ['forge', 'forge (all non-isolated sites)'],
          ['root', 'root (the whole server)'],
        ]}
      />
      <Options value={options} onChange={setOptions} />
    </Bulk>
  );
}

function RunRecipe({ org, chosen, onClose }: { org: string; chosen: Server[]; onClose: () => void }) {
  const own = useList('/orgs/{organization}/recipes', { organization: org }, { all: true });
  const shipped = useList('/forge-recipes', {}, { all: true });
  const [recipe, setRecipe] = useState('');
  const options = [
    ['', 'Select a recipe'],
    ...own.rows.map((r) => [fill('/orgs/{organization}/recipes/{recipe}/runs', { organization: org, recipe: r.id }), r.attributes.name]),
    ...shipped.rows.map((r) => [fill('/forge-recipes/{forgeRecipe}/runs', { forgeRecipe: r.id }), `${r.attributes.name} (built-in)`]),
  ] as [string, string][];
  return (
    <Bulk
      org={org}
      title={`Run a recipe on ${plural(chosen.length, 'server')}`}
      text="Each server gets its own run. Runs are never retried automatically."
      submit={(n) => `Run on ${plural(n, 'server')}`}
      needs={runs}
      missing={recipe ? undefined : 'Select a recipe first.'}
      targets={chosen.map((s) => target(s, recipe, { servers: [Number(s.id)] }))}
      onClose={onClose}
    >
      <Select label="Recipe" name="recipe" value={recipe} onChange={(e) => setRecipe(e.target.value)} options={options} />
    </Bulk>
  );
}
