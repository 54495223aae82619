import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeUtf8 } from '../../core/json/utf8.ts';
import { parseCheckpoint } from '../../core/ledger/checkpoint.ts';
import { tileFiles } from '../../core/ledger/tiles.ts';
import type { Outcome } from '../../core/outcome.ts';
import { type CheckpointHistory, compareCheckpoints } from '../audit/compare-checkpoints.ts';
import type { LogHashes } from '../audit/verify-log.ts';
import { checkpointText } from './checkpoint-check.ts';
import { growthFault, hashesIn } from './checkpoint-publish.ts';
import { type Terminal, UsageError } from './command.ts';
import { isPublished, logReader } from './published-log.ts';
import { isFolder } from './sources.ts';

/**
 * Compares checkpoints with each other and with the log: a published log, whose own checkpoint is the last, or a ledger.
 * Refuses as `compareCheckpoints`.
 */
export async function compareWithLog(
  log: string,
  operands: readonly string[],
  key: string | undefined,
  terminal: Terminal,
): Promise<Outcome<CheckpointHistory>> {
  const texts = await textsOf(operands, terminal);
  const signed = key === undefined ? {} : { key };
  if (isPublished(log)) {
    const read = logReader(log);
    return compareCheckpoints([...texts, await checkpointText(log, read)], { read, ...signed });
  }
  const hashes = await hashesIn(log);
  return hashes.ok ? compareWithLedger(texts, hashes.value, signed) : hashes;
}

async function compareWithLedger(
  texts: readonly string[],
  log: LogHashes,
  signed: { readonly key?: string },
): Promise<Outcome<CheckpointHistory>> {
  const newest = parseCheckpoint(texts.at(-1) ?? '');
  const size = newest.ok ? newest.value.checkpoint.size : 0;
  const files = new Map([...tileFiles(log.hashes.slice(0, size))].map(({ path, bytes }) => [path, bytes]));
  const compared = await compareCheckpoints(texts, { read: async (path) => files.get(path), ...signed });
  // Tiles of this ledger do not fit a checkpoint of another log: the ledger itself says which.
  const isDecided = !newest.ok || (!compared.ok && compared.refusal.code !== 'tiles_malformed');
  return isDecided ? compared : (growthFault(newest.value.checkpoint, log) ?? compared);
}

/** Checkpoints in files, and in the files of folders in the order of their names. */
async function textsOf(operands: readonly string[], terminal: Terminal): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const operand of operands)
    for (const path of await filesOf(operand)) texts.push(decodeUtf8(await terminal.read(path)) ?? '');
  if (texts.length === 0) throw new UsageError(`${operands.join(', ')} holds no checkpoint`);
  return texts;
}

async function filesOf(operand: string): Promise<readonly string[]> {
  if (!(await isFolder(operand))) return [operand];
  const entries = await readdir(operand, { withFileTypes: true });
  const names = entries.flatMap((entry) => (entry.isFile() && !entry.name.startsWith('.') ? [entry.name] : []));
  return names.sort().map((name) => join(operand, name));
}
