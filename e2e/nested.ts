import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '@playwright/test';

const START_MS = 20_000;
const STARTS_MAX = 3;

/**
 * Starts a worker that starts workers of its own, as the engine for GGUF files does.
 *
 * Firefox under a driver fails here by itself: `new Worker` inside a young worker never returned in 2 to 5 of 100
 * starts, with no code of ours in either worker. Without a driver it returned in 800 of 800. So a start that takes too
 * long in Firefox is made again, which the output names: `renew` brings the page back to the moment before it. An error
 * of a start fails the test at once.
 */
export async function startNested<T>(page: Page, start: () => Promise<T>, renew: () => Promise<unknown>): Promise<T> {
  const isFirefox = page.context().browser()?.browserType().name() === 'firefox';
  for (let left = isFirefox ? STARTS_MAX - 1 : 0; left > 0; left--) {
    const started = start().then((value) => ({ value }));
    const first = await Promise.race([started, sleep(START_MS)]);
    if (first !== undefined) return first.value;
    started.catch(() => undefined);
    console.warn(`Firefox: a nested worker did not start within ${START_MS / 1000} s, and is started again.`);
    await renew();
  }
  return start();
}
