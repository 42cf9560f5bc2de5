import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { KeyRound, PackageCheck, Play, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { fill } from '../../api/client';
import { useList } from '../../api/query';
import type { Server } from '../../api/types';
import { Bulk, type Target } from '../../kit/bulk';
import { Button } from '../../kit/button';
import { Check, Input, Select } from '../../kit/field';
import { Notice } from '../../kit/page';
import { type Selection, SelectionBar } from '../../kit/selection';
import { commentOf, isPrivate, privateKey } from '../sshkey/key';
import { Options, PublicKey } from '../sshkey/keys';

const reboot = 'post /orgs/{organization}/servers/{server}/actions';
const upgrade = 'post /orgs/{organization}/servers/{server}/upgrades';
const run = 'post /orgs/{organization}/recipes/{recipe}/runs';
const addKey = 'post /orgs/{organization}/servers/{server}/ssh-keys';

/** ServersBar is what can be done with several servers at once. */
export function ServersBar({ org, rows, selection }: { org: string; rows: Server[]; selection: Selection<Server> }) {
  const [doing, setDoing] = useState<'reboot' | 'recipe' | 'upgrade' | 'key' | null>(null);
  const chosen = [...selection.chosen.values()];
  const close = () => setDoing(null);
  return (
    <>
      <SelectionBar of={selection} rows={rows} one="server">
        <Button icon={RotateCw} does={reboot} onClick={() => setDoing('reboot')}>
          <Trans>Reboot</Trans>
        </Button>
        <Button icon={PackageCheck} does={upgrade} onClick={() => setDoing('upgrade')}>
          <Trans>Upgrade packages</Trans>
        </Button>
        <Button icon={Play} does={run} onClick={() => setDoing('recipe')}>
          <Trans>Run recipe</Trans>
        </Button>
        <Button icon={KeyRound} does={addKey} onClick={() => setDoing('key')}>
          <Trans>Add SSH key</Trans>
        </Button>
      </SelectionBar>
      {doing === 'reboot' && (
        <Bulk
          org={org}
          title={t`Reboot ${plural(chosen.length, { one: '# server', other: '# servers' })}?`}
          text={t`Their sites are offline until the servers are back up. Running processes and deployments are stopped.`}
          submit={(n) => t`Reboot ${plural(n, { one: '# server', other: '# servers' })}`}
          does={reboot}
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
  why: s.attributes.revoked ? t`Archived.` : s.attributes.is_ready ? undefined : t`Not set up yet.`,
});

function Upgrade({ org, chosen, onClose }: { org: string; chosen: Server[]; onClose: () => void }) {
  const [security, setSecurity] = useState(false);
  const [reboot, setReboot] = useState(false);
  return (
    <Bulk
      org={org}
      title={t`Upgrade packages on ${plural(chosen.length, { one: '# server', other: '# servers' })}?`}
      text={t`Installs the latest versions from each server's package sources. Packages restart their own services, which can briefly interrupt requests.`}
      submit={(n) => t`Upgrade ${plural(n, { one: '# server', other: '# servers' })}`}
      does={upgrade}
      plans
      targets={chosen.map((s) =>
        target(s, fill('/orgs/{organization}/servers/{server}/upgrades', { organization: org, server: s.id }), { security_only: security, reboot }),
      )}
      onClose={onClose}
    >
      <Check label={t`Security updates only`} name="security_only" checked={security} onChange={(e) => setSecurity(e.target.checked)} />
      <Check label={t`Reboot afterwards if required`} name="reboot" checked={reboot} onChange={(e) => setReboot(e.target.checked)} />
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
      title={t`Add an SSH key to ${plural(chosen.length, { one: '# server', other: '# servers' })}`}
      text={t`The owner of the key can log in to the account on each server.`}
      submit={(n) => t`Add to ${plural(n, { one: '# server', other: '# servers' })}`}
      does={options.trim() ? [addKey, `${addKey} options`] : addKey}
      plans
      missing={key.trim() ? (called ? undefined : t`Enter a name for the key.`) : t`Paste a public key first.`}
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
        label={t`Name`}
        name="name"
        autoComplete="off"
        value={name}
        onChange={(e) => setName(e.target.value)}
        placeholder={commentOf(key) || t`Ada's laptop`}
      />
      <Select
        label={t`Account`}
        name="user"
        value={user}
        onChange={(e) => setUser(e.target.value)}
        options={[
          ['forge', t`forge (all non-isolated sites)`],
          ['root', t`root (the whole server)`],
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
    ['', t`Select a recipe`],
    ...own.rows.map((r) => [fill('/orgs/{organization}/recipes/{recipe}/runs', { organization: org, recipe: r.id }), r.attributes.name]),
    ...shipped.rows.map((r) => [fill('/forge-recipes/{forgeRecipe}/runs', { forgeRecipe: r.id }), `${r.attributes.name} (built-in)`]),
  ] as [string, string][];
  return (
    <Bulk
      org={org}
      title={t`Run a recipe on ${plural(chosen.length, { one: '# server', other: '# servers' })}`}
      text={t`Each server gets its own run. Runs are never retried automatically.`}
      submit={(n) => t`Run on ${plural(n, { one: '# server', other: '# servers' })}`}
      does={run}
      missing={recipe ? undefined : t`Select a recipe first.`}
      targets={chosen.map((s) => target(s, recipe, { servers: [Number(s.id)] }))}
      onClose={onClose}
    >
      <Select label={t`Recipe`} name="recipe" value={recipe} onChange={(e) => setRecipe(e.target.value)} options={options} />
    </Bulk>
  );
}
