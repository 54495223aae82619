import type { ConsoleMessage } from '@playwright/test';
import { verifyExport } from '../core/index.ts';
import { expect, SELF_TEST, shared, solo, test } from './fixtures.ts';
import { abort, badge, focused, goTo, open, propose, readToEnd, receipts, row, rows, runToQuestion } from './open.ts';
import { ready } from './ready.ts';
import { keepSaved, saved } from './saved.ts';
import { CORE, CORE_ENGINES, CORE_ONCE, ONCE } from './tags.ts';

test.describe('the first screen', () => {
  test(
    'the first screen has a new run, Step in focus, an empty console, and a draft after a reload',
    CORE,
    async ({ page, app, browserName }) => {
      const said: string[] = [];
      const hear = (message: ConsoleMessage) => said.push(`${message.type()}: ${message.text()}`);
      page.on('console', hear);
      await open(page, app.url);
      await expect(badge(page)).toHaveText('Ready');
      await expect.poll(() => focused(page)).toBe('button#step');
      await expect(rows(page)).toHaveCount(2);
      await expect(receipts(page)).toHaveCount(0);
      page.off('console', hear);
      // The driver tells of its own work; Firefox of the exit that the kernel tries, and of nothing else.
      const own = [/blocked by Playwright/u, ...(browserName === 'firefox' ? [new RegExp(SELF_TEST, 'u')] : [])];
      expect(said.filter((text) => !own.some((each) => each.test(text)))).toEqual([]);
      // After a reload the run is resumed, and the composer holds the draft.
      await page.getByRole('radio', { name: 'You' }).check();
      await page.locator('#draft').fill('{"next_st');
      await page.reload();
      await expect(row(page, /resumed/)).toHaveCount(1, { timeout: 30_000 });
      await expect(page.locator('sp-inspector h2').first()).toHaveText('Welcome');
      await expect(page.getByText('Another task')).toBeVisible();
      await row(page, /resumed/).click();
      await expect(page.locator('sp-explain')).toContainText('no call runs twice');
      await page.getByRole('radio', { name: 'You' }).check();
      await expect(page.locator('#draft')).toHaveValue('{"next_st');
    },
  );

  shared('a single press of Enter on the first screen adds the first receipt', ONCE, async ({ page }) => {
    await expect.poll(() => focused(page)).toBe('button#step');
    await page.keyboard.press('Enter');
    await expect(receipts(page)).toHaveCount(1);
    await expect(badge(page)).toHaveText('Paused');
    await expect(page.locator('sp-strip li.passed')).toHaveCount(9);
  });

  shared(
    'the page reports a locked kernel, and a step sends no request to another server',
    CORE_ONCE,
    async ({ page }) => {
      await expect(page.locator('sp-trust .meter')).toContainText('Kernel locked');
      await page.keyboard.press('s');
      await expect(receipts(page)).toHaveCount(1);
      await expect(page.locator('sp-trust .meter')).toContainText('0 requests elsewhere');
    },
  );
});

