import { checkPath, sectionsBy } from '../../../core/content/section.ts';
import { withLineFeeds } from '../../../core/content/text.ts';
import { refuse } from '../../../core/errors.ts';
import { sha256Text, sha256Texts } from '../../../core/hash.ts';
import { decodeUtf8, encodeText, firstInvalid } from '../../../core/json/utf8.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { makePace, pause } from '../../async.ts';
import { makeSpillBuffer, type OpenScratch, type ReadRange, type SpillBuffer } from '../../store/scratch.ts';
import { digest, entryOf, type FileEntry, formatSections, type StorableFile } from './file.ts';

/** Files in a single piece, as they cross to the kernel. */
export interface Pack {
  readonly paths: readonly string[];
  readonly sizes: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The received part of an addition. Storing begins when all of it has arrived. */
export interface Intake {
  /** Every received path, unchanged files included, with the hash of its bytes. */
  readonly seen: Map<string, string>;
  readonly filed: Map<string, StorableFile>;
  /** Hashes of the packs. */
  readonly packs: string[];
  /** Spill buffer of the text; the caller closes it. */
  readonly spill: SpillBuffer;
}

export function newIntake(scratch?: OpenScratch): Intake {
  return { seen: new Map(), filed: new Map(), packs: [], spill: makeSpillBuffer(scratch) };
}

/** Indexed files, and the packs of the last addition. */
interface KnownContent {
  readonly files: ReadonlyMap<string, FileEntry>;
  readonly packs: ReadonlySet<string>;
}

/**
 * Indexes a pack into an intake. A known pack costs a single hash; a known file in a new pack costs its own hash. The
 * first file that cannot be indexed is refused by name: `path_invalid`, `path_twice`, `content_utf8`.
 */
export async function takeIn(intake: Intake, pack: Pack, known: KnownContent): Promise<Outcome<void>> {
  // A pause even for a known pack: an addition of known packs only hashes, and would block the worker.
  await pause();
  const hash = await packHash(pack);
  intake.packs.push(hash);
  return known.packs.has(hash) ? passOver(intake, pack, known.files) : takeFiles(intake, pack, known.files);
}

/** Hash over names, sizes and bytes. */
async function packHash({ paths, sizes, bytes }: Pack): Promise<string> {
  return sha256Text(JSON.stringify([paths, sizes, await digest(bytes)]));
}

function passOver({ seen }: Intake, { paths }: Pack, known: KnownContent['files']): Outcome<void> {
  const twice = paths.find((path) => seen.has(path));
  if (twice !== undefined) return refuse('path_twice', { path: twice });
  for (const path of paths) seen.set(path, known.get(path)?.source_hash ?? '');
  return pass(undefined);
}

async function takeFiles(intake: Intake, pack: Pack, known: ReadonlyMap<string, FileEntry>): Promise<Outcome<void>> {
  const files = unpack(pack);
  // The platform may hash on its own threads while this thread indexes.
  const hashes = files.map(({ bytes }) => digest(bytes));
  const isDue = makePace();
  let whole: ReadRange | undefined;
  for (const [nth, { path, bytes, from }] of files.entries()) {
    if (isDue(bytes.length)) await pause();
    const checked = checkPath(path);
    if (!checked.ok) return checked;
    if (intake.seen.has(path)) return refuse('path_twice', { path });
    const source_hash = (await hashes[nth]) ?? '';
    intake.seen.set(path, source_hash);
    if (known.get(path)?.source_hash === source_hash) continue;
    const filed = await fileOf(path, bytes, source_hash);
    if (!filed.ok) return filed;
    const { entry, text } = filed.value;
    const normal = text();
    // Most files of a pack are already normalised, so they wait in a single piece.
    if (normal === bytes) whole ??= await intake.spill.keep(pack.bytes);
    const [kept, at] = normal === bytes && whole ? [whole, from] : [await intake.spill.keep(normal), 0];
    intake.filed.set(path, { entry, text: () => kept(at, at + entry.bytes) });
  }
  return pass(undefined);
}

/** A file as it is stored. Its text may be the given bytes themselves. */
export async function fileOf(path: string, bytes: Uint8Array, source_hash: string): Promise<Outcome<StorableFile>> {
  const decoded = decodeUtf8(bytes);
  if (decoded === undefined) return refuse('content_utf8', { offset: firstInvalid(bytes), path });
  const text = withLineFeeds(decoded);
  const sections = sectionsBy(hashTexts, path, text);
  if (!sections.ok) return sections;
  const same = text === decoded;
  const normal = same ? bytes : encodeText(text);
  const content_hash = same ? source_hash : await digest(normal);
  const row = { source_hash, content_hash, text: normal, sections: formatSections(path, sections.value) };
  return pass({ entry: entryOf(row), text: () => normal });
}

/** A file's sections are hashed by the function of the host, several at once. */
function hashTexts(texts: readonly string[]): readonly string[] {
  return sha256Texts('', texts);
}

function unpack({ paths, sizes, bytes }: Pack) {
  let at = 0;
  return paths.map((path, nth) => {
    const from = at;
    at += sizes[nth] ?? 0;
    return { path, from, bytes: bytes.subarray(from, at) };
  });
}
