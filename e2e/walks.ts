/** Ways through every state of the playground, for tests and pictures of each. */
import type { Page } from '@playwright/test';
import type { Playground } from '../web/playground/playground.ts';
import { expect } from './fixtures.ts';
import { abort, badge, goTo, open, propose, readToEnd, receipts } from './open.ts';

/** A narrower screen than this is a phone, in CSS pixels. */
const PHONE_WIDTH_MAX = 500;
const TINY = 'test/fixtures/tiny-model/tiny-q8_0.gguf';

/** States of the page in order, each with the actions of a person that lead to it on a wide screen. */
export interface Walk {
  readonly [state: string]: (page: Page) => Promise<void>;
}

/** Actions of a person that bring a state into view at each width: a narrow screen has one column at a time, and a menu. */
export const TURNS: Walk = {
  rejected: (page) => turnTo(page, 'Record'),
  'the views as a menu': openMenu,
  'the time of the steps': (page) => turnTo(page, 'Ledger'),
  'a search': (page) => turnTo(page, 'Ledger'),
  'looking back': (page) => turnTo(page, 'Ledger'),
  projector: (page) => turnTo(page, (page.viewportSize()?.width ?? 0) < PHONE_WIDTH_MAX ? 'Ledger' : 'Record'),
  'waiting for approval': async (page) => {
    await turnTo(page, 'Propose');
    await readToEnd(page);
    await expect(page.locator('#approve')).toHaveAttribute('aria-disabled', 'false', { timeout: 30_000 });
  },
  'the tools of a run': (page) => turnTo(page, 'Propose'),
  'the small model': (page) => turnTo(page, 'Propose'),
  'words beside values': (page) => turnTo(page, 'Propose'),
  'a kept model': (page) => turnTo(page, 'Propose'),
  'a file that is no model': (page) => turnTo(page, 'Propose'),
  'a model server of the run': (page) => turnTo(page, 'Propose'),
  'a form with a fault': (page) => turnTo(page, 'Propose'),
  'a question with an origin': (page) => turnTo(page, 'Propose'),
  'a session': (page) => turnTo(page, 'Record'),
  'a lesson under way': async (page) => {
    await expect(async () => {
      await page.locator('sp-bench sp-approval #end').evaluate((end) => end.scrollIntoView({ block: 'nearest' }));
      // A card is answered where its buttons are in sight.
      await page.locator('sp-bench #approve').scrollIntoViewIfNeeded();
      await expect(page.locator('sp-bench #approve')).toHaveAttribute('aria-disabled', 'false', { timeout: 2_000 });
    }).toPass();
  },
};

