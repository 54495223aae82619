import { isObject } from '../json/value.ts';
import { isPayloadRef } from './form.ts';
import type { ReadRecord } from './line.ts';
import type { PayloadRef } from './record.ts';

/** A payload as the first record that names it knows it. */
export interface NamedPayload extends PayloadRef {
  readonly run_seq: number;
}

/** Every payload that the records name, by its hash. */
export function namedPayloads(records: readonly (ReadRecord | undefined)[]): ReadonlyMap<string, NamedPayload> {
  const named = new Map<string, NamedPayload>();
  records.forEach((line, run_seq) => {
    for (const ref of refsIn(line?.record.body)) if (!named.has(ref.sha256)) named.set(ref.sha256, { ...ref, run_seq });
  });
  return named;
}

/** The payload refs anywhere in a body; bodies are bounded in depth by having been read. */
function refsIn(value: unknown): PayloadRef[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (!isObject(value)) return [];
  return isPayloadRef(value) ? [value as unknown as PayloadRef] : Object.values(value).flatMap(refsIn);
}
