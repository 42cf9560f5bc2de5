// The way of a site from its repository to HTTPS: which step is done, by what is recorded, and which is next.
export type StepName = 'key' | 'access' | 'deployment' | 'address' | 'https';
export type Look = 'done' | 'now' | 'open';

export interface Facts {
  /** keyed is that the repository is read without a deploy key, or that the key was seen to be let in. */
  keyed: boolean;
  /** read is that the server has read the repository. */
  read: boolean;
  deployed: boolean;
  /** here is that every name of the domain leads to the server. */
  here: boolean;
  https: boolean;
}

const order: StepName[] = ['key', 'access', 'deployment', 'address', 'https'];

/** stepsOf returns the steps in their order. What is done is ticked in any order; of the others, the first is what to do now. */
export function stepsOf(f: Facts): { name: StepName; look: Look }[] {
  const done: Record<StepName, boolean> = { key: f.keyed || f.read, access: f.read, deployment: f.deployed, address: f.here || f.https, https: f.https };
  const now = order.find((name) => !done[name]);
  return order.map((name) => ({ name, look: done[name] ? 'done' : name === now ? 'now' : 'open' }));
}

/** Known is what the pages know of a site. */
export interface Known {
  url: string;
  key: string | null | undefined;
  /** check is what the newest check of the repository says. */
  check: string | null | undefined;
  status: string;
  /** statuses are those of the newest deployments. */
  statuses: string[];
  here: boolean;
  https: boolean;
}

/** factsOf reads the facts. Nothing is one before it is recorded. */
export function factsOf(k: Known): Facts {
  const deployed = k.status === 'deployed' || k.statuses.includes('finished');
  const read = k.check === 'passed' || deployed;
  return { keyed: read || (k.key === null && k.url.startsWith('https://')), read, deployed, here: k.here, https: k.https };
}
