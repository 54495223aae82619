import { decodeBody, decodeHeader, type Entry, encodeFrame, HEADER, isWhole } from '../journal/frame.ts';
import type { Batch } from '../store.ts';
import type { TableWrite } from '../tables.ts';
import { makeContents } from './contents.ts';
import type { FreshMirror, Mirror, MirrorPlace } from './place.ts';

/** The mirror's second form: each frame an answer in a cache. No cache can be told to flush. */
export function cachePlace(name: string): MirrorPlace {
  const cacheOf = (epoch: number) => caches.open(`${name}.e${epoch}`);
  const mine = async () => (await caches.keys()).filter((each) => each.startsWith(`${name}.e`));
  return {
    form: 'cache',
    epoch: async () => Math.max(0, ...(await mine()).map((each) => Number(each.slice(name.length + 2)))),
    readAll: async (epoch) => readCache(await cacheOf(epoch)),
    open: async (epoch) => openCache(await cacheOf(epoch)),
    fresh: async (epoch) => freshIn(await cacheOf(epoch)),
    async forget(epoch, run_ids) {
      for (let old = 1; old < epoch; old++) {
        const cache = await cacheOf(old);
        const goes = ({ batch }: Entry) => batch === undefined || run_ids.has(batch.run_id);
        for (const { key, entry } of await answersIn(cache)) if (goes(entry)) await cache.delete(key);
      }
    },
    async remove() {
      for (const each of await mine()) await caches.delete(each);
    },
  };
}

async function openCache(cache: Cache): Promise<Mirror> {
  const growing = makeContents();
  for (const { entry, length } of await answersIn(cache)) growing.note(entry, length);
  return mirrorIn(cache, growing, (key, entry) => keepRows(cache, key, entry));
}

/** Rows that came with a batch outlive it. */
async function keepRows(cache: Cache, key: string, { batch }: Entry): Promise<void> {
  const there = batch && decoded(await bytesOf(await cache.match(addressOf(key))));
  if (there && there.tables.length > 0) await putIn(cache, crypto.randomUUID(), { ...there, batch: undefined });
}

/** Written over the old one, answer by answer: at each moment it says what both say. */
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
    // what was written is right wherever it stands
    abandon: async () => undefined,
  });
}

type Before = (key: string, entry: Entry) => Promise<void>;

function mirrorIn(cache: Cache, { contents, note }: ReturnType<typeof makeContents>, before: Before): Mirror {
  async function append(entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) {
      // One answer for a place in the log: what is left of an erased batch takes the place of the batch.
      const key = entry.batch === undefined ? crypto.randomUUID() : String(entry.batch.seq);
      await before(key, entry);
      await putIn(cache, key, entry);
      note(entry);
    }
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
    append,
    // an answer is there or it is not: here rows are all or none in one
    async take(mark, give) {
      const tables: TableWrite[] = [];
      const given = await give(async (rows) => void tables.push(...rows));
      if (given.ok) await append([{ tables, ...mark }]);
      return given;
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
  return (await answersIn(cache)).map(({ entry }) => entry);
}

interface Answer {
  readonly key: Request;
  readonly entry: Entry;
  readonly length: number;
}

async function answersIn(cache: Cache): Promise<Answer[]> {
  const found = await Promise.all(
    (await cache.keys()).map(async (key) => ({ key, bytes: await bytesOf(await cache.match(key)) })),
  );
  return found.flatMap(({ key, bytes }) => {
    const entry = decoded(bytes);
    return entry === undefined ? [] : [{ key, entry, length: bytes.length }];
  });
}

async function bytesOf(answer: Response | undefined): Promise<Uint8Array> {
  return new Uint8Array((await answer?.arrayBuffer()) ?? []);
}

function decoded(bytes: Uint8Array): Entry | undefined {
  const header = decodeHeader(bytes);
  const body = bytes.subarray(HEADER);
  const right = header !== undefined && body.length === header.length && isWhole(header, body);
  return right ? decodeBody(body, header.state) : undefined;
}

/** Never fetched: a cache knows its answers by addresses only. */
export function addressOf(key: string): string {
  return new URL(`/.sallyport/${key}`, location.origin).href;
}
