import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useParams } from '@tanstack/react-router';
import { Braces, Ellipsis, Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useLacked } from '../../api/may';
import { useList, useWrite } from '../../api/query';
import type { PHPVersion } from '../../api/types';
import { Button } from '../../kit/button';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Check, Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { Menu } from '../../kit/lazy-menu';
import { Empty, Failed, Notice, Section, Waiting } from '../../kit/page';
import { active, Pill, State, soonAny } from '../../kit/state';
import { rowLink, Table } from '../../kit/table';
import { permissionNamed, requires } from '../../kit/words';
import { Work } from '../../kit/work';
import { hasPHP } from '../../shell/places';
import { EventWork } from '../event/work';
import { useServer } from '../server/at';
import { useLastLine } from '../server/line';
import { PHPLimits, php } from './limits';

const versions = `${php}/versions` as const;
export const one = `${versions}/{phpVersion}` as const;

/** all are the versions that have packages, the newest first. */
const all = ['8.5', '8.4', '8.3', '8.2', '8.1', '8.0', '7.4', '7.3', '7.2', '7.1', '7.0', '5.6'];
const key = (v: string) => 'php' + v.replace('.', '');

type Verb = 'sites' | 'cli' | 'upgrade' | 'remove';
interface Asked {
  verb: Verb;
  row: PHPVersion;
}

/** ReadOnly says, to those who can't change PHP, that they can't. */
export function ReadOnlyPHP() {
  const lacks = useLacked(`post ${versions}`);
  if (!lacks) return null;
  return (
    <Notice>
      <Trans>You can view these settings. You need the permission {permissionNamed(lacks)} to change them.</Trans>
    </Notice>
  );
}

/** PHP is the versions of a server, and the settings that all of them share. */
export function PHP() {
  const server = useServer();
  if (!hasPHP(server))
    return (
      <Notice>
        <Trans>Servers of this type don't have PHP.</Trans>
      </Notice>
    );
  return <Versions />;
}

function Versions() {
  const { org } = useParams({ from: '/orgs/$org/servers/$server' });
  const server = useServer();
  const a = server.attributes;
  const params = { organization: org, server: server.id };
  const list = useList(versions, params, { query: { sort: '-version' }, every: soonAny });
  const [installing, setInstalling] = useState(false);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [event, setEvent] = useState<string>();
  const operation = (list.rows.find((v) => active(v.meta?.operation)) ?? list.rows.find((v) => v.meta?.operation?.state === 'failed'))?.meta?.operation;
  const last = useLastLine(operation?.event_id);
  const lacks = useLacked(`put ${one}`);
  const isDefault = (v: PHPVersion, of: string | null) => of === key(v.attributes.version);
  const install = (
    <Button look="primary" icon={Plus} does={`post ${versions}`} onClick={() => setInstalling(true)}>
      <Trans>Install version</Trans>
    </Button>
  );
  return (
    <div className="grid gap-8">
      <ReadOnlyPHP />
      {event && <EventWork key={event} org={org} server={server.id} event={event} done={t`PHP updated.`} ended={() => void list.refetch()} />}
      <Section
        title="PHP"
        plain
        text={t`Versions are installed side by side. Each site uses one of them, set in the site's settings.`}
        actions={list.rows.length > 0 && install}
      >
        {operation && <Work operation={operation} org={org} server={server.id} line={last} />}
        {list.isPending ? (
          <Waiting />
        ) : list.error && !list.data ? (
          <Failed error={list.error} again={() => void list.refetch()} />
        ) : list.rows.length === 0 ? (
          <Empty icon={Braces} title={t`PHP is not installed`} text={t`Install a version to serve PHP sites from this server.`} action={install} />
        ) : (
          <Table
            label={t`PHP versions`}
            rows={list.rows}
            more={list.more}
            id={(v) => v.id}
            footer={plural(list.rows.length, { one: '# version', other: '# versions' })}
            columns={[
              {
                name: t`Version`,
                width: 'minmax(0,1.5fr)',
                cell: (v) => (
                  <Link
                    to="/orgs/$org/servers/$server/php/$version"
                    params={{ org, server: server.id, version: v.id }}
                    search={{}}
                    className={rowLink + ' block truncate'}
                  >
                    <Trans>PHP {v.attributes.version}</Trans>
                  </Link>
                ),
              },
              {
                name: t`Default for`,
                width: 'minmax(0,2fr)',
                cell: (v) => (
                  <span className="flex flex-wrap gap-1.5">
                    {isDefault(v, a.php_version) && (
                      <Pill tone="good">
                        <Trans>New sites</Trans>
                      </Pill>
                    )}
                    {isDefault(v, a.php_cli_version) && (
                      <Pill>
                        <Trans>Command line</Trans>
                      </Pill>
                    )}
                  </span>
                ),
              },
              {
                name: t`Command`,
                width: '8rem',
                minor: true,
                cell: (v) => <span className="font-mono text-sm text-muted">{v.attributes.binary_name}</span>,
              },
              { name: t`Status`, width: '8rem', cell: (v) => <State state={v.attributes.status} /> },
              {
                name: t`Actions`,
                width: '2.5rem',
                end: true,
                cell: (v) => (
                  <Menu
                    label={t`Actions for PHP ${v.attributes.version}`}
                    trigger={<Button look="quiet" only icon={Ellipsis} />}
                    items={(
                      [
                        ['sites', t`Use for new sites`, isDefault(v, a.php_version)],
                        ['cli', t`Use on the command line`, isDefault(v, a.php_cli_version)],
                        ['upgrade', t`Upgrade packages`, false],
                        ['remove', t`Remove`, false],
                      ] as const
                    ).map(([verb, text, is]) => ({
                      text,
                      disabled: !!lacks || is || (v.attributes.status !== 'installed' && verb !== 'remove'),
                      why: lacks ? requires(lacks) : is ? t`Already the default.` : t`Not installed.`,
                      onClick: () => setAsked({ verb, row: v }),
                    }))}
                  />
                ),
              },
            ]}
          />
        )}
      </Section>
      <PHPLimits begun={setEvent} />
      {installing && <Install had={list.rows.map((v) => v.attributes.version)} onClose={() => setInstalling(false)} />}
      {asked && <Act asked={asked} onClose={() => setAsked(null)} begun={setEvent} />}
    </div>
  );
}

