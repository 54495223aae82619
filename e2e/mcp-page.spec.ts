import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { expect, type Locator, type Page, test } from '@playwright/test';
import type { AxeResults } from 'axe-core';
import { buildScript } from '../.scripts/vite/script.ts';
import { type Assertion, checkAssertion } from '../core/approval/assertion.ts';
import type { YesSigner } from '../core/approval/signer.ts';
import { draftRule, tryDraft } from '../core/privilege/revise.ts';
import { TAINTED, use, WRITE } from '../test/core/privilege/uses.ts';
import { HIDDEN, type LawOf, MIXED, SHORT_DRAWN_LONG } from '../test/web/approval/laws.ts';
import { checkSignature } from '../workers/auditor/assertion.ts';
import { allowedSections } from '../workers/bridges/mcp/gateway/allowed-html.ts';
import { type ConfiguredGrant, readConfiguration } from '../workers/bridges/mcp/gateway/config.ts';
import { heldPart } from '../workers/bridges/mcp/gateway/held-html.ts';
import { GatewayPage } from '../workers/bridges/mcp/gateway/page.ts';
import {
  editedCard,
  type PageContent,
  type ShownChange,
  type ShownQuestion,
  sectionsOf,
} from '../workers/bridges/mcp/gateway/page-html.ts';
import { listenAtNewPort } from './new-port.ts';
import { CORE } from './tags.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const EVIL = '</pre><script>document.title="owned"</script><img src=x onerror="document.title=1">\u202e\u200b';

const question = (digit: string, capability: string): ShownQuestion => ({
  since: 0,
  server: 'files',
  definition: digit.repeat(64),
  revision: 1,
  description: JSON.stringify({ name: 'write', description: `Writes. ${EVIL}` }, null, 2),
  labels: ['private', 'untrusted'],
  question: {
    run_id: 'r',
    step_id: 's',
    capability,
    capability_hash: digit.repeat(64),
    effect: 'write',
    args: JSON.stringify({ path: 'a.txt', text: EVIL }),
    digest: digit.repeat(64),
    reason: 'The grant says to ask.',
    origin: 'mcp:stdio:npx server-files',
  },
});
const change: ShownChange = {
  tool: 'files.read',
  server: 'files',
  definition: 'd'.repeat(64),
  revision: 2,
  pinned: 'e'.repeat(64),
  effect: 'read',
  changes: [{ pointer: '/description', before: '"Reads."', after: `"Reads. ${EVIL}"` }],
};
const RULES: Pick<PageContent, 'effects'> = {
  effects: [{ id: '1', tool: 'files.read', definition: 'd'.repeat(64), effect: 'read', idle: 'stricter' }],
};
const step = { step: 1, tool: 'files.read', decision: 'AUTHORIZED', status: 'SUCCESS', receipt: 'f'.repeat(64) };
const run = { run_id: 'a1b2', records: 9, head: 'c'.repeat(64), steps: [step] };

/** Calls of a tool that writes: in a folder, behind a stranger's text, and one that a person has denied. */
const HISTORY = [
  ...Array.from({ length: 12 }, (_, at) => use({ path: `/notes/${at}.md` }, { of: WRITE })),
  use({ path: `/etc/${EVIL}` }, { of: WRITE, ...TAINTED }),
  use({ path: '/notes/3.md' }, { of: WRITE, end: 'denied', asked: 'grant', code: 'approval_denied' }),
];

let script: string;
test.beforeAll(async () => {
  ({ code: script } = await buildScript('web/gateway/page.ts'));
});

