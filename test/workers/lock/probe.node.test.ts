import { afterEach, expect, test, vi } from 'vitest';
import { probeLock } from '../../../workers/lock/probe.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The probe of `fetch`, whose answer is a refusal after this time. */
async function probeFetch(refusedAfterMs: number) {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', () => new Promise((_, refuse) => setTimeout(refuse, refusedAfterMs, new Error('blocked'))));
  const probing = probeLock();
  await vi.advanceTimersByTimeAsync(60_000);
  return (await probing).find(({ name }) => name === 'fetch');
}

test('a probe that is refused after ten seconds, as on a machine under load, counts as blocked', async () => {
  expect(await probeFetch(10_000)).toEqual({ name: 'fetch', blocked: true });
});

test('a probe without an answer after half a minute counts as open', async () => {
  expect(await probeFetch(30_000)).toEqual({ name: 'fetch', blocked: false });
});
