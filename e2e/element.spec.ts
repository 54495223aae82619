import type { Locator, Page } from '@playwright/test';
import type { SallyportRun } from '../web/element.ts';
import type * as sallyport from '../web/index.ts';
import { expect, solo, test } from './fixtures.ts';
import { askFramed, innerOf, serveFramed } from './framed.ts';
import { type StaticHost, serveFolders } from './serve.ts';
import { CORE, CORE_ENGINES, CORE_ONCE, ONCE } from './tags.ts';

let host: StaticHost;
test.beforeEach(async () => {
  host = await serveFolders({ folders: { '/sallyport/': 'dist', '/': 'web/examples/plain' } });
});
test.afterEach(() => host.close());

const element = (page: Page) => page.locator('sallyport-run');
const verdict = (page: Page) => element(page).locator('[part=verdict]');

/**
 * Opens the example and waits until its element has its methods. The load event of a page does not wait for them,
 * because the module `element.js` loads the class of the element by an import of its own.
 */
async function openExample(page: Page): Promise<void> {
  await page.goto(`${host.origin}/`);
  await page.evaluate(async () => void (await customElements.whenDefined('sallyport-run')));
}

async function runToQuestion(page: Page, url = `${host.origin}/`): Promise<void> {
  await page.goto(url);
  await element(page).getByRole('button', { name: 'Run' }).click();
  await expect(element(page).getByRole('heading', { name: 'Approve bill.write?' })).toBeVisible({ timeout: 30_000 });
}

