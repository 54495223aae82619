import { type Anchor, anchorOf, decodeUtf8, exportIn, parseCheckpoint, parseExport } from '../../core/index.ts';
import { parseKey } from '../../core/inner.ts';
import { type Call, type Terminal, UsageError } from './command.ts';

/** The export that a command was given, bare or as a page: a file, or standard input. Bytes that are no text stay what they are not. */
export async function openExport({ operands, terminal }: Call): Promise<string> {
  const bytes = await terminal.read(operands[0] ?? '-');
  return exportIn(decodeUtf8(bytes) ?? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
}

/** What `--anchor` or `--checkpoint` says, about this export. What would not be looked at is not taken. */
export async function anchorIn(
  { options, terminal }: Call,
  text: string,
): Promise<{ readonly anchor?: Anchor; readonly key?: string }> {
  const { anchor: given, checkpoint, key } = options;
  if (typeof key === 'string' && typeof checkpoint !== 'string')
    throw new UsageError('--key is of a checkpoint, and there is no --checkpoint');
  if (typeof checkpoint === 'string') {
    if (given !== undefined) throw new UsageError('--anchor and --checkpoint are two anchors: name one');
    const anchor = await checkpointIn(checkpoint, terminal);
    if (typeof key !== 'string') return { anchor };
    if (parseKey(key) === undefined)
      throw new UsageError('--key takes NAME+ID+KEY, as it was shown with the checkpoint');
    return { anchor, key };
  }
  if (typeof given !== 'string') return {};
  const hashes = parseExport(text).records.map((line) => line?.record.hash ?? '');
  const anchor = anchorOf(given, hashes);
  if (anchor === undefined) throw new UsageError('--anchor takes COUNT:HEAD or HEAD, where HEAD is 64 hex digits');
  return { anchor };
}

/** What was kept elsewhere, as it was kept: a file that is none says nothing against the ledger. */
export async function checkpointIn(file: string, terminal: Terminal): Promise<string> {
  const text = decodeUtf8(await terminal.read(file)) ?? '';
  if (!parseCheckpoint(text).ok) throw new UsageError(`${file} is no checkpoint as it was saved`);
  return text;
}