let content: PageContent;
let acts: unknown[];
let parts: ConstructorParameters<typeof GatewayPage>[0];
let page: GatewayPage;
test.beforeEach(async () => {
  const servers = [{ name: 'files', origin: 'mcp:stdio:npx server-files', status: 'connected' }];
  content = {
    questions: [],
    changes: [],
    effects: [],
    tools: [],
    runs: [run],
    servers,
    config: '/home/a/sallyport-mcp.json',
    ledger: '/home/a/l',
  };
  acts = [];
  parts = {
    script,
    sections: () => sectionsOf(content),
    answer: async (...given) => {
      acts.push(given);
      const isOpen = content.questions.some(({ question: { digest } }) => digest === given[0]);
      show({ questions: content.questions.filter(({ question: { digest } }) => digest !== given[0]) });
      return { isDone: isOpen, message: isOpen ? 'The call runs once.' : 'This call does not wait any more.' };
    },
    undo: async (...given) => {
      acts.push(given);
      return { isDone: true, message: 'Taken back.' };
    },
    edit: async (...given) => {
      acts.push(given);
      const [digest, args] = given;
      const asked = content.questions.find((each) => each.question.digest === digest);
      if (asked === undefined || args.includes('eve')) return { isDone: false, message: 'Eve gets no mail.' };
      const changed = [{ pointer: '/text', before: EVIL, after: 'hi' }];
      const instead = { args, digest: 'f'.repeat(64) };
      const question = { ...asked.question, ...instead, changed };
      return { ...editedCard({ ...asked, question }, content.config), instead };
    },
    accept: async (...given) => {
      acts.push(given);
      show({ changes: [] });
      return { isDone: true, message: 'The new definition is pinned.' };
    },
    takeBack: async (...given) => {
      acts.push(given);
      show({ effects: content.effects.filter(({ id }) => id !== given[0]) });
      return { isDone: true, message: 'It is taken back.' };
    },
    allowed: async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const row = { tools: ['files.read'], mode: 'allow', uses: 2, last: 1, runs: ['a1b2'], runCount: 1 } as const;
      const rows = [
        { ...row, id: '3', by: 'configuration', terms: '{"uses":3}', isUnused: true, canEnd: true },
        { ...row, id: '4', by: 'program', canEnd: false },
      ] as const;
      return allowedSections({
        rows,
        sources: [{ id: '5', source: EVIL, labels: ['private'] }],
        isCut: false,
        since: 1,
      });
    },
    held: async (...given) => {
      acts.push(given);
      const row = {
        handle: 'h1',
        step: 1,
        labels: ['private'],
        sources: [EVIL],
        steps: [],
      } as const;
      return heldPart({ ...row, outcome: { ok: true, value: EVIL } });
    },
    rule: async ({ act, changes }) => {
      const draft = draftRule(HISTORY, { definition: WRITE, changes });
      if (act === 'draft') return { status: 200, value: { ...(draft && { draft }), replaces: 1 } };
      if (act === 'try' && draft !== undefined)
        return { status: 200, value: { tried: tryDraft(HISTORY, draft, { definition: WRITE }) } };
      acts.push([act, changes]);
      return { status: 200, value: { message: 'The rule is written.' } };
    },
    watch: async (...given) => {
      acts.push(given);
      return { isDone: true, message: 'Watching until noon.' };
    },
    passkey: async (...given) => {
      acts.push(given);
      return { isDone: true, message: 'Answer its card above, with a passkey that you have.' };
    },
  };
  page = new GatewayPage(parts);
  await page.open();
});
test.afterEach(() => page.close());

function show(more: Partial<PageContent>): void {
  content = { ...content, ...more };
  page.changed();
}

/** Opens the page, and collects every breach of its policy and every error of its script. */
async function open(browser: Page, address = page.newAddress()): Promise<string[]> {
  const faults: string[] = [];
  browser.on('pageerror', (error) => faults.push(String(error)));
  browser.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  await browser.goto(address);
  await expect(browser.getByRole('heading', { name: 'Servers' })).toBeVisible();
  return faults;
}

async function axe(browser: Page): Promise<AxeResults['violations']> {
  // The policy of the page permits no script of axe in the page itself.
  await browser.evaluate(AXE);
  const { violations } = await browser.evaluate(() =>
    (globalThis as unknown as { axe: { run: () => Promise<AxeResults> } }).axe.run(),
  );
  return violations;
}

/** What the gateway hears of an answer: the digest, and the state of the tool that the card has shown. */
const answered = (digit: string, answer: string) => [
  digit.repeat(64),
  answer,
  { definition: digit.repeat(64), revision: 1 },
  {},
];

/** Brings a button into sight, and waits until its card has been in its place for long enough. */
async function ready(button: Locator): Promise<Locator> {
  await button.scrollIntoViewIfNeeded();
  // The card looks every 100 ms whether its buttons have moved, and begins its half second anew.
  await button.evaluate(() => new Promise((next) => setTimeout(next, 200)));
  await expect(button).toBeEnabled();
  return button;
}

