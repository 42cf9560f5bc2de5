import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, Outlet, useNavigate, useParams, useRouterState } from '@tanstack/react-router';
import {
  Menu as Bars,
  BookOpen,
  Building2,
  ChevronsUpDown,
  Globe,
  House,
  Keyboard,
  Layers,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Plus,
  ScrollText,
  Search,
  Server,
  Settings,
  Sun,
  UserRound,
  Users,
  WifiOff,
  X,
} from 'lucide-react';
import { lazy, Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { onSignedOut, send } from '../api/client';
import { LiveProvider, useLive } from '../api/live';
import { Permissions } from '../api/may';
import { client, useGet, useList } from '../api/query';
import { Button } from '../kit/button';
import { forgetDrafts } from '../kit/kept';
import { Menu } from '../kit/lazy-menu';
import { Failed, Opening } from '../kit/page';
import { guide } from './guides';
import { useKeys } from './keys';
import { forgetVisits, visit } from './recent';
import { Session, useUser } from './session';
import { lastOrg, setTheme, useTheme } from './theme';

const Palette = lazy(() => import('./palette'));
const CreateOrganization = lazy(() => import('../pages/organization/create'));
const Shortcuts = lazy(() => import('./shortcuts'));

const places: { to: string; text: string; icon: LucideIcon; exact?: boolean }[] = [
  { to: '/orgs/$org', text: t`Home`, icon: House, exact: true },
  { to: '/orgs/$org/servers', text: t`Servers`, icon: Server },
  { to: '/orgs/$org/sites', text: t`Sites`, icon: Globe },
  { to: '/orgs/$org/recipes', text: t`Recipes`, icon: ScrollText },
  { to: '/orgs/$org/team', text: t`Team`, icon: Users },
  { to: '/orgs/$org/settings', text: t`Settings`, icon: Settings },
];

/** Organization is the frame of everything inside one organization. */
export function Organization() {
  const { org } = useParams({ from: '/orgs/$org' });
  return (
    <Session>
      <LiveProvider org={org} key={org}>
        <Inside org={org} />
      </LiveProvider>
    </Session>
  );
}

function Inside({ org }: { org: string }) {
  const doc = useGet('/orgs/{organization}', { organization: org });
  const held = doc.data?.data.meta?.permissions;
  const permissions = useMemo(() => (held ? new Set<string>(held) : null), [held]);
  useEffect(() => {
    if (doc.data) lastOrg(org);
  }, [doc.data, org]);
  return (
    <Permissions value={permissions}>
      <Frame org={org}>{doc.error && !doc.data ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Outlet />}</Frame>
    </Permissions>
  );
}

/** Account is the frame of pages that belong to no organization: the person's own, and the one of all organizations. */
export function Account() {
  return (
    <Session>
      <AccountInside />
    </Session>
  );
}
function AccountInside() {
  const orgs = useList('/orgs', {}, { all: true });
  const last = lastOrg();
  const org = orgs.rows.find((o) => o.attributes.slug === last)?.attributes.slug ?? orgs.rows[0]?.attributes.slug;
  if (!org)
    return orgs.isPending ? null : (
      <Frame org="">
        <Outlet />
      </Frame>
    );
  return (
    <LiveProvider org={org}>
      <Frame org={org}>
        <Outlet />
      </Frame>
    </LiveProvider>
  );
}

function Frame({ org, children }: { org: string; children: React.ReactNode }) {
  const [palette, setPalette] = useState(false);
  const [shortcuts, setShortcuts] = useState(false);
  const [menu, setMenu] = useState(false);
  const path = useRouterState({ select: (s) => s.location.pathname });
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the menu and moves the focus
  useEffect(() => {
    setMenu(false);
    if (first.current) first.current = false;
    else if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true }); // a new screen: the focus goes with it
  }, [path]);
  useEffect(() => {
    const leave = () => visit({ path, title: document.title });
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave(); // the title is still that of the page that was left
    };
  }, [path]);
  useTop();
  useKeptFocus(main);
  useKeys({ org, palette: () => setPalette(true), shortcuts: () => setShortcuts(true) });
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
      <a href="#main" className="sr-only z-50 rounded-lg bg-strong px-3 py-2 text-white focus:not-sr-only focus:fixed focus:top-2 focus:left-2">
        <Trans>Skip to content</Trans>
      </a>
      <aside
        className={`z-30 flex flex-col gap-4 border-line bg-ground p-3 max-lg:border-b lg:sticky lg:top-0 lg:h-dvh lg:border-r ${menu ? 'max-lg:fixed max-lg:inset-0' : 'max-lg:sticky max-lg:top-0'}`}
      >
        <div className="flex items-center gap-2">
          <OrgSwitch org={org} />
          <span className="flex gap-1 lg:hidden">
            {org && (
              <Button look="quiet" only icon={Search} onClick={() => setPalette(true)}>
                <Trans>Search</Trans>
              </Button>
            )}
            <Button look="quiet" only icon={menu ? X : Bars} aria-expanded={menu} onClick={() => setMenu(!menu)}>
              <Trans>Menu</Trans>
            </Button>
          </span>
        </div>
        <div className={`flex flex-1 flex-col gap-4 ${menu ? '' : 'max-lg:hidden'}`}>
          {org && (
            <button
              type="button"
              onClick={() => setPalette(true)}
              className="flex h-9 items-center gap-2 rounded-lg border border-line bg-surface px-2.5 text-muted shadow-raised hover:border-edge max-md:h-11"
            >
              <Search className="size-4 shrink-0" aria-hidden />
              <span aria-hidden className="min-w-0 truncate">
                <Trans>Search or run</Trans>
              </span>
              <span className="sr-only">
                <Trans>Search or run a command</Trans>
              </span>
              <kbd aria-hidden className="ml-auto shrink-0 font-mono text-sm">
                {/Mac|iPhone/.test(navigator.platform) ? '⌘K' : 'Ctrl K'}
              </kbd>
            </button>
          )}
          <nav aria-label={t`Main`} className="grid gap-0.5">
            {org &&
              places.map(({ to, text, icon: Icon, exact }) => (
                <Link
                  key={to}
                  to={to}
                  params={{ org } as never}
                  activeOptions={{ exact: !!exact }}
                  className="flex h-9 items-center gap-2.5 rounded-lg px-2.5 font-medium text-muted transition-colors hover:bg-hover hover:text-text aria-[current=page]:bg-soft aria-[current=page]:text-accent max-md:h-11 max-md:text-lg"
                >
                  <Icon className="size-4" aria-hidden />
                  {text}
                </Link>
              ))}
          </nav>
          <div className="mt-auto grid grid-cols-1 gap-1">
            <Guide path={path} />
            <Me shortcuts={() => setShortcuts(true)} />
          </div>
        </div>
      </aside>
      <div className="min-w-0">
        <Lost />
        <main id="main" ref={main} tabIndex={-1} className="mx-auto min-w-0 max-w-6xl px-4 py-6 outline-none md:px-8 md:py-8">
          {children}
        </main>
      </div>
      <Suspense fallback={<Opening />}>
        {palette && org && <Palette org={org} onClose={() => setPalette(false)} />}
        {shortcuts && <Shortcuts onClose={() => setShortcuts(false)} />}
      </Suspense>
    </div>
  );
}

