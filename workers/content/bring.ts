import type { Outcome } from '../../core/index.ts';
import type { AddOptions, ContentChange, ContentSource } from '../api.ts';
import type { ContentDesk } from './desk.ts';
import type { Pack } from './ingest.ts';

export type Files = Iterable<ContentSource> | AsyncIterable<ContentSource>;
export type Value = <T>(outcome: Outcome<T>) => T;

/** Packs cross to the kernel in one piece: small enough that it answers others in between. */
const PACK_BYTES = 1 << 20;
const PACK_FILES = 256;

/** Hands files to the kernel's desk, all of them or none. */
export async function bring(
  desk: ContentDesk,
  value: Value,
  files: Files,
  { signal, onProgress }: AddOptions,
  whole: boolean,
): Promise<ContentChange> {
  signal?.throwIfAborted();
  const addition = value(await desk.begin());
  try {
    let [count, bytes] = [0, 0];
    for await (const pack of packed(files)) {
      signal?.throwIfAborted();
      value(await desk.stage(addition, pack));
      count += pack.paths.length;
      bytes += pack.bytes.length;
      onProgress?.({ phase: 'indexing', files: count, bytes });
    }
    signal?.throwIfAborted();
    onProgress?.({ phase: 'storing', files: count, bytes });
    return value(await desk.commit(addition, whole));
  } finally {
    await desk.drop(addition);
  }
}

async function* packed(files: Files): AsyncGenerator<Pack> {
  let some: ContentSource[] = [];
  let size = 0;
  for await (const file of files) {
    if (some.length > 0 && (size + file.bytes.length > PACK_BYTES || some.length === PACK_FILES)) {
      yield packOf(some, size);
      [some, size] = [[], 0];
    }
    some.push(file);
    size += file.bytes.length;
  }
  if (some.length > 0) yield packOf(some, size);
}

/** A copy: the caller's bytes stay the caller's, and no larger buffer under them goes along. */
function packOf(files: readonly ContentSource[], size: number): Pack {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const file of files) {
    bytes.set(file.bytes, at);
    at += file.bytes.length;
  }
  return { paths: files.map(({ path }) => path), sizes: files.map((file) => file.bytes.length), bytes };
}