/** The number of gates in each row, from the top; fails if the name of a gate is hidden, cut, or over another. */
async function rowsOfGates(page: Page): Promise<readonly number[]> {
  const boxes = await element(page)
    .locator('[part=gate]')
    .evaluateAll((all) =>
      all.map((gate) => {
        const range = document.createRange();
        range.selectNodeContents(gate);
        const [name, box] = [range.getBoundingClientRect(), gate.getBoundingClientRect()];
        return { name: gate.textContent ?? '', width: name.width, cut: name.right > box.right + 1, top: box.top };
      }),
    );
  expect(boxes.map(({ name }) => name).slice(0, 4)).toEqual(['parse', 'structure', 'form', 'capability']);
  expect(boxes.filter(({ width, cut }) => width === 0 || cut)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  const tops = boxes.map(({ top }) => top);
  return [...new Set(tops)].map((top) => tops.filter((each) => each === top).length);
}

test(
  'a kept run is there after a reload with its question, and another tab says where it is',
  ONCE,
  async ({ page }) => {
    await page.context().route(`${host.origin}/`, async (route) => {
      if (route.request().method() !== 'GET') return route.continue();
      const response = await route.fetch();
      const body = (await response.text()).replace('<sallyport-run ', '<sallyport-run keep="bill" ');
      await route.fulfill({ response, body });
    });
    await runToQuestion(page);
    await page.reload();
    const approve = element(page).getByRole('button', { name: 'Approve once' });
    await expect(approve).toBeVisible({ timeout: 30_000 });
    await approve.scrollIntoViewIfNeeded();
    await expect(element(page).locator('header p')).toHaveText(/^Share the bill of 84\.60/);
    const other = await page.context().newPage();
    await other.goto(`${host.origin}/`);
    await expect(element(other).getByRole('alert')).toContainText('open elsewhere', { timeout: 30_000 });
    await expect(element(other).getByRole('heading', { name: 'Approve' })).toHaveCount(0);
    await other.close();
    await approve.click();
    await expect(verdict(page)).toHaveText('Paused');
    // The script goes on behind the proposals that it has made.
    await element(page).getByRole('button', { name: 'Run' }).click();
    await expect(verdict(page)).toHaveText('Completed', { timeout: 30_000 });
    await expect(element(page).locator('.message')).toHaveText('Everybody pays 21.15.');
    await page.reload();
    await expect(verdict(page)).toHaveText('Ready');
  },
);

/** The `via` of each answered question in the ledger. */
function answeredVia(page: Page): Promise<unknown[]> {
  return element(page).evaluate((each) =>
    (each as SallyportRun).records.flatMap(({ kind, body }) =>
      kind === 'approval' && body.event === 'answered' ? [body.via] : [],
    ),
  );
}

test(
  'an element under the strictest policy runs a script, asks a person, and completes',
  CORE_ENGINES,
  async ({ page }) => {
    await runToQuestion(page);
    await expect(element(page).locator('[part=meter]')).toHaveAttribute('data-isolation', 'locked');
    await expect(element(page).locator('[part=record]').filter({ hasText: 'duplicate_member' }).first()).toBeVisible();
    // A late listener has missed the event, and still has the promise `ready`.
    const late = await element(page).evaluate(async (each) => (await (each as SallyportRun).ready).isolation);
    expect(late).toBe('locked');
    const approve = element(page).getByRole('button', { name: 'Approve once' });
    await expect(approve).toHaveAttribute('aria-disabled', 'false');
    await approve.click();
    await expect(verdict(page)).toHaveText('Completed');
    await expect(element(page)).toContainText('Everybody pays 21.15.');
    expect(await answeredVia(page)).toEqual(['gesture']);
    const report = await element(page).evaluate((each) => (each as SallyportRun).verify());
    expect(report?.ok).toBe(true);
    // The width of a text depends on the engine.
    for (const [width, rows] of [
      [320, [6, 4]],
      [390, [6, 4]],
      [1280, [10]],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      expect(await rowsOfGates(page), `at ${width} pixels`).toEqual(rows);
    }
    // A subclass under its own tag is drawn in the same way.
    await page.evaluate(async () => {
      const Run = await customElements.whenDefined('sallyport-run');
      customElements.define('my-run', class extends Run {});
      document.body.append(document.createElement('my-run'));
    });
    await expect(page.locator('my-run').getByRole('button', { name: 'Step' })).toBeVisible();
    // A runtime of the page with an authorizer asks the authorizer and no person.
    await openExample(page);
    const asked = await element(page).evaluate(async (each) => {
      const address = '/sallyport/index.js';
      const { defineCapability, fromScript, openRuntime } = (await import(address)) as typeof sallyport;
      const run = each as SallyportRun;
      const [args, seen] = [{ type: 'object' } as const, [] as string[]];
      const source = 'export default () => 1;';
      const one = defineCapability({
        name: 'one',
        version: '1.0.0',
        description: 'One.',
        effect: 'pure',
        args,
        source,
      });
      const call = { next_step: { tool: 'one', arguments: {}, goal: 'ask' } };
      run.addEventListener('sallyport-approval', () => seen.push('person'));
      run.model = fromScript([call, { done: true, message: 'Asked.' }]);
      run.runtime = await openRuntime({
        store: 'memory',
        assets: '/sallyport/',
        capabilities: [one],
        grants: [{ capability: 'one', mode: 'allow' }],
        authorizer: { id: 'rules', authorize: async ({ capability }) => (seen.push(capability), { allow: true }) },
      });
      const done = new Promise((over) => run.addEventListener('sallyport-done', over, { once: true }));
      await run.start('Ask.');
      await done;
      await run.runtime.close();
      return [...seen, run.state?.end?.message];
    });
    expect(asked).toEqual(['one', 'Asked.']);
  },
);

test('an element shows an answer as plain text while it arrives', ONCE, async ({ page }) => {
  await openExample(page);
  await element(page).evaluate((each) => {
    const run = each as SallyportRun;
    const text = '{"done":true,"message":"<img src=x>\u202e"}';
    const propose: sallyport.ModelPort['propose'] = async (_, { onText }) => {
      onText?.(text.slice(0, -2));
      await new Promise((resolve) => run.addEventListener('click', resolve, { once: true }));
      return { text };
    };
    run.model = { id: 'slow', locality: { kind: 'local' }, propose };
    void run.start('Talk.');
  });
  const said = element(page).getByRole('region', { name: 'What the model is saying' });
  await expect(said).toHaveText('{"done":true,"message":"<img src=x>\\u202e');
  await expect(said.locator('img')).toHaveCount(0);
  await element(page).locator('[part=header]').click();
  await expect(verdict(page)).toHaveText('Completed');
  await expect(said).toHaveCount(0);
});

test('an element keeps an early model, retries a scenario, and has a single run at a time', ONCE, async ({ page }) => {
  await page.goto(`${host.origin}/style.css`);
  await page.route('**/scenario.json', (route) => route.fulfill({ body: 'no JSON' }), { times: 1 });
  const seen = await page.evaluate(async () => {
    const [library, tag] = ['/sallyport/index.js', '/sallyport/element.js'];
    const { fromScript, openRuntime } = (await import(library)) as typeof sallyport;
    const runtime = await openRuntime({ store: 'memory', assets: '/sallyport/' });
    const run = document.createElement('sallyport-run');
    run.model = fromScript([{ done: true, message: 'Early.' }]);
    run.runtime = runtime;
    run.src = '/scenario.json';
    document.body.append(run);
    await import(tag);
    const over = async (started: Promise<void>) => {
      const done = new Promise((end) => run.addEventListener('sallyport-done', end, { once: true }));
      await started;
      await done;
      return run.state?.end?.message;
    };
    await run.step();
    const first = run.trouble;
    const early = await over(run.start());
    run.model = undefined;
    // A button is pressed twice before a run exists; each later start begins the script again.
    await Promise.all([run.step(), run.step()]);
    const pressed = (await runtime.runs()).length;
    const again = [await over(run.start()), await over(run.start())];
    const answers = [
      new Promise<never>(() => undefined),
      Promise.resolve({ text: '{"done":true,"message":"Quick."}' }),
    ];
    const propose = () => answers.shift() ?? Promise.reject(new Error('asked once more'));
    run.model = { id: 'slow', locality: { kind: 'local' }, propose };
    const begun = new Promise((heard) => run.addEventListener('sallyport-record', heard, { once: true }));
    const slow = run.start();
    await begun;
    const left = await over(run.start());
    await slow;
    const aborted = (await runtime.runs()).filter(({ ended }) => ended === 'aborted').length;
    await runtime.close();
    return { first, early, pressed, again, left, aborted };
  });
  expect(seen).toEqual({
    first: 'The scenario cannot be used: it is not JSON.',
    early: 'Early.',
    pressed: 2,
    again: ['Everybody pays 21.15.', 'Everybody pays 21.15.'],
    left: 'Quick.',
    aborted: 2,
  });
});

test('an element speaks the language of its page, and loads German when a page needs it', ONCE, async ({ page }) => {
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  await page.goto(`${host.origin}/`);
  await expect(verdict(page)).toHaveText('Ready');
  expect(loaded.filter((url) => url.includes('german'))).toEqual([]);
  await page.evaluate(() => document.documentElement.setAttribute('lang', 'de'));
  await expect(verdict(page)).toHaveText('Bereit');
  expect(loaded.filter((url) => url.includes('german'))).toHaveLength(1);
  await element(page).getByRole('button', { name: 'Laufen lassen' }).click();
  const question = element(page).locator('sallyport-question');
  await expect(question.getByRole('heading', { name: 'bill.write genehmigen?' })).toBeVisible({ timeout: 30_000 });
  await expect(question).toHaveAttribute('lang', /^de/u);
  await expect(question).toContainText('Der Aufruf ändert Daten. Die Freigabe verlangt eine Rückfrage.');
  await expect(verdict(page)).toHaveText('Wartet auf Genehmigung');
  const approve = question.getByRole('button', { name: 'Einmal genehmigen' });
  await expect(approve).toHaveAttribute('aria-disabled', 'false');
  await approve.click();
  await expect(verdict(page)).toHaveText('Abgeschlossen');
  await expect(element(page).locator('[part=record]').filter({ hasText: 'Beleg' }).first()).toBeVisible();
  await page.evaluate(() => document.documentElement.setAttribute('lang', 'en'));
  await expect(verdict(page)).toHaveText('Completed');
});

test(
  'a person edits a call in an element, sees the change, and says yes to the edited call',
  CORE,
  async ({ page }) => {
    await runToQuestion(page);
    const question = element(page).locator('sallyport-question');
    await question.getByRole('button', { name: 'Edit…' }).click();
    await expect(question.getByRole('button', { name: 'Approve once' })).toHaveCount(0);
    await question.getByRole('textbox', { name: 'Arguments as JSON' }).fill('{"line": "21.15 for each"}');
    await question.getByRole('button', { name: 'Show the change' }).click();
    await expect(question.getByRole('listitem')).toHaveText('/line: "21.15 each" → "21.15 for each"');
    const approve = question.getByRole('button', { name: 'Approve the edited call' });
    await expect(approve).toHaveAttribute('aria-disabled', 'false');
    await approve.click();
    await expect(verdict(page)).toHaveText('Completed');
    expect(await answeredVia(page)).toEqual(['gesture']);
    const ran = await element(page).evaluate((each) =>
      (each as SallyportRun).records.flatMap(({ kind, body }) =>
        kind === 'receipt' ? [body.evidence.reason?.code ?? body.receipt.status] : [],
      ),
    );
    expect(ran).toEqual(['duplicate_member', 'SUCCESS', 'replaced', 'SUCCESS', 'SUCCESS']);
  },
);

solo.describe('an element in a German browser', () => {
  solo.use({ locale: 'de-DE' });

  solo('an element in a German browser follows its page before the browser', ONCE, async ({ page }) => {
    await page.goto(`${host.origin}/`);
    await expect(verdict(page)).toHaveText('Ready');
    await page.evaluate(() => document.documentElement.removeAttribute('lang'));
    await expect(verdict(page)).toHaveText('Bereit');
  });
});

/** Lets the half second of a question pass on a clock that stands: each report that the card is seen begins it anew. */
async function rest(page: Page): Promise<void> {
  const approve = element(page).getByRole('button', { name: 'Approve once' });
  await expect(async () => {
    await page.clock.runFor(1000);
    await expect(approve).toHaveAttribute('aria-disabled', 'false', { timeout: 1000 });
  }).toPass();
}

solo(
  'a page cannot forge an approval by events, in the first half second, or by moving the focus',
  CORE,
  async ({ page }) => {
    await page.clock.install();
    // A page that runs first can collect the click listeners, and call them.
    await page.addInitScript(() => {
      const heard: { handleEvent?(event: object): void }[] = [];
      const add = EventTarget.prototype.addEventListener;
      EventTarget.prototype.addEventListener = function (type, listener, options) {
        const ours = type === 'click' && this instanceof Element && this.id === 'approve';
        if (ours && typeof listener === 'object' && listener !== null) heard.push(listener);
        add.call(this, type, listener, options);
      };
      Object.assign(globalThis, { heard });
    });
    await page.goto(`${host.origin}/`);
    await element(page).getByRole('button', { name: 'Step' }).click();
    await expect(element(page).locator('[part=record]').filter({ hasText: 'receipt' })).toHaveCount(1, {
      timeout: 30_000,
    });
    await element(page).getByRole('button', { name: 'Step' }).click();
    await expect(element(page).locator('[part=record]').filter({ hasText: 'receipt' })).toHaveCount(2, {
      timeout: 30_000,
    });
    await page.clock.pauseAt(Date.now() + 60_000);
    await element(page).getByRole('button', { name: 'Step' }).click();
    await expect(element(page).getByRole('heading', { name: 'Approve bill.write?' })).toBeVisible({ timeout: 30_000 });
    // The clock stops before the half second is over: a real click comes too early, also if the page sets the fields.
    await page.clock.runFor(400);
    await page.evaluate(() => {
      const card = document.querySelector('sallyport-run')?.shadowRoot?.querySelector('sallyport-question');
      Object.assign(card ?? {}, { live: true, seen: true });
    });
    // When the page moves the element, the question is asked anew, and its half second begins anew.
    await element(page).evaluate((each) => document.body.append(each));
    await page.clock.runFor(400);
    await element(page).getByRole('button', { name: 'Approve once' }).click({ force: true });
    await expect(verdict(page)).toHaveText('Waiting for approval');
    await rest(page);
    await page.evaluate(() => {
      const card = document.querySelector('sallyport-run')?.shadowRoot?.querySelector('sallyport-question');
      const button = card?.shadowRoot?.querySelector<HTMLElement>('#approve');
      button?.click();
      button?.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }));
      button?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
      card?.dispatchEvent(new CustomEvent('answer', { detail: { approved: true } }));
      card?.dispatchEvent(new PointerEvent('pointerup', { bubbles: true, composed: true }));
      const { heard } = globalThis as unknown as { readonly heard: { handleEvent?(event: object): void }[] };
      const lie = Object.create(MouseEvent.prototype, { isTrusted: { value: true }, detail: { value: 1 } }) as Event;
      heard[0]?.handleEvent?.(lie);
      // The page moves the focus to the button while a person types, so the key arrives there.
      const input = document.body.appendChild(document.createElement('input'));
      input.addEventListener('keydown', () => button?.focus());
      input.focus();
    });
    await page.keyboard.press('Enter');
    await page.clock.runFor(1000);
    await expect(verdict(page)).toHaveText('Waiting for approval');
    // A question that was hidden takes no answer for another half second.
    const approve = element(page).getByRole('button', { name: 'Approve once' });
    const covered = element(page).locator('sallyport-question [role=status]');
    await element(page).evaluate((each) => void ((each as HTMLElement).style.display = 'none'));
    await expect(covered).not.toBeEmpty();
    await element(page).evaluate((each) => void ((each as HTMLElement).style.display = ''));
    await approve.evaluate((button) => button.scrollIntoView({ block: 'nearest' }));
    await expect(covered).toBeEmpty();
    await expect(approve).toHaveAttribute('aria-disabled', 'true');
    await approve.click({ force: true });
    await expect(verdict(page)).toHaveText('Waiting for approval');
    await rest(page);
    await approve.click({ force: true });
    await page.clock.resume();
    await expect(element(page).locator('[part=record]').filter({ hasText: 'receipt' })).toHaveCount(3);
    expect(await answeredVia(page)).toEqual(['gesture']);
  },
);

