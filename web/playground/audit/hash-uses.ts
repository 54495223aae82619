import { extend, isHash, isObject, parseExport } from '../../../core/index.ts';
import { audit } from '../../texts/en/audit.ts';

/** A hash in an export: its subject, and the record to look at. */
export interface HashUse {
  readonly hash: string;
  readonly over: string;
  readonly run_seq: number;
}

/** Every hash in an export, each occurrence by itself, and labelled by its subject in the language of the moment. */
export function hashesIn(text: string): readonly HashUse[] {
  const { records, end } = parseExport(text);
  const last = Math.max(records.length - 1, 0);
  const { hashes: texts } = audit();
  const uses = records.flatMap((line, run_seq): HashUse[] => {
    if (line === undefined) return [];
    const { hash, body_hash, prev, kind, body } = line.record;
    return [
      { hash, over: texts.record(run_seq, kind), run_seq },
      { hash: body_hash, over: texts.body(run_seq, kind), run_seq },
      {
        hash: prev,
        over: run_seq === 0 ? texts.nothing : texts.previous(run_seq - 1),
        run_seq,
      },
      ...within(body, '', run_seq),
    ];
  });
  const sums =
    end === undefined
      ? []
      : [
          { hash: end.head, over: texts.head, run_seq: last },
          { hash: end.root, over: texts.root, run_seq: last },
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
    return [{ hash: value['sha256'], over: audit().hashes.payload(spelled(path), run_seq), run_seq }];
  }
  if (isHash(value)) return [{ hash: value, over: audit().hashes.member(spelled(path), run_seq), run_seq }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => within(member, `${path}.${name}`, run_seq));
}

function spelled(path: string): string {
  return path.slice(1).replaceAll('_', ' ').replaceAll('.', ' › ');
}
