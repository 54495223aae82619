import type { LedgerRecord } from '../../../core/index.ts';
import { isToolCall } from '../../records/tool-call.ts';

/** A member of a record, flattened, with an explanation where its name does not explain it. */
export interface Field {
  readonly path: string;
  readonly value: string;
  readonly over: string | undefined;
  /** The value as a local date and time, if it is a time. */
  readonly time?: string;
}

/** The subject of every hash: a hash without its subject cannot be checked. */
const OVER: { readonly [name: string]: string } = {
  hash: 'over every other member of this record, canonical',
  prev: 'the hash of the record before this one',
  body_hash: 'over the canonical body: the part that a replay makes again',
  sha256: 'over the bytes that lie beside the ledger',
  registry_hash: 'over all capability definitions of the run',
  policy_hash: 'over all grants of the run',
  limits_hash: 'over the limits of the run',
  capability_hash: 'over the whole capability definition, source and schemas',
  args_hash: 'over the canonical arguments',
  image_hash: 'over the prepared memory of the sandbox',
  heap_hash: 'over the whole memory of the sandbox when the call had ended',
  result_hash: 'over the canonical result',
  digest: 'over capability, canonical arguments, run, step and nonce',
  content_hash: 'over the text that was delivered',
  run_seq: 'place in this run, from 0',
  at: 'wall clock in ms, never read by a decision',
};

/** Members of a receipt whose call the program carried out. */
const OVER_TOOL: { readonly [name: string]: string } = {
  image_hash: 'the hash of the capability itself: the program carried out the call, and there is no image',
  fuel: 'none: no sandbox ran',
};

/** The whole record as flat fields, in the order of the record itself. */
export function fieldsOf(record: LedgerRecord): readonly Field[] {
  const flat = flatten(record, '');
  const values = new Map(flat.map(({ path, value }) => [path, value]));
  return flat.map(({ path, value }) => {
    const at = path.lastIndexOf('.') + 1;
    const name = path.slice(at);
    const beside = (other: string): string | undefined => values.get(path.slice(0, at) + other);
    const isTool = isToolCall({ image_hash: beside('image_hash'), capability_hash: beside('capability_hash') });
    return {
      path,
      value,
      over: (isTool ? OVER_TOOL[name] : undefined) ?? OVER[name],
      ...(TIMES.has(name) ? timeOf(value) : {}),
    };
  });
}

const TIMES: ReadonlySet<string> = new Set(['at', 'now', 'expires']);

/** Wall clock as a person reads it; undefined where the member is no time. */
function timeOf(value: string): { readonly time?: string } {
  const ms = Number(value);
  if (!Number.isSafeInteger(ms) || ms < 1e12 || ms > 8e15) return {};
  return { time: new Date(ms).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' }) };
}

function flatten(value: unknown, path: string): readonly { readonly path: string; readonly value: string }[] {
  if (typeof value !== 'object' || value === null) return [{ path, value: String(value) }];
  const entries = Object.entries(value);
  if (entries.length === 0) return [{ path, value: Array.isArray(value) ? '(none)' : '(empty)' }];
  return entries.flatMap(([name, inner]) => flatten(inner, path === '' ? name : `${path}.${name}`));
}
