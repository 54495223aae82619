import type { SymbolRow } from '../../../core/content/target.ts';
import { goneRef } from '../../../core/content/write.ts';
import { refuse } from '../../../core/errors.ts';
import { sha256Hex, sha256Text } from '../../../core/hash.ts';
import { decodeUtf8 } from '../../../core/json/utf8.ts';
import { isReboundList, type ReboundSymbol } from '../../../core/ledger/kinds/content.ts';
import type { LogBody } from '../../../core/ledger/kinds/log.ts';
import { type PayloadRef, unsalted } from '../../../core/ledger/payload-ref.ts';
import type { Bodies } from '../../../core/ledger/record.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { shown } from '../../../core/run/payload.ts';
import { recordsOf } from '../../store/read-run.ts';
import type { LedgerStore } from '../../store/store.ts';
import type { StorableFile } from './file.ts';
import type { ContentRepository, RepositoryChange } from './repository.ts';

type Change = Bodies['content'];

/** The change that undoes a step's writes, and its note for the log. */
export interface Undo {
  readonly change: RepositoryChange;
  readonly note: Extract<LogBody, { event: 'undone' }>;
}

/**
 * Makes the undo of a step. Each of its files must still have the text that the step wrote (compare and set, all or
 * none). `content_unwritten` where the step wrote no content, `run_absent`, `payload_missing`, `payload_altered`,
 * `content_changed`.
 */
export async function undoOf(
  store: LedgerStore,
  repository: ContentRepository,
  run: string,
  step: number,
): Promise<Outcome<Undo>> {
  const changes = await changesOf(store, run, step);
  if (!changes.ok) return changes;
  const files = new Map<string, StorableFile | undefined>();
  const symbols = new Map<string, SymbolRow>();
  for (const each of changes.value) {
    const { path, before, after } = each;
    const found = repository.corpus.files.get(path)?.content_hash ?? '';
    const expected = await hashOf(store, run, after);
    if (!expected.ok) return expected;
    if (found !== expected.value) return refuse('content_changed', { path, expected: expected.value });
    const text = await textOf(store, run, before);
    if (!text.ok) return text;
    const moved = await movedBy(store, run, each);
    if (!moved.ok) return moved;
    const written = await repository.written(path, text.value);
    if (!written.ok) return written;
    for (const [name, row] of written.value.files ?? []) files.set(name, row);
    for (const row of rebindBack(repository, moved.value)) symbols.set(row.symbol_id, row);
  }
  const told = changes.value.map(({ path, before, after }) => ({ path, before: before.sha256, after: after.sha256 }));
  return pass({ change: { files, symbols }, note: { event: 'undone', run, step, files: told } });
}

async function changesOf(store: LedgerStore, run_id: string, step: number): Promise<Outcome<readonly Change[]>> {
  const records = await recordsOf(store, run_id);
  if (!records.ok) return records;
  if (records.value.length === 0) return refuse('run_absent', { run_id });
  const changes = records.value.flatMap(({ kind, body }) => (kind === 'content' && body.step === step ? [body] : []));
  return changes.length === 0 ? refuse('content_unwritten', { asked: step }) : pass(changes);
}

/** Text that a record names, verified by its hash, because other programs may have written the store since. */
async function textOf(store: LedgerStore, run_id: string, ref: PayloadRef): Promise<Outcome<string>> {
  const { sha256 } = ref;
  const bytes = await store.payload(run_id, sha256);
  if (!bytes.ok) return bytes;
  if (bytes.value === undefined) return refuse('payload_missing', { sha256 });
  const text = decodeUtf8(unsalted(ref, bytes.value));
  return text === undefined || sha256Hex(bytes.value) !== sha256 ? refuse('payload_altered', { sha256 }) : pass(text);
}

/** Content hash of a text that a record names. In a secret step the name includes a salt. */
async function hashOf(store: LedgerStore, run_id: string, ref: PayloadRef): Promise<Outcome<string>> {
  if (ref.salt === undefined) return pass(ref.sha256);
  const text = await textOf(store, run_id, ref);
  return text.ok ? pass(sha256Text(text.value)) : text;
}

/** Symbols that the write moved; in a secret step their list is a payload. */
async function movedBy(
  store: LedgerStore,
  run_id: string,
  { symbols }: Change,
): Promise<Outcome<readonly ReboundSymbol[]>> {
  if (Array.isArray(symbols)) return pass(symbols as readonly ReboundSymbol[]);
  const ref = symbols as PayloadRef;
  const { sha256 } = ref;
  const stored = await store.payload(run_id, sha256);
  if (!stored.ok) return stored;
  if (stored.value === undefined) return refuse('payload_missing', { sha256 });
  const { value } = stored;
  const moved = shown<readonly ReboundSymbol[]>(ref, isReboundList, () => value);
  return moved === undefined || sha256Hex(value) !== sha256 ? refuse('payload_altered', { sha256 }) : pass(moved);
}

/**
 * The previous rows of symbols that the write rebound or left without a section, except symbols that were redefined
 * since.
 */
function rebindBack({ symbols }: ContentRepository, moved: readonly ReboundSymbol[]): readonly SymbolRow[] {
  return moved.flatMap(({ symbol_id, from, to }) => {
    const row = symbols.get(symbol_id);
    return row === undefined || row.target_ref !== (to ?? goneRef(from)) ? [] : [{ ...row, target_ref: from }];
  });
}