test(
  'an answer by the page is recorded as from a program, even if the page calls it a gesture',
  ONCE,
  async ({ page }) => {
    await page.goto(`${host.origin}/`);
    await element(page).evaluate((each) => {
      (each as SallyportRun).addEventListener('sallyport-approval', (event) => {
        event.preventDefault();
        event.detail.answer({ approved: true, via: 'gesture' });
      });
    });
    await element(page).getByRole('button', { name: 'Run' }).click();
    await expect(verdict(page)).toHaveText('Completed', { timeout: 30_000 });
    expect(await answeredVia(page)).toEqual(['program']);
    const said = element(page).locator('[part=record]').filter({ hasText: 'answered by a program' });
    await expect(said).toHaveCount(1);
  },
);

test(
  'a question under an overlay takes no click, in a browser that reports overlays',
  ONCE,
  async ({ page, browserName }) => {
    await runToQuestion(page);
    const approve = element(page).getByRole('button', { name: 'Approve once' });
    await expect(approve).toHaveAttribute('aria-disabled', 'false');
    await page.evaluate(() => {
      const lie = Object.assign(document.createElement('div'), { textContent: 'Win a prize' });
      Object.assign(lie.style, { position: 'fixed', inset: '0', background: 'white', pointerEvents: 'none' });
      document.body.append(lie);
    });
    // Firefox reports no overlays: a click goes through, which only the owner of a frame can prevent.
    if (browserName !== 'chromium') return;
    await expect(approve).toHaveAttribute('aria-disabled', 'true');
    await approve.click({ force: true });
    await expect(verdict(page)).toHaveText('Waiting for approval');
    await page.evaluate(() => document.querySelector('body > div')?.remove());
    await expect(approve).toHaveAttribute('aria-disabled', 'false');
  },
);

