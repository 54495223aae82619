import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Refusal } from '../../../core/outcome.ts';
import { misuse } from '../../../core/sallyport-error.ts';
import type { ToolSource } from '../../../workers/api.ts';
import { deferred } from '../../../workers/async.ts';
import { placedAt } from '../../../workers/client/refused-options.ts';
import { openRuntime, type RuntimeStore } from '../../../workers/node.ts';
import { openMemoryStore } from '../../../workers/store/memory/store.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-opening-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('a sandbox that the policy of its page forbids is told with its remedy, and blames no definition', () => {
  const { code, message } = misuse('worker_failed', { reason: "WebAssembly: Content Security Policy 'self'" });
  const refusal = { class: 'execution', code, message, details: {} } as unknown as Refusal;
  expect(placedAt(refusal, '/capabilities/0')).toBe(refusal);
  expect(message).toMatch(/^The sandbox worker did not start: .*'self'\. Serve its file .*: sallyport doctor URL/);
});

/** A source whose list never comes. */
function silentSource(): {
  readonly source: ToolSource;
  readonly asked: Promise<void>;
  readonly closed: Promise<void>;
} {
  const [asked, closed] = [deferred<void>(), deferred<void>()];
  const list = () => (asked.resolve(), new Promise<never>(() => undefined));
  const source = { id: 'silent', list, close: async () => closed.resolve() };
  return { source, asked: asked.promise, closed: closed.promise };
}

test('an abort ends an opening that waits for tools, closes their source and frees the directory', async () => {
  const { source, asked, closed } = silentSource();
  const stop = new AbortController();
  const opening = openRuntime({ store: { directory }, tools: [source], signal: stop.signal });
  await asked;
  stop.abort(new Error('enough'));
  await expect(opening).rejects.toThrow('enough');
  await closed;
  await using again = await openRuntime({ store: { directory } });
  expect(again.info.store.kind).toBe('directory');
});

/** A store of which these calls never answer. */
function hangingStore(...hanging: readonly string[]): RuntimeStore {
  const never = () => new Promise<never>(() => undefined);
  return { ...openMemoryStore(), ...Object.fromEntries(hanging.map((name) => [name, never])) } as RuntimeStore;
}

test('an abort ends an opening that waits for the first read of its store, and closes the store', async () => {
  const [closed, stop] = [deferred<void>(), new AbortController()];
  const store = { ...hangingStore('all'), close: async () => closed.resolve() } as RuntimeStore;
  const opening = openRuntime({ store, signal: stop.signal });
  setTimeout(() => stop.abort(new Error('enough')), 50);
  await expect(opening).rejects.toThrow('enough');
  await closed.promise;
});

test('an abort ends an opening whose store and source never close', async () => {
  const [{ source, asked }, stop] = [silentSource(), new AbortController()];
  const tools = [{ ...source, close: () => new Promise<never>(() => undefined) }];
  const opening = openRuntime({ store: hangingStore('close'), tools, signal: stop.signal });
  await asked;
  stop.abort(new Error('enough'));
  await expect(opening).rejects.toThrow('enough');
});

test('behind an abort no source is asked, and every source is closed', async () => {
  const [said, first] = [[] as string[], deferred<readonly []>()];
  const source = (id: string, list: () => Promise<readonly []>): ToolSource => ({
    id,
    list: () => (said.push(`${id} asked`), list()),
    close: async () => void said.push(`${id} closed`),
  });
  const stop = new AbortController();
  const tools = [source('one', () => first.promise), source('two', async () => [])];
  const opening = openRuntime({ tools, signal: stop.signal });
  await vi.waitFor(() => expect(said).toEqual(['one asked']));
  stop.abort(new Error('enough'));
  await expect(opening).rejects.toThrow('enough');
  first.resolve([]);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(said).toEqual(['one asked', 'one closed', 'two closed']);
});

test('a signal that is aborted before opens nothing', async () => {
  const { source, asked } = silentSource();
  const opening = openRuntime({ store: { directory }, tools: [source], signal: AbortSignal.abort('never') });
  await expect(opening).rejects.toBe('never');
  const isAsked = Promise.race([asked.then(() => true), Promise.resolve(false)]);
  expect(await isAsked).toBe(false);
});

test('an abort after the opening changes nothing', async () => {
  const stop = new AbortController();
  await using runtime = await openRuntime({ signal: stop.signal });
  stop.abort();
  await using session = runtime.openSession();
  expect(await session.tools()).toEqual([]);
});

test('a signal that is none is refused by its name', async () => {
  await expect(openRuntime({ signal: 5 as never })).rejects.toMatchObject({
    code: 'option_invalid',
    details: { name: 'signal' },
  });
});
