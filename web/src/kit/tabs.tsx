import { Link, useRouterState } from '@tanstack/react-router';
import { useContext, useEffect, useRef } from 'react';
import { Permissions } from '../api/may';
import { type Does, readable } from '../api/permissions';

interface Tab {
  to: string;
  text: string;
  exact?: boolean;
  /** open is set for a tab that is open while a page below it is, whose address is another. */
  open?: boolean;
  /** reads is what the tab's page is about: whoever may not read it does not get the tab. */
  reads?: Does;
}
interface Props {
  label: string;
  tabs: Tab[];
  params: Record<string, string>;
}

/** useReadable are the tabs whose pages have something to show to the person. */
const useReadable = (tabs: Tab[]) => readable(useContext(Permissions), tabs);

/** GroupTabs are tabs with the pages of each below; the pages of the one that is open are shown as well. */
export function GroupTabs({ label, groups, params }: { label: string; groups: { text: string; places: Tab[] }[]; params: Record<string, string> }) {
  const path = useRouterState({ select: (s) => s.location.pathname.replace(/\/$/, '') });
  const at = (t: Tab) => t.to.replace(/\$(\w+)/g, (_, name: string) => params[name] ?? '');
  const here = (t: Tab) => path === at(t) || (!t.exact && path.startsWith(`${at(t)}/`));
  const shown = new Set(useReadable(groups.flatMap((g) => g.places)));
  const open = groups.find((g) => g.places.some(here));
  const tabs = groups.flatMap((g) => {
    const first = g.places.find((p) => shown.has(p));
    return first ? [{ ...first, text: g.text, open: g === open }] : [];
  });
  return (
    <>
      <Tabs label={label} params={params} tabs={tabs} />
      {open && open.places.length > 1 && <SubTabs label={`${label}: ${open.text}`} tabs={open.places} params={params} />}
    </>
  );
}

export function Tabs({ label, tabs: all, params }: Props) {
  const tabs = useReadable(all);
  const path = useRouterState({ select: (s) => s.resolvedLocation?.pathname });
  const nav = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page scrolls
  useEffect(() => {
    // the tab that is open is in sight, where there is no room for all
    const at = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (at && nav.current) nav.current.scrollLeft = at.offsetLeft - (nav.current.clientWidth - at.offsetWidth) / 2;
  }, [path]);
  return (
    <nav ref={nav} aria-label={label} className="sideways relative -mx-4 flex overflow-x-auto border-b border-line px-4 md:mx-0 md:px-0">
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
export function SubTabs({ label, tabs: all, params }: Props) {
  const tabs = useReadable(all);
  return (
    <nav aria-label={label} className="sideways -mx-4 -mt-1 flex gap-1 overflow-x-auto px-4 whitespace-nowrap md:mx-0 md:flex-wrap md:px-0">
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
