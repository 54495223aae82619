import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeUtf8 } from '../../../core/json/utf8.ts';
import type { Outcome } from '../../../core/outcome.ts';
import { type CheckpointHistory, compareCheckpoints } from '../../auditor/compare-checkpoints.ts';
import { checkpointText } from './checkpoint-check.ts';
import { type Terminal, UsageError } from './command.ts';
import { lookAt } from './look-at.ts';
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
  const store = lookAt(log);
  if (!store.ok) return store;
  try {
    return await compareCheckpoints(texts, { store: store.value, ...signed });
  } finally {
    await store.value.close();
  }
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
