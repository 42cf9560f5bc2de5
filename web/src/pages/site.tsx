import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { ChevronRight, ExternalLink } from 'lucide-react';
import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import { useGet, useWrite } from '../api/query';
import type { Site } from '../api/types';
import { Button } from '../kit/button';
import { shell } from '../kit/copy';
import { ConfirmName } from '../kit/dialog';
import { Select } from '../kit/field';
import { Form } from '../kit/form';
import { Facts, Failed, Notice, Page, Section, Waiting } from '../kit/page';
import { active, soon, State, Time } from '../kit/state';
import { Tabs } from '../kit/tabs';
import { methods } from '../kit/words';
import { Work } from '../kit/work';
import { cliNodes, nodeRow, Nodes, toBody, type NodeRow } from './nodes';
import { useLastLine } from './server-line';
import { isBalanced } from './sites';

const Context = createContext<Site | null>(null);
export const useSite = () => useContext(Context)!;
export const serverOf = (s: Site) => s.relationships?.server?.data?.id ?? '';

// A screen of a feature is a line here and a route in app.tsx.
const tabs = (s: Site) => [
  { to: '/orgs/$org/sites/$site', text: 'Overview', exact: true },
  ...(isBalanced(s) ? [{ to: '/orgs/$org/sites/$site/balancing', text: 'Load balancing' }] : []),
  { to: '/orgs/$org/sites/$site/settings', text: 'Settings' },
];

export function SiteFrame() {
  const { org, site: id } = useParams({ from: '/orgs/$org/sites/$site' });
  const doc = useGet('/orgs/{organization}/sites/{site}', { organization: org, site: id }, { every: soon });
  const site = doc.data?.data;
  const server = useGet('/orgs/{organization}/servers/{server}', { organization: org, server: site ? serverOf(site) : '' }, { enabled: !!site });
  if (!site) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  const a = site.attributes;
  const failed = site.meta?.operation?.state === 'failed';
  return (
    <Context value={site}>
      <nav aria-label="Breadcrumb" className="mb-3 flex items-center gap-1.5 text-sm text-muted">
        <Link to="/orgs/$org/sites" params={{ org }} className="hover:text-text hover:underline">Sites</Link><ChevronRight className="size-3.5" aria-hidden /><span className="truncate">{a.name}</span>
      </nav>
      <Page title={a.name} state={<State state={failed ? 'failed' : a.status} text={failed ? 'Last change failed' : undefined} />} sub={<>{isBalanced(site) ? 'Load balanced' : a.app_type} on <Link to="/orgs/$org/servers/$server" params={{ org, server: serverOf(site) }} className="text-accent underline-offset-2 hover:underline">{server.data?.data.attributes.name ?? 'its server'}</Link></>}
        actions={a.status !== 'installing' && <a href={`${a.https ? 'https' : 'http'}://${a.name}`} target="_blank" rel="noreferrer noopener" className="inline-flex h-9 items-center gap-1.5 rounded-lg border border-edge bg-surface px-3 font-medium shadow-raised hover:bg-hover max-md:h-11"><ExternalLink className="size-4" aria-hidden />Visit<span className="sr-only"> (opens a new tab)</span></a>}>
        <Tabs label="Site" tabs={tabs(site)} params={{ org, site: id }} />
        <Outlet />
      </Page>
    </Context>
  );
}

function SiteWork() {
  const { org } = useParams({ from: '/orgs/$org/sites/$site' });
  const site = useSite();
  const operation = site.meta?.operation;
  const last = useLastLine(operation?.event_id);
  return operation && (active(operation) || operation.state === 'failed') ? <Work operation={operation} org={org} server={serverOf(site)} line={last} /> : null;
}

export function SiteOverview() {
  const site = useSite();
  const a = site.attributes;
  return (
    <div className="grid gap-8">
      <SiteWork />
      <Section title="Facts">
        <Facts rows={[
          ['Address', <span key="u" className="font-mono text-sm">{a.url}</span>],
          ['HTTPS', a.https ? 'On' : 'Not yet'],
          isBalanced(site) ? ['Spread', methods[site.meta!.balancer!.method] ?? site.meta!.balancer!.method] : ['PHP', a.php_version],
          ['Account', a.user && <span className="font-mono text-sm">{a.user}{a.isolated ? ' (its own)' : ''}</span>],
          ['Directory', a.web_directory && <span className="font-mono text-sm">{a.web_directory}</span>],
          ['Subdomains', a.wildcards ? 'All of them' : 'None'],
          ['Added', <Time key="t" at={a.created_at} />],
        ]} />
      </Section>
    </div>
  );
}

