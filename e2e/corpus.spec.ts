import type { Locator, Page } from '@playwright/test';
import { BlobWriter, configure, TextReader, ZipWriter } from '@zip.js/zip.js';
import { buildIndex, encodeText } from '../core/index.ts';
import type { Playground } from '../web/playground/playground.ts';
import { expect, shared, test } from './fixtures.ts';
import { open, reload } from './open.ts';
import { CORE_ONCE, ONCE } from './tags.ts';

const GUIDE = '# Guide\n\nWelcome.\n\n## Ovens\n\nHot.\n';
const FILES: { readonly [path: string]: string } = {
  'LAW/CANON/guide.md': GUIDE,
  'LAW/CANON/deep/more.md': '# Deeper\n',
  'SKILLS/one/two/skill.md': '# Skill\r\n\r\nKnead.\r\n',
  'CORTEX/db/schema.sql': 'select 1;\n',
  'readme.md': '# Read me\n',
};
/** The files of the contract's folders, and the Markdown and text. */
const TAKEN = ['CORTEX/db/schema.sql', 'LAW/CANON/guide.md', 'SKILLS/one/two/skill.md'];
const NOTES = Object.keys(FILES).filter((path) => path.endsWith('.md'));

async function openCorpus(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Corpus' }).click();
  await expect(page.locator('sp-corpus-sources')).toBeVisible();
}

const said = (page: Page): Locator => page.locator('sp-corpus-sources [role=status]');
const leftOut = (page: Page): Locator => page.locator('sp-corpus-sources .left li');
const listed = (page: Page): Locator => page.locator('sp-corpus-list li');
const trial = (page: Page): Locator => page.locator('sp-corpus-slice [role=status]');

async function addBakery(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add the bakery’s papers' }).click();
  await expect(said(page)).toContainText('14 added');
}

/** Fills in a reference and a slice, and tries them. */
async function trySlice(page: Page, ref: string, slice: string): Promise<void> {
  await page.locator('#ref').fill(ref);
  await page.locator('#slice').fill(slice);
  await page.locator('#slice').press('Enter');
}

/** Picks a folder as the File System Access API gives it: the handle is real, of a private folder of the origin. */
async function pickFolder(page: Page, files: { readonly [path: string]: string | readonly number[] }): Promise<void> {
  await page.evaluate(async (wanted) => {
    const storage = await navigator.storage.getDirectory();
    const root = await storage.getDirectoryHandle(crypto.randomUUID(), { create: true });
    for (const [path, content] of Object.entries(wanted)) {
      const names = path.split('/');
      let folder = root;
      for (const name of names.slice(0, -1)) folder = await folder.getDirectoryHandle(name, { create: true });
      const writable = await (await folder.getFileHandle(names.at(-1) ?? '', { create: true })).createWritable();
      await writable.write(typeof content === 'string' ? content : Uint8Array.from(content));
      await writable.close();
    }
    Object.assign(globalThis, { showDirectoryPicker: async () => root });
  }, files);
  await page.locator('#folder').click();
}

/** The index hash of these files, built outside the browser. */
function hashOf(paths: readonly string[]): string {
  const built = buildIndex(paths.map((path) => ({ path, bytes: encodeText(FILES[path] ?? '') })));
  return built.ok ? built.value.index_hash : built.refusal.code;
}