test(
  'an element reports an unlocked kernel if its host sends no policy header for the worker',
  ONCE,
  async ({ page }) => {
    const forgetful = await serveFolders({
      folders: { '/sallyport/': 'dist', '/': 'web/examples/plain' },
      headers: () => ({}),
    });
    await runToQuestion(page, `${forgetful.origin}/`);
    await expect(element(page).locator('[part=meter]')).toHaveAttribute('data-isolation', 'unlocked');
    await expect(element(page).locator('[part=meter]')).toContainText('served without its policy header');
    await forgetful.close();
  },
);

test(
  'a page that embeds a frame drives and watches the run, and cannot answer',
  CORE_ONCE,
  async ({ page, browserName }) => {
    const framed = await serveFramed();
    const inner = await askFramed(page, framed);
    const seen = await page.evaluate(async () => {
      const outside = document.querySelector('sallyport-run') as HTMLElement & { state: { pending: object } };
      const frame = outside.shadowRoot?.querySelector('iframe');
      const asked = outside.state.pending;
      // State and messages of the page about the question have no effect.
      outside.state = { ...outside.state, pending: { ...asked, approved: true } };
      frame?.contentWindow?.postMessage({ approved: true }, '*');
      return {
        dom: frame?.contentDocument === null,
        card: outside.shadowRoot?.querySelector('sallyport-question') === null,
      };
    });
    expect(seen).toEqual({ dom: true, card: true });
    await expect(inner.locator('[part=verdict]')).toHaveText('Waiting for approval');
    const approve = (card: Page | Locator) => card.getByRole('button', { name: 'Approve once' });
    // Chromium reports an overlay of the embedder to the frame, also if clicks fall through the overlay.
    if (browserName === 'chromium') {
      await expect(approve(inner)).toHaveAttribute('aria-disabled', 'false');
      await page.evaluate(() => {
        const lie = Object.assign(document.createElement('div'), { id: 'lie', textContent: 'Win a prize' });
        Object.assign(lie.style, { position: 'fixed', inset: '0', background: 'white', pointerEvents: 'none' });
        document.body.append(lie);
      });
      await expect(approve(inner)).toHaveAttribute('aria-disabled', 'true');
      await page.evaluate(() => document.querySelector('#lie')?.remove());
      await expect(approve(inner)).toHaveAttribute('aria-disabled', 'false');
      await approve(inner).click();
    } else {
      // Firefox reports no overlays: the agent's own window takes the answer.
      const opening = page.context().waitForEvent('page');
      await inner.getByRole('button', { name: 'Open in a window' }).click();
      const own = await opening;
      await own.bringToFront();
      await expect(approve(own)).toHaveAttribute('aria-disabled', 'false');
      await approve(own).click();
    }
    await expect(page.locator('output')).toHaveText('completed: Everybody pays 21.15.', { timeout: 30_000 });
    // A moved element loads its frame again and obeys its page. A frame without a valid address is reported.
    const life = await page.evaluate(async () => {
      const run = document.querySelector('sallyport-run') as SallyportRun;
      const before = { isolation: run.info?.isolation, from: run.records[0]?.kind, to: run.records.at(-1)?.kind };
      document.body.appendChild(document.createElement('div')).append(run);
      await run.step();
      const address = run.frame;
      run.frame = 'https://';
      await run.step();
      const { trouble } = run;
      run.frame = address;
      await run.step();
      return { ...before, trouble, after: run.trouble };
    });
    expect(life).toEqual({
      isolation: 'locked',
      from: 'configuration',
      to: 'seal',
      trouble: 'The attribute frame has to name the page to be shown.',
    });
    await framed.close();
  },
);

