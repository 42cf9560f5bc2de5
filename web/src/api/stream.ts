// The event stream of an organization, of which a browser has one for all its tabs; the one that was elected has the connection and passes on what comes.
import { elect, type Says } from './election';

/** Piece is a piece of an event's output, as the stream sends it. */
export interface Piece {
  event_id: string;
  server_id: number | null;
  site_id: number | null;
  seq: number;
  kind: string;
  step: string;
  content: string;
  at: string;
}

type Message = (Says & { open: boolean }) | { kind: 'piece'; piece: Piece } | { kind: 'opened' } | { kind: 'lost' };

interface Listener {
  piece: (p: Piece) => void;
  /** opened is called when what happens is heard; again where some of it may have been missed. */
  opened: (again: boolean) => void;
  lost: () => void;
}

/** connect reads the stream and tries again when it is lost, until closed. */
function connect(org: string, to: { piece: (p: Piece) => void; opened: () => void; lost: () => void }) {
  let source: EventSource | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let pause = 500;
  const open = () => {
    source?.close();
    source = new EventSource(`/api/orgs/${encodeURIComponent(org)}/events/stream`);
    source.onopen = () => {
      pause = 500;
      to.opened();
    };
    source.onerror = () => {
      to.lost();
      source?.close(); // the browser gives up after some errors; this does not
      clearTimeout(again);
      again = setTimeout(open, pause);
      pause = Math.min(pause * 1.7, 8_000);
    };
    source.addEventListener('output', (message) => to.piece(JSON.parse(message.data as string) as Piece));
  };
  const back = () => {
    clearTimeout(again);
    pause = 500;
    open();
  };
  open();
  addEventListener('online', back);
  return () => {
    removeEventListener('online', back);
    clearTimeout(again);
    source?.close();
  };
}

const random = () => crypto.randomUUID?.() ?? String(Math.random()).slice(2); // the former exists on HTTPS only

/** follow hears what happens in an organization while this tab is in sight, until it is stopped. */
export function follow(org: string, to: Listener): () => void {
  let stop: (() => void) | undefined;
  let ever = false;
  const start = () => {
    const id = random();
    const channel = new BroadcastChannel(`hostler.stream.${org}`);
    let close: (() => void) | undefined;
    let open = false;
    const up = () => {
      if (open) return;
      open = true;
      to.opened(ever);
      ever = true;
    };
    const take = (m: Message) => {
      if (m.kind === 'piece') return to.piece(m.piece);
      if (m.kind === 'opened') {
        open = false; // another connection than the one before
        return up();
      }
      if (m.kind === 'lost' || (m.kind === 'lead' && open && !m.open)) {
        open = false;
        return to.lost();
      }
      if (m.kind === 'lead' && m.open) up();
    };
    const pass = (m: Message) => {
      channel.postMessage(m);
      take(m);
    };
    const election = elect({
      id,
      post: (says) => channel.postMessage({ ...says, open }),
      led: (leads) => {
        close?.();
        close = leads
          ? connect(org, { piece: (piece) => pass({ kind: 'piece', piece }), opened: () => pass({ kind: 'opened' }), lost: () => pass({ kind: 'lost' }) })
          : undefined;
      },
    });
    channel.onmessage = ({ data }: MessageEvent<Message>) => {
      take(data);
      if (data.kind === 'who' || data.kind === 'lead' || data.kind === 'bye') election.heard(data);
    };
    stop = () => {
      election.leave();
      channel.close();
      stop = undefined;
    };
  };
  const seen = () => {
    if (document.hidden) stop?.();
    else if (!stop) start();
  };
  const gone = () => stop?.();
  seen();
  document.addEventListener('visibilitychange', seen);
  addEventListener('pagehide', gone);
  addEventListener('pageshow', seen);
  return () => {
    document.removeEventListener('visibilitychange', seen);
    removeEventListener('pagehide', gone);
    removeEventListener('pageshow', seen);
    stop?.();
  };
}