async function click(browser: Page, name: string): Promise<void> {
  await (await ready(browser.getByRole('button', { name }).first())).click();
}

const cards = (browser: Page) => browser.locator('#questions article');

test('the page keeps the rules of axe, light and dark, on a wide screen and on a phone', async ({ page: browser }) => {
  await open(browser);
  show({ questions: [question('a', 'files.write'), question('b', 'files.move')], changes: [change], ...RULES });
  await expect(cards(browser)).toHaveCount(2);
  for (const colorScheme of ['light', 'dark'] as const)
    for (const size of [
      { width: 1280, height: 800 },
      { width: 320, height: 640 },
    ]) {
      await browser.emulateMedia({ colorScheme });
      await browser.setViewportSize(size);
      expect((await axe(browser)).map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
      const isWide = await browser.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      );
      expect(isWide).toBe(false);
    }
});

test(
  'texts of a hostile server are shown and not run, and what is invisible is visible',
  CORE,
  async ({ page: browser }) => {
    const faults = await open(browser);
    show({ questions: [question('a', 'files.write')], changes: [change] });
    await expect(cards(browser)).toContainText('<script>document.title=\\"owned\\"</script>');
    await expect(browser.locator('mark').first()).toHaveText('\\u202e');
    await expect(browser).toHaveTitle('(2) Sallyport');
    expect(await browser.locator('main img, main script').count()).toBe(0);
    expect(faults).toEqual([]);
    expect(browser.url()).not.toContain('token');
  },
);

test('a question is answered by keyboard, a second question keeps its place, and a screen reader hears both', async ({
  page: browser,
}) => {
  await open(browser);
  show({ questions: [question('a', 'files.write'), question('b', 'files.move')] });
  await expect(browser.getByRole('status')).toHaveText('2 calls wait for your answer.');
  await (await ready(browser.getByRole('button', { name: 'Allow once' }).first())).focus();
  // A yes takes no key in the half second after the focus has come.
  await browser.waitForTimeout(600);
  await browser.keyboard.press('Enter');
  await expect(browser.getByRole('status')).toHaveText('The call runs once.');
  expect(acts).toEqual([answered('a', 'once')]);
  await expect(cards(browser)).toHaveCount(1);
  await expect(cards(browser).getByRole('heading', { level: 3 })).toBeFocused();
  await click(browser, 'Always for this server and tool');
  await expect(browser.getByText('No call waits.')).toBeVisible();
  expect(acts).toHaveLength(2);
});

