import { type Anchor, anchorOf, decodeUtf8, exportIn, parseExport } from '../../core/index.ts';
import { type Call, UsageError } from './command.ts';

/** The export that a command was given, bare or as a page: a file, or standard input. Bytes that are no text stay what they are not. */
export async function openExport({ operands, terminal }: Call): Promise<string> {
  const bytes = await terminal.read(operands[0] ?? '-');
  return exportIn(decodeUtf8(bytes) ?? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
}

/** What `--anchor` says, about this export. */
export async function anchorIn(
  { options, terminal }: Call,
  text: string,
): Promise<{ readonly anchor?: Anchor; readonly key?: string }> {
  const { anchor: given, checkpoint, key } = options;
  if (typeof checkpoint === 'string') {
    const anchor = decodeUtf8(await terminal.read(checkpoint)) ?? '';
    return { anchor, ...(typeof key === 'string' ? { key } : {}) };
  }
  if (typeof given !== 'string') return {};
  const hashes = parseExport(text).records.map((line) => line?.record.hash ?? '');
  const anchor = anchorOf(given, hashes);
  if (anchor === undefined) throw new UsageError('--anchor takes COUNT:HEAD or HEAD, where HEAD is 64 hex digits');
  return { anchor };
}