test.describe('the script', () => {
  shared('the script has stopped and passed proposals, asks a person, and completes', CORE_ONCE, async ({ page }) => {
    await runToQuestion(page);
    await expect(badge(page)).toHaveText('Waiting for approval');
    await expect.poll(() => focused(page)).toBe('button#deny');
    await readToEnd(page);
    await expect(page.locator('#approve')).toHaveAttribute('aria-disabled', 'false');
    await page.locator('#approve').click();
    await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
    for (const outcome of ['stopped', 'passed']) {
      await expect(page.locator('sp-timeline .outcome', { hasText: outcome }).first()).toBeAttached();
    }
    await expect.poll(() => focused(page)).toBe('button#new');
  });

  shared(
    'a person runs the script by keyboard alone, and a question takes no focus',
    CORE_ENGINES,
    async ({ page }) => {
      // The question is announced, and the focus stays in the text field.
      await page.keyboard.press('/');
      await page.keyboard.press('F10');
      await expect(receipts(page)).toHaveCount(1);
      for (let taken = 2; (await page.locator('sp-approval h2').count()) === 0; taken += 1) {
        await page.keyboard.press('F10');
        await expect(
          receipts(page)
            .nth(taken - 1)
            .or(page.locator('sp-approval h2')),
        ).toBeVisible();
      }
      await expect(page.locator('sp-status [role=alert]')).toContainText('F8 goes to the question');
      await readToEnd(page);
      await expect(page.locator('#approve')).toHaveAttribute('aria-disabled', 'false');
      expect(await focused(page)).toBe('input#filter');
      await page.keyboard.type('qq');
      await expect(page.locator('#filter')).toHaveValue('qq');
      await page.keyboard.press('F8');
      await expect.poll(() => focused(page)).toBe('button#deny');
      for (const next of ['deny-why', 'edit', 'approve']) {
        await page.keyboard.press('Tab');
        await expect.poll(() => focused(page)).toBe(`button#${next}`);
      }
      // A yes takes no key in the first half second of its focus.
      await page.waitForTimeout(600);
      await page.keyboard.press('Enter');
      await expect.poll(() => focused(page)).toBe('button#step');
      await page.keyboard.press('r');
      await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
    },
  );

  shared('a run completes after a denied call, and shows the reason of the person', ONCE, async ({ page }) => {
    await runToQuestion(page);
    await expect(page.locator('#deny-why')).toHaveAttribute('aria-disabled', 'false');
    await page.locator('#deny-why').click();
    await page.locator('#why').fill('wrong note');
    await expect(page.locator('sp-approval [type=submit]')).toHaveAttribute('aria-disabled', 'false');
    await page.locator('#why').press('Enter');
    await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
    await page.locator('#filter').fill('status:said');
    await rows(page).click();
    await expect(page.locator('sp-explain .headline')).toContainText('Stopped at approve');
    await expect(page.locator('sp-explain .headline')).toContainText('wrong note');
  });
});

test.describe('approvals', () => {
  shared('the approve button waits until the end of long arguments was in sight', ONCE, async ({ page }) => {
    const text = `${'Thank you for your visit.\n'.repeat(60)}AND DELETE EVERYTHING`;
    await propose(
      page,
      JSON.stringify({ next_step: { tool: 'notes.put', arguments: { name: 'long', text }, goal: 'keep' } }),
    );
    const approve = page.locator('#approve');
    await expect(page.locator('sp-approval [role=status]')).toContainText('Scroll to the end');
    // Deny works before the end was in sight.
    await expect(page.locator('#deny')).toHaveAttribute('aria-disabled', 'false');
    await expect(approve).toHaveAttribute('aria-disabled', 'true');
    await approve.click({ force: true });
    await expect(badge(page)).toHaveText('Waiting for approval');
    await page.locator('sp-approval .body').focus();
    await page.keyboard.press('End');
    await expect(page.locator('sp-approval #end')).toContainText('characters, to here');
    await expect(page.locator('sp-approval [role=status]')).toBeEmpty();
    await expect(approve).toHaveAttribute('aria-disabled', 'false');
    await approve.click();
    await expect(badge(page)).not.toHaveText('Waiting for approval');
  });

  solo('the approve button takes no click in the first half second of a question', ONCE, async ({ page, app }) => {
    // The time of the card stands still, so the half second is not over before the click, on a slow machine either.
    await page.addInitScript(() => {
      const stamp = Object.getOwnPropertyDescriptor(Event.prototype, 'timeStamp');
      const now = performance.now.bind(performance);
      const time = { stopped: undefined as number | undefined };
      Object.assign(globalThis, { time, stopTime: () => (time.stopped = now()) });
      performance.now = () => time.stopped ?? now();
      Object.defineProperty(Event.prototype, 'timeStamp', {
        ...stamp,
        get(this: Event) {
          return time.stopped ?? stamp?.get?.call(this);
        },
      });
    });
    await open(page, app.url);
    const pass = (ms: number) => page.evaluate(`time.stopped += ${ms}`);
    await page.evaluate('stopTime()');
    await runToQuestion(page);
    await page.locator('#approve[aria-disabled="true"]').click({ force: true });
    await pass(499);
    await page.locator('#approve[aria-disabled="true"]').click({ force: true });
    await expect(badge(page)).toHaveText('Waiting for approval');
    await pass(1);
    await page.locator('#approve[aria-disabled="false"]').click();
    await page.evaluate('time.stopped = undefined');
    await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
  });

  shared('a click from a script neither approves nor denies a call', ONCE, async ({ page }) => {
    await runToQuestion(page);
    await readToEnd(page);
    await expect(page.locator('#approve')).toHaveAttribute('aria-disabled', 'false');
    await page.locator('#approve').evaluate((button: HTMLElement) => button.click());
    await page.locator('#deny').evaluate((button: HTMLElement) => button.click());
    await expect(page.locator('sp-approval h2')).toBeVisible();
    await expect(badge(page)).toHaveText('Waiting for approval');
  });

  shared('a question shows the exact arguments, with invisible characters escaped', ONCE, async ({ page }) => {
    const text = 'pay \u202Enow\u200B';
    await propose(
      page,
      JSON.stringify({ next_step: { tool: 'notes.put', arguments: { name: 'pay', text }, goal: 'g' } }),
    );
    await expect(page.locator('sp-approval pre')).toContainText('\\u202enow\\u200b');
    await expect(page.locator('sp-approval')).toContainText('2 characters here would be invisible');
  });
});

