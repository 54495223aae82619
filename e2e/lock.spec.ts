import { expect, type Page, test } from '@playwright/test';
import { EXIT_NAMES, ORIGIN_EXIT_NAMES } from './exits.ts';
import { knownMembers } from './members.ts';
import { type Probe, startProbe } from './probe.ts';
import { CORE } from './tags.ts';
import { tryInPage } from './try.ts';

let probe: Probe;
test.beforeAll(async () => {
  probe = await startProbe();
});
test.afterAll(() => probe.close());

const NO_ANSWER = 'no answer';

/** Tries every exit in a worker of its own and tells what each came to. */
async function tryExits(
  page: Page,
  file: string,
  tag: string,
  origin: string,
  all: readonly string[] = EXIT_NAMES,
): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {};
  // Firefox now and then never comes back from `new Worker` inside a worker: that says nothing, so it is tried again.
  for (let round = 0; round < 5; round++) {
    const names = all.filter((name) => (outcomes[name] ?? NO_ANSWER) === NO_ANSWER);
    if (names.length === 0) break;
    await page.goto(`${probe.origin}/`);
    Object.assign(outcomes, await page.evaluate(tryInPage, { file, origin, tag, names }));
  }
  // A request that set out late still counts.
  await page.waitForTimeout(300);
  expect(Object.values(outcomes)).not.toContain(NO_ANSWER);
  return outcomes;
}

/** What an unlocked worker must reach, or this test would prove nothing. */
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

test('an unlocked worker reaches the server by every exit', CORE, async ({ page }) => {
  const outcomes = await tryExits(page, '/open-exits.js', 'open', probe.origin);
  expect(probe.leaks('open'), JSON.stringify(outcomes)).toEqual(expect.arrayContaining(REACHES));
});

for (const name of ['exits', 'kernel', 'sandbox', 'auditor']) {
  test(`the locked ${name} worker reaches nothing by any exit`, CORE, async ({ page }) => {
    const outcomes = await tryExits(page, `/worker-${name}.js`, name, probe.origin);
    expect(Object.entries(outcomes).filter(([, outcome]) => outcome === 'open')).toEqual([]);
    expect(probe.leaks(name)).toEqual([]);
  });
}

/** What an unlocked worker of this engine finds, or the next test would prove nothing. */
const FINDS = ['cache-put', 'indexeddb', 'private-files', 'broadcast', 'locks', 'prototype-caches'];

test('a worker that removes nothing finds the storage and the tabs of its origin', async ({ page, browserName }) => {
  const outcomes = await tryExits(page, '/worker-exits.js', 'origin', probe.origin, ORIGIN_EXIT_NAMES);
  const found = Object.keys(outcomes).filter((name) => outcomes[name] === 'open');
  // Firefox gives its workers the service workers of the origin, Chromium does not.
  const others = browserName === 'firefox' ? ['service-worker', 'prototype-service-worker'] : [];
  expect(found.sort(), JSON.stringify(outcomes)).toEqual([...FINDS, ...others].sort());
});

for (const name of ['kernel', 'sandbox', 'auditor', 'endpoint']) {
  test(`the ${name} worker has removed the ways to the storage and the tabs of its origin`, async ({ page }) => {
    const outcomes = await tryExits(page, `/worker-${name}.js`, name, probe.origin, ORIGIN_EXIT_NAMES);
    expect(Object.entries(outcomes).filter(([, outcome]) => outcome === 'open')).toEqual([]);
  });

  test(`the ${name} worker has no member that nobody has looked at`, async ({ page, browserName }) => {
    const { members = '' } = await tryExits(page, `/worker-${name}.js`, name, probe.origin, ['members']);
    const [globals, navigators] = JSON.parse(members) as [string[], string[]];
    const known = knownMembers(browserName === 'firefox' ? 'firefox' : 'chromium');
    expect(globals.filter((member) => !known.globals.has(member))).toEqual([]);
    expect(navigators.filter((member) => !known.navigator.has(member))).toEqual([]);
  });
}

test('a locked worker reaches no other origin', async ({ page }) => {
  const other = await startProbe();
  await tryExits(page, '/open-exits.js', 'open', other.origin);
  expect(other.leaks('open')).toContain('fetch');
  await tryExits(page, '/worker-exits.js', 'locked', other.origin);
  expect(other.leaks('locked')).toEqual([]);
  other.close();
});
