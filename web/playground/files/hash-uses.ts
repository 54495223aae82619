import { type ExportFile, extend, isHash, isObject, parseExport } from '../../../core/index.ts';
import { audit } from '../../texts/en/audit.ts';

/** A hash in an export: its subject, and the record to look at. */
export interface HashUse {
  readonly hash: string;
  readonly over: HashSubject;
  readonly run_seq: number;
}

/** Subject of a hash: a record or its body, the record before, the whole file, or a member at a path of a body. */
export type HashSubject =
  | { readonly what: 'record' | 'body'; readonly kind: string }
  | { readonly what: 'previous' | 'head' | 'root' }
  | { readonly what: 'payload' | 'member'; readonly path: string };

/** Every hash in an export, each occurrence by itself. */
export function hashesIn({ records, end }: ExportFile): readonly HashUse[] {
  const last = Math.max(records.length - 1, 0);
  const uses: HashUse[] = [];
  records.forEach((line, run_seq) => {
    if (line === undefined) return;
    const { hash, body_hash, prev, kind, body } = line.record;
    uses.push(
      { hash, over: { what: 'record', kind }, run_seq },
      { hash: body_hash, over: { what: 'body', kind }, run_seq },
      { hash: prev, over: { what: 'previous' }, run_seq },
    );
    visit(body, '', (found, what, path) => uses.push({ hash: found, over: { what, path }, run_seq }));
  });
  if (end !== undefined)
    uses.push(
      { hash: end.head, over: { what: 'head' }, run_seq: last },
      { hash: end.root, over: { what: 'root' }, run_seq: last },
    );
  return uses;
}

type Visit = (hash: string, what: 'payload' | 'member', path: string) => void;

/** The hashes in a body; a body that was read is bounded in depth. */
function visit(value: unknown, path: string, tell: Visit): void {
  if (isObject(value) && isHash(value['sha256'])) tell(value['sha256'], 'payload', path);
  else if (isHash(value)) tell(value, 'member', path);
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) visit(member, `${path}.${name}`, tell);
}

/** The subject in the language of the moment. */
export function subjectText({ over, run_seq }: Pick<HashUse, 'over' | 'run_seq'>): string {
  const { hashes: texts } = audit();
  switch (over.what) {
    case 'record':
      return texts.record(run_seq, over.kind);
    case 'body':
      return texts.body(run_seq, over.kind);
    case 'previous':
      return run_seq === 0 ? texts.nothing : texts.previous(run_seq - 1);
    case 'head':
      return texts.head;
    case 'root':
      return texts.root;
    case 'payload':
      return texts.payload(spelled(over.path), run_seq);
    case 'member':
      return texts.member(spelled(over.path), run_seq);
  }
}

function spelled(path: string): string {
  return path.slice(1).replaceAll('_', ' ').replaceAll('.', ' › ');
}

/** The hash stored in a record's line, and the hash computed from its members: equal, unless the line was altered. */
export function hashesOf(line: string): { readonly stored: string; readonly comes: string } | undefined {
  const [read] = parseExport(`\n${line}\n`).records;
  if (read === undefined) return undefined;
  const { record } = read;
  const again = extend({ records: record.run_seq, head: record.prev }, record, record);
  return { stored: record.hash, comes: again.record.hash };
}
