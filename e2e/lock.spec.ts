import type { Page } from '@playwright/test';
import { EXIT_NAMES, ORIGIN_EXIT_NAMES } from './exits.ts';
import { expect, test } from './fixtures.ts';
import { knownMembers } from './members.ts';
import { type Probe, startProbe } from './probe.ts';
import { CORE_ENGINES } from './tags.ts';
import { tryInPage } from './try.ts';

// The browser reports closed exits on the console.
test.use({ complaining: true });

let probe: Probe;
test.beforeAll(async () => {
  probe = await startProbe();
});
test.afterAll(() => probe.close());

const NO_ANSWER = 'no answer';

/** Tries every exit in its own worker, and returns the outcome of each exit. */
async function tryExits(
  page: Page,
  file: string,
  tag: string,
  origin: string,
  all: readonly string[] = EXIT_NAMES,
): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {};
  // In Firefox `new Worker` inside a worker sometimes never returns: an exit without an outcome is tried again.
  for (let round = 0; round < 5; round++) {
    const names = all.filter((name) => (outcomes[name] ?? NO_ANSWER) === NO_ANSWER);
    if (names.length === 0) break;
    await page.goto(`${probe.origin}/`);
    Object.assign(
      outcomes,
      await page.evaluate(tryInPage, { file, origin, tag, names, patienceMs: 3000 * 2 ** round }),
    );
  }
  // A late request still counts.
  await page.waitForTimeout(300);
  expect(Object.values(outcomes)).not.toContain(NO_ANSWER);
  return outcomes;
}

/** Exits that must be open in an unlocked worker, so that a closed exit is due to the lock. */
const REACHES = [
  'fetch',
  'fetch-keepalive',
  'xhr',
  'websocket',
  'eventsource',
  'import',
  'worker',
  'worker-classic',
  'worker-blob',
  'cache-add',
];

test('an unlocked worker reaches the server by every exit', CORE_ENGINES, async ({ page }) => {
  const outcomes = await tryExits(page, '/open-exits.js', 'open', probe.origin);
  expect(probe.leaks('open'), JSON.stringify(outcomes)).toEqual(expect.arrayContaining(REACHES));
});

/** Exits that a worker needs: the engine of a GGUF file starts threads, which inherit the lock, from its own memory. */
const NEEDED: { readonly [name: string]: readonly string[] } = { 'model-gguf': ['worker-blob'] };

/** In `npm test` the kernel stands for all of them, whose header is the same; `test:long` tries every worker. */
const EACH_TIME = process.env.SALLYPORT_STORIES === 'core';
const LOCKED = ['exits', 'kernel', 'sandbox', 'auditor', 'small', 'model-gguf'];

test('no locked worker reaches anything by any exit', CORE_ENGINES, async ({ page }) => {
  test.setTimeout(360_000);
  for (const name of EACH_TIME ? ['kernel', 'model-gguf'] : LOCKED) {
    const outcomes = await tryExits(page, `/worker-${name}.js`, name, probe.origin);
    const open = Object.keys(outcomes).filter((exit) => outcomes[exit] === 'open');
    expect.soft(open, `${name}: ${JSON.stringify(outcomes)}`).toEqual(NEEDED[name] ?? []);
    expect.soft(probe.leaks(name), name).toEqual([]);
  }
});

/** Ways that must be open in a worker that removes no names, so that a closed way is due to the removal. */
const FINDS = ['cache-put', 'indexeddb', 'private-files', 'broadcast', 'locks', 'prototype-caches'];

test('a worker that removes no names reaches the storage and the tabs of its origin', async ({ page, browserName }) => {
  const outcomes = await tryExits(page, '/worker-exits.js', 'origin', probe.origin, ORIGIN_EXIT_NAMES);
  const found = Object.keys(outcomes).filter((name) => outcomes[name] === 'open');
  // Firefox gives its workers the service workers of the origin, Chromium does not.
  const others = browserName === 'firefox' ? ['service-worker', 'prototype-service-worker'] : [];
  expect(found.sort(), JSON.stringify(outcomes)).toEqual([...FINDS, ...others].sort());
});

/** Members that the worker of a model keeps for its engine. Its header says which workers it may start. */
const OF_ENGINES = ['Worker', 'gpu'];

test('no worker has a way to storage and tabs of its origin, or a member that was not reviewed', async ({
  page,
  browserName,
}) => {
  test.setTimeout(360_000);
  for (const name of ['kernel', 'sandbox', 'auditor', 'endpoint', 'small', 'model-gguf']) {
    const names = [...ORIGIN_EXIT_NAMES, 'members'];
    const { members = '', ...outcomes } = await tryExits(page, `/worker-${name}.js`, name, probe.origin, names);
    expect
      .soft(
        Object.entries(outcomes).filter(([, outcome]) => outcome === 'open'),
        name,
      )
      .toEqual([]);
    const [globals, navigators] = JSON.parse(members) as [string[], string[]];
    const known = knownMembers(browserName === 'firefox' ? 'firefox' : 'chromium');
    const kept = /small|model/.test(name) ? OF_ENGINES : [];
    expect
      .soft(
        globals.filter((member) => !known.globals.has(member) && !kept.includes(member)),
        name,
      )
      .toEqual([]);
    expect
      .soft(
        navigators.filter((member) => !known.navigator.has(member) && !kept.includes(member)),
        name,
      )
      .toEqual([]);
  }
});

test('a locked worker reaches no other origin', async ({ page }) => {
  const other = await startProbe();
  await tryExits(page, '/open-exits.js', 'open', other.origin);
  expect(other.leaks('open')).toContain('fetch');
  await tryExits(page, '/worker-exits.js', 'locked', other.origin);
  expect(other.leaks('locked')).toEqual([]);
  other.close();
});