test.describe('a person as the model', () => {
  shared('prose stops at parse, and a forecast judges the draft of a person', ONCE, async ({ page }) => {
    await propose(page, 'Please write a note.');
    await expect(page.locator('sp-explain .headline')).toContainText('Stopped at parse');
    await expect(page.locator('sp-strip li.stopped')).toHaveCount(1);
    await expect(page.locator('sp-explain pre').first()).toHaveText('Please write a note.');
    // The forecast judges a draft before it is sent.
    const forecast = page.locator('#forecast');
    await expect(forecast).toContainText('Would stop at parse. Not JSON: line 1, column 1');
    const told = [
      ['calc.Eval', 'There is no calc.Eval here. The closest name is calc.eval.'],
      ['calendar.add', 'calendar.add has no grant.'],
      ['notes.put', 'notes.put asks you first.'],
      ['calc.eval', 'Is JSON, and calc.eval is allowed.'],
    ] as const;
    for (const [tool, words] of told) {
      await page.locator('#draft').fill(`{"next_step":{"tool":"${tool}"}}`);
      await expect(forecast).toContainText(words);
    }
  });

  shared('a refused proposal has its member marked, and can be edited again', ONCE, async ({ page }) => {
    await propose(page, '{"next_step":{"tool":"calc.Eval","arguments":{},"goal":"g"}}');
    await expect(page.locator('sp-explain .headline')).toContainText('Stopped at capability');
    await expect(page.locator('sp-explain mark').first()).toHaveText(/calc\.Eval|tool/);
    await page.getByRole('button', { name: 'Edit and send again' }).click();
    await expect(page.locator('#draft')).toHaveValue(/calc\.Eval/);
  });

  shared('a typed proposal that the page replaces comes back by Undo and by its key', ONCE, async ({ page }) => {
    await propose(page, '{"next_step":{"tool":"calc.Eval","arguments":{},"goal":"g"}}');
    const [draft, undo] = [page.locator('#draft'), page.locator('sp-composer .undo')];
    const again = page.getByRole('button', { name: 'Edit and send again' });
    await expect(again).toBeVisible();
    await expect(undo).toHaveCount(0);
    await draft.fill('typed by hand');
    await again.click();
    await expect(draft).toHaveValue(/calc\.Eval/);
    await expect(page.locator('sp-composer .replaced [role=status]')).toHaveText(
      'The text that you typed was replaced.',
    );
    await undo.click();
    await expect(draft).toHaveValue('typed by hand');
    await expect(draft).toBeFocused();
    await expect(undo).toHaveCount(0);
    await again.click();
    await expect(draft).toHaveValue(/calc\.Eval/);
    await draft.press('ControlOrMeta+z');
    await expect(draft).toHaveValue('typed by hand');
  });

  shared('a valid call from a person passes every gate and shows its result', ONCE, async ({ page }) => {
    await propose(page, '{"next_step":{"tool":"calc.eval","arguments":{"expression":"6*7"},"goal":"g"}}');
    await expect(page.locator('sp-explain .headline')).toContainText('Through every gate');
    await expect(page.locator('sp-explain')).toContainText('42');
  });

  shared('a person hands back to the script, and the script makes the next proposal', ONCE, async ({ page }) => {
    await propose(page, 'not JSON');
    await expect(receipts(page)).toHaveCount(1);
    await page.getByRole('radio', { name: 'Script' }).check();
    await page.locator('#step').click();
    await expect(receipts(page)).toHaveCount(2);
  });
});

