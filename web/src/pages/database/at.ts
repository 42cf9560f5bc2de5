import { useParams } from '@tanstack/react-router';
import { useServer } from '../server/at';

export const schemas = '/orgs/{organization}/servers/{server}/database/schemas';
export const users = '/orgs/{organization}/servers/{server}/database/users';

/** useServerAt is the server that is looked at, as paths of the API name it. */
export function useServerAt() {
  const { org, server: id } = useParams({ from: '/orgs/$org/servers/$server' });
  return { org, server: useServer(), params: { organization: org, server: id } };
}
