import { decodeUtf8 } from '../../../core/json/utf8.ts';
import { type Anchor, anchorFault } from '../../../core/ledger/anchor.ts';
import { parseCheckpoint, parseKey } from '../../../core/ledger/checkpoint.ts';
import { textOf } from '../../auditor/handed-in.ts';
import { type CommandCall, UsageError } from './command.ts';

/**
 * Reads the export, bare or inside a page, from the operand or from standard input. Bytes that are not UTF-8 stay
 * malformed.
 */
export async function openExport({ operands, terminal }: CommandCall): Promise<string> {
  return textOf(await terminal.read(operands[0] ?? '-'));
}

/** The anchor that `--anchor` or `--checkpoint` names. A checkpoint that would not be compared is refused. */
export async function anchorIn(call: CommandCall): Promise<{ readonly anchor?: Anchor; readonly key?: string }> {
  const { anchor: given, checkpoint: file } = call.options;
  if (given !== undefined && file !== undefined)
    throw new UsageError('--anchor and --checkpoint are two anchors: name one');
  const { checkpoint, ...signed } = await checkpointIn(call);
  if (checkpoint !== undefined) return { anchor: checkpoint, ...signed };
  if (typeof given !== 'string') return {};
  const fault = anchorFault(given);
  if (fault !== undefined)
    throw new UsageError(`--anchor takes COUNT:HEAD or HEAD, where HEAD is 64 hex digits: ${fault}`);
  return { anchor: given };
}

/**
 * The checkpoint and key that `--checkpoint` and `--key` name. A malformed checkpoint file is a usage error, no finding
 * about the ledger.
 */
export async function checkpointIn({
  options: { checkpoint: file, key },
  terminal,
}: CommandCall): Promise<{ readonly checkpoint?: string; readonly key?: string }> {
  if (typeof key === 'string' && typeof file !== 'string')
    throw new UsageError('--key is of a checkpoint, and there is no --checkpoint');
  if (typeof file !== 'string') return {};
  if (typeof key === 'string' && parseKey(key) === undefined)
    throw new UsageError('--key takes NAME+ID+KEY, as it was shown with the checkpoint');
  const checkpoint = decodeUtf8(await terminal.read(file)) ?? '';
  const read = parseCheckpoint(checkpoint);
  if (!read.ok) throw new UsageError(`${file} is no checkpoint as it was saved: ${read.refusal.message}`);
  return { checkpoint, ...(typeof key === 'string' && { key }) };
}
