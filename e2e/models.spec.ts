import { closeSync, copyFileSync, ftruncateSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { Playground } from '../web/playground/playground.ts';
import { headersFor, roleOf } from '../workers/lock/headers.ts';
import { expect, solo, test } from './fixtures.ts';
import { startNested } from './nested.ts';
import { abort, badge, open, receipts, row } from './open.ts';
import { serveFolders } from './serve.ts';
import { CORE_ONCE, ONCE } from './tags.ts';

const TINY = 'test/fixtures/tiny-model/tiny-q8_0.gguf';
const NAME = 'tiny-q8_0.gguf';

const model = (page: Page) => page.getByRole('radio', { name: 'Model', exact: true });
const trouble = (page: Page) => page.locator('sp-gguf [role=status]');
const file = (page: Page, name = NAME) => page.getByRole('listitem').filter({ hasText: name });

async function choose(page: Page, word: string): Promise<void> {
  await model(page).check();
  await page.getByRole('radio', { name: word }).check();
}

async function pick(page: Page, file: string | { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
  await page.locator('sp-gguf input[type=file]').setInputFiles(file);
}

/** Waits for the loaded model; in Firefox a start may have to be made again, from the file that is kept by then. */
async function waitUntilLoaded(page: Page, url: string): Promise<void> {
  await startNested(
    page,
    () => expect(file(page)).toContainText('Loaded', { timeout: 60_000 }),
    async () => {
      await open(page, url);
      await choose(page, 'A GGUF file on this device');
      await page.getByRole('button', { name: `Load ${NAME}` }).click();
    },
  );
}

const ENDED = /Completed|Limit reached|Waiting for approval|Failed/;

/** Asks the model in a run of its own. */
async function tell(page: Page, task: string): Promise<void> {
  await page.locator('#task').fill(task);
  await page.locator('sp-task #ask').click();
}

/** Asks the model, and waits until its run is at rest: what a run says moves the buttons below it. */
async function ask(page: Page, task: string): Promise<void> {
  await tell(page, task);
  await expect(receipts(page).first()).toBeVisible({ timeout: 60_000 });
  await expect(badge(page)).toHaveText(ENDED, { timeout: 60_000 });
}

/** In the page: names of the kept models. */
async function namesOfFiles(): Promise<string[]> {
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle('models').catch(() => undefined);
  const names: string[] = [];
  for await (const name of folder?.keys() ?? []) names.push(name);
  return names;
}

test.describe('a GGUF file on this device', () => {
  test('a GGUF file proposes in this page, no request is made for it before, and "Delete everything" removes it', async ({
    page,
    app,
  }) => {
    await open(page, app.url);
    expect(app.requests.filter((each) => /wllama|worker-model/.test(each))).toEqual([]);
    await choose(page, 'A GGUF file on this device');
    await page.locator('sp-gguf .drop').evaluate((place) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['Dear model'], 'letter.gguf'));
      place.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    });
    await expect(trouble(page)).toContainText('no model in the GGUF format');
    await pick(page, TINY);
    await waitUntilLoaded(page, app.url);
    expect(await page.evaluate(namesOfFiles)).toEqual([NAME]);
    await expect(page.locator('sp-models .which')).toContainText('on this device, in 1 thread');
    const loaded = app.requests.length;
    await ask(page, 'what is 12 plus 30?');
    await expect(page.locator('sp-said li').first()).toContainText('"next_step"');
    await expect(page.locator('sp-models .which')).toContainText(/out, [\d.,]+ tokens a second/);
    expect(app.requests.slice(loaded).filter((each) => /wllama|worker-model/.test(each))).toEqual([]);
    await expect(page.locator('sp-trust .meter')).toContainText('0 requests elsewhere');
    await page.locator('sp-trust .meter').click();
    await page.getByRole('button', { name: 'What is kept…' }).click();
    await page.getByRole('button', { name: 'Delete everything…' }).click();
    await page.locator('sp-keep #word').fill('delete everything');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'Begin anew' })).toBeVisible({ timeout: 30_000 });
    expect(await page.evaluate(namesOfFiles)).toEqual([]);
  });

  test('a file that is cut, too large or no GGUF is refused in words, and not kept', ONCE, async ({ page, app }) => {
    await open(page, app.url);
    await choose(page, 'A GGUF file on this device');
    await pick(page, { name: 'letter.gguf', mimeType: '', buffer: Buffer.from('Dear model') });
    await expect(trouble(page)).toContainText('no model in the GGUF format');
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-gguf-'));
    const sized = (name: string, bytes: number): string => {
      const path = join(folder, name);
      copyFileSync(TINY, path);
      const handle = openSync(path, 'r+');
      ftruncateSync(handle, bytes);
      closeSync(handle);
      return path;
    };
    await pick(page, sized('cut.gguf', 200_000));
    await expect(trouble(page)).toContainText('it has 200 KB of 280 KB. Download it again.');
    await pick(page, sized('huge.gguf', 4.2e9));
    await expect(trouble(page)).toContainText('needs 4.4 GB of memory');
    await expect(page.getByRole('list', { name: 'Models on this device' })).toHaveCount(0);
    rmSync(folder, { recursive: true });
  });
});

