import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useNavigate } from '@tanstack/react-router';
import { Building2, Plus } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { ApiError } from '../../api/client';
import { useGet, useList } from '../../api/query';
import { Button, ButtonLink } from '../../kit/button';
import { Empty, Failed, Opening } from '../../kit/page';
import { lastOrg } from '../../shell/theme';

const CreateOrganization = lazy(() => import('../organization/create'));

/** Start leads to the organization that was looked at last. */
export function Start() {
  const orgs = useList('/orgs', {}, { all: true });
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const out = orgs.error instanceof ApiError && orgs.error.status === 401;
  const last = lastOrg();
  const slug = orgs.rows.find((o) => o.attributes.slug === last)?.attributes.slug ?? orgs.rows[0]?.attributes.slug;
  const me = useGet('/user', {}, { enabled: orgs.isSuccess && !slug });
  const may = !!me.data?.data.meta?.can_create_organizations;
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
          text={may ? t`Create one, or ask a colleague to invite you.` : t`Ask a colleague to invite you.`}
          action={
            <div className="flex flex-wrap justify-center gap-2">
              {may && (
                <Button look="primary" icon={Plus} onClick={() => setCreating(true)}>
                  <Trans>Create organization</Trans>
                </Button>
              )}
              <ButtonLink to="/account">
                <Trans>Your account</Trans>
              </ButtonLink>
            </div>
          }
        />
        <Suspense fallback={<Opening />}>
          {creating && (
            <CreateOrganization onClose={() => setCreating(false)} done={(made) => void navigate({ to: '/orgs/$org', params: { org: made }, replace: true })} />
          )}
        </Suspense>
      </main>
    );
  }
  return null;
}
