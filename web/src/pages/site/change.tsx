import { t } from '@lingui/core/macro';
import { useParams } from '@tanstack/react-router';
import { included, useGet } from '../../api/query';
import type { User } from '../../api/types';
import { Section } from '../../kit/page';
import { ChangeRecord } from '../../kit/record';
import { actorOf } from '../event/table';
import { serverOf, useSite } from './at';

/** useLastChange is the event of the newest change of the site, once that is done. */
export function useLastChange() {
  const { org } = useParams({ from: '/orgs/$org/sites/$site' });
  const site = useSite();
  const id = site.meta?.operation?.state === 'succeeded' ? site.meta.operation.event_id : undefined;
  const params = { organization: org, server: serverOf(site), event: id ?? '' };
  const doc = useGet('/orgs/{organization}/servers/{server}/events/{event}', params, { query: { include: 'initiator' }, enabled: !!id });
  const event = id ? doc.data?.data : undefined;
  return { event, by: event && actorOf(event, included<User>([doc.data!], 'users')) };
}

/** LastChange is the record of the newest change of the site. */
export function LastChange() {
  const { event, by } = useLastChange();
  if (!event) return null;
  return (
    <Section title={t`Last change`} text={event.attributes.description}>
      <ChangeRecord event={event} by={by} />
    </Section>
  );
}
