import { demand, STRING } from '../option.ts';
import { CR_LF, parseCheckpoint, type RunLine } from './checkpoint.ts';

/**
 * A note about a run, kept outside the ledger, and its time: the run's length and head, the length and root of its
 * records' tree, or a checkpoint of its log, as text or as an object. A text may also be `COUNT:HEAD`, or the head
 * alone. An anchor that cannot be read fails the check, with `anchor_malformed`.
 */
export type Anchor =
  | { readonly count: number; readonly head: string }
  | { readonly size: number; readonly root: string }
  | { readonly text: string }
  | string;

/** An anchor's claim about a run: the number of its records, and their last hash or the root of the tree over them. */
type Noted = Exclude<Anchor, string | { readonly text: string }>;

/** Reason why a text is not an anchor, or makes no claim about this run. */
type Unread = { readonly malformed: string } | { readonly disagrees: string };

/**
 * Reads an anchor as people keep it: `COUNT:HEAD`; a head alone, which is looked for among the records' hashes; the line
 * `head  COUNT:HEAD` or `root  ROOT` that the command prints, or both; the text of a checkpoint. Hex digits may be
 * capitals, blanks may stand around it.
 */
export function readAnchor(text: string, hashes: readonly string[], run_id: string | undefined): Noted | Unread {
  const note = parseCheckpoint(text);
  if (note.ok) return runIn(note.value.checkpoint.runs, run_id);
  const [, label, count, hash] = FORM.exec(text.trim().toLowerCase()) ?? [];
  if (hash === undefined) return { malformed: fault(text) };
  if (label === 'root') return { size: count === undefined ? hashes.length : Number(count), root: hash };
  if (count !== undefined) return { count: Number(count), head: hash };
  const at = hashes.indexOf(hash);
  return { count: at < 0 ? Math.max(hashes.length, 1) : at + 1, head: hash };
}

/** Reason why a text is not an anchor, in a few words; undefined for an anchor of any run. */
export function anchorFault(text: string): string | undefined {
  demand('text', text, STRING);
  return parseCheckpoint(text).ok || FORM.test(text.trim().toLowerCase()) ? undefined : fault(text);
}

const FORM = /^(?:(head|root)\s+)?(?:(\d{1,9})\s*:\s*)?(?:sha256:)?([0-9a-f]{64})(?:\s+root\s+[0-9a-f]{64})?$/u;

function fault(text: string): string {
  const [, digits] = /^(?:(?:head|root)\s+)?(?:\d{1,9}\s*:\s*)?(?:sha256:)?([0-9a-f]+)$/iu.exec(text.trim()) ?? [];
  if (digits !== undefined) return `it has ${digits.length} hex digits, and a head has 64`;
  if (text.includes('\r\n')) return CR_LF;
  if (text.includes('\n')) return 'it is no checkpoint as it was saved';
  return 'it is neither COUNT:HEAD, a head of 64 hex digits, nor a checkpoint';
}

function runIn(runs: readonly RunLine[], run_id: string | undefined): Noted | Unread {
  return runs.find((run) => run.run_id === run_id) ?? { disagrees: 'the checkpoint does not name this run' };
}