/** Guide leads to the documentation of the page that is open, in a tab of its own: what is half filled in stays. */
function Guide({ path }: { path: string }) {
  const { text, to } = guide(path);
  return (
    <a
      href={to}
      target="_blank"
      rel="noreferrer"
      title={t`Documentation: ${text}`}
      className="flex h-9 items-center gap-2.5 rounded-lg px-2.5 text-muted hover:bg-hover hover:text-text max-md:h-11 max-md:text-lg"
    >
      <BookOpen className="size-4 shrink-0" aria-hidden />
      <span className="min-w-0 truncate">
        <Trans>
          Help for this page<span className="sr-only">: {text}</span>
        </Trans>
      </span>
    </a>
  );
}

/**
 * useTop begins another page at its top, before the page is there: the way down to a form's button would be past the end of what is shown meanwhile. Tabs of
 * the same server or site stay where they are, and so does what one goes back to.
 */
function useTop() {
  const page = useRouterState({ select: (s) => s.location.pathname.split('/').slice(0, 5).join('/') });
  const index = useRouterState({ select: (s) => s.location.state.__TSR_index });
  const was = useRef(index);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page, and not the place in the history alone
  useLayoutEffect(() => {
    if (index > was.current) scrollTo(0, 0);
    was.current = index;
  }, [page]);
}

/** useKeptFocus gives the focus to the content when what had it is gone: a row that was deleted, a screen that was left. */
function useKeptFocus(main: React.RefObject<HTMLElement | null>) {
  useEffect(() => {
    let last: Element | null = null;
    const focused = (e: FocusEvent) => {
      last = e.target as Element;
    };
    const changed = new MutationObserver(() => {
      if (!last || last.isConnected) return;
      last = null;
      if (document.activeElement === document.body || !document.activeElement)
        (document.querySelector<HTMLElement>('[role=dialog]') ?? main.current)?.focus({ preventScroll: true });
    });
    addEventListener('focusin', focused);
    changed.observe(document.body, { childList: true, subtree: true });
    return () => {
      removeEventListener('focusin', focused);
      changed.disconnect();
    };
  }, [main]);
}

