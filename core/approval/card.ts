import { type Effect, joined, type Label } from '../capability/guard.ts';
import { decode } from '../json/decode.ts';
import { encodeText } from '../json/utf8.ts';
import { type JsonValue, pointerTo } from '../json/value.ts';
import type { CarriedValue, ReleasedBits, WantedSignatures } from '../run/effect.ts';
import { countLookalike } from '../text/lookalike.ts';
import { countUnseen, type Piece, visible, visibleLine, visibleText } from '../text/visible.ts';
import type { SignedAnswer } from './assertion.ts';

/** Texts of up to so many UTF-16 units are not folded. How long one is on the screen, the screen alone tells. */
const FOLD_ABOVE = 600;

/** Arguments that a host's form shows, in UTF-16 units as drawn. Longer ones are asked where a person can read them. */
const FORM_MAX = 2_000;

/** Characters shown at the beginning and at the end of folded arguments. */
const HEAD = 300;
const TAIL = 200;

/** Up to this length each string is isolated, so that a right-to-left string does not reorder its neighbours. */
const ISOLATED_MAX = 32_768;
const ESCAPE = /\\(?:u[\da-f]{4}|[^u])/giu;
const STRING = /("(?:[^"\\]|\\.)*")/u;

/** Parts in a stranger's words, whose ends can be out of sight. */
export type CardPart = 'args' | 'changes';

/** What an answer is bound to: it is of no use for another call, and of no use for another definition. */
export interface BoundQuestion {
  /** Digest of the question: capability, exact arguments, run, step and nonce. */
  readonly digest: string;
  /** Hash of the definition on the screen. */
  readonly definition: string;
  /** Number of the definition among those that its source has given this name, where the source can change it. */
  readonly revision: number;
}

/** A question, and the parts of it whose ends must have been on the screen: a renderer observes a mark at each end. */
export interface Readable {
  readonly bound: BoundQuestion;
  readonly mustRead: readonly CardPart[];
  /** The yes has to be signed: a click is none. */
  readonly isSigned?: true;
}

/** A call that waits for a person, as the run asks about it. */
export interface AskedCall {
  readonly capability: string;
  readonly capability_hash: string;
  readonly effect: Effect;
  /** Canonical JSON text. */
  readonly args: string;
  readonly digest: string;
  readonly reason: string;
  /** Place that the arguments go to. */
  readonly origin?: string;
  /** Hash of the definition that a person has declared the effect of. */
  readonly declared?: string;
  /** The call is a release: its result is told to the model. */
  readonly releases?: ReleasedBits;
  /** The held values in the arguments. */
  readonly carries?: readonly CarriedValue[];
  /** The yes has to be signed: whose signatures, how many, and those that are there. */
  readonly signed?: WantedSignatures;
}

/** What a host knows of the definition behind a call. */
export interface DefinitionFacts {
  readonly server?: string;
  readonly definition?: { readonly hash: string; readonly revision: number; readonly text: string };
  readonly labels?: readonly Label[];
}

/** Text between two strings, or a whole string or the cut part of one. A string is drawn in a direction of its own. */
export interface Span {
  readonly isString: boolean;
  readonly pieces: readonly Piece[];
}

/** A text of several lines in the arguments, which their JSON writes in one. */
export interface ShownText {
  /** JSON pointer of its place; empty where it is the arguments as a whole. */
  readonly place: readonly Piece[];
  readonly pieces: readonly Piece[];
}

export interface ShownArguments {
  /** The exact canonical text, for a renderer that draws JSON by itself and makes unseen characters visible. */
  readonly text: string;
  /** In characters (code points). */
  readonly length: number;
  /** True where `text` has folded arguments. */
  readonly isLong: boolean;
  readonly whole: readonly Span[];
  /** Beginning and end of long arguments, and the number of characters between them. */
  readonly folded?: { readonly head: readonly Span[]; readonly tail: readonly Span[]; readonly hidden: number };
  /** The first ten texts of several lines, to be drawn as they read, above the exact arguments. */
  readonly texts: readonly ShownText[];
  /** Too long for isolated strings: to be drawn in the order of its characters. */
  readonly isExact: boolean;
}

/** A held value in the arguments of a card. A card names the first 20 places, and then the rest as a single row. */
export interface CardValue {
  /** The place; absent for the arguments as a whole, and for the rest. */
  readonly place?: readonly Piece[];
  /** The number of places of the rest. */
  readonly places?: number;
  readonly labels: readonly Label[];
  /** The step whose result it is, or is a part of. */
  readonly step?: number;
  readonly sources: readonly Piece[];
}

/** The signatures of a card whose yes has to be signed. */
export interface CardSignatures {
  /** How many different persons have to sign the same answer. */
  readonly of: number;
  readonly names: readonly (readonly Piece[])[];
  readonly parts: readonly { readonly name: readonly Piece[]; readonly answer: SignedAnswer }[];
}

