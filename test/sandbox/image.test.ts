import { expect, it } from 'vitest';
import { adoptCapability, createEngine, type StoredImage, storeImage } from '../../sandbox/index.ts';
import { call, engine, isPristine, load } from './guest.ts';
import { wasmBytes } from './wasm.ts';

const SOURCE = 'const table = new Map([[1, "one"]]); export default ({ k }) => table.get(k) ?? null';
const GUEST = { name: 'test', source: SOURCE };

async function stored(): Promise<StoredImage> {
  return storeImage((await load(SOURCE)).realm.image);
}

it('a realm adopts a stored image without running the source', async () => {
  const image = structuredClone(await stored());
  const adopted = adoptCapability(
    await engine(),
    { ...GUEST, source: 'not even JavaScript' },
    {
      stored: image,
      digest: image.digest,
    },
  );
  const built = await load(SOURCE);
  expect(adopted.imageHash).toBe(built.imageHash);
  for (const k of [1, 2])
    expect(call(adopted, { k }, { heapHash: true })).toEqual(call(built, { k }, { heapHash: true }));
  expect(isPristine(adopted)).toBe(true);
});

it('a stored image with any change is refused', async () => {
  const image = await stored();
  const changed: StoredImage[] = [
    { ...image, bytes: image.bytes.map((byte, i) => (i === 100_000 ? byte ^ 1 : byte)) },
    { ...image, bytes: image.bytes.slice(4096) },
    { ...image, imageHash: image.imageHash.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) },
    { ...image, memoryPages: image.memoryPages + 1 },
    { ...image, roots: { ...image.roots, context: image.roots.context + 8 } },
    { ...image, roots: { ...image.roots, entries: { ...image.roots.entries, start: 8 } } },
    { ...image, runs: image.runs.slice(1) },
    { ...image, runs: image.runs.map(([at, length]) => [at + 4096, length] as const) },
    { ...image, digest: 'f'.repeat(64) },
  ];
  for (const other of changed) {
    await expect(
      engine().then((e) => adoptCapability(e, GUEST, { stored: other, digest: image.digest })),
    ).rejects.toMatchObject({
      code: 'image_refused',
    });
  }
});

it('an image that another version of the sandbox made of the same source is refused', async () => {
  const image = storeImage({ ...(await load(SOURCE)).realm.image, preludeHash: 'f'.repeat(64) });
  await expect(
    engine().then((e) => adoptCapability(e, GUEST, { stored: image, digest: image.digest })),
  ).rejects.toMatchObject({
    code: 'image_refused',
    details: { reason: 'it was made by another version' },
  });
});

it('an image of another engine or under another digest is refused', async () => {
  const image = await stored();
  const other = { ...image, wasmHash: '0'.repeat(64) };
  for (const [it_, digest] of [
    [other, image.digest],
    [image, '0'.repeat(64)],
  ] as const) {
    await expect(engine().then((e) => adoptCapability(e, GUEST, { stored: it_, digest }))).rejects.toMatchObject({
      code: 'image_refused',
    });
  }
});

it('engine bytes that are not the pinned build are refused', async () => {
  const wasm = await wasmBytes();
  const flipped = wasm.map((byte, i) => (i === wasm.length - 1 ? byte ^ 1 : byte));
  await expect(createEngine({ wasm: flipped })).rejects.toMatchObject({ code: 'engine_unknown' });
  await expect(createEngine({ wasm: new ArrayBuffer(0) })).rejects.toMatchObject({ code: 'engine_unknown' });
  await expect(createEngine({ module: (await engine()).module, wasmHash: 'x' })).rejects.toMatchObject({
    code: 'engine_unknown',
  });
});

it('an engine takes a module that another thread has compiled', async () => {
  const { module, wasmHash } = await engine();
  expect((await createEngine({ module, wasmHash })).wasmHash).toBe(wasmHash);
});

it('a realm rests as an image and comes back with the same heap', async () => {
  const capability = await load(SOURCE);
  const before = call(capability, { k: 1 }, { heapHash: true });
  expect(capability.realm.rest()).toBe(true);
  expect(capability.realm.rest()).toBe(false);
  expect(call(capability, { k: 1 }, { heapHash: true })).toEqual(before);
});
