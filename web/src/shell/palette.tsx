// Search over objects and actions. Objects are searched by the server; actions are known here.
import { Dialog as Base } from '@base-ui/react/dialog';
import { useNavigate, type NavigateOptions } from '@tanstack/react-router';
import { BellRing, GitBranch, Globe, KeyRound, Moon, Plus, RotateCw, Search, Server, Sun, UserPlus, type LucideIcon } from 'lucide-react';
import { useDeferredValue, useEffect, useState } from 'react';
import { useList } from '../api/query';
import { going } from './keys';
import { setTheme } from './theme';

interface Entry {
  key: string;
  group: string;
  text: string;
  note?: string;
  icon: LucideIcon;
  run: () => void;
}

export default function Palette({ org, onClose }: { org: string; onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const asked = useDeferredValue(text.trim());
  const navigate = useNavigate();
  const params = { organization: org };
  const servers = useList('/orgs/{organization}/servers', params, { size: 8, query: { 'filter[name]': asked } });
  const sites = useList('/orgs/{organization}/sites', params, { size: 8, query: { 'filter[name]': asked } });
  const go = (o: NavigateOptions) => () => void navigate(o);
  const actions: Entry[] = [
    { key: 'a-server', group: 'Actions', text: 'Add a server', icon: Plus, run: go({ to: '/orgs/$org/servers/new', params: { org } }) },
    { key: 'a-site', group: 'Actions', text: 'New site', icon: Plus, run: go({ to: '/orgs/$org/sites/new', params: { org } }) },
    { key: 'a-recipe', group: 'Actions', text: 'New recipe', icon: Plus, run: go({ to: '/orgs/$org/recipes/new', params: { org } }) },
    { key: 'a-channel', group: 'Actions', text: 'Notification channels', icon: BellRing, run: go({ to: '/orgs/$org/settings/notifications', params: { org } }) },
    { key: 'a-git', group: 'Actions', text: 'Git providers', icon: GitBranch, run: go({ to: '/orgs/$org/settings/git', params: { org } }) },
    { key: 'a-invite', group: 'Actions', text: 'Invite somebody', icon: UserPlus, run: go({ to: '/orgs/$org/team', params: { org } }) },
    { key: 'a-token', group: 'Actions', text: 'New access token', icon: KeyRound, run: go({ to: '/account/tokens' }) },
    { key: 'a-light', group: 'Actions', text: 'Use the light theme', icon: Sun, run: () => setTheme('light') },
    { key: 'a-dark', group: 'Actions', text: 'Use the dark theme', icon: Moon, run: () => setTheme('dark') },
    ...Object.entries(going).map(([k, v]) => ({ key: 'g-' + k, group: 'Go to', text: v.text, note: `g ${k}`, icon: Search, run: go({ to: v.to, params: { org } } as NavigateOptions) })),
  ];
  // Until the answer to what was typed is there, the rows are those of before: Enter must not open one that is called otherwise.
  const words = text.trim().toLowerCase();
  const named = <T extends { attributes: { name: string } }>(rows: T[]) => rows.filter((r) => r.attributes.name.toLowerCase().includes(words));
  const perServer: Entry[] = words ? named(servers.rows).slice(0, 3).flatMap((s) => [{ key: 'f-' + s.id, group: 'Actions', text: `Firewall of ${s.attributes.name}`, icon: Server, run: go({ to: '/orgs/$org/servers/$server/firewall', params: { org, server: s.id } }) }, { key: 'b-' + s.id, group: 'Actions', text: `Reboot ${s.attributes.name}`, icon: RotateCw, run: go({ to: '/orgs/$org/servers/$server/settings', params: { org, server: s.id } }) }]) : [];
  const entries: Entry[] = [
    ...named(servers.rows).map((s) => ({ key: 's-' + s.id, group: 'Servers', text: s.attributes.name, note: s.attributes.ip_address ?? '', icon: Server, run: go({ to: '/orgs/$org/servers/$server', params: { org, server: s.id } }) })),
    ...named(sites.rows).map((s) => ({ key: 'i-' + s.id, group: 'Sites', text: s.attributes.name, note: s.attributes.app_type, icon: Globe, run: go({ to: '/orgs/$org/sites/$site', params: { org, site: s.id } }) })),
    ...perServer,
    ...actions.filter((a) => a.text.toLowerCase().includes(words)),
  ];
  useEffect(() => setAt(0), [words]);
  const chosen = Math.min(at, entries.length - 1);
  const run = (e?: Entry) => {
    if (!e) return;
    onClose();
    e.run();
  };
  return (
    <Base.Root open onOpenChange={(is) => !is && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-veil" />
        <Base.Popup aria-label="Search or run" className="rising fixed top-[12vh] left-1/2 z-50 flex max-h-[70vh] w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-float outline-none">
          <div className="flex items-center gap-3 border-b border-line px-4">
            <Search className="size-4 text-muted" aria-hidden />
            <input autoFocus role="combobox" aria-expanded aria-controls="palette-list" aria-activedescendant={entries[chosen] ? 'p-' + entries[chosen].key : undefined} aria-label="Search or run"
              value={text} onChange={(e) => setText(e.target.value)} placeholder="Search servers and sites, or run something" className="h-13 min-w-0 flex-1 bg-transparent text-lg outline-none" onKeyDown={(e) => {
                if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
                  e.preventDefault();
                  const next = (chosen + (e.key === 'ArrowDown' ? 1 : entries.length - 1)) % entries.length;
                  setAt(next);
                  document.getElementById('p-' + entries[next]?.key)?.scrollIntoView({ block: 'nearest' });
                } else if (e.key === 'Enter') run(entries[chosen]);
                else if (e.key === 'Escape' && text) {
                  e.stopPropagation();
                  e.preventDefault();
                  setText('');
                }
              }} />
          </div>
          <div id="palette-list" role="listbox" aria-label="Results" className="overflow-y-auto p-1.5">
            {entries.length === 0 && <p className="p-6 text-center text-muted">Nothing is called like that.</p>}
            {entries.map((e, i) => (
              <div key={e.key}>
                {entries[i - 1]?.group !== e.group && <div aria-hidden className="px-2.5 pt-2.5 pb-1 text-sm font-medium text-muted">{e.group}</div>}
                <div id={'p-' + e.key} role="option" aria-selected={i === chosen} onClick={() => run(e)} onMouseMove={() => setAt(i)} className={`flex cursor-pointer items-center gap-3 rounded-lg px-2.5 py-2 ${i === chosen ? 'bg-soft text-accent' : ''}`}>
                  <e.icon className="size-4 shrink-0 opacity-70" aria-hidden />
                  <span className="min-w-0 flex-1 truncate">{e.text}</span>
                  {e.note && <span className={`font-mono text-sm ${i === chosen ? '' : 'text-muted'}`}>{e.note}</span>}
                </div>
              </div>
            ))}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