export function SiteBalancing() {
  const { org, site: id } = useParams({ from: '/orgs/$org/sites/$site' });
  const site = useSite();
  const params = { organization: org, server: serverOf(site), site: id };
  const path = '/orgs/{organization}/servers/{server}/sites/{site}/load-balancing-nodes';
  const doc = useGet(path, params, { query: { 'page[size]': 200 } });
  const stored = doc.data?.data;
  const storedMethod = site.meta?.balancer?.method ?? 'round_robin';
  // What was edited stays as it is; what was not follows what is stored.
  const [edited, setEdited] = useState<{ rows: NodeRow[]; method: string } | null>(null);
  const [sent, setSent] = useState(false);
  const base = useMemo(() => stored?.map((n) => nodeRow({ ...n.attributes, server_id: Number(n.attributes.server_id) })), [stored]);
  const write = useWrite('put', path, params, () => setSent(true));
  useEffect(() => {
    if (!sent) return;
    setSent(false);
    setEdited(null);
  }, [stored]); // only when what is stored arrives anew: until then what was sent is shown
  if (!base) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  const rows = edited?.rows ?? base;
  const method = edited?.method ?? storedMethod;
  const edit = (next: { rows: NodeRow[]; method: string }) => {
    setSent(false);
    setEdited(next);
  };
  const setRows = (next: NodeRow[]) => edit({ rows: next, method });
  const setMethod = (next: string) => edit({ rows, method: next });
  const body = () => ({ balancer_method: method as 'round_robin', balancing: rows.map(toBody), balancer_keepalive_max_connections: site.meta?.balancer?.keepalive_max_connections });
  const changed = !!edited && !sent;
  return (
    <div className="grid max-w-3xl gap-6">
      <SiteWork />
      {stored?.length === 0 && !changed && <Notice tone="warn">It has no nodes, and answers every request with 503. Add one.</Notice>}
      <Section title="Load balancing" text="Requests go to the nodes by weight. A change drops no request.">
        <Form write={write} submit="Save" needs="site:meta" onSubmit={() => write.submit(body())} onPlan={() => write.tryOut(body())} call={() => write.call(body())} cli={() => `hostler sites nodes set ${shell(site.attributes.name)} --method ${method}${cliNodes(rows)}`}
          extra={changed && <><Button look="quiet" onClick={() => { setEdited(null); write.reset(); }}>Undo changes</Button><span className="text-sm text-warn">Not saved yet</span></>}>
          <Nodes org={org} rows={rows} onChange={setRows} />
          <Select label="How requests are spread" name="balancer_method" value={method} onChange={(e) => setMethod(e.target.value)} options={Object.entries(methods)} />
        </Form>
      </Section>
    </div>
  );
}

export function SiteSettings() {
  const { org, site: id } = useParams({ from: '/orgs/$org/sites/$site' });
  const site = useSite();
  const [open, setOpen] = useState(false);
  const navigate = useNavigate();
  const write = useWrite('delete', '/orgs/{organization}/servers/{server}/sites/{site}', { organization: org, server: serverOf(site), site: id }, () => void navigate({ to: '/orgs/$org/sites', params: { org } }));
  const name = site.attributes.name;
  return (
    <div className="grid max-w-2xl gap-8">
      <SiteWork />
      <Section title="Danger">
        <div className="flex flex-wrap items-center gap-4">
          <p className="min-w-0 flex-1 basis-64">The domain is answered no more{isBalanced(site) ? '. The nodes stay as they are.' : ', and the site leaves the server.'}</p>
          <Button look="danger" needs="site:delete" onClick={() => setOpen(true)}>Delete site</Button>
        </div>
        <ConfirmName open={open} onClose={() => setOpen(false)} title={`Delete ${name}?`} name={name} submit="Delete site" what="Visitors get no answer from it any more. The plan shows which files go."
          removal={{ ...write, submit: () => write.submit(), tryOut: () => write.tryOut() }} call={() => write.call()} cli={() => `hostler sites delete ${shell(name)}`} />
      </Section>
    </div>
  );
}
