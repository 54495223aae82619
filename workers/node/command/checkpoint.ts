import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { refuse as refuseLedger } from '../../../core/errors/ledger.ts';
import { refuse } from '../../../core/errors/witness.ts';
import { hashText } from '../../../core/hash.ts';
import { concatBytes, decodeUtf8 } from '../../../core/json/utf8.ts';
import { type Checkpoint, parseKey } from '../../../core/ledger/checkpoint.ts';
import {
  ENTRY_BYTES,
  entriesIn,
  entriesPath,
  type TileFile,
  tileFiles,
  tilesOfLevel,
} from '../../../core/ledger/tiles.ts';
import { merkleRootOf } from '../../../core/ledger/tree.ts';
import { type Outcome, pass, type Refusal } from '../../../core/outcome.ts';
import { visibleLine } from '../../../core/text/visible.ts';
import type { Signer } from '../../auditor/checkpoint.ts';
import {
  type CheckpointHistory,
  checkedCheckpoint,
  compareCheckpoints,
  type ReadLogFile,
  readPart,
} from '../../auditor/compare-checkpoints.ts';
import { CHECKPOINT_FILE, type PublishedLog, publishTo } from '../../auditor/publish-log.ts';
import { isOrigin, makeLogKey, signerIn } from '../publish-log.ts';
import { type Command, type CommandCall, EXIT, type Terminal, UsageError } from './command.ts';
import { lookAt } from './look-at.ts';
import { isFolder } from './sources.ts';
import { painter } from './terminal.ts';

export const checkpoint: Command = {
  name: 'checkpoint',
  summary: 'Publishes a log as signed checkpoint and static tiles (C2SP), checks it, and compares checkpoints.',
  operands: 'publish LEDGER FOLDER | check LOG | compare LOG CHECKPOINT…',
  many: true,
  options: {
    sign: { value: 'FILE', help: 'publish: the private key; made where there is none.' },
    origin: { value: 'NAME', help: 'publish: the name of the log, for a new key.' },
    key: { value: 'KEY', help: 'check, compare: whose signature checkpoints must carry.' },
  },
  examples: [
    'sallyport checkpoint publish ./ledger ./public --sign log.key --origin example.com/notes',
    'sallyport checkpoint check https://example.com/notes --key KEY   # every tile, from the entries up',
    'sallyport checkpoint compare ./public monday.txt friday.txt --key KEY   # has the log only grown?',
    'sallyport checkpoint compare ledger.sqlite checkpoints/   # a folder: its files in the order of their names',
  ],
  async run(call) {
    const [action = '', ...rest] = call.operands;
    const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (act === undefined) throw new UsageError('The first word is publish, check or compare');
    return act(rest, call);
  },
};

/** Printed facts of an action, in order, and the value for `--json`. */
interface Result {
  readonly lines: readonly string[];
  readonly value: object;
  /** The last line. */
  readonly verdict: string;
}

const ACTIONS: { readonly [name: string]: (operands: readonly string[], call: CommandCall) => Promise<number> } = {
  async publish(operands, call) {
    const [ledger, folder, ...more] = operands;
    if (ledger === undefined || folder === undefined || more.length > 0)
      throw new UsageError('publish takes a ledger and a folder');
    without(call, 'publish', ['key']);
    const { sign, origin } = call.options;
    if (typeof sign !== 'string') throw new UsageError('publish takes --sign FILE, the private key of the log');
    const done = await publishInFolder(ledger, folder, { sign, origin: origin as string | undefined }, call.terminal);
    if (!done.ok) return refused(done.refusal, call);
    const { text, key, files, size } = done.value;
    return told(call, {
      lines: [text.trimEnd(), `key  ${key}`, `${files} files written`],
      value: done.value,
      verdict: `Published: ${size} records`,
    });
  },
  async check(operands, call) {
    const [log, ...more] = operands;
    if (log === undefined || more.length > 0) throw new UsageError('check takes a folder or an address');
    without(call, 'check', ['sign', 'origin']);
    const done = await checkPublished(log, keyOf(call));
    if (!done.ok) return refused(done.refusal, call);
    const { origin, root, files, size } = done.value;
    const lines = [`origin  ${origin}`, `root  ${root}`, `${files} files, each as the entries make it`];
    return told(call, { lines, value: done.value, verdict: `The published log is whole: ${size} records` });
  },
  async compare(operands, call) {
    const [log, ...checkpoints] = operands;
    if (log === undefined || checkpoints.length === 0)
      throw new UsageError('compare takes a log, and checkpoints from the oldest to the newest');
    without(call, 'compare', ['sign', 'origin']);
    const done = await compareWithLog(log, checkpoints, keyOf(call), call.terminal);
    if (!done.ok) return refused(done.refusal, call);
    const { origin, root, checkpoints: count, size } = done.value;
    const lines = [`origin  ${origin}`, `root  ${root}`, `${count} checkpoints, each the beginning of the next`];
    return told(call, { lines, value: done.value, verdict: `The log has only grown: ${size} records` });
  },
};