const VALUES_MAX = 20;
const TEXTS_MAX = 10;
/** UTF-16 units of a place, and of the sources of a value. */
const PLACE_MAX = 120;

/** What a person must be shown before a call runs. A stranger's text comes in pieces: its unseen characters are marks. */
export interface ApprovalCard extends Readable {
  readonly title: readonly Piece[];
  readonly effect: Effect;
  /** The effect is what a person has said that the definition does. */
  readonly isDeclared: boolean;
  readonly args: ShownArguments;
  readonly reason: readonly Piece[];
  readonly origin?: readonly Piece[];
  readonly server?: readonly Piece[];
  readonly labels?: readonly Label[];
  /** The bits of a release. */
  readonly releases?: ReleasedBits;
  /** The held values in the arguments. */
  readonly carries: readonly CardValue[];
  readonly signatures?: CardSignatures;
  /** The definition in the words of its server. */
  readonly definition?: readonly Piece[];
  /** Characters of arguments and origin that no reader would see. */
  readonly unseen: number;
  /** Words of arguments and origin whose letters may not be what they look like. */
  readonly lookalike: number;
  /** False for arguments that a host's form would cut. */
  readonly fitsForm: boolean;
}

export function cardOf(asked: AskedCall, facts: DefinitionFacts = {}): ApprovalCard {
  const { capability, capability_hash, effect, declared, args, digest, reason, origin, releases, carries = [] } = asked;
  const { server, definition, labels } = facts;
  const strange = [args, origin ?? ''];
  return {
    bound: { digest, definition: definition?.hash ?? capability_hash, revision: definition?.revision ?? 0 },
    mustRead: ['args'],
    ...(asked.signed !== undefined && { isSigned: true, signatures: signaturesOf(asked.signed) }),
    title: visible(capability),
    effect,
    isDeclared: declared !== undefined,
    args: shownArguments(args),
    reason: visible(reason),
    ...(origin !== undefined && { origin: visible(origin) }),
    ...(server !== undefined && { server: visible(server) }),
    ...(labels !== undefined && { labels }),
    ...(releases !== undefined && { releases }),
    carries: cardValues(carries),
    ...(definition !== undefined && { definition: visible(definition.text) }),
    unseen: sum(strange.map(countUnseen)),
    lookalike: countLookalike(args.replace(ESCAPE, ' ')) + countLookalike(origin ?? ''),
    fitsForm: args.length <= FORM_MAX && visibleText(args).length <= FORM_MAX,
  };
}

function signaturesOf({ by, of, parts }: WantedSignatures): CardSignatures {
  return {
    of,
    names: [...new Set(by.map(({ name }) => name))].map((name) => visible(name)),
    parts: parts.map(({ name, answer }) => ({ name: visible(name), answer })),
  };
}

function cardValues(carries: readonly CarriedValue[]): readonly CardValue[] {
  const rest = carries.slice(VALUES_MAX);
  const named = carries.slice(0, VALUES_MAX).map(
    ({ pointer, labels, handle, sources }): CardValue => ({
      ...(pointer !== '' && { place: visible(clipped(pointer)) }),
      labels,
      ...(handle !== undefined && { step: Number.parseInt(handle.slice(1), 10) }),
      sources: visible(clipped(sources.join(', '))),
    }),
  );
  if (rest.length === 0) return named;
  const sources = [...new Set(rest.flatMap((each) => each.sources))].sort();
  const labels = joined(...rest.map((each) => each.labels));
  return [...named, { places: rest.length, labels, sources: visible(clipped(sources.join(', '))) }];
}

function clipped(text: string): string {
  return text.length > PLACE_MAX ? `${text.slice(0, PLACE_MAX).toWellFormed()}…` : text;
}

/** The question whether private content may leave: its text is ours, and short. */
export function consentCard({ digest }: { readonly digest: string }): Readable {
  return { bound: { digest, definition: '', revision: 0 }, mustRead: [] };
}

/** What a person must be shown before a definition takes the place of the one that is pinned. */
export interface ChangeCard extends Readable {
  /** Words of the comparison whose letters may not be what they look like. */
  readonly lookalike: number;
}

/** `texts` are all texts of the comparison. `pinned` is the hash of the definition before. */
export function changeCard(
  { pinned, definition, revision }: { readonly pinned: string; readonly definition: string; readonly revision: number },
  texts: readonly string[],
): ChangeCard {
  const lookalike = sum(texts.map(countLookalike));
  return { bound: { digest: pinned, definition, revision }, mustRead: ['changes'], lookalike };
}

