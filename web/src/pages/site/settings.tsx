import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useList, useWrite } from '../../api/query';
import type { Site } from '../../api/types';
import { Button } from '../../kit/button';
import { ConfirmName } from '../../kit/dialog';
import { Check, Input, Select, Textarea } from '../../kit/field';
import { Form, Saved } from '../../kit/form';
import { changedTags } from '../../kit/group';
import { Section } from '../../kit/page';
import { TagsField } from '../../kit/tags';
import { version } from '../../kit/words';
import { isBalanced } from '../../shell/places';
import { useAt, useShownAt } from './at';
import { Limits } from './limits';
import { RuntimeField, runtimeBody, runtimeOf, StartCommand } from './node';
import { SiteWork } from './site';

const path = '/orgs/{organization}/servers/{server}/sites/{site}';

export function SiteSettings() {
  const { site } = useAt();
  // after a change that failed, the fields are what the site has again
  const failed = site.meta?.operation?.state === 'failed' ? site.meta.operation.event_id : '';
  return (
    <div className="grid max-w-2xl gap-8">
      <SiteWork />
      <Settings key={failed} />
      {!isBalanced(site) && <Limits />}
      {site.attributes.repository?.url && <Releases />}
      <Danger />
    </div>
  );
}

function Settings() {
  const { org, site, params } = useAt();
  const a = site.attributes;
  const [directory, setDirectory] = useState(a.web_directory);
  const [php, setPHP] = useState(a.php_version);
  const runs = runtimeOf(site.meta?.runtime);
  const [runtime, setRuntime] = useState(runs);
  const starts = site.meta?.runtime?.start_command ?? '';
  const [start, setStart] = useState(starts);
  const [keep, setKeep] = useState(String(a.deployment_retention ?? ''));
  const shares = sharedLines(a.shared_paths);
  const [shared, setShared] = useState(shares);
  const had = site.meta?.tags ?? [];
  const [tags, setTags] = useState(had);
  const shown = useShownAt();
  const write = useWrite('put', path, params, undefined, {
    // everything else is what the server has
    guess: (body) => body?.tags && { ...shown, to: (s) => ({ ...s, meta: { ...(s as Site).meta, tags: body.tags } }) },
  });
  const body = () => ({
    directory: directory.trim() !== a.web_directory ? directory.trim() || null : undefined,
    php_version: php !== a.php_version ? (php as 'php84') : undefined,
    ...(runtime !== runs && runtimeBody(runtime)),
    start_command: start.trim() !== starts ? start.trim() : undefined,
    deployment_retention: keep.trim() && keep.trim() !== String(a.deployment_retention ?? '') ? Number(keep) : undefined,
    shared_paths: shared.trim() !== shares ? sharedPaths(shared) : undefined,
    tags: changedTags(tags, had),
  });
  const installed = useList(
    '/orgs/{organization}/servers/{server}/php/versions',
    { organization: params.organization, server: params.server },
    { query: { sort: '-version', 'filter[status]': 'installed' }, enabled: !!a.php_version },
  );
  const known = installed.rows.map((v) => 'php' + v.attributes.version.replace('.', ''));
  return (
    <Section title={t`Settings`}>
      <Form
        write={write}
        submit={t`Save`}
        onSubmit={() => write.submit(body())}
        onPlan={() => write.tryOut(body())}
        call={() => write.call(body())}
        extra={<Saved shown={write.saved} />}
      >
        {!isBalanced(site) && (
          <Input
            label={t`Web directory`}
            name="directory"
            value={directory}
            onChange={(e) => setDirectory(e.target.value)}
            className="font-mono"
            placeholder="/public"
            hint={t`The public directory, relative to the site's directory. An empty field means the default of the site's type.`}
          />
        )}
        {a.php_version && (
          <Select
            label="PHP"
            name="php_version"
            value={php}
            onChange={(e) => setPHP(e.target.value)}
            options={(known.includes(php) ? known : [php, ...known]).map((v) => [v, version(v)] as const)}
            hint={
              <Trans>
                Versions installed on the server. Install others on{' '}
                <Link to="/orgs/$org/servers/$server/php" params={{ org, server: params.server }} className="text-accent underline underline-offset-2">
                  the server's PHP page
                </Link>
                .
              </Trans>
            }
          />
        )}
        {site.meta?.runtime && <RuntimeField value={runtime} now={runs} onChange={setRuntime} beside={!!a.php_version} />}
        {starts && <StartCommand value={start} onChange={setStart} />}
        {a.zero_downtime_deployments && a.repository?.url && (
          <>
            <div className="w-40">
              <Input
                label={t`Releases to keep`}
                name="deployment_retention"
                inputMode="numeric"
                value={keep}
                onChange={(e) => setKeep(e.target.value.replace(/\D/g, ''))}
              />
            </div>
            <Textarea
              label={t`Shared paths`}
              name="shared_paths"
              code
              rows={3}
              value={shared}
              onChange={(e) => setShared(e.target.value)}
              hint={t`What all releases share, one a line, from the next deployment on: uploads, or public/uploads: uploads for another place in the site's directory.`}
            />
          </>
        )}
        <TagsField name="tags" value={tags} onChange={setTags} hint={t`Press Enter or comma to add a tag. Sites can be filtered and grouped by tag.`} />
      </Form>
    </Section>
  );
}

