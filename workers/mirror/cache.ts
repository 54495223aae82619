import { decodeBody, decodeHeader, type Entry, encodeFrame, HEADER, isWhole } from '../journal/frame.ts';
import { makeContents } from './contents.ts';
import type { Mirror, MirrorPlace } from './place.ts';

/** The mirror's second form: each frame an answer in a cache. No cache can be told to flush. */
export function cachePlace(name: string): MirrorPlace {
  const cacheOf = (epoch: number) => caches.open(`${name}.e${epoch}`);
  const mine = async () => (await caches.keys()).filter((each) => each.startsWith(`${name}.e`));
  return {
    form: 'cache',
    epoch: async () => Math.max(0, ...(await mine()).map((each) => Number(each.slice(name.length + 2)))),
    readAll: async (epoch) => readCache(await cacheOf(epoch)),
    open: async (epoch) => openCache(await cacheOf(epoch)),
    async remove() {
      for (const each of await mine()) await caches.delete(each);
    },
  };
}

async function openCache(cache: Cache): Promise<Mirror> {
  const { contents, note } = makeContents();
  for (const entry of await readCache(cache)) note(entry);
  return {
    has: contents.has,
    get end() {
      return contents.end;
    },
    get rows() {
      return contents.rows;
    },
    async append(entries) {
      for (const entry of entries) {
        // One answer for a place in the log: what is left of an erased batch takes the place of the batch.
        const key = entry.batch === undefined ? crypto.randomUUID() : String(entry.batch.seq);
        await cache.put(addressOf(key), new Response(encodeFrame(entry) as Uint8Array<ArrayBuffer>));
        note(entry);
      }
    },
    close: async () => undefined,
  };
}

async function readCache(cache: Cache): Promise<Entry[]> {
  const answers = await Promise.all((await cache.keys()).map((key) => cache.match(key)));
  const frames = await Promise.all(answers.map(async (answer) => new Uint8Array((await answer?.arrayBuffer()) ?? [])));
  return frames.flatMap((bytes) => {
    const header = decodeHeader(bytes);
    const body = bytes.subarray(HEADER);
    return header !== undefined && body.length === header.length && isWhole(header, body) ? [decodeBody(body)] : [];
  });
}

/** Never fetched: a cache knows its answers by addresses only. */
export function addressOf(key: string): string {
  return new URL(`/.sallyport/${key}`, location.origin).href;
}
