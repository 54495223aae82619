import { canonicalText } from '../json/canonical.ts';
import { decodeUtf8 } from '../json/utf8.ts';
import { isObject, type JsonValue } from '../json/value.ts';
import { isPayloadRef } from '../ledger/form.ts';
import type { PayloadRef } from '../ledger/payload-ref.ts';
import type { Difference } from '../ledger/report.ts';

type Find = (ref: PayloadRef) => Uint8Array | undefined;

/**
 * The first difference of two bodies. If both name payloads, their texts are compared from the first differing
 * character.
 */
export function difference(recorded: JsonValue, again: JsonValue, find: { recorded: Find; again: Find }): Difference {
  const at = firstDifference(recorded, again, '');
  if (!isRef(at.recorded) || !isRef(at.again)) {
    return { pointer: at.pointer, recorded: shortened(at.recorded), again: shortened(at.again) };
  }
  const [was, is] = [decodeUtf8(find.recorded(at.recorded) ?? NONE), decodeUtf8(find.again(at.again) ?? NONE)];
  return was === undefined || is === undefined || was === is
    ? { pointer: at.pointer, recorded: at.recorded.sha256, again: at.again.sha256 }
    : { pointer: at.pointer, ...parted(was, is) };
}

const NONE = new Uint8Array();
const SHOWN = 120;
/** Number of common characters shown before the difference. */
const LEAD = 24;

interface Place {
  readonly pointer: string;
  readonly recorded: JsonValue | undefined;
  readonly again: JsonValue | undefined;
}

function firstDifference(recorded: JsonValue | undefined, again: JsonValue | undefined, pointer: string): Place {
  if (isObject(recorded) && isObject(again) && !(isRef(recorded) && isRef(again))) {
    for (const name of [...new Set([...Object.keys(recorded), ...Object.keys(again)])].sort()) {
      const [one, other] = [own(recorded, name), own(again, name)];
      if (written(one) !== written(other)) return firstDifference(one, other, `${pointer}/${name}`);
    }
  }
  return { pointer, recorded, again };
}

function own(value: { readonly [name: string]: JsonValue }, name: string): JsonValue | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function written(value: JsonValue | undefined): string {
  return value === undefined ? '(absent)' : canonicalText(value);
}

function isRef(value: JsonValue | undefined): value is JsonValue & PayloadRef {
  return isPayloadRef(value);
}

function shortened(value: JsonValue | undefined): string {
  return cut(written(value), 0);
}

function parted(recorded: string, again: string): Pick<Difference, 'recorded' | 'again'> {
  let at = 0;
  while (at < recorded.length && recorded[at] === again[at]) at += 1;
  return { recorded: cut(recorded, at), again: cut(again, at) };
}

function cut(text: string, at: number): string {
  const from = Math.max(at - LEAD, 0);
  const piece = text.slice(from, from + SHOWN).toWellFormed();
  return `${from > 0 ? '…' : ''}${piece}${from + SHOWN < text.length ? '…' : ''}`;
}