function without({ options }: CommandCall, action: string, names: readonly string[]): void {
  const other = names.find((name) => options[name] !== undefined);
  if (other !== undefined) throw new UsageError(`${action} takes no --${other}`);
}

function keyOf({ options: { key } }: CommandCall): string | undefined {
  if (key === undefined) return undefined;
  if (parseKey(String(key)) === undefined) throw new UsageError('--key takes NAME+ID+KEY, as publish prints it');
  return String(key);
}

function told({ json, terminal }: CommandCall, { lines, value, verdict }: Result): number {
  const paint = painter(terminal);
  if (json) terminal.printJson({ ok: true, ...value });
  else {
    for (const line of lines.flatMap((text) => text.split('\n'))) terminal.print(visibleLine(line));
    terminal.print(paint('good', verdict));
  }
  return EXIT.ok;
}

/** Exit code 1 where a log was altered, 2 where nothing could be compared. */
function refused({ code, message, details }: Refusal, { json, terminal }: CommandCall): number {
  if (code === 'store_locked') throw new UsageError(message);
  if (json) terminal.printJson({ ok: false, code, message, details });
  else terminal.complain(`${code}: ${message}`);
  return UNREADABLE.includes(code) ? EXIT.malformed : EXIT.tampered;
}

const UNREADABLE: readonly string[] = ['checkpoint_malformed', 'tiles_malformed', 'store_damaged', 'store_newer'];

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

/** A published log whose files agree. */
export interface CheckedLog {
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  /** Number of files that were compared. */
  readonly files: number;
}

/**
 * Checks a published log whole: its entries have the root of its checkpoint, and each tile is the tile that they make.
 * `checkpoint_malformed`, `checkpoint_unsigned`, `anchor_disagrees`, and `tiles_malformed`.
 */
export async function checkPublished(log: string, key: string | undefined): Promise<Outcome<CheckedLog>> {
  const read = logReader(log);
  const checked = await checkedCheckpoint(await checkpointText(log, read), key);
  if (!checked.ok) return checked;
  const { origin, size, root } = checked.value;
  const hashes = await entriesOf(checked.value, read);
  if (!hashes.ok) return hashes;
  if (hashText(merkleRootOf(hashes.value)) !== root)
    return refuseLedger('anchor_disagrees', { what: 'its entries have another root' });
  let files = 1;
  for (const { path, bytes } of tileFiles(hashes.value)) {
    if (!isSame(bytes, await readPart(path, bytes.length, read)))
      return refuse('tiles_malformed', { what: `${path} is missing or altered` });
    files++;
  }
  return pass({ origin, size, root, files });
}

/** The checkpoint of a published log. */
export async function checkpointText(log: string, read: ReadLogFile): Promise<string> {
  const bytes = await read(CHECKPOINT_FILE);
  if (bytes === undefined) throw new UsageError(`${log} has no checkpoint`);
  return decodeUtf8(bytes) ?? '';
}

/** Records of a log that are checked: about a gigabyte of hashes and tiles in memory. */
const RECORDS_MAX: number = 1 << 22;

/** The record hashes in the bundles of a log. Its size is a stranger's number, and is bounded before a file is read. */
async function entriesOf({ size }: Checkpoint, read: ReadLogFile): Promise<Outcome<readonly string[]>> {
  if (size > RECORDS_MAX)
    return refuse('tiles_malformed', {
      what: `its size is ${size}, and no more than ${RECORDS_MAX} records are checked`,
    });
  const hashes: string[] = [];
  for (const tile of tilesOfLevel(size, 0)) {
    const path = entriesPath(tile);
    const bundle = await readPart(path, tile.width * ENTRY_BYTES, read);
    const entries = bundle && entriesIn(bundle, tile.width);
    if (entries === undefined) return refuse('tiles_malformed', { what: `${path} is missing, or no bundle` });
    for (let at = 0; at < entries.length; at += 32) hashes.push(hashText(entries.subarray(at, at + 32)));
  }
  return pass(hashes);
}

