import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Link, useNavigate } from '@tanstack/react-router';
import { Building2, CircleCheck, Plus } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useList } from '../../api/query';
import type { Attention, Organization } from '../../api/types';
import { Button } from '../../kit/button';
import { Input } from '../../kit/field';
import { Empty, Failed, Opening, Page, Section, Waiting } from '../../kit/page';
import { useUser } from '../../shell/session';
import { Concern } from '../home/attention';

const CreateOrganization = lazy(() => import('./create'));

/** shown is how many problems of an organization are listed; its own page has them all. */
const shown = 4;
/** few is how many organizations one finds without a filter. */
const few = 10;

interface Row {
  id: string;
  attributes: Attention;
}

/** Organizations answers for all organizations what Home answers for one: what needs me now? It reads one list, whose order is kept. */
export function Organizations() {
  const orgs = useList('/orgs', {}, { all: true });
  const needs = useList('/attention', {}, { all: true, every: 15_000 });
  const may = !!useUser().meta?.can_create_organizations;
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const [sought, setSought] = useState('');
  const of = useMemo(() => {
    const out = new Map<string, Row[]>();
    for (const row of needs.rows) {
      const id = String(row.attributes.organization_id ?? '');
      out.set(id, [...(out.get(id) ?? []), row]);
    }
    return out;
  }, [needs.rows]);
  const found = orgs.rows.filter((o) => o.attributes.name.toLowerCase().includes(sought.trim().toLowerCase()));
  const place = [...of.keys()];
  const needy = found.filter((o) => of.has(o.id)).sort((a, b) => place.indexOf(a.id) - place.indexOf(b.id));
  const calm = found.filter((o) => !of.has(o.id)).sort((a, b) => a.attributes.name.localeCompare(b.attributes.name));
  const create = may && (
    <Button look="primary" icon={Plus} onClick={() => setCreating(true)}>
      <Trans>Create organization</Trans>
    </Button>
  );
  const failed = (!orgs.data && orgs.error) || (!needs.data && needs.error);
  return (
    <Page title={t`Organizations`} actions={create}>
      {failed ? (
        <Failed error={failed} again={() => void Promise.all([orgs.refetch(), needs.refetch()])} />
      ) : orgs.isPending || needs.isPending ? (
        <Waiting />
      ) : orgs.rows.length === 0 ? (
        <Empty
          icon={Building2}
          title={t`You're not in an organization`}
          text={may ? t`Create one, or ask a colleague to invite you.` : t`Ask a colleague to invite you.`}
        />
      ) : (
        <>
          {orgs.rows.length > few && (
            <div className="max-w-sm">
              <Input label={t`Find an organization`} name="find" type="search" value={sought} onChange={(e) => setSought(e.target.value)} />
            </div>
          )}
          {!sought && of.has('') && (
            <Section title={t`This Hostler installation`} plain>
              <ul className="panel divide-y divide-line">
                {of.get('')!.map((row) => (
                  <Concern key={row.id} org="" a={row.attributes} />
                ))}
              </ul>
            </Section>
          )}
          {needy.map((o) => (
            <Needs key={o.id} org={o} rows={of.get(o.id)!} />
          ))}
          {calm.length > 0 && <Calm orgs={calm} all={needy.length === 0} />}
          {found.length === 0 && (
            <p role="status" className="text-muted">
              <Trans>No organization is named “{sought}”.</Trans>
            </p>
          )}
        </>
      )}
      <Suspense fallback={<Opening />}>
        {creating && <CreateOrganization onClose={() => setCreating(false)} done={(slug) => void navigate({ to: '/orgs/$org', params: { org: slug } })} />}
      </Suspense>
    </Page>
  );
}

const name = 'font-medium [overflow-wrap:anywhere] underline-offset-2 hover:underline';

function Needs({ org, rows }: { org: Organization; rows: Row[] }) {
  const slug = org.attributes.slug;
  const more = rows.length - shown;
  return (
    <section aria-label={org.attributes.name} className="panel min-w-0">
      <div className="flex flex-wrap items-baseline gap-x-3 border-b border-line px-5 py-3">
        <h2 className="min-w-0 text-lg font-semibold">
          <Link to="/orgs/$org" params={{ org: slug }} className={name}>
            {org.attributes.name}
          </Link>
        </h2>
        <span className="text-muted">
          <Plural value={rows.length} one="# needs attention" other="# need attention" />
        </span>
      </div>
      <ul className="divide-y divide-line">
        {rows.slice(0, shown).map((row) => (
          <Concern key={row.id} org={slug} a={row.attributes} />
        ))}
        {more > 0 && (
          <li className="px-5 py-3">
            <Link to="/orgs/$org" params={{ org: slug }} className="font-medium text-accent underline-offset-2 hover:underline">
              <Plural value={more} one="View # more" other="View # more" />
              <span className="sr-only">: {org.attributes.name}</span>
            </Link>
          </li>
        )}
      </ul>
    </section>
  );
}

function Calm({ orgs, all }: { orgs: Organization[]; all: boolean }) {
  return (
    <Section title={all ? t`Nothing needs attention` : t`Nothing needs attention here`} plain>
      <ul className="panel divide-y divide-line">
        {orgs.map((o) => (
          <li key={o.id} className="relative flex items-center gap-3 px-5 py-3 transition-colors hover:bg-hover">
            <CircleCheck className="size-4 shrink-0 text-accent" aria-hidden />
            <Link to="/orgs/$org" params={{ org: o.attributes.slug }} className={`${name} min-w-0 after:absolute after:inset-0`}>
              {o.attributes.name}
            </Link>
            <span className="ml-auto shrink-0 font-mono text-sm text-muted max-md:hidden">{o.attributes.slug}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
