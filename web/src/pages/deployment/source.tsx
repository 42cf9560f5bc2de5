import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import type { Row } from '../../api/guess';
import { useLacked, useMay } from '../../api/may';
import { useGet, useWrite } from '../../api/query';
import type { Site, SourceControl } from '../../api/types';
import { Action } from '../../kit/action';
import { Button } from '../../kit/button';
import { Code } from '../../kit/copy';
import { ConfirmName } from '../../kit/dialog';
import { Input, Select } from '../../kit/field';
import { Form, Saved } from '../../kit/form';
import { Failed, Notice, Section } from '../../kit/page';
import { Pill, State, Time } from '../../kit/state';
import { permissionNamed } from '../../kit/words';
import { useAt, useShownAt } from '../site/at';
import { connectedTo, useGitSources } from '../sourcecontrol/source';
import { Access, useAccess } from './access';
import { LatestPushes } from './pushes';

const site = '/orgs/{organization}/servers/{server}/sites/{site}';

/** Source is where the code comes from, and what starts a deployment. */
export function Source() {
  const lacks = useLacked([`post ${site}/deploy-key`, `get ${site}/deploy-key`]);
  const project = useMay(`put ${site}/healthcheck`);
  return (
    <div className="grid max-w-3xl gap-8">
      <Repository />
      {!lacks && <Key />}
      {!lacks && <CanRead />}
      {!lacks && <Pushes />}
      {project && <Health />}
      {lacks && <Notice>{t`You need the permission ${permissionNamed(lacks)} to view the deploy key and hook.`}</Notice>}
    </div>
  );
}

function Repository() {
  const { org, site: s, params } = useAt();
  const repository = s.attributes.repository;
  const told = useGet(`${site}/source-control`, params, {
    every: (d: { data: { attributes: { state: string | null } } }) => (d.data.attributes.state === 'pending' ? 2_000 : 30_000),
  });
  const link = told.data?.data.attributes;
  const [chosen, setProvider] = useState<string | null>(null);
  const provider = chosen ?? (link?.provider_id ? connectedTo(link.provider_id) : repository?.provider || 'custom');
  const git = useGitSources(org, provider);
  const [url, setURL] = useState(repository?.url ?? '');
  const [branch, setBranch] = useState(repository?.branch ?? 'main');
  const write = useWrite('put', `${site}/git`, params);
  const body = () => ({ ...git.asked(provider), repository: url.trim(), branch: branch.trim() });
  const short = git.short(provider);
  return (
    <Section title={t`Repository`} text={t`Used from the next deployment.`}>
      <Form
        write={write}
        submit={repository?.url ? t`Save` : t`Connect`}
        onSubmit={() => write.submit(body())}
        onPlan={() => write.tryOut(body())}
        call={() => write.call(body())}
        extra={<Saved shown={write.saved} />}
      >
        <div className="grid gap-5 sm:grid-cols-[12rem_minmax(0,1fr)]">
          <Select
            label={t`Provider`}
            name="source_control_provider"
            value={provider}
            onChange={(e) => setProvider(e.target.value)}
            options={git.options}
            hint={
              git.none ? (
                <Link to="/orgs/$org/settings/git" params={{ org }} className="text-accent underline-offset-2 hover:underline">
                  <Trans>Connect a provider</Trans>
                </Link>
              ) : undefined
            }
          />
          <Input
            label={t`Repository`}
            name="repository"
            value={url}
            onChange={(e) => setURL(e.target.value)}
            code
            placeholder={short ? 'team/app' : 'git@git.example.com:team/app.git'}
            hint={short ? undefined : t`An SSH or HTTPS URL without credentials.`}
          />
        </div>
        <div className="max-w-xs">
          <Input label={t`Branch`} name="branch" value={branch} onChange={(e) => setBranch(e.target.value)} code />
        </div>
      </Form>
      {link?.state && <Told link={link} again={() => void told.refetch()} />}
    </Section>
  );
}

