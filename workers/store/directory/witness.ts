import { hashText, isHash } from '../../../core/hash.ts';
import { decodeUtf8, encodeText } from '../../../core/json/utf8.ts';
import { isCount, isObject } from '../../../core/json/value.ts';
import { type Frontier, rootOf } from '../../../core/ledger/tree.ts';
import { crc32 } from '../journal/header.ts';
import type { ByteFile } from '../journal/journal.ts';

/** Extent of a journal at its last flush. */
export interface FlushedExtent {
  /** Name of the file: a rewritten file has fewer bytes and the same records. */
  readonly began: string;
  readonly bytes: number;
  /** Number of records in the log, and the root over them. */
  readonly size: number;
  readonly root: string;
}

/**
 * Stores that extent beside the journal. A journal that was cut between two frames, or removed, cannot report its own
 * loss.
 */
export interface DirectoryWitness {
  readonly seen: FlushedExtent | undefined;
  see(began: string, bytes: number, log: Frontier): void;
  close(): void;
}

export const NO_WITNESS: DirectoryWitness = { seen: undefined, see: () => undefined, close: () => undefined };

/** Fits into a single sector of any disk and is written in place. A witness torn by a power cut is ignored. */
const BYTES = 256;

/**
 * A witness in a file that is opened at the first flush. It is written after the flush that it records and is never
 * flushed itself, so its contents are true and may be old. A witness that cannot be opened or written is skipped: it
 * matters only after a journal is lost.
 */
export function witnessIn(seen: FlushedExtent | undefined, open: () => ByteFile): DirectoryWitness {
  let file: ByteFile | undefined;
  return {
    seen,
    see(began, bytes, log) {
      try {
        file ??= open();
        file.write(encodeWitness({ began, bytes, size: log.size, root: hashText(rootOf(log)) }), 0);
      } catch {
        // the journal is written, and its frames still report its own damage
      }
    },
    close: () => file?.close(),
  };
}

function encodeWitness(flushed: FlushedExtent): Uint8Array {
  const text = JSON.stringify(flushed);
  const sum = crc32(encodeText(text)).toString(16).padStart(8, '0');
  return encodeText(`${`${sum} ${text}`.padEnd(BYTES - 1)}\n`);
}

/** Undefined for a torn or foreign file. */
export function readWitness(file: Pick<ByteFile, 'read'>): FlushedExtent | undefined {
  const bytes = new Uint8Array(BYTES);
  const text = file.read(bytes, 0) === BYTES ? (decodeUtf8(bytes) ?? '').trimEnd() : '';
  const said = text.slice(9);
  if (text.slice(0, 9) !== `${crc32(encodeText(said)).toString(16).padStart(8, '0')} `) return undefined;
  try {
    const value: unknown = JSON.parse(said);
    return isFlushed(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFlushed(value: unknown): value is FlushedExtent {
  if (!isObject(value)) return false;
  const { began, bytes, size, root } = value;
  return typeof began === 'string' && [bytes, size].every(isCount) && isHash(root);
}
