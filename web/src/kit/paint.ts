// The colours of a file's text, by the grammars of CodeMirror. A chunk of its own, which comes with the first editor that knows its language.
import { type StreamParser, StringStream } from '@codemirror/language';
import { properties } from '@codemirror/legacy-modes/mode/properties';
import { shell } from '@codemirror/legacy-modes/mode/shell';

export type Language = 'nginx' | 'env' | 'shell' | 'ini';

/** Piece is a part of a line, and what it is; '' for text without a colour. */
export type Piece = [text: string, kind: '' | 'comment' | 'keyword' | 'name' | 'text' | 'number'];

// A line of a .env file is NAME=value; a comment is a line of its own, and a colon is a letter as any other.
const env: StreamParser<unknown> = {
  token(stream) {
    if (stream.sol()) {
      stream.eatSpace();
      if (stream.peek() === '#') {
        stream.skipToEnd();
        return 'comment';
      }
      if (stream.match(/^export\s+/)) return 'keyword';
    }
    if (stream.match(/^[A-Za-z_][\w.]*(?=\s*=)/)) return 'def';
    if (stream.match(/^\s*=\s*/)) {
      const rest = stream.string.slice(stream.pos);
      if (/^-?\d+(\.\d+)?\s*$/.test(rest)) {
        stream.skipToEnd();
        return 'number';
      }
      return null;
    }
    if (stream.match(/^\$\{[^}]*\}/)) return 'variable';
    if (stream.match(/^[^$]+/)) return 'string';
    stream.next();
    return 'string';
  },
};

// CodeMirror's own grammar of nginx reads the * of "location /api/*" as the begin of a comment, so this is ours: a statement begins with its directive, and
// ends with ; { or }.
const nginx: StreamParser<{ directive: boolean; quote: string }> = {
  startState: () => ({ directive: true, quote: '' }),
  token(stream, state) {
    if (state.quote) {
      while (!stream.eol()) {
        const c = stream.next();
        if (c === '\\') stream.next();
        else if (c === state.quote) {
          state.quote = '';
          break;
        }
      }
      return 'string';
    }
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return 'comment';
    const c = stream.next()!;
    if (c === '"' || c === "'") {
      state.quote = c;
      state.directive = false;
      return 'string';
    }
    if (';{}'.includes(c)) {
      state.directive = true;
      return null;
    }
    if (c === '$') {
      stream.match(/^\w+|^\{\w+\}/);
      return 'variable';
    }
    stream.match(/^[^\s;{}$"']*/);
    if (state.directive) {
      state.directive = false;
      return 'keyword';
    }
    return /^\d+[a-zA-Z]?$/.test(stream.current()) ? 'number' : null;
  },
};

const parsers: Record<Language, StreamParser<unknown>> = {
  nginx: nginx as StreamParser<unknown>,
  env,
  shell: shell as StreamParser<unknown>,
  ini: properties as StreamParser<unknown>,
};

const kinds: Record<string, Piece[1]> = {
  comment: 'comment',
  keyword: 'keyword',
  builtin: 'keyword',
  tag: 'keyword',
  header: 'keyword',
  def: 'name',
  variable: 'name',
  attribute: 'name',
  string: 'text',
  quote: 'text',
  number: 'number',
  atom: 'number',
};
// CodeMirror says "variableName.definition" or "variable-2"; the first word decides.
const kindOf = (style: string | null): Piece[1] => (style && kinds[style.split(/[ .-]/)[0]!.replace('variableName', 'variable')]) || '';

const indent = 4;

/** paint splits a text into the pieces of each of its first lines. */
export function paint(language: Language, text: string, lines = Number.POSITIVE_INFINITY): Piece[][] {
  const parser = parsers[language];
  const state = parser.startState?.(indent) ?? {};
  const out: Piece[][] = [];
  for (const line of text.split('\n')) {
    if (out.length >= lines) break;
    const pieces: Piece[] = [];
    const stream = new StringStream(line, indent, indent);
    if (!line) parser.blankLine?.(state, indent);
    let idle = 0;
    while (!stream.eol()) {
      stream.start = stream.pos;
      const kind = kindOf(parser.token(stream, state));
      if (stream.pos === stream.start) {
        if (++idle < 10) continue; // a grammar may change its state without reading
        stream.next();
      }
      idle = 0;
      const last = pieces.at(-1);
      if (last?.[1] === kind) last[0] += stream.current();
      else pieces.push([stream.current(), kind]);
    }
    out.push(pieces);
  }
  return out;
}