test('a call is edited by keyboard, a refusal stands at the field, and the yes is to the edited call', async ({
  page: browser,
}) => {
  const faults = await open(browser);
  const [one, two] = [question('a', 'files.write'), question('b', 'files.move')];
  show({ questions: [{ ...one, question: { ...one.question, editable: true } }, two] });
  await expect(cards(browser)).toHaveCount(2);
  const card = cards(browser).first();
  await card.getByRole('button', { name: 'Edit…' }).press('Enter');
  const field = card.getByRole('textbox', { name: 'Arguments as JSON' });
  await expect(field).toBeFocused();
  await expect(field).toHaveValue(/onerror=.*\\u202e\\u200b"/s);
  await expect(card.getByRole('button')).toHaveText(['Deny', 'Show the change', 'Back']);
  await field.fill('{"text":"eve"}');
  await card.getByRole('button', { name: 'Show the change' }).press('Enter');
  await expect(card.getByRole('alert')).toHaveText('Eve gets no mail.');
  expect(await axe(browser)).toEqual([]);
  await field.fill('{"text":"hi"}');
  await card.getByRole('button', { name: 'Show the change' }).press('Enter');
  await expect(card.getByRole('heading', { level: 3 })).toBeFocused();
  await expect(card.getByRole('group', { name: 'What you have changed' })).toContainText('"hi"');
  await expect(card.getByRole('button')).toHaveText(['Approve the edited call', 'Deny', 'Edit again…']);
  expect(await axe(browser)).toEqual([]);
  // a change of other cards leaves the edited one where it is
  show({ questions: content.questions.slice(0, 1) });
  await expect(cards(browser)).toHaveCount(1);
  await click(browser, 'Approve the edited call');
  await expect(browser.getByText('No call waits.')).toBeVisible();
  const [digest, choice, seen] = answered('a', 'once');
  const instead = { args: '{"text":"hi"}', digest: 'f'.repeat(64) };
  expect(acts.slice(1)).toEqual([
    ['a'.repeat(64), '{"text":"hi"}', seen],
    [digest, choice, seen, { instead }],
  ]);
  // the refusal, as the console tells it
  expect(faults).toEqual([expect.stringContaining('409')]);
});

test('an answer to a call that has gone says so, and buttons send a single answer', async ({ page: browser }) => {
  await open(browser);
  show({ questions: [question('a', 'files.write')] });
  await expect(cards(browser)).toHaveCount(1);
  // the call ends, and the page does not know it yet
  content = { ...content, questions: [] };
  await (await ready(browser.getByRole('button', { name: 'Deny' }))).dblclick({ noWaitAfter: true });
  await expect(browser.getByRole('status')).toHaveText('This call does not wait any more.');
  expect(acts).toHaveLength(1);
});

test('a declared effect is taken back by keyboard, and the focus stays in its list', async ({ page: browser }) => {
  await open(browser);
  show({ ...RULES, effects: [...RULES.effects, { id: '2', tool: 'files.find', effect: 'read' }] });
  const list = browser.getByRole('region', { name: 'Declared effects' });
  await (await ready(list.getByRole('button', { name: 'Take back' }).first())).focus();
  await browser.waitForTimeout(600);
  await browser.keyboard.press('Enter');
  await expect(browser.getByRole('status')).toHaveText('It is taken back.');
  await expect(list.getByRole('article')).toHaveCount(1);
  await expect(list.getByRole('heading', { level: 3 })).toBeFocused();
  expect(acts).toEqual([['1']]);
  const allowed = browser.getByRole('region', { name: 'What you have allowed' });
  await allowed.getByRole('button', { name: 'Show the list' }).press('Enter');
  await expect(allowed).toContainText('Reading the decisions of the ledger');
  await expect(allowed.getByRole('article')).toHaveCount(3);
  await expect(allowed).toContainText('Uses are counted since 1 Jan 1970');
  await expect(allowed.getByRole('button', { name: 'Take back' })).toHaveCount(1);
  await (await ready(allowed.getByRole('button', { name: 'Clear' }))).focus();
  await browser.waitForTimeout(600);
  await browser.keyboard.press('Enter');
  await expect.poll(() => acts).toEqual([['1'], ['5']]);
  expect(await axe(browser)).toEqual([]);
});

test('a held value is opened by keyboard, as text, and closed again', async ({ page: browser }) => {
  const faults = await open(browser);
  show({ runs: [{ ...run, steps: [{ ...step, held: 'h1' }] }] });
  await browser.getByRole('button', { name: 'Open the held value of step 1' }).press('Enter');
  const value = browser.getByRole('region', { name: 'A held value' });
  await expect(value.getByRole('heading')).toBeFocused();
  await expect(value).toContainText('</pre><script>');
  await expect(value).toContainText('Unseen characters: 2.');
  expect(acts).toEqual([['a1b2', 'h1']]);
  expect(await axe(browser)).toEqual([]);
  await value.getByRole('button', { name: 'Close the value' }).press('Enter');
  await expect(value).toBeHidden();
  expect(faults).toEqual([]);
});

test('a rule is proposed from the list of tools, changed, tried and accepted by keyboard', async ({
  page: browser,
}) => {
  const faults = await open(browser);
  show({
    questions: [{ ...question('a', 'files.write'), recent: 12 }],
    tools: [
      { tool: 'files.write', effect: 'write', recent: 12 },
      { tool: `files.${EVIL}`, effect: 'read', recent: 0 },
    ],
  });
  await expect(cards(browser)).toContainText('12 calls of this kind in the last hour');
  await browser.evaluate(() => document.querySelector<HTMLButtonElement>('[data-watch]')?.click());
  await browser.locator('#watch-length').selectOption('2 hours');
  await browser.getByRole('button', { name: 'Begin to watch' }).press('Enter');
  await expect(browser.getByRole('status')).toHaveText('Watching until noon.');
  expect(acts.splice(0)).toEqual([[{ option: '2h' }]]);
  const list = browser.getByRole('region', { name: 'Tools' });
  await list.getByRole('button', { name: 'Propose a rule for files.write' }).focus();
  await browser.keyboard.press('Enter');
  const dialog = browser.getByRole('dialog', { name: 'A rule from what ran: files.write' });
  await expect(dialog).toContainText('files.write asks a person, path is inside of /notes');
  await dialog.locator('summary').press('Enter');
  await dialog.getByRole('checkbox', { name: '/notes/3.md' }).press('Space');
  await dialog.getByRole('radio', { name: 'runs without a question' }).press('Space');
  await expect(dialog).toContainText('files.write runs without a question');
  await dialog.getByRole('button', { name: 'Try it' }).press('Enter');
  await expect(dialog.getByRole('region', { name: 'Tried on what was recorded' })).toBeFocused();
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 320],
  ] as const) {
    await browser.emulateMedia({ colorScheme });
    await browser.setViewportSize({ width, height: 720 });
    expect((await axe(browser)).map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
  }
  await dialog.getByRole('button', { name: 'Accept the rule' }).press('Enter');
  await expect(dialog.getByRole('status')).toHaveText('The rule is written.');
  await dialog.getByRole('button', { name: 'Close' }).last().press('Enter');
  await expect(dialog).toBeHidden();
  expect(acts[0]).toEqual(['accept', { mode: 'allow', places: { '/path': { without: ['/notes/3.md'] } } }]);
  expect(faults).toEqual([]);
  expect(await browser.title()).not.toContain('owned');
});

