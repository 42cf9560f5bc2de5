// Search over objects and actions. Objects are searched by the server; actions are known here.

import { Dialog as Base } from '@base-ui/react/dialog';
import { t } from '@lingui/core/macro';
import { type NavigateOptions, useNavigate } from '@tanstack/react-router';
import {
  CornerDownRight,
  Globe,
  History,
  KeyRound,
  LoaderCircle,
  type LucideIcon,
  Moon,
  Pencil,
  Plus,
  Rocket,
  RotateCw,
  ScrollText,
  Search,
  Server,
  Settings,
  Sun,
  UserPlus,
} from 'lucide-react';
import { useContext, useDeferredValue, useEffect, useState } from 'react';
import { Permissions } from '../api/may';
import { type Does, lacked, readable } from '../api/permissions';
import { useList, useWrite } from '../api/query';
import type { Server as ServerOf, Site } from '../api/types';
import { going } from './keys';
import {
  accountPlaces,
  type Deed,
  isBalanced,
  labelOf,
  type Place,
  serverDeeds,
  serverPlaces,
  settingsPlaces,
  siteDeeds,
  siteKind,
  sitePlaces,
  teamPlaces,
} from './places';
import { most, readVisits } from './recent';
import { setTheme } from './theme';

interface Entry {
  key: string;
  group: string;
  text: string;
  note?: string;
  icon: LucideIcon;
  run: () => void;
  /** path is the address of a page, by which the ones that were open last come first. */
  path?: string;
  /** stays is for what has to be answered before the palette goes. */
  stays?: boolean;
}

const deploys = '/orgs/{organization}/servers/{server}/sites/{site}/deployments';

// What is done with a thing, or is a part of it: the words that can stand beside its name, in any order.
const verbs = () =>
  t`deploy reboot deployments environment domains redirects security processes commands logs nginx settings load balancing sites databases backups scheduled jobs services monitors firewall network ssh keys php events add new edit rule key domain database monitor redirect process job memory processor disk limits usage of on to`.split(
    ' ',
  );
const isVerb = (word: string) => verbs().some((v) => v === word || (word.length > 2 && v.startsWith(word)));

/** nameIn is what of some words is the name of a thing: all of them, where none would be left. */
function nameIn(words: string[]): string {
  const rest = words.filter((w) => !isVerb(w));
  return (rest.length > 0 ? rest : words).join(' ');
}

