import url from '../../workers/bridges/models/small/weights.bin?url';

/** The shipped weights, in Node and in browsers. */
export async function shippedWeights(): Promise<Uint8Array> {
  if ('document' in globalThis) return new Uint8Array(await (await fetch(url)).arrayBuffer());
  const { readFile } = await import('node:fs/promises');
  return new Uint8Array(await readFile(new URL('../../workers/bridges/models/small/weights.bin', import.meta.url)));
}