test.describe('content', () => {
  test('the corpus is empty at first, and keeps added files over a reload', ONCE, async ({ page, app }) => {
    await open(page, app.url);
    await openCorpus(page);
    await expect(page.locator('sp-corpus .empty')).toContainText('There is no content yet');
    await addBakery(page);
    await expect(listed(page)).toHaveCount(14);
    await expect(page.locator('sp-corpus .overview')).toContainText('14 files');
    await reload(page);
    await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Corpus' }).click();
    await expect(listed(page)).toHaveCount(14);
  });

  shared(
    'a folder adds the files of the contract, if a person chooses them, with the index hash of Node',
    ONCE,
    async ({ page }) => {
      await openCorpus(page);
      await page.getByRole('button', { name: 'Which files' }).click();
      await page.locator('#selection').selectOption('contract');
      await pickFolder(page, FILES);
      await expect(said(page)).toContainText('3 added');
      await expect(listed(page).locator('button > span:first-child')).toHaveText(TAKEN);
      await expect(page.locator('sp-corpus .overview [title]')).toHaveAttribute('title', hashOf(TAKEN));
      await page.getByRole('button', { name: 'Rebuild and compare' }).click();
      await expect(page.locator('sp-corpus .overview')).toContainText('the same index, to the byte');
      // Removal takes a second click, and the first click puts the focus on the button that keeps the files.
      await page.getByRole('button', { name: 'Remove all files' }).click();
      await expect(page.locator('sp-corpus #keep')).toBeFocused();
      await page.keyboard.press('Enter');
      await expect(page.locator('sp-corpus #clear')).toBeFocused();
      await expect(page.locator('sp-corpus .overview')).toContainText('3 files');
    },
  );

  shared('a zip adds its Markdown and text, and a broken zip adds no file', ONCE, async ({ page }) => {
    configure({ useWebWorkers: false });
    const writer = new ZipWriter(new BlobWriter('application/zip'));
    for (const [path, text] of Object.entries(FILES)) await writer.add(path, new TextReader(text));
    const buffer = Buffer.from(await (await writer.close()).arrayBuffer());
    await openCorpus(page);
    const broken = buffer.subarray(0, -30);
    await page.locator('input#files').setInputFiles({ name: 'a.zip', mimeType: 'application/zip', buffer: broken });
    await expect(said(page)).toHaveClass('bad');
    await expect(page.locator('sp-corpus .empty')).toBeVisible();
    await page.locator('input#files').setInputFiles({ name: 'a.zip', mimeType: 'application/zip', buffer });
    await expect(said(page)).toContainText('4 added');
    await expect(page.locator('sp-corpus .overview [title]')).toHaveAttribute('title', hashOf(NOTES));
  });

  shared(
    'content of an address is fetched path by path, and a missing file is named',
    ONCE,
    async ({ page, complaints }) => {
      await openCorpus(page);
      await page.route('**/docs/**', (route) => {
        const text = FILES[decodeURIComponent(new URL(route.request().url()).pathname.slice('/docs/'.length))];
        return text === undefined ? route.fulfill({ status: 404 }) : route.fulfill({ body: text });
      });
      await page.getByRole('button', { name: 'From an address' }).click();
      const fetchAll = async (paths: readonly string[]) => {
        await page.getByRole('textbox', { name: 'Base address' }).fill('/docs/');
        await page.locator('#paths').fill(paths.join('\n'));
        await page.getByRole('button', { name: 'Fetch them' }).click();
      };
      await fetchAll([...TAKEN, 'gone.md']);
      await expect(said(page)).toContainText('3 added');
      await expect(leftOut(page)).toHaveText(['gone.md: the server answered 404']);
      // Some browsers complain of the 404 themselves.
      for (const complaint of complaints.splice(0)) expect(complaint).toContain('404');
      await fetchAll(TAKEN);
      await expect(said(page)).toContainText('3 unchanged');
      await expect(page.locator('sp-corpus .overview [title]')).toHaveAttribute('title', hashOf(TAKEN));
    },
  );

  shared('a file that is not text is left out by name, and undo takes the others back', ONCE, async ({ page }) => {
    await openCorpus(page);
    await page.locator('input#files').setInputFiles({ name: 'a.md', mimeType: '', buffer: Buffer.from('# A\n') });
    await expect(said(page)).toContainText('1 added');
    await pickFolder(page, { 'deep/good.md': '# Good\n', 'bad.md': [0x61, 0xff] });
    await expect(said(page)).toHaveClass('wait');
    await expect(leftOut(page)).toHaveText(['bad.md: it is not UTF-8 text: byte 1 is invalid']);
    await expect(listed(page)).toHaveCount(2);
    await page.locator('sp-corpus-sources #undo').click();
    await expect(listed(page)).toHaveCount(1);
    await expect(leftOut(page)).toHaveCount(0);
  });

  shared('the corpus says when no file matches its patterns, which can be changed', ONCE, async ({ page }) => {
    await openCorpus(page);
    await pickFolder(page, { 'a.pdf': 'a', 'b.html': 'b' });
    await expect(said(page)).toContainText('None of the 2 files');
    await page.getByRole('button', { name: 'Which files' }).click();
    await page.locator('#globs').fill('**/*.sql');
    await expect(page.locator('#selection')).toHaveValue('own');
    const folder = { 'notes/a.md': '# A\n', 'b.md': '# B\n', 'c.json': '{}' };
    await pickFolder(page, folder);
    await expect(said(page)).toContainText('No file of');
    await page.locator('sp-corpus-sources #notes').click();
    await expect(said(page)).toContainText('2 added');
  });

  shared('a fetch of content can be cancelled, and adds no file', ONCE, async ({ page }) => {
    await openCorpus(page);
    await page.route('**/docs/**', () => undefined);
    await page.getByRole('button', { name: 'From an address' }).click();
    await page.getByRole('textbox', { name: 'Base address' }).fill('/docs/');
    await page.locator('#paths').fill('a.md');
    await page.getByRole('button', { name: 'Fetch them' }).click();
    await page.locator('#cancel').click();
    await expect(said(page)).toHaveText('Cancelled. Nothing was added.');
    await expect(page.locator('sp-corpus .empty')).toBeVisible();
    await addBakery(page);
  });
});

