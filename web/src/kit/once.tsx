// What is shown until it is done: this browser remembers that it was shown, so that its end is said once, and that it was put away.
import { t } from '@lingui/core/macro';
import { CircleCheck, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from './button';

type Mark = '' | 'seen' | 'hidden';

function read(name: string): Mark {
  try {
    const mark = localStorage.getItem(name);
    return mark === null ? '' : mark === 'seen' ? 'seen' : 'hidden'; // other words are those of older versions
  } catch {
    return '';
  }
}

function write(name: string, mark: Mark) {
  try {
    localStorage.setItem(name, mark);
  } catch {
    // a browser without storage forgets it
  }
}

/** useOnce is what this browser remembers under a name. */
export function useOnce(name: string) {
  const [state, setState] = useState({ name, mark: read(name) });
  const mark = state.name === name ? state.mark : read(name);
  const put = (next: Mark) => {
    write(name, next);
    setState({ name, mark: next });
  };
  return {
    gone: mark === 'hidden',
    seen: mark === 'seen',
    see: () => {
      if (mark === '') put('seen');
    },
    leave: () => put('hidden'),
  };
}

/** AllDone says that all steps of something are done, until it is closed. */
export function AllDone({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  return (
    <section aria-label={title} className="panel flex items-start gap-3 px-5 py-4">
      <CircleCheck className="mt-0.5 size-6 shrink-0 text-accent" aria-hidden />
      <div className="min-w-0 flex-1" role="status">
        <h2 className="text-lg font-semibold">{title}</h2>
        <p className="text-pretty wrap-anywhere">{children}</p>
      </div>
      <Button look="quiet" only icon={X} onClick={onClose}>
        {t`Close`}
      </Button>
    </section>
  );
}
