import type { LedgerRecord } from '../../../core/index.ts';
import { isToolCall } from '../../records/tool-call.ts';
import { inspector } from '../../texts/en/inspector.ts';
import { dateSecond } from '../../texts/intl.ts';

/** A member of a record, flattened, with an explanation where its name does not explain it. */
export interface Field {
  readonly path: string;
  readonly value: string;
  readonly over: string | undefined;
  /** The value as a local date and time, if it is a time. */
  readonly time?: string;
}

/** The whole record as flat fields, in the order of the record itself. */
export function fieldsOf(record: LedgerRecord): readonly Field[] {
  const { over, overTool } = inspector().fields;
  const told: Explanations = over;
  const toldOfTool: Explanations = overTool;
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
      over: (isTool ? toldOfTool[name] : undefined) ?? told[name],
      ...(TIMES.has(name) ? timeOf(value) : {}),
    };
  });
}

type Explanations = { readonly [name: string]: string };

const TIMES: ReadonlySet<string> = new Set(['at', 'now', 'expires']);

/** Wall clock as a person reads it; undefined where the member is no time. */
function timeOf(value: string): { readonly time?: string } {
  const ms = Number(value);
  if (!Number.isSafeInteger(ms) || ms < 1e12 || ms > 8e15) return {};
  return { time: dateSecond(ms) };
}

function flatten(value: unknown, path: string): readonly { readonly path: string; readonly value: string }[] {
  if (typeof value !== 'object' || value === null) return [{ path, value: String(value) }];
  const entries = Object.entries(value);
  if (entries.length === 0)
    return [{ path, value: Array.isArray(value) ? inspector().fields.none : inspector().fields.empty }];
  return entries.flatMap(([name, inner]) => flatten(inner, path === '' ? name : `${path}.${name}`));
}