/** Walks through the states of the playground; each walk begins with a fresh run. */
export const WALKS = {
  'a run': {
    ready: async () => undefined,
    stepped: async (page) => {
      await page.keyboard.press('s');
      await expect(receipts(page)).toHaveCount(1);
    },
    rejected: async (page) => {
      await propose(page, '{"next_step":{"tool":"calc.Eval","arguments":{},"goal":"g"}}');
      await expect(receipts(page)).toHaveCount(2);
    },
    receipt: (page) => page.getByRole('tab', { name: 'Receipt' }).click(),
    'a record as a tree': async (page) => {
      await page.locator('sp-fields #tree').click();
      await expect(page.locator('sp-tree').first()).toBeVisible();
    },
    'the time of the steps': async (page) => {
      await page.locator('sp-fields #tree').click();
      await page.locator('sp-timeline #time').click();
      await expect(page.locator('sp-waterfall [role=option]')).toHaveCount(2);
    },
    'a search': async (page) => {
      await page.locator('sp-timeline #time').click();
      await page.locator('#filter').fill('type:re');
      await expect(page.locator('sp-timeline .offers button').first()).toBeVisible();
    },
    'a comparison of two runs': async (page) => {
      await page.locator('#filter').fill('');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Command' }).fill('compare with');
      await page.keyboard.press('Enter');
      await expect(page.getByRole('dialog', { name: 'Compare two runs' })).toBeVisible();
    },
    context: async (page) => {
      await page.keyboard.press('Escape');
      await page.getByRole('tab', { name: 'Context' }).click();
    },
    'the views as a menu': (page) => page.getByRole('tab', { name: 'Explain' }).click(),
    'looking back': async (page) => {
      await page.keyboard.press('Escape');
      await page.getByRole('slider', { name: 'Look back' }).focus();
      await page.keyboard.press('Home');
      await expect(page.locator('#now')).toBeVisible();
    },
    projector: (page) =>
      page.evaluate(() => {
        const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
        store.themes.project();
      }),
  },
  'the dialogs': {
    'a step behind them': async (page) => {
      await page.keyboard.press('s');
      await expect(receipts(page)).toHaveCount(1);
    },
    help: async (page) => {
      await page.keyboard.press('?');
      await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
    },
    commands: async (page) => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await expect(page.getByRole('combobox', { name: 'Command' })).toBeVisible();
    },
    'a gallery of scenarios': async (page) => {
      await page.getByRole('combobox', { name: 'Command' }).fill('start from a scenario');
      await page.keyboard.press('Enter');
      await expect(page.getByRole('dialog', { name: 'Start from a scenario' })).toBeVisible();
    },
    'the setup as code': async (page) => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Command' }).fill('embed this');
      await page.keyboard.press('Enter');
      await expect(page.locator('sp-code-copy pre')).toHaveCount(2);
    },
    'a model server': async (page) => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Command' }).fill('change the model server');
      await page.keyboard.press('Enter');
      await expect(page.getByRole('dialog', { name: 'A model server' })).toBeVisible();
      await page.getByLabel('Base URL').fill('http://models.example/v1');
      await page.getByRole('textbox', { name: 'Model' }).fill('tiny');
      await page.getByLabel('Key, if it needs one').fill('sk-quince');
      await page.getByRole('button', { name: 'Use this model' }).click();
      await expect(page.locator('sp-endpoint')).toContainText('a key is sent over https');
    },
    trust: async (page) => {
      await page.keyboard.press('Escape');
      await page.locator('sp-trust .meter').click();
      await expect(page.getByRole('dialog', { name: 'What this page can reach' })).toBeVisible();
    },
    kept: async (page) => {
      await page.getByRole('button', { name: 'What is kept…' }).click();
      await expect(page.getByRole('dialog', { name: 'Kept on this device' })).toContainText('Save a backup');
    },
    'asked before everything goes': async (page) => {
      await page.getByRole('button', { name: 'Delete everything…' }).click();
      await expect(page.locator('sp-keep #word')).toBeFocused();
    },
    'asked before a run is ended': async (page) => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog', { name: 'Kept on this device' })).toBeHidden();
      await page.locator('#abort').click();
      await expect(page.getByRole('dialog', { name: 'End this run?' })).toBeVisible();
    },
    aborted: async (page) => {
      await page.locator('sp-abort #keep').click();
      await abort(page);
    },
  },
  'the end of a run': {
    'waiting for approval': (page) => page.locator('#run').click(),
    completed: async (page) => {
      await page.locator('#approve').click();
      await expect(page.locator('sp-checks li')).toHaveCount(6, { timeout: 30_000 });
    },
    audited: async (page) => {
      await page.getByRole('button', { name: /Open in Audit/ }).click();
      await expect(page.locator('sp-chain li').first()).toBeVisible();
    },
    'sending a run': async (page) => {
      await page.locator('#send').click();
      await page.locator('sp-send #link-make').click();
      await expect(page.locator('sp-send #link')).toBeVisible();
    },
    'a sent run': async (page) => {
      const link = await page.locator('sp-send #link').inputValue();
      await page.keyboard.press('Escape');
      await page.evaluate((fragment) => void (location.hash = fragment), link.split('#')[1] ?? '');
      await expect(page.locator('#sent-open')).toBeVisible();
    },
    'a run from an address': async (page) => {
      await page.locator('#import').click();
      await page.locator('#given').fill('https://files.example/run.jsonl');
      await expect(page.locator('#take')).toHaveText('Ask files.example');
    },
    tampered: async (page) => {
      await page.keyboard.press('Escape');
      await page.locator('#sent-leave').click();

      await page.locator('sp-chain li button').nth(30).click();
      await page.getByRole('button', { name: 'Flip a byte' }).click();
      await expect(page.locator('sp-audit .verdict')).toContainText('first problem at record 30');
    },
  },
  'the capabilities': {
    capabilities: async (page) => {
      await goTo(page, 'Capabilities');
      await expect(page.locator('sp-catalogue h1')).toBeVisible();
    },
    'a grant to give': async (page) => {
      await page.locator('sp-grants #give > summary').click();
      await expect(page.locator('#grant')).toBeVisible();
    },
    'what is allowed': async (page) => {
      await page.getByRole('button', { name: 'Allowed', exact: true }).click();
      await expect(page.locator('sp-allowed li').first()).toBeVisible({ timeout: 30_000 });
    },
    workshop: async (page) => {
      await page.getByRole('button', { name: 'Workshop', exact: true }).click();
      await page.locator('#try').click();
      await expect(page.locator('sp-tryout article')).toBeVisible({ timeout: 30_000 });
      await expect(page.locator('sp-code#source .cm-content')).toBeVisible();
    },
    'a draft with a problem': async (page) => {
      await page.locator('#version').fill('1');
      await expect(page.locator('.problems')).toBeVisible();
    },
    shared: async (page) => {
      await page.getByRole('button', { name: 'Revert' }).click();
      await page.locator('#share').click();
      await expect(page.getByRole('dialog', { name: 'Share this capability' })).toBeVisible();
    },
    reviewed: async (page) => {
      const link = await page.locator('#link').inputValue();
      await page.keyboard.press('Escape');
      await page.evaluate((fragment) => void (location.hash = fragment), link.split('#')[1] ?? '');
      await expect(page.locator('sp-review h1')).toContainText('my.greeting');
    },
    'an incident': async (page) => {
      await page.getByRole('button', { name: 'Break out' }).click();
      await page.locator('sp-breakout #play').click();
      await expect(page.locator('sp-breakout [data-way=held]')).toContainText('The secret', { timeout: 30_000 });
    },
    'break out': async (page) => {
      await page.locator('sp-breakout .list button').filter({ hasText: 'Climb the constructors' }).click();
      await page.locator('#one').click();
      await expect(page.locator('sp-breakout .headline')).toBeVisible({ timeout: 30_000 });
    },
  },
  'a tool of the program': {
    'the tools of a run': async (page) => {
      await page.evaluate(async () => {
        const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
        const line = { type: 'object', properties: { count: { type: 'integer', maximum: 9 } }, required: ['count'] };
        const properties = { lines: { type: 'array', items: line, minItems: 1 }, pay: { enum: ['cash'] }, note: {} };
        await store.runtime.tools.provide({
          name: 'shop.order',
          version: '1.0.0',
          description: 'Orders from the shop.',
          effect: 'write',
          args: { type: 'object', properties, required: ['lines', 'pay'] },
          origin: 'mcp:https://shop.example',
          run: () => 'ordered',
        });
        await store.catalogue.grant({ capability: 'shop.order', mode: 'ask' });
      });
      await page.getByRole('radio', { name: 'You' }).check();
      await page.locator('sp-tools summary').first().click();
      await expect(page.locator('sp-tools li').first()).toBeVisible();
    },
    'a form': async (page) => {
      await page.getByRole('button', { name: 'Use shop.order' }).click();
      await page.getByLabel('Include note').check();
      await expect(page.locator('sp-propose-form .fault')).toContainText('not JSON');
    },
    'a form with a fault': async (page) => {
      await page.getByLabel('Include note').uncheck();
      await page.getByLabel('count', { exact: true }).fill('12');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await expect(page.locator('sp-propose-form .fault')).toContainText('must be <= 9');
      await page.locator('#draft').press('End');
      await page.locator('#draft').press('Space');
      await expect(page.locator('#write')).toBeVisible();
    },
    'a question with an origin': async (page) => {
      await page.locator('#write').click();
      await page.getByLabel('count', { exact: true }).fill('2');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await expect(page.locator('sp-approval #origin')).toBeVisible();
    },
    'a tool in the catalogue': async (page) => {
      await page.locator('sp-approval #deny').click();
      await goTo(page, 'Capabilities');
      await page.locator('sp-catalogue nav').getByRole('button', { name: 'shop.order' }).click();
      await expect(page.locator('sp-catalogue article')).toContainText('The program carries this out');
    },
    'a session': async (page) => {
      await goTo(page, 'Run');
      await page.evaluate(async () => {
        const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
        const session = store.runtime.openSession({ label: 'axe', labels: ['untrusted'] });
        await session.call('calc.eval', { expression: '1+1' });
        await session.close();
        await store.openRun(session.run.id);
        store.selection.select(0);
      });
      await expect(page.locator('sp-runbar h1')).toHaveText('Session of axe');
    },
  },
  'the corpus': {
    corpus: (page) => goTo(page, 'Corpus'),
    'a corpus with content': async (page) => {
      await page.getByRole('button', { name: 'Add the bakery’s papers' }).click();
      await expect(page.locator('sp-corpus-list li')).toHaveCount(14);
      await page.getByRole('button', { name: 'ALL', exact: true }).click();
      await expect(page.locator('sp-corpus-slice .badge')).toBeVisible();
    },
    about: (page) => goTo(page, 'About'),
  },
} as const satisfies { readonly [walk: string]: Walk };

