import {
  type BytesMode,
  decodeBody,
  decodeHeader,
  type Entry,
  encodeFrame,
  HEADER,
  isWhole,
} from '../journal/frame.ts';
import { releaseRows } from '../rows.ts';
import type { Batch } from '../store.ts';
import { makeContents } from './contents.ts';
import type { FreshMirror, Mirror, MirrorPlace } from './place.ts';

/** The mirror as a cache: each frame is an entry with an address. A cache cannot be flushed. */
export function cachePlace(caches: CacheStorage, name: string): MirrorPlace {
  const cacheOf = (epoch: number) => caches.open(`${name}.e${epoch}`);
  const mine = async () => (await caches.keys()).filter((each) => each.startsWith(`${name}.e`));
  /** Epochs with remaining entries; a log may skip any number of epochs. */
  const epochs = async () => (await mine()).map((each) => Number(each.slice(name.length + 2)));
  return {
    form: 'cache',
    epoch: async () => Math.max(0, ...(await epochs())),
    // a cache is the last resort: no better place has to be protected from it
    isUsed: async () => false,
    readAll: async (epoch) => readCache(await cacheOf(epoch)),
    open: async (epoch) => openCache(await cacheOf(epoch)),
    fresh: async (epoch) => freshIn(await cacheOf(epoch)),
    async forget(epoch, run_ids) {
      for (const old of await epochs()) {
        if (old >= epoch) continue;
        const cache = await cacheOf(old);
        const goes = ({ batch }: Entry) => batch === undefined || run_ids.has(batch.run_id);
        for await (const { key, entry } of answersIn(cache, 'viewed')) if (goes(entry)) await cache.delete(key);
      }
    },
    async remove() {
      for (const each of await mine()) await caches.delete(each);
    },
  };
}

async function openCache(cache: Cache): Promise<Mirror> {
  const growing = makeContents();
  for await (const { entry, length, counts } of answersIn(cache, 'viewed')) {
    if (counts) growing.note(entry, length);
    else growing.waste(length);
  }
  return mirrorIn(cache, growing, (key, entry) => keepRows(cache, key, entry));
}

/** Keeps the rows that came with a batch before the batch is replaced. */
async function keepRows(cache: Cache, key: string, { batch }: Entry): Promise<void> {
  const there = batch && decoded(await bytesOf(await cache.match(addressOf(key))));
  if (there && there.tables.length > 0) await putIn(cache, crypto.randomUUID(), { ...there, batch: undefined });
}

/** A fresh copy overwrites the old copy entry by entry: at each moment the cache holds the content of both. */
async function freshIn(cache: Cache): Promise<FreshMirror> {
  const mine = new Set<string>();
  const mirror = mirrorIn(cache, makeContents(), (key, entry) => {
    mine.add(addressOf(key));
    return keepRows(cache, key, entry);
  });
  return Object.assign(mirror, {
    async takeOver() {
      for (const { url } of await cache.keys()) if (!mine.has(url)) await cache.delete(url);
    },
    // each written entry is valid by itself
    abandon: async () => undefined,
  });
}

type Before = (key: string, entry: Entry) => Promise<void>;

function mirrorIn(cache: Cache, { contents, note }: ReturnType<typeof makeContents>, before: Before): Mirror {
  async function put(key: string, entry: Entry): Promise<void> {
    await before(key, entry);
    await putIn(cache, key, entry);
    note(entry);
  }
  return {
    has: contents.has,
    get end() {
      return contents.end;
    },
    get rows() {
      return contents.rows;
    },
    get due() {
      return contents.due;
    },
    async append(entries) {
      for (const entry of entries) {
        // A single entry for each place in the log: the remainder of an erased batch replaces the batch.
        await put(entry.batch === undefined ? crypto.randomUUID() : String(entry.batch.seq), entry);
      }
    },
    async take(mark, give) {
      const id = crypto.randomUUID();
      const parts: string[] = [];
      let last: Entry | undefined;
      const putLast = async (key: string): Promise<void> => {
        const entry = last ?? { tables: [], ...mark };
        await put(key, entry);
        releaseRows(entry.tables);
      };
      const putPart = (): Promise<void> => putLast(parts[parts.push(partKey(id, parts.length)) - 1] ?? id);
      const undo = () => Promise.all(parts.map((key) => cache.delete(addressOf(key))));
      try {
        // writes the part before: most changes are a single part, which needs no end entry
        const given = await give(async (tables) => {
          if (last !== undefined) await putPart();
          last = { tables, ...(last === undefined ? mark : { at: mark.at }) };
        });
        if (!given.ok) await undo();
        else if (parts.length === 0) await putLast(id);
        else {
          await putPart();
          await put(endKey(id), { tables: [], at: mark.at });
        }
        return given;
      } catch (reason) {
        await undo().catch(() => undefined);
        throw reason;
      }
    },
    close: async () => undefined,
  };
}

function putIn(cache: Cache, key: string, entry: Omit<Entry, 'batch'> & { batch?: Batch | undefined }): Promise<void> {
  const { batch, ...rest } = entry;
  const frame = encodeFrame(batch === undefined ? rest : { batch, ...rest });
  return cache.put(addressOf(key), new Response(frame as Uint8Array<ArrayBuffer>));
}

async function readCache(cache: Cache): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const { entry, counts } of answersIn(cache)) if (counts) entries.push(entry);
  return entries;
}

/**
 * Rows of a large change are separate entries, so that no entry is as large as all of them; the end entry makes them
 * count.
 */
function partKey(id: string, nth: number): string {
  return `${id}.${nth}`;
}

function endKey(id: string): string {
  return `${id}.end`;
}

interface Answer {
  readonly key: Request;
  readonly entry: Entry;
  readonly length: number;
  /** False for a part of rows without its end entry. */
  readonly counts: boolean;
}

/** Entries read at a time. */
const SOME = 32;

async function* answersIn(cache: Cache, bytes?: BytesMode): AsyncGenerator<Answer> {
  const keys = await cache.keys();
  const addresses = new Set(keys.map(({ url }) => url));
  const counts = ({ url }: Request): boolean => {
    const [id, part] = url.slice(url.lastIndexOf('/') + 1).split('.');
    return part === undefined || addresses.has(addressOf(endKey(id ?? '')));
  };
  for (let from = 0; from < keys.length; from += SOME) {
    const some = keys.slice(from, from + SOME);
    const found = await Promise.all(some.map(async (key) => ({ key, body: await bytesOf(await cache.match(key)) })));
    for (const { key, body } of found) {
      const entry = decoded(body, bytes);
      if (entry !== undefined) yield { key, entry, length: body.length, counts: counts(key) };
    }
  }
}

async function bytesOf(answer: Response | undefined): Promise<Uint8Array> {
  return new Uint8Array((await answer?.arrayBuffer()) ?? []);
}

function decoded(answer: Uint8Array, bytes?: BytesMode): Entry | undefined {
  const header = decodeHeader(answer);
  const body = answer.subarray(HEADER);
  const right = header !== undefined && body.length === header.length && isWhole(header, body);
  return right ? decodeBody(body, header.state, bytes) : undefined;
}

/** Address of an entry. It is never fetched: a cache knows its entries by addresses only. */
export function addressOf(key: string): string {
  return new URL(`/.sallyport/${key}`, location.origin).href;
}
