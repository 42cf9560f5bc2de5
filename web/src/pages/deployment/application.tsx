// What the repository of a site has, by its files, and what the site would change to run it.
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useWrite } from '../../api/query';
import type { RepositoryCheck } from '../../api/types';
import { Action } from '../../kit/action';
import { Code } from '../../kit/copy';
import { Notice } from '../../kit/page';
import { useAt } from '../site/at';

type Now = RepositoryCheck['attributes'];
type Proposed = NonNullable<Now['proposed']>;

const titles: Record<string, string> = { node: t`Node.js`, bun: t`Bun`, deno: t`Deno`, python: t`Python`, ruby: t`Ruby`, go: t`Go` };
const titleOf = (name: string) => titles[name] ?? name;

/** Application says what the repository has, and offers what fits it. Nothing changes before it is asked for. */
export function Application({ now }: { now: Now }) {
  const { application: is, proposed } = now;
  if (!is) return null;
  const runtime = is.runtime;
  return (
    <div className="grid gap-3">
      <p className="text-sm text-muted">
        <Trans>
          The repository has {is.name}, by <span className="font-mono">{is.file}</span>.
        </Trans>{' '}
        {runtime?.asks && runtime.file && (
          <Trans>
            <span className="font-mono">{runtime.file}</span> asks for {titleOf(runtime.name)} <span className="font-mono">{runtime.asks}</span>.
          </Trans>
        )}
      </p>
      {proposed?.type && (
        <Notice tone="warn">
          <Trans>A site of this type can't run {is.name}. Create a site of the type that is named after it, or of the type Program.</Trans>
        </Notice>
      )}
      {proposed?.site && <Fits name={is.name} fits={proposed.site} />}
      {proposed?.deploy_script && <Script content={proposed.deploy_script} />}
    </div>
  );
}

/** Fits offers the settings that fit. */
function Fits({ name, fits }: { name: string; fits: NonNullable<Proposed['site']> }) {
  const { params } = useAt();
  const write = useWrite('put', '/orgs/{organization}/servers/{server}/sites/{site}', params);
  const runtime = fits.runtime && `${titleOf(fits.runtime)} ${fits.runtime_version ?? ''}`.trim();
  return (
    <Notice
      tone="info"
      action={
        <Action write={write} body={fits as never} plans>
          {t`Use these settings`}
        </Action>
      }
    >
      <span className="grid gap-1">
        <Trans>The site is not set up for {name} yet:</Trans>
        {runtime && <span>{t`Runtime: ${runtime}`}</span>}
        {fits.start_command && (
          <span className="[overflow-wrap:anywhere]">
            <Trans>
              Start command: <code className="font-mono text-sm">{fits.start_command}</code>
            </Trans>
          </span>
        )}
        {fits.directory && (
          <span>
            <Trans>
              Web directory: <code className="font-mono text-sm">{fits.directory}</code>
            </Trans>
          </span>
        )}
        {write.error && <span role="alert">{write.error.message}</span>}
      </span>
    </Notice>
  );
}

/** Script offers a deploy script that builds what the repository has. */
function Script({ content }: { content: string }) {
  const { params } = useAt();
  const write = useWrite('put', '/orgs/{organization}/servers/{server}/sites/{site}/deployments/script', params);
  return (
    <Notice
      tone="info"
      action={
        <Action write={write} body={{ content }}>
          {t`Use this script`}
        </Action>
      }
    >
      <span className="grid min-w-0 gap-2">
        <Trans>The deploy script is the one that the site began with. This one builds what the repository has:</Trans>
        <Code text={content} label={t`Proposed deploy script`} wrap />
        {write.error && <span role="alert">{write.error.message}</span>}
      </span>
    </Notice>
  );
}