/** Told is what the provider of the repository was told by itself. */
function Told({ link, again }: { link: SourceControl; again: () => void }) {
  const { params } = useAt();
  const write = useWrite('post', `${site}/source-control/synchronizations`, params, again);
  return (
    <div className="mt-5 flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line pt-4">
      <p className="min-w-0 flex-1 basis-64">
        <State
          state={link.state!}
          text={{ registered: t`Configured at the provider`, pending: t`Configuring at the provider`, failed: t`Not configured at the provider` }[link.state!]}
        />
        <br />
        <span className="text-sm text-muted">
          {link.reason ??
            `${link.deploy_key ? t`Deploy key: added.` : t`Deploy key: missing.`} ${link.webhook ? t`Push webhook: added.` : t`Push webhook: missing.`}`}
          {link.next_attempt_at && (
            <>
              {' '}
              <Trans>
                Retrying <Time at={link.next_attempt_at} ago />.
              </Trans>
            </>
          )}
        </span>
      </p>
      <Action write={write}>{t`Configure again`}</Action>
      {write.error && (
        <Notice tone="bad" role="alert">
          {write.error.message}
        </Notice>
      )}
    </div>
  );
}

function CanRead() {
  const access = useAccess();
  if (!access.open || !access.now) return null;
  return (
    <Section title={t`Access to the repository`} text={t`Read from the site's server, with the deploy key. Nothing is fetched.`}>
      <Access of={access} keyed />
    </Section>
  );
}

function Key() {
  const { site: s, params } = useAt();
  const doc = useGet(`${site}/deploy-key`, params);
  const make = useWrite('post', `${site}/deploy-key`, params);
  const [removing, setRemoving] = useState(false);
  const remove = useWrite('delete', `${site}/deploy-key`, params, () => setRemoving(false));
  const key = doc.data?.data.attributes.key;
  return (
    <Section
      title={t`Deploy key`}
      text={t`The server uses this key to read the repository. Add it to the Git server as a read-only key. The private key is stored encrypted, and is on the server only during a deployment.`}
    >
      {doc.error && !doc.data ? (
        <Failed error={doc.error} />
      ) : key ? (
        <div className="grid gap-3">
          <Code text={key} label={t`Public deploy key`} wrap />
          <div>
            <Button look="remove" does={remove.operation} onClick={() => setRemoving(true)}>
              <Trans>Delete the deploy key</Trans>
            </Button>
          </div>
        </div>
      ) : doc.data ? (
        <div className="grid gap-3">
          {make.error && (
            <Notice tone="bad" role="alert">
              {make.error.message}
            </Notice>
          )}
          <p className="text-muted">
            <Trans>No deploy key. HTTPS repositories don't need one.</Trans>
          </p>
          <div>
            <Action write={make}>{t`Create deploy key`}</Action>
          </div>
        </div>
      ) : null}
      {removing && (
        <ConfirmName
          open
          easy
          onClose={() => setRemoving(false)}
          title={t`Delete the deploy key?`}
          name={s.attributes.name}
          submit={t`Delete`}
          what={t`The private key is deleted. An SSH repository can't be fetched until you create a new key and add it to the Git server.`}
          removal={{ ...remove, submit: () => remove.submit() }}
          call={() => remove.call()}
        />
      )}
    </Section>
  );
}

const withQuick = (s: Site, quick: boolean): Site => ({ ...s, attributes: { ...s.attributes, quick_deploy: quick } });

