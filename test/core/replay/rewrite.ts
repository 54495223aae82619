import { encodeText, formatExport, type LedgerRecord, parseExport, sha256Hex } from '../../../core/index.ts';
import { type Forged, forgeTexts } from '../ledger/forge.ts';

/** A record as it can be rewritten; every hash that depends on it is made anew afterwards. */
export interface Rewritable {
  readonly run_seq: number;
  readonly kind: string;
  readonly body: { readonly [member: string]: unknown };
}

/** Writes the whole export anew with every hash right. Some records are changed, removed or doubled. */
export function rewrite(
  text: string,
  change: (record: Rewritable) => Rewritable['body'] | undefined,
  payloads: ReadonlyMap<string, Uint8Array> = parseExport(text).payloads,
  isLater: (run_seq: number) => boolean = () => false,
  twice = -1,
): string {
  const file = parseExport(text);
  const forged = file.records.flatMap((line): Forged[] => {
    if (line === undefined) return [];
    const { kind, run_seq, body, at, epoch } = line.record;
    const changed = change({ run_seq, kind, body: body as never });
    const forged = { kind, body: changed ?? {}, at: isLater(run_seq) ? at + 1 : at, epoch };
    return changed === undefined ? [] : run_seq === twice ? [forged, forged] : [forged];
  });
  const texts = forgeTexts(file.run_id ?? '', forged);
  const named = [...payloads].filter(([sha256]) => texts.some((line) => line.includes(sha256)));
  return formatExport(
    file.run_id ?? '',
    texts,
    named.map(([sha256, bytes]) => ({ sha256, bytes })),
  );
}

/** Writes the whole export anew with every hash right, its records in another order and its times in order. */
export function reorder(
  text: string,
  order: (records: readonly LedgerRecord[]) => readonly LedgerRecord[],
  payloads: ReadonlyMap<string, Uint8Array> = parseExport(text).payloads,
): string {
  const { run_id = '', records } = parseExport(text);
  const lines = order(records.flatMap((line) => (line === undefined ? [] : [line.record])));
  const texts = forgeTexts(
    run_id,
    lines.map(({ kind, body }, place) => ({ kind, body, at: records[place]?.record.at ?? 0 })),
  );
  return formatExport(
    run_id,
    texts,
    [...payloads].map(([sha256, bytes]) => ({ sha256, bytes })),
  );
}

/** Replaces a payload of the export at every place that names it, so that the false file is consistent. */
export function replacePayload(text: string, sha256: string, content: string): string {
  const { payloads } = parseExport(text);
  const bytes = encodeText(content);
  const other = sha256Hex(bytes);
  const rest = new Map([...payloads].filter(([hash]) => hash !== sha256)).set(other, bytes);
  const renamed = (value: unknown): unknown => {
    if (typeof value === 'string') return value === sha256 ? other : value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(renamed);
    if ((value as { sha256?: string }).sha256 === sha256) {
      const { salt = Number.POSITIVE_INFINITY } = value as { salt?: number };
      return { sha256: other, bytes: bytes.length, ...(bytes.length >= salt && { salt }) };
    }
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, renamed(member)]));
  };
  return rewrite(text, ({ body }) => renamed(body) as Rewritable['body'], rest);
}