test(
  'a frame answers the requests of its interface, and gives its embedder no object behind it',
  ONCE,
  async ({ page }) => {
    const framed = await serveFramed();
    await page.goto(`${framed.shop.origin}/`);
    const heard = await page.evaluate(async (address) => {
      const frame = Object.assign(document.createElement('iframe'), { src: address });
      const { port1, port2 } = new MessageChannel();
      const answers: unknown[] = [];
      const greeted = new Promise<void>((resolve) => {
        addEventListener('message', ({ source, data }) => {
          if (source !== frame.contentWindow) return;
          frame.contentWindow?.postMessage(data, '*', [port2]);
          resolve();
        });
      });
      document.body.append(frame);
      await greeted;
      // Messages of a library that calls objects through ports: paths into prototypes and constructors.
      const value = { type: 'RAW', value: 'mine' };
      port1.postMessage({ id: 'a', type: 'SET', path: ['__proto__', 'approve'], value });
      port1.postMessage({ id: 'b', type: 'APPLY', path: ['constructor', 'assign'], argumentList: [value, value] });
      port1.postMessage({ id: 'c', type: 'GET', path: [] });
      for (const ask of ['__proto__', 'constructor', 'answer', { toString: 1 }, null])
        port1.postMessage({ id: 1, ask });
      port1.postMessage(null);
      const last = new Promise<void>((resolve) => {
        port1.onmessage = ({ data }) => {
          answers.push(data);
          resolve();
        };
      });
      port1.postMessage({ id: 2, ask: 'export' });
      await last;
      return answers;
    }, `${framed.agent.origin}/agent.html`);
    expect(heard).toEqual([{ id: 2, value: undefined }]);
    const inside = page.frames().find((frame) => frame.url().startsWith(framed.agent.origin));
    expect(await inside?.evaluate(() => 'approve' in {})).toBe(false);
    await framed.close();
  },
);

test('a frame obeys no page that its owner did not name', ONCE, async ({ page }) => {
  const framed = await serveFramed('https://friend.example');
  await page.goto(`${framed.shop.origin}/`);
  await expect(innerOf(page).getByRole('button', { name: 'Run' })).toBeVisible();
  // A `host` in the address of the frame names no page.
  await element(page).evaluate((each, host) => {
    const run = each as SallyportRun;
    run.frame = `${run.frame}?host=${host}`;
  }, framed.shop.origin);
  const inner = innerOf(page);
  await expect(inner.getByRole('button', { name: 'Run' })).toBeVisible();
  await page.getByRole('button', { name: 'Run', exact: true }).first().click();
  await inner.getByRole('button', { name: 'Step' }).click();
  await expect(inner.locator('[part=record]').filter({ hasText: 'receipt' })).toHaveCount(1, { timeout: 30_000 });
  expect(await page.locator('sallyport-run').evaluate((each) => (each as SallyportRun).state)).toBeUndefined();
  await framed.close();
});
