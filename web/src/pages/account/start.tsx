import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useNavigate } from '@tanstack/react-router';
import { Building2 } from 'lucide-react';
import { useEffect } from 'react';
import { ApiError } from '../../api/client';
import { useList } from '../../api/query';
import { ButtonLink } from '../../kit/button';
import { Empty, Failed } from '../../kit/page';
import { lastOrg } from '../../shell/theme';

/** Start leads to the organization that was looked at last. */
export function Start() {
  const orgs = useList('/orgs', {}, { all: true });
  const navigate = useNavigate();
  const out = orgs.error instanceof ApiError && orgs.error.status === 401;
  const last = lastOrg();
  const slug = orgs.rows.find((o) => o.attributes.slug === last)?.attributes.slug ?? orgs.rows[0]?.attributes.slug;
  useEffect(() => {
    if (out) void navigate({ to: '/sign-in', search: {}, replace: true });
    else if (slug) void navigate({ to: '/orgs/$org', params: { org: slug }, replace: true });
  }, [out, slug, navigate]);
  if (orgs.error && !out)
    return (
      <main className="mx-auto max-w-lg p-10">
        <Failed error={orgs.error} again={() => void orgs.refetch()} />
      </main>
    );
  if (orgs.isSuccess && !slug) {
    return (
      <main className="mx-auto max-w-xl p-10">
        <Empty
          icon={Building2}
          title={t`You're not in an organization`}
          text={t`Ask a colleague to invite you.`}
          action={
            <ButtonLink to="/account">
              <Trans>Your account</Trans>
            </ButtonLink>
          }
        />
      </main>
    );
  }
  return null;
}
