import { html, type TemplateResult } from 'lit';
import { visible } from '../../core/index.ts';
import { isLong } from '../shared/long-arguments.ts';

/** Characters shown at the beginning and at the end of long arguments. */
const HEAD = 300;
const TAIL = 200;
/** Up to this length each string is isolated, so that a right-to-left string does not reorder its neighbours. */
const ISOLATED_MAX = 32_768;
const STRING = /("(?:[^"\\]|\\.)*")/u;

/** Canonical arguments as a person reads them. */
export interface ShownArguments {
  /** In characters (code points). */
  readonly length: number;
  /** Characters between beginning and end that are not shown; 0 where the whole text is shown. */
  readonly hidden: number;
  /** The whole text, or its beginning and its end. */
  readonly parts: readonly (readonly unknown[])[];
  /** Too long for isolated strings: to be shown in the order in which it is written. */
  readonly exact: boolean;
}

export function showArguments(args: string, unfolded: boolean): ShownArguments {
  const length = countCharacters(args);
  const exact = args.length > ISOLATED_MAX;
  const pieces = exact ? [args] : args.split(STRING);
  if (unfolded || !isLong(args)) return { length, hidden: 0, parts: [show(pieces, 0, args.length, exact)], exact };
  const from = beforePair(args, HEAD);
  const to = beforePair(args, args.length - TAIL);
  return {
    length,
    hidden: countCharacters(args.slice(from, to)),
    parts: [show(pieces, 0, from, exact), show(pieces, to, args.length, exact)],
    exact,
  };
}

/** The units from `from` to `to`; every second piece is a string, whole or cut. */
function show(pieces: readonly string[], from: number, to: number, exact: boolean): readonly unknown[] {
  let at = 0;
  return pieces.flatMap((piece, nth) => {
    const start = at;
    at += piece.length;
    const text = piece.slice(Math.max(0, from - start), Math.max(0, to - start));
    if (text === '') return [];
    return !exact && nth % 2 === 1 ? [html`<bdi>${marked(text)}</bdi>`] : [marked(text)];
  });
}

function marked(text: string): readonly (string | TemplateResult)[] {
  return visible(text).map((piece) =>
    'text' in piece ? piece.text : html`<mark title=${piece.name}>${piece.escape}</mark>`,
  );
}

function countCharacters(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/** A cut never parts a surrogate pair. */
function beforePair(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? '') && /[\ud800-\udbff]/.test(text[at - 1] ?? '') ? at - 1 : at;
}
