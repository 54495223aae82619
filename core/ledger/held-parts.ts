import type { Label } from '../capability/guard.ts';
import { HANDLE_TEXT } from '../capability/handle.ts';
import { valueAt } from '../capability/hold.ts';
import { CODES, refuse } from '../errors.ts';
import { decodeUtf8 } from '../json/utf8.ts';
import { isObject, type JsonValue } from '../json/value.ts';
import type { Refusal } from '../outcome.ts';
import type { HeldReceipt, HeldRow } from './held.ts';
import { parseJson } from './line.ts';
import type { PayloadRef } from './payload-ref.ts';

/** A held outcome: the value, or the refusal of the call. */
export interface OpenedHandle extends Omit<HeldRow, 'status'> {
  readonly outcome:
    | { readonly ok: true; readonly value: JsonValue | undefined }
    | { readonly ok: false; readonly refusal: Refusal | undefined };
}

/** The outcome with its value; `bytes` of the payload without its salt, undefined after an erasure. */
export function openedHandle(held: HeldReceipt, bytes: Uint8Array | undefined): OpenedHandle {
  const { outcome: _, status, ...row } = held;
  const value = bytes && parseJson(decodeUtf8(bytes) ?? '');
  return {
    ...row,
    outcome: status === 'success' ? { ok: true, value } : { ok: false, refusal: refusalOf(value) },
  };
}

/** The stored refusal with the sentence of its code. */
function refusalOf(stored: JsonValue | undefined): Refusal | undefined {
  const { code, details, step, pointer } = (isObject(stored) ? stored : {}) as unknown as Partial<Refusal>;
  if (code === undefined || !Object.hasOwn(CODES, code)) return undefined;
  const place = { ...(step && { step }), ...(pointer !== undefined && { pointer }) };
  return refuse(code, details as never, place).refusal;
}

/**
 * A part of the words of a model. `held`: the words name a held value, for example `{{h12/0/subject}}`: the handle, and a
 * JSON pointer into its value.
 */
export type HeldPart = { readonly kind: 'text'; readonly text: string } | HeldValuePart;

export interface HeldValuePart {
  readonly kind: 'held';
  /** The words as they are written, for example `{{h12/0/subject}}`. */
  readonly text: string;
  readonly handle: string;
  /** JSON pointer; empty for the whole value. */
  readonly at: string;
  /** Absent where `missing` says why. */
  readonly value?: JsonValue;
  /**
   * `unknown`: no outcome of this run has the handle. `erased`: its bytes are gone. `failed`: the call has no value.
   * `beyond`: the value has nothing at the pointer.
   */
  readonly missing?: 'unknown' | 'erased' | 'failed' | 'beyond';
  readonly labels: readonly Label[];
  readonly sources: readonly string[];
}

const NAMED = new RegExp(String.raw`\{\{(?<handle>${HANDLE_TEXT})(?<at>(?:\/(?:[^~/{}\n]|~[01])*)*)\}\}`, 'gu');

/** The handles that the words of a model name, each once, in their order. */
export function handlesNamed(text: string): readonly string[] {
  return [...new Set([...text.matchAll(NAMED)].map(({ groups }) => groups?.['handle'] ?? ''))];
}

/**
 * The words of a model in parts. A value is data: handles that it names itself are text. `find` gives the bytes of a
 * payload without their salt.
 */
export function heldParts(
  text: string,
  held: readonly HeldReceipt[],
  find: (ref: PayloadRef) => Uint8Array | undefined,
): readonly HeldPart[] {
  const known = new Map(handlesNamed(text).map((handle) => [handle, openedBy(handle, held, find)]));
  const parts: HeldPart[] = [];
  let from = 0;
  const say = (to: number): void => void (to > from && parts.push({ kind: 'text', text: text.slice(from, to) }));
  for (const { 0: written, groups, index } of text.matchAll(NAMED)) {
    const { handle = '', at = '' } = groups ?? {};
    say(index);
    parts.push({ kind: 'held', text: written, handle, at, ...partOf(known.get(handle), at) });
    from = index + written.length;
  }
  say(text.length);
  return parts;
}

function openedBy(
  handle: string,
  held: readonly HeldReceipt[],
  find: (ref: PayloadRef) => Uint8Array | undefined,
): OpenedHandle | undefined {
  const row = held.find((each) => each.handle === handle);
  return row && openedHandle(row, row.status === 'success' ? find(row.outcome) : undefined);
}

function partOf(
  opened: OpenedHandle | undefined,
  at: string,
): Pick<HeldValuePart, 'value' | 'missing' | 'labels' | 'sources'> {
  if (opened === undefined) return { missing: 'unknown', labels: [], sources: [] };
  const { outcome, labels, sources } = opened;
  const told = { labels, sources };
  if (!outcome.ok) return { missing: 'failed', ...told };
  if (outcome.value === undefined) return { missing: 'erased', ...told };
  const value = valueAt(outcome.value, at);
  return value === undefined ? { missing: 'beyond', ...told } : { value, ...told };
}
