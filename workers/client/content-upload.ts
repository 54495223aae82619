// Loaded together, because both serve content, and most pages have no content.

import type { Section } from '../../core/content/section.ts';
import { assertKinds, BYTES, CALLBACK, type OptionTypes, optionsOf, SIGNAL } from '../../core/option.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import type { AddOptions, ContentChange, ContentFile, ContentSource } from '../api.ts';
import { parseSections } from '../kernel/content/file.ts';
import type { Pack } from '../kernel/content/ingest.ts';
import type { ContentPage, ContentService, Cursor } from '../kernel/content/service.ts';
import { transfer } from '../lock/realm-port.ts';

type UploadFiles = Iterable<ContentSource> | AsyncIterable<ContentSource>;

/**
 * Bytes of a pack: small enough that the kernel answers other requests between two packs. From a megabyte on, an engine
 * takes the memory of each pack anew from the system, and hashing costs twice as much.
 */
const PACK_BYTES = 1 << 19;
const PACK_FILES = 256;

/** Uploads files to the kernel's content, all of them or none. */
export async function uploadFiles(
  service: ContentService,
  files: UploadFiles,
  options?: AddOptions,
  whole = false,
): Promise<ContentChange> {
  const { signal, onProgress } = optionsOf(options, { signal: SIGNAL, onProgress: CALLBACK });
  assertKinds({ files }, LISTED, ['files']);
  signal?.throwIfAborted();
  const addition = unwrap(await service.beginAddition());
  try {
    let [count, bytes] = [0, 0];
    for await (const pack of packed(files)) {
      signal?.throwIfAborted();
      count += pack.paths.length;
      bytes += pack.bytes.length;
      unwrap(await service.stageFiles(addition, pack));
      onProgress?.({ phase: 'indexing', files: count, bytes });
    }
    signal?.throwIfAborted();
    onProgress?.({ phase: 'storing', files: count, bytes });
    return unwrap(await service.commitAddition(addition, whole));
  } finally {
    await service.dropAddition(addition);
  }
}

const SOURCE: OptionTypes = { path: ['text', (value) => typeof value === 'string'], bytes: BYTES };
const LISTED: OptionTypes = {
  files: ['a list of files', (value) => Symbol.iterator in Object(value) || Symbol.asyncIterator in Object(value)],
};

async function* packed(files: UploadFiles): AsyncGenerator<Pack> {
  let some: ContentSource[] = [];
  let size = 0;
  for await (const file of files) {
    assertKinds(Object(file) as object, SOURCE, ['path', 'bytes']);
    if (some.length > 0 && (size + file.bytes.length > PACK_BYTES || some.length === PACK_FILES)) {
      yield packOf(some, size);
      [some, size] = [[], 0];
    }
    some.push(file);
    size += file.bytes.length;
  }
  if (some.length > 0) yield packOf(some, size);
}

/**
 * Copies files into a pack that the kernel may own. The caller's buffers stay untouched, and no larger buffer is
 * transferred.
 */
function packOf(files: readonly ContentSource[], size: number): Pack {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const file of files) {
    bytes.set(file.bytes, at);
    at += file.bytes.length;
  }
  const pack = { paths: files.map(({ path }) => path), sizes: files.map((file) => file.bytes.length), bytes };
  return transfer(pack, [bytes.buffer]);
}

/** Lists of all files and sections, which the kernel's content gives page by page. */
export function allFiles(service: ContentService): Promise<readonly ContentFile[]> {
  return allPages(async (cursor) => unwrap(await service.listFiles(cursor)));
}

export async function sectionsOf(service: ContentService, path: string | undefined): Promise<readonly Section[]> {
  if (path !== undefined) return parseSections(unwrap(await service.sectionTable(path)));
  return (await allPages(async (cursor) => unwrap(await service.sectionTables(cursor)))).flatMap(parseSections);
}

/** All pages of a single state of the content. A change between two pages starts the listing again. */
export async function allPages<T>(
  ask: (cursor?: Cursor) => Promise<ContentPage<readonly T[]> | undefined>,
): Promise<T[]> {
  for (;;) {
    const parts: T[] = [];
    for (let page = await ask(); page !== undefined; page = await ask(page.next)) {
      parts.push(...page.part);
      if (page.next === undefined) return parts;
    }
  }
}