test.describe('the slice tester', () => {
  shared(
    'the slice tester shows text and cost of a slice, and refuses ALL, by keyboard alone',
    ONCE,
    async ({ page }) => {
      await openCorpus(page);
      await page.locator('input#files').setInputFiles({ name: 'guide.md', mimeType: '', buffer: Buffer.from(GUIDE) });
      await expect(listed(page)).toHaveCount(1);
      await trySlice(page, 'guide.md', 'lines[0:7]');
      await expect(trial(page).locator('.bytes')).toHaveText(`${GUIDE.length} bytes`);
      await expect(trial(page)).toContainText('2 sections of 5');
      await expect(trial(page).locator('pre')).toHaveText(GUIDE, { useInnerText: false });
      for (const [slice, code] of [
        ['ALL', 'slice_unbounded'],
        ['lines[0:8]', 'slice_bounds'],
        ['head( 1)', 'slice_syntax'],
      ] as const) {
        await trySlice(page, 'guide.md', slice);
        await expect(trial(page)).toContainText(code);
        await expect(trial(page).locator('pre')).toHaveCount(0);
      }
    },
  );

  shared('the slice tester reads a symbol until the symbol is forgotten', ONCE, async ({ page }) => {
    await openCorpus(page);
    await page.locator('input#files').setInputFiles({ name: 'guide.md', mimeType: '', buffer: Buffer.from(GUIDE) });
    await page.locator('sp-corpus-file .sections button', { hasText: 'Ovens' }).click();
    await page.locator('#symbol').fill('@BAKERY/OVENS');
    await page.locator('#symbol').press('Enter');
    await expect(page.locator('sp-corpus-symbols li')).toContainText('@BAKERY/OVENS');
    await trySlice(page, '@BAKERY/OVENS', 'head(1)');
    await expect(trial(page).locator('pre')).toHaveText('## Ovens\n', { useInnerText: false });
    const forget = page.getByRole('button', { name: 'Forget @BAKERY/OVENS' });
    await forget.click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.locator('sp-corpus-symbols li')).toContainText('@BAKERY/OVENS');
    await forget.click();
    await expect(page.locator('sp-corpus-symbols li')).toHaveCount(0);
    await trySlice(page, '@BAKERY/OVENS', 'head(1)');
    await expect(trial(page)).toContainText('symbol_unknown');
  });
});

shared('a search lists sections, and opens the chosen section', ONCE, async ({ page }) => {
  await openCorpus(page);
  await addBakery(page);
  await page.locator('#search').fill('leaven');
  await expect(page.locator('sp-corpus-list [role=status]')).toContainText('the best first');
  await listed(page).first().locator('button').click();
  await expect(page.locator('#ref')).toHaveValue(/^[0-9a-f]{64}$/);
  await page.locator('#search').fill('zzzz');
  await expect(page.locator('sp-corpus-list [role=status]')).toHaveText('No section holds these words.');
});

shared(
  'changes of the open run are taken back by step, and only while the file is as the run wrote it',
  CORE_ONCE,
  async ({ page }) => {
    await openCorpus(page);
    const text = await page.evaluate(writeByRun);
    await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Run' }).click();
    await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Corpus' }).click();
    const change = page.locator('sp-corpus-changes li');
    await expect(change).toContainText('Step 1: notes/a.md');
    await change.getByRole('button', { name: 'Take back' }).click();
    await expect(said(page)).toHaveText('The changes of step 1 were taken back.');
    await expect(change).toContainText('Changed since.');
    await expect(change.getByRole('button')).toHaveCount(0);
    await expect(page.locator('sp-corpus-file .lines')).toContainText('the old line');
    await page.locator('sp-corpus-sources #undo').click();
    await expect(said(page)).toHaveText('The changes of step 1 are back.');
    await expect(change.getByRole('button', { name: 'Take back' })).toBeVisible();
    await expect(page.locator('sp-corpus-file .lines')).toContainText('the new line');
    expect(text).toContain('the new line');
  },
);