/** Pieces as plain text: each unseen character as its escape. */
export function plainText(pieces: readonly Piece[]): string {
  return pieces.map((piece) => ('text' in piece ? piece.text : piece.escape)).join('');
}

const EFFECTS: { readonly [E in Effect]: string } = {
  pure: 'It computes, and changes nothing.',
  read: 'It reads, and changes nothing.',
  write: 'It changes data.',
  egress: 'It sends data out.',
};

/** The card as plain English text, for a host that shows a text and two buttons. */
export function cardText(card: ApprovalCard): string {
  const line = (pieces: readonly Piece[]): string => visibleLine(plainText(pieces));
  const { origin, unseen, lookalike, isDeclared } = card;
  return [
    `May ${line(card.title)} be called? Its effect: ${card.effect}. ${EFFECTS[card.effect]}${isDeclared ? ' A person has declared that for this definition.' : ''}`,
    `Arguments: ${visibleText(card.args.text)}`,
    ...(card.releases === undefined ? [] : [releaseText(card.releases)]),
    ...card.carries.map((each) => `Held value: ${carriedText(each)}`),
    ...(origin === undefined ? [] : [`The arguments leave: they go to ${line(origin)}`]),
    ...(unseen === 0 ? [] : [`Unseen characters: ${unseen}. Each is written as its number, such as \\u200b.`]),
    ...(lookalike === 0
      ? []
      : [
          `Lookalike letters: ${lookalike === 1 ? '1 word' : `${lookalike} words`} in letters that may not be what they look like.`,
        ]),
    `Reason: ${line(card.reason)}`,
  ].join('\n');
}

/** What a release tells the model, and what is left of its grant. */
export function releaseText({ bits, charged, left, drops }: ReleasedBits): string {
  const most = `Its small result is told to the model: ${bits} bits at most. Of the grant ${charged} bits are used then, and ${left} are left.`;
  return drops === undefined ? most : `${most} Whoever wrote the value may choose among these answers.`;
}

/** Where a held value stands and where it comes from, as plain English text. */
export function carriedText({ place, places, labels, step, sources }: CardValue): string {
  const line = (pieces: readonly Piece[]): string => visibleLine(plainText(pieces));
  const where = places === undefined ? (place === undefined ? 'all arguments' : line(place)) : `${places} more places`;
  return `${where}: ${labels.join(', ') || 'no label'}; from ${step === undefined ? '' : `step ${step}, `}${line(sources)}`;
}

function isLong(text: string): boolean {
  return text.length > FOLD_ABOVE;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** JSON text with its strings apart, up to the length at which each string is drawn in a direction of its own. */
export function spansOf(json: string): readonly Span[] {
  return spans(piecesOf(json), 0, json.length);
}

function piecesOf(text: string): readonly string[] {
  return text.length > ISOLATED_MAX ? [text] : text.split(STRING);
}

function shownArguments(text: string): ShownArguments {
  const pieces = piecesOf(text);
  const shown = {
    text,
    length: countCharacters(text),
    isLong: isLong(text),
    isExact: text.length > ISOLATED_MAX,
    whole: spansOf(text),
    texts: linedTexts(text),
  };
  if (!isLong(text)) return shown;
  const [from, to] = [beforePair(text, HEAD), beforePair(text, text.length - TAIL)];
  const hidden = countCharacters(text.slice(from, to));
  return { ...shown, folded: { head: spans(pieces, 0, from), tail: spans(pieces, to, text.length), hidden } };
}

function linedTexts(args: string): readonly ShownText[] {
  // most arguments have no line feed, and none of these is read
  if (!args.includes('\\n')) return [];
  const read = decode(encodeText(args));
  return read.ok ? [...textsIn(read.value, '')].slice(0, TEXTS_MAX) : [];
}

function* textsIn(value: JsonValue, place: string): Generator<ShownText> {
  if (typeof value === 'string' && value.trimEnd().includes('\n'))
    yield { place: visible(clipped(place)), pieces: visible(value) };
  if (typeof value !== 'object' || value === null) return;
  for (const [name, each] of Object.entries(value)) yield* textsIn(each, pointerTo(place, name));
}

/** The units from `from` to `to`; every second piece is a string, whole or cut. */
function spans(pieces: readonly string[], from: number, to: number): readonly Span[] {
  let at = 0;
  return pieces.flatMap((piece, nth) => {
    const start = at;
    at += piece.length;
    const text = piece.slice(Math.max(0, from - start), Math.max(0, to - start));
    return text === '' ? [] : [{ isString: nth % 2 === 1, pieces: visible(text) }];
  });
}

function countCharacters(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/** A cut never parts a surrogate pair. */
function beforePair(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? '') && /[\ud800-\udbff]/.test(text[at - 1] ?? '') ? at - 1 : at;
}