function Install({ had, onClose }: { had: string[]; onClose: () => void }) {
  const { org } = useParams({ from: '/orgs/$org/servers/$server' });
  const server = useServer();
  const rest = all.filter((v) => !had.includes(v));
  const [version, setVersion] = useState(rest[0] ?? '');
  const [sites, setSites] = useState(false);
  const [cli, setCLI] = useState(false);
  const write = useWrite('post', versions, { organization: org, server: server.id }, onClose);
  const body = () => ({ version: key(version) as 'php84', site_default: sites, cli_default: cli });
  return (
    <Dialog open onClose={onClose} title={t`Install a PHP version`} wide={!!write.plan}>
      <Form write={write} submit={t`Install`} onSubmit={() => write.submit(body())} onPlan={() => write.tryOut(body())} call={() => write.call(body())}>
        <Select
          label={t`Version`}
          name="version"
          value={version}
          onChange={(e) => setVersion(e.target.value)}
          options={rest.map((v) => [v, `PHP ${v}`] as const)}
          hint={t`Versions not packaged by the operating system are installed from packages.sury.org (Debian) or ppa:ondrej/php (Ubuntu).`}
        />
        <Check label={t`Use for new sites`} checked={sites} onChange={(e) => setSites(e.target.checked)} />
        <Check
          label={t`Use on the command line`}
          hint={t`The version that the php command runs in shells, scheduled jobs and scripts.`}
          checked={cli}
          onChange={(e) => setCLI(e.target.checked)}
        />
      </Form>
    </Dialog>
  );
}

function Act({ asked: { verb, row }, onClose, begun }: { asked: Asked; onClose: () => void; begun: (event: string) => void }) {
  const { org } = useParams({ from: '/orgs/$org/servers/$server' });
  const server = useServer();
  const params = { organization: org, server: server.id };
  const at = { ...params, phpVersion: row.id };
  const v = row.attributes.version;
  const sites = useWrite('put', `${php}/site-version`, params, onClose);
  const cli = useWrite('put', `${php}/cli-version`, params, onClose);
  const upgrade = useWrite('put', one, at, onClose);
  const remove = useWrite('delete', one, at, onClose);
  useEffect(() => {
    if (cli.event) begun(cli.event); // the others' work is that of a row
  }, [cli.event, begun]);
  const body = { php_version: v as '8.4' };
  const of = {
    sites: {
      write: { ...sites, submit: () => sites.submit(body), tryOut: undefined },
      call: () => sites.call(body),
      submit: t`Use for new sites`,
      title: t`Use PHP ${v} for new sites?`,
      what: t`Existing sites keep their version.`,
    },
    cli: {
      write: { ...cli, submit: () => cli.submit(body), tryOut: () => cli.tryOut(body) },
      call: () => cli.call(body),
      submit: t`Use on the command line`,
      title: t`Use PHP ${v} on the command line?`,
      what: t`Shells, scheduled jobs, processes and deploy scripts use it the next time they run php.`,
    },
    upgrade: {
      write: { ...upgrade, submit: () => upgrade.submit(), tryOut: () => upgrade.tryOut() },
      call: () => upgrade.call(),
      submit: t`Upgrade packages`,
      title: t`Upgrade PHP ${v}?`,
      what: t`Installs the latest PHP ${v} packages. If there are updates, PHP restarts, which takes a few seconds.`,
    },
    remove: {
      write: { ...remove, submit: () => remove.submit(), tryOut: () => remove.tryOut() },
      call: () => remove.call(),
      submit: t`Remove version`,
      title: t`Remove PHP ${v}?`,
      what: t`Removes its packages and settings. A version that a site uses or that is a default can't be removed.`,
    },
  }[verb];
  return (
    <ConfirmName
      open
      easy={verb !== 'remove'}
      onClose={onClose}
      title={of.title}
      name={`PHP ${v}`}
      submit={of.submit}
      what={of.what}
      removal={of.write}
      call={of.call}
    />
  );
}