solo('a file for which the browser has no room is refused before it is copied', ONCE, async ({ page, app }) => {
  await page.addInitScript(() => {
    StorageManager.prototype.estimate = () => Promise.resolve({ quota: 1_000_000, usage: 900_000 });
  });
  await open(page, app.url);
  await choose(page, 'A GGUF file on this device');
  await pick(page, TINY);
  await expect(trouble(page)).toContainText('has 280 KB, and the browser has 100 KB left for this page');
  await expect(page.getByRole('list', { name: 'Models on this device' })).toHaveCount(0);
});

solo('a copy can be cancelled, and leaves no file', ONCE, async ({ page, app }) => {
  // The copy waits for its cancelling: each chunk of a large file would be over too soon.
  await page.addInitScript(() => {
    const { pipeThrough } = ReadableStream.prototype;
    ReadableStream.prototype.pipeThrough = function <T>(this: ReadableStream, to: ReadableWritablePair<T>) {
      const held = new TransformStream({ transform: () => new Promise<void>(() => undefined) });
      return pipeThrough.call(pipeThrough.call(this, held), to) as ReadableStream<T>;
    };
  });
  await open(page, app.url);
  await choose(page, 'A GGUF file on this device');
  await pick(page, TINY);
  await expect(page.getByRole('progressbar', { name: `Copying ${NAME}` })).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.locator('sp-gguf .drop')).toBeVisible();
  await expect(trouble(page)).toHaveText('');
  await expect(page.getByRole('list', { name: 'Models on this device' })).toHaveCount(0);
  expect(await page.evaluate(namesOfFiles)).toEqual([]);
});

/** In the page: asks its model, holds the answer's end back, and returns the run when the text begins to be said. */
async function beginToSay(task: string): Promise<string> {
  const { prototype } = MessagePort;
  const { set } = Object.getOwnPropertyDescriptor(prototype, 'onmessage') ?? {};
  // A small model says its answer within milliseconds: the page would be closed behind it.
  Object.defineProperty(prototype, 'onmessage', {
    set(this: MessagePort, listener: ((event: MessageEvent) => void) | null) {
      set?.call(this, listener && ((event: MessageEvent) => event.data.kind === 'answer' || listener(event)));
    },
  });
  const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
  store.ask(task);
  while (!store.session.value?.proposer?.saying.value) await new Promise((next) => setTimeout(next));
  return store.session.value.id;
}

/** In the page: kinds of the records of a run, whether it is sealed, and whether its records verify. */
async function keptOf(id: string) {
  const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
  const { ledger } = store.runtime;
  const records = await ledger.records(id);
  const row = (await store.runtime.runs()).find(({ run_id }) => run_id === id);
  return { kinds: records.map(({ kind }) => kind), sealed: row?.sealed, ok: (await ledger.verify(id)).ok };
}