/** In the page: starts a run that rewrites a file, opens the run in the playground, and returns the file's text. */
async function writeByRun(): Promise<string> {
  const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
  const { runtime } = store;
  const { content } = runtime;
  const bytes = new TextEncoder().encode('# A\n\nthe old line\n');
  await content.add([{ path: 'notes/a.md', bytes }]);
  const [file] = (await content.files()).filter(({ path }) => path === 'notes/a.md');
  const symbol = { symbol_id: '@NOTES/a', target_type: 'FILE', target_ref: 'notes/a.md' } as const;
  await content.define({ ...symbol, default_slice_policy: 'head(1)' });
  await runtime.grants.grant({ capability: 'content.write', mode: 'allow' });
  const budgets = { max_symbols: 1, max_sections: 1, max_bytes_expanded: 1, max_expands_per_step: 1 };
  const params = { content: '# A\n\nthe new line\n', expected_hash: file?.content_hash ?? '' };
  const ops = [{ type: 'WRITE', target: '@NOTES/a', params }];
  const said = [
    { intent: 'write', refs: ['@NOTES/a'], ops, budgets, required_outputs: [] },
    { intent: 'done', refs: [], ops: [], budgets, required_outputs: [] },
  ];
  const propose = async () => ({ text: JSON.stringify(said.shift()) });
  const model = { id: 'test', locality: { kind: 'local' }, propose } as const;
  const run = runtime.start({ dialect: 'catalytic', task: 'Write.', model });
  await run.result;
  await store.openRun(run.id);
  return content.text('notes/a.md');
}

shared(
  'content altered in the database reaches no model, and is refused as content_changed',
  ONCE,
  async ({ page }) => {
    await openCorpus(page);
    const told = await page.evaluate(async () => {
      const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
      const { content, grants, ledger, start } = store.runtime;
      await content.add([{ path: 'a.md', bytes: new TextEncoder().encode('as it was\n') }]);
      const symbol = { symbol_id: '@NOTES/a', target_type: 'FILE', target_ref: 'a.md' } as const;
      await content.define({ ...symbol, default_slice_policy: 'head(1)' });
      await grants.grant({ capability: 'content.read', mode: 'allow' });
      const done = <T>(request: IDBRequest<T>) =>
        new Promise<T>((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      const db = await done(indexedDB.open('sallyport'));
      const files = db.transaction('files', 'readwrite').objectStore('files');
      const row = (await done(files.get('a.md'))) as object;
      await done(files.put({ ...row, text: new TextEncoder().encode('as it is!\n') }, 'a.md'));
      db.close();
      const budgets = { max_symbols: 1, max_sections: 1, max_bytes_expanded: 99, max_expands_per_step: 1 };
      const ops = [{ type: 'READ', target: '@NOTES/a', params: {} }];
      const said = [
        { intent: 'read', refs: ['@NOTES/a'], ops, budgets, required_outputs: [] },
        { intent: 'done', refs: [], ops: [], budgets, required_outputs: [] },
      ];
      const propose = async () => ({ text: JSON.stringify(said.shift()) });
      const model = { id: 'test', locality: { kind: 'local' }, propose } as const;
      const run = start({ dialect: 'catalytic', task: 'Read.', model });
      await run.result;
      const records = await ledger.records(run.id);
      const [receipt] = records.flatMap(({ kind, body }) => (kind === 'receipt' ? [body] : []));
      const [reply] = records.flatMap(({ kind, body }) => (kind === 'observation' ? [body.payload.sha256] : []));
      return { receipt, reply: new TextDecoder().decode(await ledger.payload(run.id, reply ?? '')) };
    });
    expect(told.receipt).toMatchObject({
      receipt: { status: 'FAILURE', expanded: [], outputs: {} },
      evidence: { reason: { class: 'resolution', code: 'content_changed' }, spent: { bytes: 0, expands: 0 } },
    });
    expect(told.reply).not.toContain('as it');
  },
);

shared('a change of content waits until the lock on content is free', ONCE, async ({ page }) => {
  await openCorpus(page);
  await page.evaluate(() => {
    const release = new Promise<void>((resolve) => Object.assign(globalThis, { releaseContent: resolve }));
    return new Promise<void>((resolve) => {
      void navigator.locks.request('sallyport:content', () => {
        resolve();
        return release;
      });
    });
  });
  await page.getByRole('button', { name: 'Add the bakery’s papers' }).click();
  const waiting = async () => (await navigator.locks.query()).pending?.some(({ name }) => name === 'sallyport:content');
  await expect.poll(() => page.evaluate(waiting)).toBe(true);
  await expect(listed(page)).toHaveCount(0);
  await page.evaluate(() => (globalThis as unknown as { releaseContent: () => void }).releaseContent());
  await expect(said(page)).toContainText('14 added');
});