/** Walks that leave progress or a second tab behind, which a fresh run does not remove. */
export const OWN_WALKS: { readonly [walk: string]: Walk } = {
  'the lessons': {
    learn: async (page) => {
      await goTo(page, 'Learn');
      await expect(page.locator('sp-learn ol')).toBeVisible();
    },
    'a lesson': async (page) => {
      await page.getByRole('button', { name: /Small windows/ }).click();
      await expect(page.locator('sp-bench .held')).toBeVisible();
    },
    'a lesson under way': async (page) => {
      await page.locator('sp-lesson').getByRole('radio').first().check();
      await page.getByRole('button', { name: 'A line more' }).click();
      await page.locator('#send').click();
    },
    'a lesson in the audit': async (page) => {
      await page.getByRole('button', { name: 'All lessons' }).click();
      await page.getByRole('button', { name: /Flip one byte/ }).click();
      await page.locator('sp-lesson').getByRole('radio').first().check();
      await expect(page.locator('sp-bench sp-chain li').first()).toBeVisible({ timeout: 30_000 });
    },
    'a lesson with the small model': async (page) => {
      await page.getByRole('button', { name: 'All lessons' }).click();
      await page.getByRole('button', { name: /The right form is not the right meaning/ }).click();
      await page.locator('sp-lesson').getByRole('radio').first().check();
      await page.getByRole('button', { name: 'Ask it' }).click();
      await expect(page.locator('#draft')).not.toHaveValue('', { timeout: 60_000 });
    },
  },
  'the models': {
    'the small model': async (page) => {
      await page.getByRole('radio', { name: 'Model', exact: true }).check();
      await expect(page.locator('sp-task #ask')).toBeVisible({ timeout: 30_000 });
    },
    'words beside values': async (page) => {
      await page.locator('#task').fill('What is 10 / 0?');
      await page.locator('sp-task #ask').click();
      await expect(page.locator('sp-said .beside')).toBeVisible({ timeout: 30_000 });
    },
    'a kept model': async (page) => {
      await page.getByRole('radio', { name: 'A GGUF file on this device' }).check();
      await page.locator('sp-gguf input[type=file]').setInputFiles(TINY);
      await expect(page.locator('sp-gguf li')).toContainText('Loaded', { timeout: 60_000 });
      await page
        .locator('sp-gguf')
        .getByRole('button', { name: /^Remove/ })
        .click();
      await expect(page.locator('sp-gguf #leave')).toBeFocused();
    },
    'a file that is no model': async (page) => {
      const letter = { name: 'letter.gguf', mimeType: '', buffer: Buffer.from('Dear model') };
      await page.locator('sp-gguf input[type=file]').setInputFiles(letter);
      await expect(page.locator('sp-gguf')).toContainText('no model in the GGUF format');
    },
    'a model server of the run': async (page) => {
      await page.getByRole('radio', { name: 'A model server' }).check();
      await expect(page.locator('sp-models #connect')).toBeVisible();
    },
  },
  'a run of another tab': {
    'another tab has this run': async (page) => {
      const other = await page.context().newPage();
      await open(other, page.url().split('#')[0] ?? '');
      await other.keyboard.press('s');
      await expect(receipts(other)).toHaveCount(1);
      const id = await other.evaluate(() => {
        const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
        return store.session.value?.id;
      });
      await page.evaluate((fragment) => void (location.hash = fragment), `r=${id}`);
      await expect(badge(page)).toHaveText('In another tab');
    },
  },
};

/** Opens the menu of views, which only a narrow screen has. */
async function openMenu(page: Page): Promise<void> {
  const isOpen = await page.locator('sp-bar #views').evaluate((views) => views.matches(':popover-open'));
  const menu = page.locator('sp-bar #menu');
  if (!isOpen && (await menu.isVisible())) await menu.click();
}

/** Shows a column; a narrow screen has a single column at a time. */
async function turnTo(page: Page, column: string): Promise<void> {
  const tab = page.getByRole('navigation', { name: 'Columns' }).getByRole('button', { name: column });
  if (await tab.isVisible()) await tab.click();
}