test(
  'a tab closed in the middle of a proposal leaves a run that another tab ends with the same model',
  ONCE,
  async ({ page, app, context }) => {
    await open(page, app.url);
    await choose(page, 'A GGUF file on this device');
    await pick(page, TINY);
    await waitUntilLoaded(page, app.url);
    const later = await context.newPage();
    await open(later, app.url);
    const id = await page.evaluate(beginToSay, 'what is 12 plus 30?');
    await page.close();
    const { kinds, ...kept } = await later.evaluate(keptOf, id);
    expect(kept).toEqual({ sealed: false, ok: true });
    expect(kinds).toContain('task');
    expect(kinds.filter((kind) => ['proposal', 'receipt', 'seal'].includes(kind))).toEqual([]);
    // The panel loads the model that was loaded last on this device.
    await model(later).check();
    await waitUntilLoaded(later, app.url);
    await later.goto(`${app.url}#r=${id}`);
    await later.getByRole('button', { name: 'Continue' }).click();
    await later.locator('sp-runbar #run').click();
    await expect(badge(later)).toHaveText('Completed', { timeout: 60_000 });
    const ended = await later.evaluate(keptOf, id);
    expect(ended).toMatchObject({ sealed: true, ok: true });
    expect(ended.kinds.filter((kind) => kind === 'receipt')).toHaveLength(2);
  },
);

solo.describe('a page with its service worker', () => {
  solo.use({ serviceWorkers: 'allow' });

  solo(
    'the small model and a kept model answer with the server gone, and the kept one can be removed',
    ONCE,
    async ({ page }) => {
      const host = await serveFolders({ folders: { '/': 'dist' }, headers: (path) => headersFor(roleOf({ path })) });
      const offline = page.locator('sp-trust [data-offline]');
      await open(page, `${host.origin}/`);
      await expect(offline).toHaveAttribute('data-offline', 'ready', { timeout: 30_000 });
      expect(host.requests.filter((path) => /wllama|worker-model/.test(path))).toEqual([]);
      await choose(page, 'A GGUF file on this device');
      await pick(page, TINY);
      await waitUntilLoaded(page, `${host.origin}/`);
      await host.close();
      await open(page, `${host.origin}/`);
      await model(page).check();
      const gguf = page.getByRole('radio', { name: 'A GGUF file on this device' });
      await expect(gguf).toBeChecked();
      // The small model was never opened: its worker and its weights came with the page.
      await choose(page, 'A small model, in this page');
      await expect(page.locator('sp-models .which')).toContainText('The small model in this page');
      await ask(page, 'What is 17 + 25?');
      await expect(badge(page)).toHaveText('Completed');
      await expect(page.locator('sp-said #words')).toHaveText('The answer is 42.');
      await gguf.check();
      await waitUntilLoaded(page, `${host.origin}/`);
      await ask(page, 'what is 12 plus 30?');
      await page.getByRole('button', { name: `Remove ${NAME}…` }).click();
      await expect(page.getByText('Its 280 KB are freed')).toBeVisible();
      await page.getByRole('button', { name: 'Leave it' }).click();
      await expect(file(page)).toContainText('Loaded');
      await page.getByRole('button', { name: `Remove ${NAME}…` }).click();
      await page.getByRole('button', { name: 'Remove it' }).click();
      await expect(file(page)).toHaveCount(0);
      await expect(page.locator('sp-models .which')).toHaveCount(0);
    },
  );
});

solo('a page that is isolated from other origins gives the engine threads', ONCE, async ({ page }) => {
  const isolated = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
  const headers = (path: string) => ({ ...headersFor(roleOf({ path })), ...isolated });
  const host = await serveFolders({ folders: { '/': 'dist' }, headers });
  await page.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { get: () => 4 });
  });
  await open(page, `${host.origin}/`);
  await choose(page, 'A GGUF file on this device');
  await pick(page, TINY);
  await waitUntilLoaded(page, `${host.origin}/`);
  await expect(page.locator('sp-models .which')).toContainText('in 2 threads');
  await ask(page, 'what is 12 plus 30?');
  await host.close();
});

