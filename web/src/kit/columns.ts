// Which columns of a list there is room for. A list is laid out by its own width, not the window's: it may stand beside a menu.

export interface Sized {
  width?: string;
  /** minor columns are left out where there is no room for them, the last ones first; those that are so of a table have room on a card. */
  minor?: boolean | 'table';
  /** end is a column of buttons, at the end of the row. */
  end?: boolean;
}

const gap = 1; // between columns, in rem
const sides = 2; // what a row leaves free at its sides
const leastName = 11; // a name that is cut off says little below this
const least = 6.5;
const leastTable = 27; // on a phone each row is a card, however few columns there are

/** leastWidth is what a column needs in rem: its own width, the one that a flexible column asks for, or what it can't be read below. */
export function leastWidth(c: Sized, first: boolean): number {
  const fixed = /^(?:minmax\()?([\d.]+)rem/.exec(c.width ?? '');
  return fixed ? Number(fixed[1]) : first ? leastName : least;
}

/** fitting returns the columns to show as a table in a width of so many rem; null where each row is to be a card, as not even the main ones fit. */
export function fitting<C extends Sized>(columns: readonly C[], width: number): C[] | null {
  if (width < leastTable) return null;
  const shown = [...columns];
  const needed = () => shown.reduce((sum, c, i) => sum + leastWidth(c, i === 0), sides + gap * (shown.length - 1));
  while (needed() > width) {
    const at = shown.findLastIndex((c) => c.minor);
    if (at < 0) return null;
    shown.splice(at, 1);
  }
  return shown;
}

/** template is the widths of columns for a grid; flexible ones shrink to what they need and no further. */
export function template(columns: readonly Sized[]): string {
  return columns
    .map((c, i) => {
      const flexible = /^minmax\((?:0|[\d.]+rem),\s*([\d.]+fr)\)$/.exec(c.width ?? 'minmax(0,1fr)');
      return flexible ? `minmax(${leastWidth(c, i === 0)}rem,${flexible[1]})` : c.width!;
    })
    .join(' ');
}
