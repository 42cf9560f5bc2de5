import { useParams } from '@tanstack/react-router';
import { createContext, useContext } from 'react';
import { fill } from '../../api/client';
import type { Site } from '../../api/types';

/** SiteContext has the site whose pages are open. */
export const SiteContext = createContext<Site | null>(null);
export const useSite = () => useContext(SiteContext)!;
export const serverOf = (s: Site) => s.relationships?.server?.data?.id ?? '';

/** useAt is the site that is looked at, as paths of the API and of the dashboard name it. */
export function useAt() {
  const { org, site: id } = useParams({ from: '/orgs/$org/sites/$site' });
  const site = useSite();
  return { org, site, params: { organization: org, server: serverOf(site), site: id }, to: { org, site: id } };
}

/** useShownAt are the lists and the document that show the site, for what is expected of a change. */
export function useShownAt() {
  const { params, site } = useAt();
  const all = fill('/orgs/{organization}/sites', params);
  return { list: all, also: [`${all}/${site.id}`, fill('/orgs/{organization}/servers/{server}/sites', params)], id: site.id };
}