test('a run without a ready model says so, and makes no step', ONCE, async ({ page, app }) => {
  await open(page, app.url);
  await choose(page, 'A GGUF file on this device');
  await page.locator('#step').click();
  await expect(page.locator('sp-status')).toContainText('this run has no model that is ready');
  await expect(receipts(page)).toHaveCount(0);
  await expect(badge(page)).toHaveText('Ready');
});

/** Tasks unlike all that the small model was taught: without its constraint it loses its form over some of them. */
const UNTAUGHT = [
  'Keep a note named "a b c/d": y',
  'Keep a note named !!/..: x',
  'Shift 2026-05-14 by 1.5 weeks',
  'Run simulate 100000000000 times',
  'Zähle ÄÖÜ und 😀😀 vor "quotes\\" }}}',
];

test.describe('the small model', () => {
  const said = (page: Page) => page.locator('sp-said');

  test(
    'the small model is the first choice, asks no server once it is loaded, and its words stand beside the value',
    CORE_ONCE,
    async ({ page, app }) => {
      await open(page, app.url);
      expect(app.requests.filter((each) => /weights|worker-small/.test(each))).toEqual([]);
      await model(page).check();
      await expect(page.getByRole('radio', { name: 'A small model, in this page' })).toBeChecked();
      await expect(page.locator('sp-models .which')).toContainText('The small model in this page');
      const loaded = app.requests.length;
      await page.getByRole('button', { name: 'How much do 12 bags at 20.60 cost?' }).click();
      await expect(page.getByRole('button', { name: 'Ask', exact: true })).toBeFocused();
      await page.keyboard.press('Enter');
      await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
      await expect(said(page).locator('pre').first()).toContainText('"expression":"12 * 20.60"');
      await expect(said(page).locator('#words')).toContainText('247.2');
      await expect(said(page).locator('.value')).toContainText('{"exact":true,"value":247.2}');
      await expect(said(page)).toContainText('The words are the model’s');
      // The view of the run's tokens is code of the page, which is loaded when a run ends.
      const ours = /worker-(sandbox|auditor)|quickjs|assets\/spent-/;
      expect(app.requests.slice(loaded).filter((each) => !ours.test(each))).toEqual([]);
    },
  );

  test(
    'a model that knows few tasks gets one of them, and a person’s own task goes from model to model',
    ONCE,
    async ({ page, app }) => {
      await open(page, app.url);
      await model(page).check();
      await expect(page.locator('#task')).toHaveValue('What is 17 + 25?');
      await expect(row(page, /task/)).toContainText('16 bytes');
      await page.locator('#step').click();
      await expect(receipts(page)).toHaveCount(1);
      await abort(page);
      await expect(page.getByRole('textbox', { name: 'Another task' })).toBeVisible();
      await page.getByRole('radio', { name: 'Script' }).check();
      await page.locator('#new').click();
      await expect(page.locator('sp-task')).toContainText('Marlow Mill');
      await model(page).check();
      await page.locator('#task').fill('Convert 9 kg to pounds');
      await page.getByRole('radio', { name: 'A GGUF file on this device' }).check();
      await pick(page, TINY);
      await waitUntilLoaded(page, app.url);
      await expect(page.locator('#task')).toHaveValue('Convert 9 kg to pounds');
      await page.getByRole('radio', { name: 'Script' }).check();
      await expect(page.locator('sp-composer .off-task')).toContainText('does not answer this task');
    },
  );

  test('without the constraint the small model is refused, and hears why', ONCE, async ({ page, app }) => {
    await open(page, app.url);
    await model(page).check();
    await expect(page.locator('sp-models .which')).toBeVisible();
    await page.getByRole('switch', { name: 'Hold it to the form of a proposal' }).uncheck();
    await expect(row(page, /configured/)).toContainText('not held to a form');
    const refused = /Refused at (parse|structure|form|capability|arguments)/;
    const refusal = said(page).getByText(refused);
    for (const task of UNTAUGHT) {
      await tell(page, task);
      const over = badge(page).filter({ hasText: ENDED });
      await expect(refusal.or(over).filter({ visible: true }).first()).toBeVisible({ timeout: 60_000 });
      if ((await refusal.count()) > 0) break;
      if ((await badge(page).textContent())?.includes('approval') === true) await abort(page);
    }
    // The model may have corrected itself by now, and a question to a person then covers its words.
    await expect(said(page)).toContainText(refused);
    await expect(said(page)).toContainText('The model is told why, and may correct itself.');
  });

  test('a call that fails is told to the small model, and it says so', ONCE, async ({ page, app }) => {
    await open(page, app.url);
    await model(page).check();
    await tell(page, 'What is 10 / 0?');
    await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
    await expect(said(page)).toContainText('Failed in the sandbox: capability_threw');
    await expect(said(page).locator('.value')).toContainText('1 failed');
  });

  test('private content goes to the small model without a question', ONCE, async ({ page, app }) => {
    await open(page, app.url);
    await model(page).check();
    await tell(page, 'How many rows in invoices.csv have supplier Marlow Mill?');
    await expect(receipts(page)).not.toHaveCount(0, { timeout: 30_000 });
    await expect(said(page).locator('li')).not.toHaveCount(1, { timeout: 30_000 });
    await expect(page.locator('sp-consent')).toBeHidden();
  });
});

