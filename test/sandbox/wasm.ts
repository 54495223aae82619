import url from '@jitl/quickjs-wasmfile-release-sync/wasm?url';

/** The engine's bytes, in Node and in browsers. */
export async function wasmBytes(): Promise<Uint8Array<ArrayBuffer>> {
  if ('document' in globalThis) return new Uint8Array(await (await fetch(url)).arrayBuffer());
  const [{ readFile }, { createRequire }] = await Promise.all([import('node:fs/promises'), import('node:module')]);
  const file = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
  return new Uint8Array(await readFile(file));
}