function isSame(one: Uint8Array, other: Uint8Array | undefined): boolean {
  return other !== undefined && one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** Publishes the log of a ledger, in a directory or a file of SQLite, in a folder. `sign` is the file of the key. */
export async function publishInFolder(
  ledger: string,
  folder: string,
  { sign, origin }: { readonly sign: string; readonly origin: string | undefined },
  terminal: Terminal,
): Promise<Outcome<PublishedLog>> {
  if (isAddress(folder)) throw new UsageError('publish writes into a folder, and not to an address');
  const store = lookAt(ledger);
  if (!store.ok) return store;
  try {
    const signer = await openSigner(sign, origin, terminal);
    const place = { read: logReader(folder), write: writeLogFile.bind(undefined, folder) };
    return await publishTo(place, store.value, signer);
  } finally {
    await store.value.close();
  }
}

/** Reads a private key. Where there is no file, a key is made, and the file can be read by its owner alone. */
export async function openSigner(path: string, origin: string | undefined, terminal: Terminal): Promise<Signer> {
  if (!existsSync(path)) makeKeyFile(path, origin);
  const text = decodeUtf8(await terminal.read(path)) ?? '';
  const signer = signerIn(text.trim());
  if (signer === undefined) throw new UsageError(`${path} holds no private key of a checkpoint`);
  if (origin !== undefined && origin !== signer.name)
    throw new UsageError(`${path} is the key of ${signer.name}, and --origin is ${origin}`);
  return signer;
}

function makeKeyFile(path: string, origin: string | undefined): void {
  if (origin === undefined)
    throw new UsageError('There is no key yet: name the log, as --origin example.com/notes, and a key is made');
  if (!isOrigin(origin))
    throw new UsageError('--origin takes a name without blanks and plus signs, as example.com/notes');
  writeFileSync(path, `${makeLogKey(origin)}\n`, { mode: 0o600, flag: 'wx' });
}

/** The largest file of a published log: a bundle of 256 entries of 32 bytes, or a checkpoint with many runs. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;

/** Makes the folders of a path inside a folder, and follows no link. */
function makeFolders(folder: string, path: string): void {
  let at = folder;
  for (const name of path === '.' ? [] : path.split('/')) {
    at = join(at, name);
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found === undefined) mkdirSync(at);
    else if (!found.isDirectory()) throw new UsageError(`${at} is a link or a file, and no folder of the log`);
  }
}

export function isAddress(log: string): boolean {
  return /^https?:\/\//.test(log);
}

/** True for a folder with a published log, or an address where one may be. */
export function isPublished(log: string): boolean {
  return isAddress(log) || existsSync(join(log, CHECKPOINT_FILE));
}

/** Reads the files of a published log, in a folder or at an address. */
export function logReader(log: string): ReadLogFile {
  return isAddress(log) ? (path) => fetched(`${log.replace(/\/+$/, '')}/${path}`) : (path) => fileAt(join(log, path));
}

async function fileAt(path: string): Promise<Uint8Array | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || !found.isFile() || found.size > FILE_BYTES_MAX) return undefined;
  return new Uint8Array(await readFile(path));
}

async function fetched(url: string): Promise<Uint8Array | undefined> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(30_000) }).catch(() => undefined);
  if (response === undefined) throw new UsageError(`${url} cannot be reached`);
  if (response.status === 404) return undefined;
  if (!response.ok) throw new UsageError(`${url} answers with the status ${response.status}`);
  return bytesIn(response, url);
}

async function bytesIn({ body }: Response, url: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    if (length > FILE_BYTES_MAX) throw new UsageError(`${url} is too large for a file of a log`);
    pieces.push(piece);
  }
  return concatBytes(pieces);
}

/**
 * Writes a file in one go: a reader finds the whole file, or the file before. Throws `UsageError` where a part of the
 * path inside the folder is a link: the folder may be a stranger's checkout, and the log belongs into it.
 */
export function writeLogFile(folder: string, { path, bytes }: TileFile): void {
  const at = join(folder, path);
  mkdirSync(folder, { recursive: true });
  makeFolders(folder, dirname(path));
  const made = `${at}.${process.pid}.new`;
  rmSync(made, { force: true });
  writeFileSync(made, bytes, { flag: 'wx' });
  renameSync(made, at);
  // A full tile takes the place of the narrow tiles before it.
  if (!path.includes('.p/')) rmSync(`${at}.p`, { recursive: true, force: true });
}