/** Shared paths as lines: where the application has one, and where it is in the site's directory if that differs. */
const sharedLines = (paths: Record<string, string>) =>
  Object.entries(paths)
    .map(([from, to]) => (from.replace(/\/$/, '') === to.replace(/\/$/, '') ? from : `${to}: ${from}`))
    .sort()
    .join('\n');

const sharedPaths = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => {
      const [to = '', from = to] = line.split(/:\s+/).map((part) => part.trim());
      return { from, to };
    });

/** Releases is the choice between releases that are switched in a moment and one directory that is deployed into. */
function Releases() {
  const { site, params } = useAt();
  const [asked, setAsked] = useState(false);
  const on = site.attributes.zero_downtime_deployments;
  const close = () => setAsked(false);
  const begin = useWrite('post', `${path}/deployments/zero-downtime`, params, close);
  const end = useWrite('delete', `${path}/deployments/zero-downtime`, params, close);
  const write = on ? end : begin;
  return (
    <Section
      title={t`Releases`}
      text={
        on ? t`Each deployment creates a new release, which is activated atomically.` : t`The site is deployed in place. Visitors may see a partial deployment.`
      }
    >
      <Button does={write.operation} onClick={() => setAsked(true)}>
        {on ? t`Stop using releases` : t`Use releases`}
      </Button>
      {asked && (
        <ConfirmName
          open
          easy
          onClose={close}
          title={on ? t`Stop using releases?` : t`Use releases?`}
          name={site.attributes.name}
          submit={on ? t`Stop using releases` : t`Use releases`}
          keep={t`Cancel`}
          what={
            on
              ? t`Deployments then change the files of the live site where they are, so visitors may see half of one, and going back to an earlier release ends. The files of the live release are copied to the site's directory; releases stay on the server.`
              : t`The current files become the first release. The site stays online; if the change fails, it is rolled back.`
          }
          removal={{ ...write, submit: () => write.submit() }}
          call={() => write.call()}
        />
      )}
    </Section>
  );
}

function Danger() {
  const { org, site, params } = useAt();
  const [open, setOpen] = useState(false);
  const navigate = useNavigate();
  const write = useWrite('delete', path, params, () => void navigate({ to: '/orgs/$org/sites', params: { org } }));
  const name = site.attributes.name;
  const user = site.attributes.user;
  const isolated = site.attributes.isolated;
  const [keeping, setKeeping] = useState(false);
  const query = keeping ? { keep_home: 'true' } : undefined;
  return (
    <Section title={t`Danger zone`}>
      <div className="flex flex-wrap items-center gap-4">
        <p className="min-w-0 flex-1 basis-64">
          {isBalanced(site) ? t`Delete this site from the load balancer. Its nodes are not affected.` : t`Delete this site from the server.`}
        </p>
        <Button look="danger" does={write.operation} onClick={() => setOpen(true)}>
          <Trans>Delete site</Trans>
        </Button>
      </div>
      <ConfirmName
        open={open}
        onClose={() => setOpen(false)}
        title={t`Delete ${name}?`}
        name={name}
        submit={t`Delete site`}
        what={
          isolated
            ? t`The site stops responding. If it is the last site of the account ${user}, the account is removed: its processes, jobs, SSH keys, crontab and files, and the database user that only its sites use. Databases stay.`
            : t`The site stops responding. Its files stay on the server.`
        }
        removal={{ ...write, submit: () => write.submit(undefined, undefined, query), tryOut: () => write.tryOut(undefined, undefined, query) }}
        call={() => write.call(undefined, undefined, query)}
      >
        {isolated && (
          <Check
            label={t`Keep the files for root`}
            name="keep_home"
            hint={t`The home of ${user} is moved to /home/.hostler-kept, which only root can read.`}
            checked={keeping}
            onChange={(e) => setKeeping(e.target.checked)}
          />
        )}
      </ConfirmName>
    </Section>
  );
}
