import type { JsonValue, Outcome, Section } from '../../core/index.ts';
import type { AddOptions, Content, ContentChange, ContentSource } from '../api.ts';
import type { ContentDesk } from './desk.ts';
import type { Pack } from './ingest.ts';

type Files = Iterable<ContentSource> | AsyncIterable<ContentSource>;
type Value = <T>(outcome: Outcome<T>) => T;

/** Packs cross to the kernel in one piece: small enough that it answers others in between. */
const PACK_BYTES = 1 << 20;
const PACK_FILES = 256;

/** `rt.content` over the kernel's desk. */
export function contentFace(desk: ContentDesk, value: Value): Content {
  const add = (files: Files, options: AddOptions = {}, whole = false): Promise<ContentChange> =>
    bring(desk, value, files, options, whole);
  return {
    add: (files, options) => add(files, options),
    replace: (files, options) => add(files, options, true),
    remove: async (paths) => value(await desk.remove([...paths])),
    overview: async () => value(await desk.overview()),
    files: async () => value(await desk.files()),
    sections: async (path) => JSON.parse(value(await desk.sections(path))) as readonly Section[],
    text: async (path) => value(await desk.text(path)),
    // what else a row carries crosses too: it is refused there, not dropped here
    define: async (symbol) => value(await desk.define({ ...symbol } as unknown as JsonValue)),
    undefine: async (symbol_id) => value(await desk.undefine(symbol_id)),
    symbols: async () => value(await desk.symbols()),
    exportSymbols: async () => value(await desk.exportSymbols()),
    importSymbols: async (text) => value(await desk.importSymbols(text)),
    expand: (ref, slice) => desk.expand(ref, slice),
    search: async (query, most = 20) => value(await desk.search(query, most)),
    rebuild: async () => value(await desk.rebuild()),
    undo: async (run_id, step) => value(await desk.undo(run_id, step)),
  };
}

async function bring(
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
