import { afterEach, expect, test, vi } from 'vitest';
import { fetchEngine } from '../../web/engine.ts';

const URL_OF_ENGINE = '/quickjs.wasm';
const BYTES = new Uint8Array([0, 97, 115, 109]);
afterEach(() => void vi.unstubAllGlobals());

/** Answers the requests for the engine in turn, and counts them. */
function answering(...answers: readonly (() => Promise<Response>)[]): () => number {
  let asked = 0;
  vi.stubGlobal('fetch', () => answers[asked++]?.() ?? Promise.reject(new TypeError('asked too often')));
  return () => asked;
}

const whole = async () => new Response(BYTES);
const missing = async () => new Response('', { status: 404 });
const broken = async () =>
  new Response(new ReadableStream({ pull: (controller) => controller.error(new TypeError('the line is gone')) }));

test('an engine is found before all of it has arrived, and is fetched once', async () => {
  let send: (bytes: Uint8Array) => void = () => {};
  const slow = async () =>
    new Response(
      new ReadableStream({
        start: (controller) => {
          send = (bytes) => {
            controller.enqueue(bytes);
            controller.close();
          };
        },
      }),
    );
  const asked = answering(slow);
  const { found, bytes } = fetchEngine(URL_OF_ENGINE);
  await found;
  send(BYTES);
  expect([...new Uint8Array(await bytes())]).toEqual([...BYTES]);
  expect(await bytes()).toBe(await bytes());
  expect(asked()).toBe(1);
});

test('an engine that the server does not have is told at once, with its status', async () => {
  answering(missing, missing);
  const { found, bytes } = fetchEngine(URL_OF_ENGINE);
  await expect(found).rejects.toMatchObject({ code: 'engine_missing', message: expect.stringContaining('404') });
  await expect(bytes()).rejects.toMatchObject({ code: 'engine_missing' });
});

test('an engine whose transfer breaks is fetched again for the next sandbox', async () => {
  const asked = answering(broken, whole);
  const { found, bytes } = fetchEngine(URL_OF_ENGINE);
  await found;
  await expect(bytes()).rejects.toMatchObject({ code: 'engine_missing', details: { url: URL_OF_ENGINE } });
  expect(new Uint8Array(await bytes())).toEqual(BYTES);
  expect(asked()).toBe(2);
});
