import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { Notice } from '../../kit/page';
import { useAt } from '../site/at';

/** Fate says what deployments, or another page, do with a change of a file. */
export function Fate({ meta }: { meta?: { deployment: string; managed_by: string | null } }) {
  const { to } = useAt();
  if (meta?.managed_by === 'environment')
    return (
      <Notice tone="warn">
        <Trans>
          Hostler writes this file from the site's{' '}
          <Link to="/orgs/$org/sites/$site/environment" params={to} className="underline underline-offset-2">
            environment
          </Link>
          . Change it there: what is changed here is replaced the next time that is saved.
        </Trans>
      </Notice>
    );
  if (meta?.deployment === 'release')
    return (
      <Notice>
        <Trans>This belongs to one release. A change is lost with the next deployment; shared paths are kept.</Trans>
      </Notice>
    );
  if (meta?.deployment === 'repository')
    return (
      <Notice>
        <Trans>The site is deployed in place. A deployment can replace files that are in its repository.</Trans>
      </Notice>
    );
  return null;
}