export default function Palette({ org, onClose }: { org: string; onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const held = useContext(Permissions);
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const name = nameIn(words);
  const asked = useDeferredValue(name);
  const navigate = useNavigate();
  const params = { organization: org };
  const servers = useList('/orgs/{organization}/servers', params, { size: 8, query: { 'filter[name]': asked } });
  const sites = useList('/orgs/{organization}/sites', params, { size: 8, query: { 'filter[name]': asked } });
  // the first ones, which were asked for as the palette was opened: their pages are found by words that name no thing
  const first = { size: 8, query: { 'filter[name]': '' } };
  const firstServers = useList('/orgs/{organization}/servers', params, first);
  const firstSites = useList('/orgs/{organization}/sites', params, first);
  const recipes = useList('/orgs/{organization}/recipes', params, { all: true });
  const shipped = useList('/forge-recipes', {}, { all: true });
  const deploy = useWrite('post', deploys, params, (a) => {
    onClose();
    const site = a.data.relationships?.site?.data?.id ?? '';
    void navigate({ to: '/orgs/$org/sites/$site/deployments/$deployment', params: { org, site, deployment: a.data.id } });
  });
  const go = (o: NavigateOptions) => () => void navigate(o);
  const may = (does: Does) => !held || lacked(held, does) === undefined;
  const creates: (Entry & { does: Does })[] = [
    {
      key: 'a-server',
      group: t`Actions`,
      text: t`Add server`,
      icon: Plus,
      does: 'post /orgs/{organization}/servers',
      run: go({ to: '/orgs/$org/servers/new', params: { org } }),
    },
    {
      key: 'a-site',
      group: t`Actions`,
      text: t`New site`,
      icon: Plus,
      does: 'post /orgs/{organization}/servers/{server}/sites',
      run: go({ to: '/orgs/$org/sites/new', params: { org } }),
    },
    {
      key: 'a-recipe',
      group: t`Actions`,
      text: t`New recipe`,
      icon: Plus,
      does: 'post /orgs/{organization}/recipes',
      run: go({ to: '/orgs/$org/recipes/new', params: { org } }),
    },
    {
      key: 'a-invite',
      group: t`Actions`,
      text: t`Invite member`,
      icon: UserPlus,
      does: 'post /orgs/{organization}/invites',
      run: go({ to: '/orgs/$org/team', params: { org }, hash: 'add' }),
    },
  ];
  const actions: Entry[] = [
    ...creates.filter((e) => may(e.does)),
    { key: 'a-token', group: t`Actions`, text: t`New access token`, icon: KeyRound, run: go({ to: '/account/tokens' }) },
    { key: 'a-light', group: t`Actions`, text: t`Use light theme`, icon: Sun, run: () => setTheme('light') },
    { key: 'a-dark', group: t`Actions`, text: t`Use dark theme`, icon: Moon, run: () => setTheme('dark') },
    ...Object.entries(going).map(([k, v]) => ({
      key: 'g-' + k,
      group: t`Go to`,
      text: v.text,
      note: `g ${k}`,
      icon: Search,
      run: go({ to: v.to, params: { org } } as NavigateOptions),
    })),
    ...[
      [t`Settings`, settingsPlaces],
      [t`Team`, teamPlaces],
      [t`Your account`, accountPlaces],
    ].flatMap(([of, places]) =>
      readable(held, places as Place[]).map((p) => ({
        key: p.to,
        group: t`Go to`,
        text: `${of as string}: ${p.text}`,
        icon: Settings,
        run: go({ to: p.to, params: { org } } as NavigateOptions),
      })),
    ),
  ];
  const parts = (places: Place[], thing: string, at: Record<string, string>): Entry[] =>
    readable(held, places.slice(1)).map((p) => ({
      key: p.to + Object.values(at).join(),
      path: Object.entries(at).reduce((to, [name, value]) => to.replace('$' + name, value), p.to),
      group: t`Pages`,
      text: `${thing}: ${p.text}`,
      icon: CornerDownRight,
      run: go({ to: p.to, params: at } as NavigateOptions),
    }));
  const page = (text: string, to: string, at: Record<string, string>): Entry => ({
    key: text + to + Object.values(at).join(),
    group: t`Pages`,
    text,
    icon: CornerDownRight,
    run: go({ to, params: at } as NavigateOptions),
  });
  const deeds = (all: Deed[], thing: string, at: Record<string, string>): Entry[] =>
    all
      .filter((d) => may(d.does))
      .map((d) => ({
        key: `${d.to}#${d.hash}${Object.values(at).join()}`,
        group: t`More actions`,
        text: d.text(thing),
        icon: d.hash === 'edit' ? Pencil : Plus,
        run: go({ to: d.to, params: at, hash: d.hash } as NavigateOptions),
      }));
  const ofServer = (s: ServerOf): Entry[] => [
    {
      key: 'b-' + s.id,
      group: t`Actions`,
      text: t`Reboot ${s.attributes.name}`,
      icon: RotateCw,
      run: go({ to: '/orgs/$org/servers/$server/settings', params: { org, server: s.id } }),
    },
    ...parts(serverPlaces(s), s.attributes.name, { org, server: s.id }),
    page(t`${s.attributes.name}: Usage of memory, processor and disk`, '/orgs/$org/servers/$server', { org, server: s.id }),
    ...deeds(serverDeeds(s), s.attributes.name, { org, server: s.id }),
  ];
  const ofSite = (s: Site): Entry[] => [
    ...(isBalanced(s)
      ? []
      : [
          {
            key: 'd-' + s.id,
            group: t`Actions`,
            text: t`Deploy ${s.attributes.name}`,
            icon: Rocket,
            stays: true,
            run: () => deploy.submit(undefined, { server: s.relationships?.server?.data?.id ?? '', site: s.id }),
          },
        ]),
    ...parts(sitePlaces(s), s.attributes.name, { org, site: s.id }),
    ...(isBalanced(s)
      ? []
      : [
          page(t`${s.attributes.name}: Usage of memory and processor`, '/orgs/$org/sites/$site', { org, site: s.id }),
          page(t`${s.attributes.name}: Limits of memory, processor and disk`, '/orgs/$org/sites/$site/settings', { org, site: s.id }),
        ]),
    ...deeds(siteDeeds(s), s.attributes.name, { org, site: s.id }),
  ];
  // Until the answer to what was typed is there, the rows are those of before: Enter must not open one that is called otherwise.
  const named = <T extends { attributes: { name: string } }>(rows: T[]) => rows.filter((r) => r.attributes.name.toLowerCase().includes(name));
  const fits = (e: Entry) => words.every((w) => e.text.toLowerCase().includes(w));
  const things: Entry[] = [
    ...named(servers.rows).map((s) => ({
      key: 's-' + s.id,
      path: `/orgs/${org}/servers/${s.id}`,
      group: t`Servers`,
      text: s.attributes.name,
      note: s.attributes.ip_address ?? '',
      icon: Server,
      run: go({ to: '/orgs/$org/servers/$server', params: { org, server: s.id } }),
    })),
    ...named(sites.rows).map((s) => ({
      key: 'i-' + s.id,
      path: `/orgs/${org}/sites/${s.id}`,
      group: t`Sites`,
      text: s.attributes.name,
      note: siteKind(s),
      icon: Globe,
      run: go({ to: '/orgs/$org/sites/$site', params: { org, site: s.id } }),
    })),
    ...(words.length
      ? named(recipes.rows)
          .slice(0, 5)
          .map((r) => ({
            key: 'r-' + r.id,
            group: t`Recipes`,
            text: r.attributes.name,
            icon: ScrollText,
            run: go({ to: '/orgs/$org/recipes/$recipe', params: { org, recipe: r.id } }),
          }))
      : []),
    ...(words.length
      ? named(shipped.rows)
          .slice(0, 3)
          .map((r) => ({
            key: 'sr-' + r.id,
            group: t`Recipes`,
            text: r.attributes.name,
            icon: ScrollText,
            run: go({ to: '/orgs/$org/recipes/shipped/$shipped', params: { org, shipped: r.id } }),
          }))
      : []),
  ];
  const near = words.length === 0 ? [] : [...named(sites.rows).slice(0, 3).flatMap(ofSite), ...named(servers.rows).slice(0, 3).flatMap(ofServer)].filter(fits);
  // Pages of this organization that were open last; the one that is open now is no news.
  const [visits] = useState(() => readVisits().filter((v) => v.path.startsWith(`/orgs/${org}/`) && v.path !== location.pathname));
  const rank = new Map(visits.map((v, i) => [v.path, i]));
  const lastFirst = (all: Entry[]) => all.toSorted((a, b) => (rank.get(a.path ?? '') ?? most) - (rank.get(b.path ?? '') ?? most));
  const recent: Entry[] = words.length
    ? []
    : visits
        .map((v) => ({ key: 'v-' + v.path, group: t`Recent`, text: labelOf(v), icon: History, run: () => void navigate({ to: v.path }) }))
        .filter((e) => e.text)
        .slice(0, 5);
  const parted = words.length > 0 && words.every(isVerb);
  const partsOfFirst = parted ? [...firstSites.rows.slice(0, 3).flatMap(ofSite), ...firstServers.rows.slice(0, 3).flatMap(ofServer)] : [];
  const others = partsOfFirst.filter((e) => e.group === t`Pages` && fits(e) && !near.some((n) => n.key === e.key));
  const whole = name === words.join(' '); // of a name alone, what is done with it; its parts when one is named
  const entries: Entry[] = [
    ...recent,
    ...lastFirst(things.filter((e) => e.group === t`Servers` && fits(e))),
    ...lastFirst(things.filter((e) => e.group === t`Sites` && fits(e))),
    ...things.filter((e) => e.group === t`Recipes` && fits(e)),
    ...near.filter((e) => e.group === t`Actions`),
    ...actions.filter((e) => e.group === t`Actions` && fits(e)),
    ...lastFirst(near.filter((e) => e.group === t`Pages`)).slice(0, whole ? 8 : 24),
    ...near.filter((e) => e.group === t`More actions` && !whole).slice(0, 12),
    ...actions.filter((e) => e.group !== t`Actions` && fits(e) && (words.length > 0 || e.note)),
    ...lastFirst(others).slice(0, 12),
  ];
  // biome-ignore lint/correctness/useExhaustiveDependencies: other words choose the first again
  useEffect(() => setAt(0), [text]);
  const chosen = Math.min(at, entries.length - 1);
  const run = (e?: Entry) => {
    if (!e || deploy.pending) return;
    if (!e.stays) onClose();
    e.run();
  };
  return (
    <Base.Root open onOpenChange={(is) => !is && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-veil" />
        <Base.Popup
          aria-label={t`Search or run a command`}
          className="rising fixed top-[12vh] left-1/2 z-50 flex max-h-[70vh] w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-float outline-none"
        >
          <div className="flex items-center gap-3 border-b border-line px-4">
            {deploy.pending ? (
              <LoaderCircle className="size-4 animate-spin text-muted" aria-label={t`Starting`} />
            ) : (
              <Search className="size-4 text-muted" aria-hidden />
            )}
            <input
              // biome-ignore lint/a11y/noAutofocus: who opens the palette types
              autoFocus
              role="combobox"
              aria-expanded
              aria-controls="palette-list"
              aria-activedescendant={entries[chosen] ? 'p-' + entries[chosen].key : undefined}
              aria-label={t`Search or run a command`}
              value={text}
              onChange={(e) => setText(e.target.value)}
              placeholder={t`Search servers, sites, settings and actions`}
              className="h-13 min-w-0 flex-1 bg-transparent text-lg outline-none"
              onKeyDown={(e) => {
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
              }}
            />
          </div>
          {deploy.error && (
            <p role="alert" className="border-b border-line px-4 py-2 text-danger">
              {deploy.error.message}
            </p>
          )}
          <div id="palette-list" role="listbox" aria-label={t`Results`} className="overflow-y-auto p-1.5">
            {entries.length === 0 && <p className="p-6 text-center text-muted">{text.trim() ? t`No results for “${text.trim()}”` : t`No results`}</p>}
            {entries.map((e, i) => (
              <div key={e.key}>
                {entries[i - 1]?.group !== e.group && (
                  <div aria-hidden className="px-2.5 pt-2.5 pb-1 text-sm font-medium text-muted">
                    {e.group}
                  </div>
                )}
                {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the combobox */}
                <div
                  id={'p-' + e.key}
                  role="option"
                  aria-selected={i === chosen}
                  onClick={() => run(e)}
                  onMouseMove={() => setAt(i)}
                  className={`flex cursor-pointer items-center gap-3 rounded-lg px-2.5 py-2 ${i === chosen ? 'bg-soft text-accent' : ''}`}
                >
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
