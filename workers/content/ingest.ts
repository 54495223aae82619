import {
  checkPath,
  encodeText,
  extractSections,
  normalizeText,
  type Outcome,
  pass,
  refuse,
  sha256Text,
} from '../../core/inner.ts';
import { digest } from './digest.ts';
import { type FileEntry, type FileRow, formatSections } from './file.ts';

/** Some files in one piece, as they cross to the kernel. */
export interface Pack {
  readonly paths: readonly string[];
  readonly sizes: readonly number[];
  readonly bytes: Uint8Array;
}

/** What has been brought of an addition so far. Nothing of it is stored before all of it is. */
export interface Intake {
  /** Every path that came, the unchanged ones too, with the hash of its bytes. */
  readonly seen: Map<string, string>;
  readonly rows: Map<string, FileRow>;
  /** What each pack is known by. */
  readonly packs: string[];
}

export function newIntake(): Intake {
  return { seen: new Map(), rows: new Map(), packs: [] };
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
  const hashes = await Promise.all(files.map(({ bytes }) => digest(bytes)));
  for (const [nth, { path, bytes }] of files.entries()) {
    const checked = checkPath(path);
    if (!checked.ok) return checked;
    if (intake.seen.has(path)) return refuse('path_twice', { path });
    const source_hash = hashes[nth] ?? '';
    intake.seen.set(path, source_hash);
    if (known.get(path)?.source_hash === source_hash) continue;
    const row = await indexRow(path, bytes, source_hash);
    if (!row.ok) return row;
    intake.rows.set(path, row.value);
  }
  return pass(undefined);
}

/** One file as it is stored. Its text has a buffer of its own, because a clone takes all of a buffer along. */
export async function indexRow(path: string, bytes: Uint8Array, source_hash: string): Promise<Outcome<FileRow>> {
  const text = normalizeText(bytes);
  if (!text.ok) return refuse('content_utf8', { offset: text.refusal.details['offset'] as number, path });
  const sections = extractSections(path, text.value);
  if (!sections.ok) return sections;
  const same = !bytes.includes(CARRIAGE_RETURN);
  const normal = same ? bytes.slice() : encodeText(text.value);
  const content_hash = same ? source_hash : await digest(normal);
  return pass({ source_hash, content_hash, text: normal, sections: formatSections(sections.value) });
}

const CARRIAGE_RETURN = 13;

function unpack({ paths, sizes, bytes }: Pack): readonly { readonly path: string; readonly bytes: Uint8Array }[] {
  let at = 0;
  return paths.map((path, nth) => {
    const from = at;
    at += sizes[nth] ?? 0;
    return { path, bytes: bytes.subarray(from, at) };
  });
}