test('a script cannot answer for the person', async ({ page: browser }) => {
  await open(browser);
  show({ questions: [question('a', 'files.write')] });
  await expect(cards(browser)).toHaveCount(1);
  await browser.evaluate(() => document.querySelector<HTMLButtonElement>('button[data-answer]')?.click());
  await click(browser, 'Deny');
  await expect(cards(browser)).toHaveCount(0);
  expect(acts).toEqual([answered('a', 'deny')]);
});

/** The laws of approval that hold for this page, each from an empty page. */
const LAWS: { readonly [L in LawOf<'gateway page'>]: (browser: Page) => Promise<void> } = {
  'the second click of a double click answers no card': async (browser) => {
    show({ questions: [question('a', 'files.write'), question('b', 'files.wipe')] });
    const once = await centre(browser, 'Allow once');
    await pause(browser);
    await browser.mouse.click(...once, { clickCount: 2 });
    await expect(status(browser)).toHaveText('The call runs once.');
    await expect(cards(browser)).toHaveCount(1);
    await browser.mouse.click(...once);
    await expect(status(browser)).toContainText('Nothing was answered');
    expect(acts).toEqual([answered('a', 'once')]);
  },
  'a click while the host cancels a card does not answer the card in its place': async (browser) => {
    show({ questions: [question('a', 'files.write'), question('b', 'files.wipe')] });
    await expect(cards(browser)).toHaveCount(2);
    await browser.mouse.move(...(await centre(browser, 'Allow once')));
    await pause(browser);
    await browser.mouse.down();
    show({ questions: [question('b', 'files.wipe')] });
    await expect(cards(browser)).toHaveCount(1);
    await browser.mouse.up();
    await browser.mouse.down();
    await browser.mouse.up();
    await expect(status(browser)).toContainText('Nothing was answered');
    await browser.clock.resume();
    await browser.mouse.click(...(await centre(browser, 'Deny')));
    await expect(cards(browser)).toHaveCount(0);
    expect(acts).toEqual([answered('b', 'deny')]);
  },
  'a definition that is swapped under the pointer gets no yes': async (browser) => {
    show({ changes: [change] });
    const accept = await centre(browser, 'Accept the new definition');
    await pause(browser);
    show({ changes: [{ ...change, definition: 'f'.repeat(64), revision: 3 }] });
    await expect(browser.locator('#changes article')).toHaveAttribute('data-revision', '3');
    await browser.mouse.click(...accept);
    await expect(status(browser)).toContainText('Nothing was answered');
    expect(acts).toEqual([]);
    await browser.clock.resume();
    await click(browser, 'Accept the new definition');
    await expect(status(browser)).toHaveText('The new definition is pinned.');
    expect(acts).toEqual([[{ definition: 'f'.repeat(64), revision: 3 }, 'e'.repeat(64)]]);
  },
  'a yes to 20,000 characters waits until they were read to their end': (browser) =>
    waitsForEnd(browser, { text: `${'x '.repeat(10_000)}AND DELETE EVERYTHING` }),
  'a yes to a short text that is drawn long waits for its end': async (browser) => {
    await waitsForEnd(browser, { text: SHORT_DRAWN_LONG });
    acts.length = 0;
    await waitsForEnd(browser, { list: Array(240).fill(0), zcc: 'AND DELETE EVERYTHING' });
  },
  'a word in two alphabets is told': async (browser) => {
    show({ questions: [asking({ to: MIXED })], changes: [{ ...change, changes: [{ pointer: '/to', after: MIXED }] }] });
    await expect(browser.getByText('may not be what they look like')).toHaveCount(2);
  },
  'bidi and zero-width characters are written out': async (browser) => {
    show({ questions: [asking({ text: HIDDEN })] });
    await expect(cards(browser)).toContainText('pay \\u202enow\\u200b');
    await expect(cards(browser)).toContainText('Unseen characters: 2.');
  },
  'of two questions, the click answers its own': async (browser) => {
    show({ questions: [question('a', 'files.write'), question('b', 'files.wipe')] });
    await expect(cards(browser)).toHaveCount(2);
    await (await ready(browser.getByRole('button', { name: 'Deny' }).last())).click();
    await expect(cards(browser)).toHaveCount(1);
    expect(acts).toEqual([answered('b', 'deny')]);
  },
  'an answer of an older card is no answer': async (browser) => {
    show({ questions: [question('a', 'files.write')] });
    await ready(browser.getByRole('button', { name: 'Allow once' }));
    const old = await browser.locator('#questions button').first().elementHandle();
    show({ questions: [question('b', 'files.wipe')] });
    await expect(cards(browser)).toContainText('files.wipe');
    await old?.evaluate((button) => (button as HTMLElement).click());
    await click(browser, 'Allow once');
    await expect(cards(browser)).toHaveCount(0);
    expect(acts).toEqual([answered('b', 'once')]);
  },
  'Enter that is held down answers a single card': async (browser) => {
    await browser.getByRole('heading', { level: 1 }).click();
    await browser.keyboard.down('Enter');
    show({ questions: [question('a', 'files.write')] });
    const once = browser.getByRole('button', { name: 'Allow once' });
    await (await ready(once)).focus();
    await browser.keyboard.down('Enter');
    await browser.keyboard.up('Enter');
    expect(acts).toEqual([]);
    await browser.waitForTimeout(600);
    await once.press('Enter');
    await expect(cards(browser)).toHaveCount(0);
    expect(acts).toEqual([answered('a', 'once')]);
  },
};

