import { checkPath } from '../../core/content/path.ts';
import { extractSections } from '../../core/content/section.ts';
import { withLineFeeds } from '../../core/content/text.ts';
import { refuse } from '../../core/errors.ts';
import { sha256Text } from '../../core/hash.ts';
import { decodeUtf8, encodeText, firstInvalid } from '../../core/json/utf8.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { makePace, pause } from '../async/pause.ts';
import { type Keeping, type Kept, makeKeeping, type OpenScratch } from '../store/scratch.ts';
import { digest } from './digest.ts';
import { entryOf, type Filed, type FileEntry, formatSections } from './file.ts';

/** Some files in one piece, as they cross to the kernel. */
export interface Pack {
  readonly paths: readonly string[];
  readonly sizes: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What has been brought of an addition so far. Nothing of it is stored before all of it is. */
export interface Intake {
  /** Every path that came, the unchanged ones too, with the hash of its bytes. */
  readonly seen: Map<string, string>;
  readonly filed: Map<string, Filed>;
  /** What each pack is known by. */
  readonly packs: string[];
  /** Where the text waits; to be closed. */
  readonly keeping: Keeping;
}

export function newIntake(scratch?: OpenScratch): Intake {
  return { seen: new Map(), filed: new Map(), packs: [], keeping: makeKeeping(scratch) };
}

/** What is indexed already: files, and the packs that they came in last. */
export interface Known {
  readonly files: ReadonlyMap<string, FileEntry>;
  readonly packs: ReadonlySet<string>;
}

/**
 * Indexes a pack into an intake. A pack that is indexed as it is costs one hash, a file of another one its own. The
 * first that cannot be indexed refuses by name: `path_invalid`, `path_twice`, `content_utf8`.
 */
export async function takeIn(intake: Intake, pack: Pack, known: Known): Promise<Outcome<void>> {
  // a hash alone would not let anybody else in: a corpus that is known is nothing but hashes
  await pause();
  const hash = await packHash(pack);
  intake.packs.push(hash);
  return known.packs.has(hash) ? passOver(intake, pack, known.files) : takeFiles(intake, pack, known.files);
}

/** Over names, sizes and bytes. */
async function packHash({ paths, sizes, bytes }: Pack): Promise<string> {
  return sha256Text(JSON.stringify([paths, sizes, await digest(bytes)]));
}

function passOver({ seen }: Intake, { paths }: Pack, known: Known['files']): Outcome<void> {
  const twice = paths.find((path) => seen.has(path));
  if (twice !== undefined) return refuse('path_twice', { path: twice });
  for (const path of paths) seen.set(path, known.get(path)?.source_hash ?? '');
  return pass(undefined);
}

async function takeFiles(intake: Intake, pack: Pack, known: ReadonlyMap<string, FileEntry>): Promise<Outcome<void>> {
  const files = unpack(pack);
  // where the platform hashes on threads of its own, it does so while we index
  const hashes = files.map(({ bytes }) => digest(bytes));
  const isDue = makePace();
  let whole: Kept | undefined;
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
    // most of a pack is text as it came, and waits in one piece
    if (normal === bytes) whole ??= await intake.keeping.keep(pack.bytes);
    const [kept, at] = normal === bytes && whole ? [whole, from] : [await intake.keeping.keep(normal), 0];
    intake.filed.set(path, { entry, text: () => kept(at, at + entry.bytes) });
  }
  return pass(undefined);
}

/** One file as it is stored. Its text may be these very bytes. */
export async function fileOf(path: string, bytes: Uint8Array, source_hash: string): Promise<Outcome<Filed>> {
  const decoded = decodeUtf8(bytes);
  if (decoded === undefined) return refuse('content_utf8', { offset: firstInvalid(bytes), path });
  const text = withLineFeeds(decoded);
  const sections = extractSections(path, text);
  if (!sections.ok) return sections;
  const same = text === decoded;
  const normal = same ? bytes : encodeText(text);
  const content_hash = same ? source_hash : await digest(normal);
  const row = { source_hash, content_hash, text: normal, sections: formatSections(path, sections.value) };
  return pass({ entry: entryOf(row), text: () => normal });
}

function unpack({ paths, sizes, bytes }: Pack) {
  let at = 0;
  return paths.map((path, nth) => {
    const from = at;
    at += sizes[nth] ?? 0;
    return { path, from, bytes: bytes.subarray(from, at) };
  });
}
