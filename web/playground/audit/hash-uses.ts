import { extend, isHash, isObject, parseExport } from '../../../core/index.ts';

/** A hash in an export: its subject, and the record to look at. */
export interface HashUse {
  readonly hash: string;
  readonly over: string;
  readonly run_seq: number;
}

/** Every hash in an export, each occurrence by itself, and labelled by its subject. */
export function hashesIn(text: string): readonly HashUse[] {
  const { records, end } = parseExport(text);
  const last = Math.max(records.length - 1, 0);
  const uses = records.flatMap((line, run_seq): HashUse[] => {
    if (line === undefined) return [];
    const { hash, body_hash, prev, kind, body } = line.record;
    return [
      { hash, over: `record ${run_seq} (${kind}), its body by the body's hash`, run_seq },
      { hash: body_hash, over: `the body of record ${run_seq} (${kind})`, run_seq },
      {
        hash: prev,
        over: run_seq === 0 ? 'nothing: no record is before the first' : `record ${run_seq - 1}, named by the next`,
        run_seq,
      },
      ...within(body, '', run_seq),
    ];
  });
  const sums =
    end === undefined
      ? []
      : [
          { hash: end.head, over: 'the last record, named by the end line', run_seq: last },
          { hash: end.root, over: 'all records as a Merkle tree, named by the end line', run_seq: last },
        ];
  return [...uses, ...sums];
}

/** The hash stored in a record's line, and the hash computed from its members: equal, unless the line was altered. */
export function hashesOf(line: string): { readonly stored: string; readonly comes: string } | undefined {
  const [read] = parseExport(`\n${line}\n`).records;
  if (read === undefined) return undefined;
  const { record } = read;
  const again = extend({ records: record.run_seq, head: record.prev }, record, record);
  return { stored: record.hash, comes: again.record.hash };
}

/** The hashes in a body; a body that was read is bounded in depth. */
function within(value: unknown, path: string, run_seq: number): HashUse[] {
  if (isObject(value) && isHash(value['sha256'])) {
    return [
      { hash: value['sha256'], over: `the bytes of the payload “${spelled(path)}” of record ${run_seq}`, run_seq },
    ];
  }
  if (isHash(value)) return [{ hash: value, over: `${spelled(path)}, in record ${run_seq}`, run_seq }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => within(member, `${path}.${name}`, run_seq));
}

function spelled(path: string): string {
  return path.slice(1).replaceAll('_', ' ').replaceAll('.', ' › ');
}