async function waitsForEnd(browser: Page, args: object): Promise<void> {
  show({ questions: [asking(args)] });
  await ready(browser.getByRole('button', { name: 'Deny' }));
  await expect(browser.getByText('The text scrolls')).toBeVisible();
  await browser.getByRole('button', { name: 'Allow once' }).click({ force: true });
  await expect(status(browser)).toContainText('read the card to its end first');
  expect(acts).toEqual([]);
  // No button has moved: the yes counts at once.
  const once = await middle(browser.getByRole('button', { name: 'Allow once' }));
  await pause(browser);
  await browser.getByRole('group', { name: 'Arguments' }).evaluate((text) => text.scrollTo(0, text.scrollHeight));
  await expect(browser.getByText('The text scrolls')).toBeHidden();
  await browser.mouse.click(...once);
  await expect(cards(browser)).toHaveCount(0);
  await browser.clock.resume();
  expect(acts).toEqual([answered('a', 'once')]);
}

const status = (browser: Page) => browser.getByRole('status').first();

/** Stops the clock of the page: no card becomes still, however slow the machine is. */
async function pause(browser: Page): Promise<void> {
  await browser.clock.pauseAt((await browser.evaluate(() => Date.now())) + 1000);
}

async function centre(browser: Page, name: string): Promise<readonly [number, number]> {
  return middle(await ready(browser.getByRole('button', { name }).first()));
}