/** In the page: a browser's model with the rules of the Prompt API, whose download waits for the test. */
function fakeBrowserModel(): void {
  let state = 'downloadable';
  const words = [
    '{"next_step":{"tool":"calc.eval","arguments":{"expression":"6 * 7"},"goal":"Work it out"}}',
    '{"done":true,"message":"It is 41."}',
  ];
  const session = {
    contextWindow: 4096,
    contextUsage: 10,
    measureContextUsage: () => Promise.resolve(20),
    promptStreaming: () => new Response(words.shift()).body?.pipeThrough(new TextDecoderStream()),
    destroy: () => undefined,
  };
  const create = async ({ monitor, signal }: { monitor?: (target: EventTarget) => void; signal?: AbortSignal }) => {
    if (state === 'available') return session;
    const target = new EventTarget();
    monitor?.(target);
    target.dispatchEvent(new ProgressEvent('downloadprogress', { loaded: 0.25, total: 1 }));
    await new Promise((resolve, reject) => {
      Object.assign(globalThis, { finishDownload: resolve });
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    });
    state = 'available';
    return session;
  };
  const value = { availability: () => Promise.resolve(state), create };
  Object.defineProperty(globalThis, 'LanguageModel', { value, configurable: true, writable: true });
}

solo.describe('the model of the browser', () => {
  solo('the browser’s model is downloaded on a click, with progress, and proposes', ONCE, async ({ page, app }) => {
    await page.addInitScript(fakeBrowserModel);
    await open(page, app.url);
    await choose(page, 'The browser’s model');
    await expect(page.locator('sp-browser-model')).toContainText('can download its model');
    await page.getByRole('button', { name: 'Download it' }).click();
    const progress = page.getByRole('progressbar', { name: 'Download of the browser’s model' });
    await expect(progress).toHaveJSProperty('value', 0.25);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(progress).toBeHidden();
    await page.getByRole('button', { name: 'Download it' }).click();
    await page.evaluate(() => (globalThis as unknown as { finishDownload(): void }).finishDownload());
    await expect(page.locator('sp-models .which')).toContainText('kept by the browser');
    await tell(page, 'What is 6 times 7?');
    await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
    await expect(page.locator('sp-said #words')).toHaveText('It is 41.');
    await expect(page.locator('sp-said .value')).toContainText('"value":42');
  });

  solo('the browser’s model is offered only where the browser has the Prompt API', ONCE, async ({ page, app }) => {
    await page.addInitScript(() => void Reflect.deleteProperty(globalThis, 'LanguageModel'));
    await open(page, app.url);
    await model(page).check();
    const kinds = page.getByRole('group', { name: 'Which model' }).getByRole('radio');
    await expect(kinds).toHaveCount(3);
    await kinds.first().focus();
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('radio', { name: 'A GGUF file on this device' })).toBeChecked();
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('radio', { name: 'A model server' })).toBeChecked();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });
});
