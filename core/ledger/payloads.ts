import { isObject } from '../json/value.ts';
import type { ExportFile } from './export.ts';
import { isPayloadRef } from './form.ts';
import type { PayloadRef } from './record.ts';

/** Payloads by their hash, each with the first record that names it. */
export type Named = ReadonlyMap<string, PayloadRef & { readonly run_seq: number }>;

/** Every payload that the records of a file name; nothing is looked for where none was exported. */
export function namedPayloads({ records, payloads }: ExportFile): Named {
  const named = new Map<string, PayloadRef & { readonly run_seq: number }>();
  if (payloads.size === 0) return named;
  records.forEach((line, run_seq) =>
    visitRefs(line?.record.body, (ref) => {
      if (!named.has(ref.sha256)) named.set(ref.sha256, { ...ref, run_seq });
    }),
  );
  return named;
}

/** The payload refs anywhere in a body; a body that was read is bounded in depth. */
function visitRefs(value: unknown, visit: (ref: PayloadRef) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (isObject(value) && Object.hasOwn(value, 'sha256') && isPayloadRef(value)) visit(value as unknown as PayloadRef);
  else for (const member of Object.values(value)) visitRefs(member, visit);
}