function Pushes() {
  const { site: s, params, to: at } = useAt();
  const hook = useGet(`${site}/deployments/deploy-hook`, params);
  const place = useShownAt();
  const to = (quick: boolean) => ({ guess: () => ({ ...place, to: (s: Row) => withQuick(s as Site, quick) }) });
  const on = useWrite('post', `${site}/deployments/push-to-deploy`, params, undefined, to(true));
  const off = useWrite('delete', `${site}/deployments/push-to-deploy`, params, undefined, to(false));
  const [renewing, setRenewing] = useState(false);
  const [shown, setShown] = useState(false);
  const quick = !!s.attributes.quick_deploy;
  const url = hook.data?.data.attributes.url;
  const secret = url?.split('/').pop();
  const signing = hook.data?.data.meta?.deploy_hook?.signing_token;
  const toggle = quick ? off : on;
  return (
    <Section title={t`Automatic deployments`} text={t`Deploy automatically on a push or from a pipeline.`}>
      <div className="grid gap-5">
        {toggle.error && (
          <Notice tone="bad" role="alert">
            {toggle.error.message}
          </Notice>
        )}
        <div className="flex flex-wrap items-center gap-3">
          <p className="min-w-0 flex-1 basis-64">
            <span className="font-medium">
              <Trans>Push to deploy</Trans>
            </span>{' '}
            <Pill tone={quick ? 'good' : 'idle'}>{quick ? t`On` : t`Off`}</Pill>
            <br />
            <span className="text-sm text-muted">
              <Trans>Deploys when the site's branch is pushed. Requires the webhook below at the Git server.</Trans>
            </span>
          </p>
          <Action write={toggle}>{quick ? t`Turn off` : t`Turn on`}</Action>
        </div>
        {hook.error && !hook.data ? (
          <Failed error={hook.error} />
        ) : (
          url &&
          (shown ? (
            <div className="grid gap-4">
              <div className="grid gap-1.5">
                <p className="font-medium">
                  <Trans>Deploy hook</Trans>
                </p>
                <p className="text-sm text-muted">
                  <Trans>Anyone with this URL can deploy the site with a GET or POST request.</Trans>
                </p>
                <Code text={url} label={t`Deploy hook`} wrap />
              </div>
              <div className="grid gap-1.5">
                <p className="font-medium">
                  <Trans>Push webhook</Trans>
                </p>
                <p className="text-sm text-muted">
                  <Trans>URL and secret. Set the content type to JSON and select push events only. At GitLab, the secret or the signing token.</Trans>
                </p>
                <Code text={`${location.origin}/push/${at.site}`} label={t`Webhook URL`} wrap />
                <Code text={secret ?? ''} label={t`Webhook secret`} wrap />
                {signing && <Code text={signing} label={t`Signing token for GitLab`} wrap />}
              </div>
              <div>
                <Button icon={RefreshCw} does={`put ${site}/deployments/deploy-hook`} onClick={() => setRenewing(true)}>
                  <Trans>Regenerate URL and secret</Trans>
                </Button>
              </div>
            </div>
          ) : (
            <div>
              <Button does={`get ${site}/deployments/deploy-hook`} onClick={() => setShown(true)}>
                <Trans>Show deploy hook and webhook</Trans>
              </Button>
            </div>
          ))
        )}
        <LatestPushes />
        {renewing && <Renew onClose={() => setRenewing(false)} />}
      </div>
    </Section>
  );
}

function Renew({ onClose }: { onClose: () => void }) {
  const { site: s, params } = useAt();
  const write = useWrite('put', `${site}/deployments/deploy-hook`, params, onClose);
  return (
    <ConfirmName
      open
      easy
      onClose={onClose}
      title={t`Regenerate the deploy hook?`}
      name={s.attributes.name}
      submit={t`Regenerate`}
      what={t`The current URL and secret stop working immediately. Update the pipelines and webhooks that use them.`}
      removal={{ ...write, submit: () => write.submit() }}
      call={() => write.call()}
    />
  );
}

function Health() {
  const { site: s, params } = useAt();
  const doc = useGet(`${site}/healthcheck`, params);
  const [url, setURL] = useState<string | null>(null);
  const write = useWrite('put', `${site}/healthcheck`, params);
  const stored = doc.data?.data.attributes.healthcheck_endpoint ?? '';
  const text = url ?? stored;
  const body = () => ({ healthcheck_endpoint: text.trim() || null });
  return (
    <Section
      title={t`Health check`}
      text={
        s.attributes.zero_downtime_deployments
          ? t`Requested on the site's server after each deployment. If it doesn't return 2xx, the deployment fails and the previous release is restored.`
          : t`Requested on the site's server after each deployment. If it doesn't return 2xx, the deployment fails.`
      }
    >
      {doc.error && !doc.data ? (
        <Failed error={doc.error} />
      ) : (
        <Form write={write} submit={t`Save`} onSubmit={() => write.submit(body())} call={() => write.call(body())} extra={<Saved shown={write.saved} />}>
          <Input
            label={t`URL`}
            name="healthcheck_endpoint"
            inputMode="url"
            value={text}
            onChange={(e) => setURL(e.target.value)}
            code
            placeholder={`http://${s.attributes.name}/up`}
            hint={t`Must use one of the site's domains. Leave blank to turn off the check.`}
          />
        </Form>
      )}
    </Section>
  );
}