async function middle(button: Locator): Promise<readonly [number, number]> {
  const { x, y, width, height } = (await button.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  return [x + width / 2, y + height / 2];
}

function asking(args: object): ShownQuestion {
  const asked = question('a', 'files.write');
  return { ...asked, question: { ...asked.question, args: JSON.stringify(args) } };
}

test('the cards of the gateway’s page keep the laws of approval', CORE, async ({ page: browser }) => {
  await browser.clock.install();
  await open(browser);
  for (const [law, play] of Object.entries(LAWS)) {
    acts.length = 0;
    show({ questions: [], changes: [] });
    await browser.clock.resume();
    await expect(browser.locator('article')).toHaveCount(0);
    await test.step(law, () => play(browser));
  }
});

test('a changed definition is compared and accepted', async ({ page: browser }) => {
  await open(browser);
  show({ changes: [change] });
  await expect(browser.getByRole('group', { name: 'Difference of the definitions' })).toContainText('Reads.');
  await click(browser, 'Accept the new definition');
  await expect(browser.getByRole('status')).toHaveText('The new definition is pinned.');
  expect(acts).toEqual([[{ definition: 'd'.repeat(64), revision: 2 }, 'e'.repeat(64)]]);
});

test('a reload keeps the tab, another tab needs an address of its own, and an address works once', async ({
  page: browser,
  context,
}) => {
  const first = page.newAddress();
  await open(browser, first);
  await browser.reload();
  await expect(browser.getByRole('heading', { name: 'Servers' })).toBeVisible();
  await expect(browser.locator('#servers')).toContainText('files: connected');
  const other = await context.newPage();
  const used = await other.goto(first);
  expect(used?.status()).toBe(200);
  await expect(other.getByRole('status')).toContainText('not signed in');
  await other.goto(page.newAddress());
  await expect(other.locator('#servers')).toContainText('files: connected');
});

test('a link in the page of a host opens the page with a click', async ({ page: browser }) => {
  const address = page.newAddress();
  await browser.route('http://host.test/', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<a href="${address}">Open</a>` }),
  );
  await browser.goto('http://host.test/');
  await browser.getByRole('link').click();
  await expect(browser.getByRole('button', { name: 'Open the page' })).toBeVisible();
  expect(browser.url()).not.toContain('token');
  await browser.getByRole('button', { name: 'Open the page' }).click();
  await expect(browser.locator('#servers')).toContainText('files: connected');
});

test('a page of another origin cannot show or ask the page', async ({ page: browser, context }) => {
  await open(browser);
  const { origin } = page;
  const evil = await context.newPage();
  await evil.route('http://evil.test/', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<iframe src="${origin}/"></iframe>` }),
  );
  await evil.goto('http://evil.test/');
  const asked = await evil.evaluate(async (url) => {
    try {
      return (await fetch(`${url}/answer`, { method: 'POST', body: '{}', credentials: 'include', mode: 'no-cors' }))
        .type;
    } catch {
      return 'blocked';
    }
  }, origin);
  expect(['opaque', 'blocked']).toContain(asked);
  expect(acts).toEqual([]);
  await expect(evil.frameLocator('iframe').getByRole('heading', { name: 'Sallyport' })).toHaveCount(0);
});

/** The question of a grant that wants a yes of these passkeys. */
const signedQuestion = (by: readonly YesSigner[], signers: readonly string[] = [], of = 1): ShownQuestion => {
  const asked = question('a', 'files.write');
  const names = signers.map((name) => ({ name, answer: 'once' as const }));
  return { ...asked, question: { ...asked.question, signed: { by, of, parts: names } } };
};

test('at an IP address a signed yes is not offered, and the card says why', async ({ page: browser }) => {
  await open(browser);
  show({ questions: [signedQuestion([{ name: 'Ada', key: 'c'.repeat(64), origin: 'http://localhost:4180' }])] });
  const [card, passkeys] = [cards(browser), browser.getByRole('region', { name: 'Passkeys' })];
  await expect(card.getByRole('button')).toHaveText(['Deny']);
  for (const place of [card, passkeys])
    await expect(place).toContainText('IP address can have no passkeys. Open this page by a name');
  await expect(card).toContainText('--page-port');
  await expect(passkeys.getByRole('button')).toHaveCount(0);
  await click(browser, 'Deny');
  expect(acts).toEqual([answered('a', 'deny')]);
});