/** A proposal that rewrites the section on paying the mill to a single line. */
const SETTLED = {
  intent: 'Say it shorter',
  refs: ['@BAKERY/PAYING'],
  ops: [
    {
      type: 'WRITE',
      target: '@BAKERY/PAYING',
      params: {
        content: '## How we pay Marlow Mill\n\nOn the day it comes.\n\n',
        expected_hash: 'a02a49d87daa17247c8464352c199606884b4989a3739e5b5113d24070810b87',
      },
    },
  ],
  budgets: { max_symbols: 10, max_sections: 5, max_bytes_expanded: 800, max_expands_per_step: 3 },
  required_outputs: [],
};

test.describe('the dialect', () => {
  shared('the dialect is chosen before a run, and fixed after its first step', ONCE, async ({ page }) => {
    await page.getByRole('radio', { name: 'FemtoClaw' }).check();
    await expect(rows(page).first()).toContainText('femtoclaw/1.0.0');
    await expect(badge(page)).toHaveText('Ready');
    await page.locator('#step').click();
    await expect(receipts(page)).toHaveCount(1);
    await expect(page.locator('sp-explain')).toContainText('"tool_call"');
    await expect(page.getByRole('radio', { name: 'XCT' })).toBeDisabled();
  });

  shared('a Catalytic run reads slices under budgets, and asks before it writes', CORE_ONCE, async ({ page }) => {
    await page.getByRole('radio', { name: 'Catalytic' }).check();
    await expect(rows(page).first()).toContainText('catalytic/1.0');
    for (const n of [1, 2, 3, 4]) {
      await page.keyboard.press('s');
      await expect(receipts(page)).toHaveCount(n);
    }
    await expect(page.locator('sp-setup .meters').nth(1)).toContainText(/Expansions1 of 3/);
    await page.getByRole('tab', { name: 'Slices' }).click();
    await expect(page.locator('sp-slices pre')).toContainText('How we pay Marlow Mill');
    await propose(page, JSON.stringify(SETTLED));
    await expect(page.locator('sp-approval sp-rewriting li.new')).toHaveText('+comes: On the day it comes.');
    await expect(page.locator('#deny')).toHaveAttribute('aria-disabled', 'false');
    await page.locator('#deny').click();
    await expect(receipts(page)).toHaveCount(5);
  });
});

