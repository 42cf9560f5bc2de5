import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

interface Tab {
  to: string;
  text: string;
  exact?: boolean;
  /** open is set for a tab that is open while a page below it is, whose address is another. */
  open?: boolean;
}
interface Props {
  label: string;
  tabs: Tab[];
  params: Record<string, string>;
}

/** GroupTabs are tabs with the pages of each below; the pages of the one that is open are shown as well. */
export function GroupTabs({ label, groups, params }: { label: string; groups: { text: string; places: Tab[] }[]; params: Record<string, string> }) {
  const path = useRouterState({ select: (s) => s.location.pathname.replace(/\/$/, '') });
  const at = (t: Tab) => t.to.replace(/\$(\w+)/g, (_, name: string) => params[name] ?? '');
  const here = (t: Tab) => path === at(t) || (!t.exact && path.startsWith(`${at(t)}/`));
  const open = groups.find((g) => g.places.some(here));
  return (
    <>
      <Tabs label={label} params={params} tabs={groups.map((g) => ({ ...g.places[0]!, text: g.text, open: g === open }))} />
      {open && open.places.length > 1 && <SubTabs label={`${label}: ${open.text}`} tabs={open.places} params={params} />}
    </>
  );
}

export function Tabs({ label, tabs, params }: Props) {
  const path = useRouterState({ select: (s) => s.resolvedLocation?.pathname });
  const nav = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page scrolls
  useEffect(() => {
    // the tab that is open is in sight, where there is no room for all
    const at = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (at && nav.current) nav.current.scrollLeft = at.offsetLeft - (nav.current.clientWidth - at.offsetWidth) / 2;
  }, [path]);
  return (
    <nav ref={nav} aria-label={label} className="relative -mx-4 flex overflow-x-auto border-b border-line px-4 md:mx-0 md:px-0">
      {tabs.map((t) => (
        <Link
          key={t.to}
          to={t.to}
          params={params as never}
          activeOptions={{ exact: !!t.exact }}
          resetScroll={false}
          aria-current={t.open || undefined}
          className="-mb-px shrink-0 border-b-2 border-transparent px-2 py-2 font-medium text-muted transition-colors hover:text-text aria-[current]:border-accent aria-[current]:text-text focus-visible:-outline-offset-2"
        >
          {t.text}
        </Link>
      ))}
    </nav>
  );
}

/** SubTabs are the parts of one tab. */
export function SubTabs({ label, tabs, params }: Props) {
  return (
    <nav aria-label={label} className="-mx-4 -mt-1 flex gap-1 overflow-x-auto px-4 whitespace-nowrap md:mx-0 md:flex-wrap md:px-0">
      {tabs.map((t) => (
        <Link
          key={t.to}
          to={t.to}
          params={params as never}
          activeOptions={{ exact: !!t.exact }}
          resetScroll={false}
          className="rounded-lg px-2.5 py-1 text-muted transition-colors hover:bg-hover hover:text-text aria-[current=page]:bg-soft aria-[current=page]:font-medium aria-[current=page]:text-accent max-md:py-2"
        >
          {t.text}
        </Link>
      ))}
    </nav>
  );
}
