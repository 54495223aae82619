import { refuse } from '../errors/ledger.ts';
import { hashBytes, hashText, isHash, sha256 } from '../hash.ts';
import { encodeText } from '../json/utf8.ts';
import { isCount } from '../json/value.ts';
import { demand, STRING } from '../option.ts';
import { type Outcome, pass } from '../outcome.ts';
import { decodeBase64, encodeBase64 } from './base64.ts';
import { isRunId } from './form.ts';

/** Length and head of a run when a checkpoint was taken. */
export interface RunLine {
  readonly run_id: string;
  readonly count: number;
  readonly head: string;
  /** A backup brought the run: the log has it from a file, and its signer did not make it. */
  readonly foreign?: true;
}

/**
 * State of a log at one moment. A copy kept where the log's writer cannot change it reveals records that were cut off,
 * runs that were deleted and chains that were written anew. The root is over the records' hashes in the order of the
 * log.
 */
export interface Checkpoint {
  /** Whose log it is, by a name without a schema, as in `example.com/notes`. */
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  /** By run_id. */
  readonly runs: readonly RunLine[];
}

/**
 * The text of C2SP's tlog-checkpoint: origin, size, root, and behind them an extension line for each run. A tree's root
 * does not show that a run was longer than its remaining records; these lines show it, without the records of further
 * runs.
 */
export function formatCheckpoint({ origin, size, root, runs }: Checkpoint): string {
  const lines = runs.map(
    ({ run_id, count, head, foreign }) => `run ${run_id} ${count} ${head}${foreign ? ` ${FOREIGN}` : ''}`,
  );
  return `${[origin, size, encodeBase64(hashBytes(root)), ...lines].join('\n')}\n`;
}

/** Last word in the line of a run that a backup brought. */
const FOREIGN = 'foreign';

export interface NoteSignature {
  readonly name: string;
  /** The first four bytes of a hash that names the key. */
  readonly keyId: Uint8Array;
  readonly signature: Uint8Array;
}

/** A checkpoint as it is kept: its text and its signatures. */
export interface Note {
  readonly checkpoint: Checkpoint;
  /** The signed text. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** Reads a stranger's checkpoint, signed or not. `checkpoint_malformed`. Signatures of kinds unknown here are kept. */
export function parseCheckpoint(note: string): Outcome<Note> {
  demand('note', note, STRING);
  if (note.includes('\r\n')) return malformed(CR_LF);
  const border = note.indexOf('\n\n');
  const text = border < 0 ? note : note.slice(0, border + 1);
  const signatures = border < 0 ? [] : parseSignatures(note.slice(border + 2));
  const [origin = '', size = '', root = '', ...rest] = text.split('\n');
  const bytes = decodeBase64(root);
  if (signatures === undefined) return malformed('a signature line');
  if (rest.pop() !== '') return malformed('its last line does not end');
  if (!isOrigin(origin)) return malformed('the origin');
  if (!COUNT.test(size) || !isCount(Number(size))) return malformed('the size');
  if (bytes?.length !== 32) return malformed('the root');
  const runs = rest.map(parseRun);
  if (!runs.every((run) => run !== undefined)) return malformed('a line of a run');
  return pass({ checkpoint: { origin, size: Number(size), root: hashText(bytes), runs }, text, signatures });
}

/** Why a text that was saved here cannot be read. */
export const CR_LF =
  'its lines end in CR LF, as git on Windows writes them; take the file with LF (a line `*.jsonl -text` in .gitattributes keeps it)';

const COUNT = /^(?:0|[1-9][0-9]{0,15})$/;

/** A line of its own; C2SP asks for a URL without its schema, and logs older than that have blanks in theirs. */
function isOrigin(origin: string): boolean {
  return /^[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u.test(origin);
}

function isKeyName(name: string): boolean {
  return isOrigin(name) && !/[\s+]/u.test(name);
}

function parseRun(line: string): RunLine | undefined {
  const [word, run_id = '', count = '', head = '', mark, ...more] = line.split(' ');
  const isMarked = mark === undefined || mark === FOREIGN;
  const right = word === 'run' && more.length === 0 && isMarked && isRunId(run_id) && COUNT.test(count) && isHash(head);
  return right ? { run_id, count: Number(count), head, ...(mark && { foreign: true }) } : undefined;
}

function malformed(what: string): ReturnType<typeof refuse> {
  return refuse('checkpoint_malformed', { what });
}

/** Puts a signature under a checkpoint's text: C2SP's signed note. */
export function signedNote(text: string, key: NoteKey, signature: Uint8Array): string {
  const named = Uint8Array.of(...keyIdOf(key), ...signature);
  return `${text}\n\u2014 ${key.name} ${encodeBase64(named)}\n`;
}

function parseSignatures(text: string): NoteSignature[] | undefined {
  const signatures: NoteSignature[] = [];
  const lines = text.split('\n');
  if (lines.pop() !== '' || lines.length === 0) return undefined;
  for (const line of lines) {
    const [dash, name = '', base64 = '', ...more] = line.split(' ');
    const bytes = decodeBase64(base64);
    if (dash !== '\u2014' || more.length > 0 || !isKeyName(name) || bytes === undefined || bytes.length < 5)
      return undefined;
    signatures.push({ name, keyId: bytes.slice(0, 4), signature: bytes.slice(4) });
  }
  return signatures;
}

/** An Ed25519 key and its name. */
export interface NoteKey {
  readonly name: string;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
}

const ED25519 = 1;

function keyIdOf({ name, publicKey }: NoteKey): Uint8Array {
  return sha256(Uint8Array.of(...encodeText(`${name}\n`), ED25519, ...publicKey)).slice(0, 4);
}

/** The key as C2SP's notes write it: name, key id in hex, and the key behind the number of its kind. */
export function formatKey(key: NoteKey): string {
  return `${key.name}+${hashText(keyIdOf(key))}+${encodeBase64(Uint8Array.of(ED25519, ...key.publicKey))}`;
}

export function parseKey(text: string): NoteKey | undefined {
  const [name = '', , ...rest] = text.trim().split('+');
  const bytes = decodeBase64(rest.join('+'));
  if (bytes?.length !== 33 || bytes[0] !== ED25519) return undefined;
  const key = { name, publicKey: bytes.slice(1) };
  return formatKey(key) === text.trim() ? key : undefined;
}

/** The signature that claims to be by this key, to be checked. */
export function signatureBy(note: Note, key: NoteKey): Uint8Array | undefined {
  const id = hashText(keyIdOf(key));
  return note.signatures.find(({ name, keyId }) => name === key.name && hashText(keyId) === id)?.signature;
}
