// What is said where a site has no health check: a deployment of it succeeds whatever the site answers.
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { useMay } from '../../api/may';
import { useGet } from '../../api/query';
import { useAt } from '../site/at';
import { deploys } from './releases';

const path = '/orgs/{organization}/servers/{server}/sites/{site}/healthcheck';

/** useUnchecked reports whether deployments of the site end without a health check; false until that is known, and for who can't see it. */
export function useUnchecked(enabled = true): boolean {
  const { site, params } = useAt();
  const asked = useMay(`get ${path}`) && deploys(site) && enabled;
  const doc = useGet(path, params, { enabled: asked });
  return asked && !!doc.data && !doc.data.data.attributes.healthcheck_endpoint;
}

/** SetCheck leads to where the health check is set. */
export function SetCheck() {
  const { to } = useAt();
  return (
    <Link to="/orgs/$org/sites/$site/deployments/source" params={to} className="font-medium text-accent underline underline-offset-2">
      <Trans>Set a health check</Trans>
    </Link>
  );
}
