// What the person who is signed in may do, where the page is.
import { createContext, useContext, useMemo } from 'react';
import { ApiError } from './client';
import { type Does, lacked, needed, type Operation } from './permissions';

/** Permissions are what the person may do here: null until they are known, undefined where nothing depends on them. Nothing is disabled for either. */
export const Permissions = createContext<ReadonlySet<string> | null | undefined>(undefined);

/** useLacked is the permission that the person would need to call something and does not have. */
export function useLacked(does: Does | undefined): string | undefined {
  const held = useContext(Permissions);
  return does && held ? lacked(held, does) : undefined;
}

/** useMay reports whether the person may call something here. */
export function useMay(does: Does | undefined): boolean {
  return useLacked(does) === undefined;
}

/** useKnown reports whether it is known what the person may do here, or nothing depends on it. */
export function useKnown(): boolean {
  return useContext(Permissions) !== null;
}

/**
 * useRefusal refuses a reading that the person may not do, with the missing permission as its message, so that no request is sent: opening a page adds no
 * refusal to the audit log. A reading that needs more than viewing waits until the permissions are known; the others are sent at once.
 */
export function useRefusal(path: string): { refused?: ApiError; waits: boolean } {
  const held = useContext(Permissions);
  const reading = `get ${path}` as Operation;
  const lacks = useLacked(reading);
  const refused = useMemo(() => (lacks ? new ApiError(403, lacks) : undefined), [lacks]);
  return { refused, waits: held === null && needed(reading).some((p) => !p.endsWith(':view')) };
}