test(
  'a passkey is made at localhost, its lines are copied, and it signs a call',
  CORE,
  async ({ page: browser, browserName }) => {
    test.skip(browserName !== 'chromium', 'Chromium alone has virtual authenticators');
    const server = createServer();
    const port = await listenAtNewPort(server);
    await new Promise((closed) => server.close(closed));
    await page.close();
    page = new GatewayPage(parts);
    await page.open(port);
    const devtools = await browser.context().newCDPSession(browser);
    await devtools.send('WebAuthn.enable');
    const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const;
    const verified = { hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
    await devtools.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, ...verified } });
    await browser.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const faults = await open(browser);
    const passkeys = browser.getByRole('region', { name: 'Passkeys' });
    await passkeys.getByRole('textbox', { name: 'Name' }).fill('Ada');
    await passkeys.getByRole('button', { name: 'Make a passkey' }).click();
    await expect(passkeys).toContainText('Ada is not named in');
    expect(await axe(browser)).toEqual([]);
    await passkeys.getByRole('button', { name: 'Copy the lines: Ada' }).click();
    await expect(browser.getByRole('status')).toHaveText('The lines are copied.');
    const lines = JSON.parse(`{${await browser.evaluate(() => navigator.clipboard.readText())}}`) as Omit<
      ConfiguredGrant,
      'tool'
    >;
    const [ada] = lines.signed?.by ?? [];
    expect(ada).toEqual({ name: 'Ada', key: expect.stringMatching(/^[0-9a-f]{64}$/), origin: page.origin });
    const grants = JSON.stringify({ grants: [{ tool: 'files.write', ...lines }] });
    expect(readConfiguration(new TextEncoder().encode(grants), {})).toMatchObject({ ok: true });
    const signers = [ada as YesSigner];
    show({ signers, questions: [signedQuestion(signers)] });
    await expect(passkeys).toContainText('Ada is named in');
    const buttons = cards(browser).getByRole('button');
    await expect(buttons).toHaveText(['Sign with a passkey', 'Deny']);
    expect(await axe(browser)).toEqual([]);
    await click(browser, 'Sign with a passkey');
    await expect.poll(() => acts).toHaveLength(1);
    const [digest, choice, seen, { signed }] = acts[0] as [string, string, object, { signed: Assertion }];
    expect([digest, choice, seen]).toEqual(answered('a', 'once').slice(0, 3));
    const asked = { digest, definition: 'a'.repeat(64), answer: 'once' } as const;
    expect(checkAssertion(signed, asked, signers)).toMatchObject({ ok: true, value: { signer: ada } });
    expect(await checkSignature(signed)).toBe('right');

    // of an edited call the passkey signs its own digest, and the answer is to the question that is open
    const shownCard = signedQuestion(signers);
    show({ questions: [{ ...shownCard, question: { ...shownCard.question, editable: true } }] });
    await cards(browser).getByRole('button', { name: 'Edit…' }).click();
    await cards(browser).getByRole('textbox').fill('{"text":"hi"}');
    await cards(browser).getByRole('button', { name: 'Show the change' }).click();
    await expect(buttons.first()).toHaveText('Sign with a passkey');
    await click(browser, 'Sign with a passkey');
    await expect.poll(() => acts).toHaveLength(3);
    const [of, , , edited] = acts[2] as [string, string, object, { signed: Assertion; instead: object }];
    const own = { ...asked, digest: 'f'.repeat(64) };
    expect([of, edited.instead]).toEqual([digest, { args: '{"text":"hi"}', digest: own.digest }]);
    expect(checkAssertion(edited.signed, own, signers)).toMatchObject({ ok: true });
    // one of two has signed: the card is another, and this browser has no passkey of the other person
    const bob = { name: 'Bob', key: 'b'.repeat(64), origin: page.origin };
    show({ questions: [signedQuestion([...signers, bob], ['Ada'], 2)] });
    await expect(cards(browser)).toContainText('1 of 2 signed, by Ada.');
    await click(browser, 'Sign with a passkey');
    await expect(browser.getByRole('status')).toContainText('does not keep the passkeys of Bob');
    // a further passkey of Ada is offered to be signed for
    show({ questions: [], signers: [{ ...(ada as YesSigner), key: 'c'.repeat(64) }] });
    await passkeys.getByRole('button', { name: 'Add it by a signature: Ada' }).click();
    await expect.poll(() => acts.at(-1)).toEqual([ada]);
    await browser.setViewportSize({ width: 390, height: 800 });
    expect(await browser.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(faults).toEqual([]);
  },
);
