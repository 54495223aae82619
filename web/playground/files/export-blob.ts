import {
  decodeForCheck,
  decodeUtf8,
  type ExportFile,
  encodeText,
  exportIn,
  type PayloadRef,
  packedIn,
  parseCheckpoint,
  parseSlices,
  type ReceiptTally,
  tallyOf,
  unsalted,
  type WorkSlices,
} from '../../../core/index.ts';
import { unpack } from '../../../workers/unpack.ts';
import { recordsIn, stepOf } from '../../records/steps.ts';
import type { PackedBounds } from '../parts/packed-text.ts';

/** The text of an export by reference: a worker gets it without a copy. Another text has another id. */
export interface ExportBlob {
  readonly id: string;
  readonly blob: Blob;
}

export function exportBlob(text: string | Blob): ExportBlob {
  return { id: crypto.randomUUID(), blob: typeof text === 'string' ? new Blob([encodeText(text)]) : text };
}

/** The text of a stranger's file, as the command reads it: the browser's own reading drops a mark and mends wrong bytes. */
export async function textOf(blob: Blob): Promise<string> {
  return decodeForCheck(new Uint8Array(await blob.arrayBuffer()));
}

/** An export that was read, with its text. */
export interface ReadExport {
  readonly text: string;
  readonly file: ExportFile;
}

/** Receives the share of the work that is done. */
export type Tell = (share: number) => void;

/** Does all slices, and tells the share that is done; `from` and `to` are this work's part of the whole. */
export function inSlices<T>(slices: WorkSlices<T>, tell: Tell, from = 0, to = 1): T {
  for (;;) {
    const next = slices.next();
    if (next.done === true) return next.value;
    tell(from + next.value * (to - from));
  }
}

/** Files that are kept as they were read: the file in Run, the file in Audit, and the one that it is compared with. */
const KEPT = 3;

/** Reads exports, each once. */
export class FileReader {
  readonly #kept = new Map<string, ReadExport>();

  async read({ id, blob }: ExportBlob, tell: Tell): Promise<ReadExport> {
    const known = this.#kept.get(id);
    if (known !== undefined) return known;
    const text = await textOf(blob);
    const read = { text, file: inSlices(parseSlices(text), tell) };
    for (const other of this.#kept.keys()) if (this.#kept.size >= KEPT) this.#kept.delete(other);
    this.#kept.set(id, read);
    return read;
  }
}

/** Browsers carry a link of this length. A few kilobytes can unfold to gigabytes: reading stops at the bound. */
export const RUN_LINK: PackedBounds = { charactersMax: 128 << 10, bytesMax: 2 << 20 };

/** A larger file is refused before it is read, and a saved page unfolds no further. */
export const FILE_MAX: number = 64 << 20;

/**
 * A stranger's file: the export in it, out of a saved page too; `isPage` where it is not the file itself. A checkpoint
 * is the anchor of a run.
 */
export type FileContent =
  | { readonly kind: 'export'; readonly text: string; readonly isPage: boolean }
  | { readonly kind: 'checkpoint'; readonly text: string }
  | { readonly kind: 'tooLarge' };

export async function contentOf(blob: Blob): Promise<FileContent> {
  const text = await textOf(blob);
  if (text.length < CHECKPOINT_MAX && parseCheckpoint(text).ok) return { kind: 'checkpoint', text };
  const packed = packedIn(text);
  if (packed === undefined) {
    const inside = exportIn(text);
    return { kind: 'export', text: inside, isPage: inside !== text };
  }
  const bytes = await unpack(packed, 'gzip', FILE_MAX);
  if (bytes === 'tooLarge') return { kind: 'tooLarge' };
  // damaged bytes are no export
  return { kind: 'export', text: bytes === 'damaged' ? '' : decodeForCheck(bytes), isPage: true };
}

const CHECKPOINT_MAX = 64 << 10;

/** The export as gzip. */
export async function packedBytes(text: string): Promise<Uint8Array> {
  const stream = new Blob([encodeText(text)]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A run in a few lines: the words are its author's. */
export interface RunSummary {
  readonly run_id: string | undefined;
  readonly records: number;
  readonly steps: number;
  readonly model?: string;
  readonly dialect?: string;
  /** The first task; undefined where the file lacks its text. */
  readonly task?: string;
  /** Wall clock of the first and the last record. */
  readonly began?: number;
  readonly ended?: number;
  /** The end: its state and code, and the last words. */
  readonly state?: string;
  readonly code?: string;
  readonly message?: string;
  readonly tally: ReceiptTally;
}

/** Characters of a stranger's words. */
const SHOWN = 2_000;

export function factsOf({ file }: ReadExport): RunSummary {
  const records = recordsIn(file);
  const [first] = records;
  const last = records.at(-1);
  const asked = records.find((record) => record.kind === 'task');
  const wordsIn = (ref: PayloadRef | undefined): string | undefined => {
    const bytes = ref && file.payloads.get(ref.sha256);
    return ref && bytes && decodeUtf8(unsalted(ref, bytes))?.slice(0, SHOWN).toWellFormed();
  };
  const setup = first?.kind === 'configuration' ? first.body : undefined;
  const end = last?.kind === 'seal' ? last.body : undefined;
  const task = asked?.kind === 'task' ? wordsIn(asked.body.text) : undefined;
  const message = wordsIn(end?.message);
  return {
    run_id: file.run_id,
    records: file.records.length,
    steps: new Set(records.map(stepOf).filter((step) => step !== undefined)).size,
    ...(setup && { model: setup.model, dialect: setup.dialect }),
    ...(task !== undefined && { task }),
    ...(first && last && { began: first.at, ended: last.at }),
    ...(end && { state: end.state }),
    ...(end?.code !== undefined && { code: end.code }),
    ...(message !== undefined && { message }),
    tally: tallyOf(records),
  };
}
