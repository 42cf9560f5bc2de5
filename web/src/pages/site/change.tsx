import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { included, useGet, useList } from '../../api/query';
import type { User } from '../../api/types';
import { Section } from '../../kit/page';
import { ChangeRecord } from '../../kit/record';
import { said } from '../../kit/said';
import { SetCheck, useUnchecked } from '../deployment/unchecked';
import { actorOf } from '../event/table';
import { useAt } from './at';

/** useLastChange is the event of the newest work on the site or on a part of it that succeeded. */
export function useLastChange() {
  const { params } = useAt();
  const { organization, server, site } = params;
  const query = { sort: '-created_at', 'filter[site_id]': site, 'filter[state]': 'succeeded' };
  const id = useList('/orgs/{organization}/events', { organization }, { query, size: 1, every: 10_000 }).rows[0]?.id;
  const at = { organization, server, event: id ?? '' };
  const doc = useGet('/orgs/{organization}/servers/{server}/events/{event}', at, { query: { include: 'initiator' }, enabled: !!id });
  const event = id ? doc.data?.data : undefined;
  return { event, by: event && actorOf(event, included<User>([doc.data!], 'users')) };
}

/** isDeployment matches what the event of a deployment says. */
const isDeployment = /^(Deploying|Rolling back) /;

/** LastChange is the record of the newest change of the site. */
export function LastChange() {
  const { to } = useAt();
  const { event, by } = useLastChange();
  const unchecked = useUnchecked(!!event && isDeployment.test(event.attributes.description));
  if (!event) return null;
  return (
    <Section
      title={t`Last change`}
      text={said(event)}
      actions={
        <Link to="/orgs/$org/sites/$site/activity" params={to} className="font-medium text-accent underline-offset-2 hover:underline">
          <Trans>All activity</Trans>
        </Link>
      }
      plain
    >
      <ChangeRecord event={event} by={by} check={unchecked && <SetCheck />} />
    </Section>
  );
}