test.describe('the ledger', () => {
  shared('records are filtered, and a denied call leads to its grants', ONCE, async ({ page }) => {
    await runToQuestion(page);
    await page.keyboard.press('/');
    await page.keyboard.type('type:verdict status:rejected');
    await expect(rows(page).filter({ hasText: 'rejected' }).first()).toBeVisible();
    await expect(rows(page).filter({ hasNotText: 'rejected' })).toHaveCount(0);
    await page.locator('#filter').fill('type:verdict no such thing');
    await expect(rows(page)).toHaveCount(0);
    await page.getByRole('button', { name: /^Show all/ }).click();
    await expect(page.locator('#filter')).toBeFocused();
    await expect(page.locator('#filter')).toHaveValue('');
    await rows(page).first().click();
    await page.keyboard.press('n');
    await expect(page.locator('sp-inspector h2')).toContainText('rejected');
    // A record of a denied call leads to the grants of its capability.
    await page.locator('#filter').fill('status:denied');
    await rows(page).first().click();
    await page.getByRole('button', { name: 'See its grants' }).click();
    await expect(page.locator('sp-catalogue h1')).toHaveText('calendar.add');
  });

  test('the ledger keeps runs over a reload, and an ended run opens read-only', CORE_ONCE, async ({ page, app }) => {
    await open(page, app.url);
    await page.keyboard.press('s');
    await expect(receipts(page)).toHaveCount(1);
    await abort(page);
    await page.reload();
    await expect(badge(page)).toHaveText('Ready', { timeout: 30_000 });
    await page.locator('sp-runs summary').click();
    await page.locator('sp-runs li button').first().click();
    await expect(badge(page)).toHaveText('Read only');
    await expect(receipts(page)).toHaveCount(1);
    await expect(page.locator('#step')).toHaveCount(0);
  });

  shared('a run is exported as a file that verifies', CORE_ONCE, async ({ page }) => {
    await keepSaved(page);
    await page.keyboard.press('s');
    await expect(receipts(page)).toHaveCount(1);
    await abort(page);
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export this run' });
    await expect(dialog.getByText('What it discloses')).toBeVisible();
    await dialog.getByRole('button', { name: 'Save as a file' }).click();
    expect(verifyExport(await saved(page))).toMatchObject({ ok: true, records: 8 });
    expect(await page.evaluate(() => (window as { savedAs?: string }).savedAs)).toMatch(/\.run\.jsonl$/);
  });
});

test.describe('a link', () => {
  test('the address names the selected record, and opens it again after a reload', ONCE, async ({ page, app }) => {
    await open(page, app.url);
    await page.keyboard.press('s');
    await expect(receipts(page)).toHaveCount(1);
    await abort(page);
    await page.reload();
    await expect(badge(page)).toHaveText('Ready', { timeout: 30_000 });
    await page.locator('sp-runs summary').click();
    await page.locator('sp-runs li button').first().click();
    await rows(page).nth(7).click();
    await page.getByRole('tab', { name: 'Receipt' }).click();
    await expect.poll(() => page.url()).toMatch(/#r=[-0-9a-f]{36}&q=7&t=receipt$/);
    await page.setViewportSize({ width: 1280, height: 480 });
    await page.reload();
    await ready(page);
    await expect(page.locator('sp-inspector h2')).toContainText('Record 7');
    await expect(page.locator('sp-timeline .row[aria-selected="true"]')).toBeInViewport();
  });

  test('a link to a run of another device takes no step and is reported', ONCE, async ({ page, app }) => {
    await open(page, `${app.url}#r=0f8b1c2d-3e4f-4a5b-8c6d-7e8f9a0b1c2d&q=3&v=run`);
    await expect(page.locator('sp-status')).toContainText('not on this device');
    await expect(page.locator('#step')).toBeEnabled();
    await expect(receipts(page)).toHaveCount(0);
  });
});

shared('the page fits 320 pixels without scrolling sideways, in every column', CORE_ONCE, async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  // A task may be a long word without a place to break.
  const task = page.locator('sp-setup #task');
  await task.evaluate((area: HTMLTextAreaElement) => {
    area.value = 'ab'.repeat(100);
    area.dispatchEvent(new Event('change'));
  });
  await expect(page.locator('sp-setup section').first()).toContainText('abab');
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  for (const column of ['Propose', 'Ledger', 'Record']) {
    await page.getByRole('navigation', { name: 'Columns' }).getByRole('button', { name: column }).click();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  }
  // A new record begins at its top, also where the page itself scrolls.
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(2);
  await expect(page.locator('sp-inspector h2').first()).toBeInViewport();
  // The views are a menu here: Escape closes the menu, and does not abort the run.
  await page.locator('sp-bar #menu').click();
  await expect(page.locator('sp-bar #views')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.locator('sp-bar #views')).toBeHidden();
  await expect(badge(page)).not.toHaveText('Aborted');
  await goTo(page, 'Audit');
  await expect(page.locator('sp-bar #views')).toBeHidden();
  // The audit lists a run that has not ended, too.
  await expect(page.locator('sp-audit')).toContainText('Runs on this device');
});