function OrgSwitch({ org }: { org: string }) {
  const orgs = useList('/orgs', {}, { all: true });
  const navigate = useNavigate();
  const everywhere = useRouterState({ select: (s) => s.location.pathname.replace(/\/$/, '') === '/orgs' });
  const may = !!useUser().meta?.can_create_organizations;
  const [creating, setCreating] = useState(false);
  const name = everywhere ? t`All organizations` : (orgs.rows.find((o) => o.attributes.slug === org)?.attributes.name ?? (org || 'Hostler'));
  const go = (slug: string) => void navigate({ to: '/orgs/$org', params: { org: slug } });
  return (
    <>
      <Menu
        items={[
          ...orgs.rows.map((o) => ({
            text: o.attributes.name,
            icon: Building2,
            chosen: !everywhere && o.attributes.slug === org,
            onClick: () => go(o.attributes.slug),
          })),
          ...(orgs.rows.length > 1 || may ? (['line'] as const) : []),
          ...(orgs.rows.length > 1 ? [{ text: t`All organizations`, icon: Layers, chosen: everywhere, onClick: () => void navigate({ to: '/orgs' }) }] : []),
          ...(may ? [{ text: t`Create organization`, icon: Plus, onClick: () => setCreating(true) }] : []),
        ]}
        trigger={
          <button type="button" className="flex h-10 min-w-0 flex-1 items-center gap-2.5 rounded-lg px-1.5 text-left hover:bg-hover">
            <img src="/mark.svg" alt="" className="size-7" width="28" height="28" />
            <span aria-hidden className="min-w-0 flex-1 truncate font-semibold">
              {name}
            </span>
            <span className="sr-only">{t`${name}, switch organization`}</span>
            <ChevronsUpDown className="size-4 text-muted" aria-hidden />
          </button>
        }
      />
      <Suspense fallback={<Opening />}>
        {creating && (
          <CreateOrganization
            onClose={() => setCreating(false)}
            done={(slug) => {
              setCreating(false);
              go(slug);
            }}
          />
        )}
      </Suspense>
    </>
  );
}

const themes = { light: Sun, dark: Moon, system: Monitor } as const;

function Me({ shortcuts }: { shortcuts: () => void }) {
  const user = useUser();
  const name = user.attributes.name || user.attributes.email;
  const navigate = useNavigate();
  const theme = useTheme();
  const leave = async () => {
    onSignedOut(() => Promise.resolve(false)); // the person wants it
    forgetDrafts();
    await send('post', '/api/auth/logout').catch(() => undefined);
    client.clear();
    forgetVisits();
    void navigate({ to: '/sign-in' });
  };
  return (
    <Menu
      items={[
        { text: t`Your account`, icon: UserRound, onClick: () => void navigate({ to: '/account' }) },
        { text: t`Keyboard shortcuts`, icon: Keyboard, onClick: shortcuts },
        'line',
        ...(['light', 'dark', 'system'] as const).map((name) => ({
          text: { light: t`Light`, dark: t`Dark`, system: t`System` }[name],
          icon: themes[name],
          chosen: theme === name,
          onClick: () => setTheme(name),
        })),
        'line',
        { text: t`Sign out`, icon: LogOut, onClick: () => void leave() },
      ]}
      trigger={
        <button type="button" className="flex w-full min-w-0 items-center gap-2.5 rounded-lg p-1.5 text-left hover:bg-hover">
          <span aria-hidden className="grid size-7 shrink-0 place-items-center rounded-full bg-soft text-sm font-semibold text-accent">
            {name.slice(0, 1).toUpperCase()}
          </span>
          <span aria-hidden className="min-w-0 flex-1 truncate">
            {name}
          </span>
          <span className="sr-only">{t`${name}, your account`}</span>
          <ChevronsUpDown className="size-4 text-muted" aria-hidden />
        </button>
      }
    />
  );
}

/** Lost says that what is shown may be old. It waits a moment: a panel that restarts is back before anybody reads. */
function Lost() {
  const { lost } = useLive();
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!lost) return setShown(false);
    const t = setTimeout(() => setShown(true), 1500);
    return () => clearTimeout(t);
  }, [lost]);
  return (
    <div role="status" aria-live="polite">
      {shown && (
        <div className="flex items-center justify-center gap-2 bg-warn-soft px-4 py-2 text-warn">
          <WifiOff className="size-4" aria-hidden />
          <Trans>Connection lost. Work on your servers continues; this page reconnects automatically.</Trans>
        </div>
      )}
    </div>
  );
}
