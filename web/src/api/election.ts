// Which of the tabs of a browser has the stream. Web Locks would say it as well, but exist on HTTPS and localhost only, and plain HTTP is where a browser
// has six connections for all tabs. So the tabs elect one over a BroadcastChannel: it says every second that it leads, and the silence elects the next.

/** Says is what tabs say to each other: who is there, I lead, I go. */
export type Says = { kind: 'who' | 'lead' | 'bye'; id: string };

export interface Rules {
  id: string;
  post: (says: Says) => void;
  /** led is called when this tab begins to lead, and when it ends. */
  led: (leads: boolean) => void;
  /** chance is from 0 to 1: two tabs that wait should not claim in the same moment. */
  chance?: () => number;
}

export const beat = 1_000;
const silence = 3 * beat;
const welcome = 150; // a tab that leads answers a new one within this

/** Election makes this tab one that may lead, until leave. heard takes what the others say. */
export function elect({ id, post, led, chance = Math.random }: Rules) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let beats: ReturnType<typeof setInterval> | undefined;
  const leads = () => beats !== undefined;
  const wait = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(claim, ms * (1 + chance()));
  };
  const say = () => post({ kind: 'lead', id });
  const claim = () => {
    beats = setInterval(say, beat);
    say();
    led(true);
  };
  const yieldTo = () => {
    clearInterval(beats);
    beats = undefined;
    led(false);
    wait(silence);
  };
  post({ kind: 'who', id });
  wait(welcome);
  return {
    leads,
    heard: (says: Says) => {
      if (says.kind === 'who') {
        if (leads()) say();
      } else if (says.kind === 'bye') {
        if (!leads()) wait(50);
      } else if (!leads()) wait(silence);
      else if (says.id < id) yieldTo();
      else say(); // of two that lead, the lower id stays
    },
    leave: () => {
      clearTimeout(timer);
      if (!leads()) return;
      clearInterval(beats);
      beats = undefined;
      post({ kind: 'bye', id });
      led(false);
    },
  };
}
