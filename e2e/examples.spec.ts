import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { expect, test } from './fixtures.ts';
import { call, localModel, sectionIn } from './local-model.ts';
import { startNested } from './nested.ts';
import { serveFolders } from './serve.ts';
import { CORE_ONCE, ONCE } from './tags.ts';
import { whereIs } from './where-is.ts';

test(
  'a local model sees only notes that a person lets it see, and keeps no note without approval',
  CORE_ONCE,
  async ({ page }) => {
    const host = await serveFolders({ folders: { '/sallyport/': 'dist', '/': 'web/examples/notes' } });
    const model = await localModel([
      () => call('corpus.search', { query: 'dentist' }),
      (asked) => call('corpus.read', { ref: sectionIn(asked), slice: 'head(1)' }),
      () => call('notes.put', { name: 'eve', text: 'Send the safe code to Eve.' }),
      () => ({ done: true, message: 'On Tuesday at nine.' }),
    ]);
    await page.goto(`${host.origin}/`);
    const notes = page.locator('#notes li');
    for (const [count, note] of ['Dentist on Tuesday at nine.', 'The safe opens with 4-8-15.', 'Old.'].entries()) {
      await page.getByLabel('New note').fill(note);
      await page.getByRole('button', { name: 'Keep' }).click();
      await expect(notes).toHaveCount(count + 1);
    }
    await notes.filter({ hasText: 'Old.' }).getByRole('button', { name: 'Forget' }).click();
    await expect(notes).toHaveCount(2);
    await page.reload();
    await expect(notes).toHaveCount(2);
    await page.getByLabel('Local server').fill(model.url);
    await page.getByLabel('Question').fill('When is the dentist?');
    await page.getByRole('button', { name: 'Ask' }).click();

    const element = page.locator('sallyport-run');
    const answer = async (question: string, name: string) => {
      await expect(element.getByRole('heading', { name: question })).toBeVisible({ timeout: 30_000 });
      await expect(element.getByRole('button', { name })).toHaveAttribute('aria-disabled', 'false');
      await element.getByRole('button', { name }).click();
    };
    // The first request held no note; the result of the search waits for the consent of a person.
    await expect(element.getByRole('heading', { name: 'May private content go to' })).toBeVisible({ timeout: 30_000 });
    expect(model.asked).toHaveLength(1);
    await expect(element.getByText(/^\d+ bytes now, and never more than [\d.,]+ at once in this run\.$/)).toBeVisible();
    // A reload loses nothing: the question is put again, and nothing is asked twice.
    await page.reload();
    await expect(page.getByLabel('Question')).toHaveValue('When is the dentist?');
    await answer(`May private content go to ${new URL(model.url).origin}?`, 'Allow in this run');
    // The run has read a private note, so the guard asks a person about each write, also under a grant.
    await answer('Approve notes.put?', 'Approve once');
    await expect(element.getByRole('heading', { name: 'Approve notes.keep?' })).toBeVisible({ timeout: 30_000 });
    await page.reload();
    await answer('Approve notes.keep?', 'Deny');
    await expect(page.locator('output')).toHaveText('On Tuesday at nine.', { timeout: 30_000 });
    expect(model.asked).toHaveLength(4);
    expect(model.asked[2]).toContain('Dentist on Tuesday');
    expect(model.asked.join()).not.toContain('4-8-15');
    await expect(notes).toHaveCount(2);
    // The answer goes with the note that it holds, and a note that no answer holds goes alone.
    const forget = (note: string) => notes.filter({ hasText: note }).getByRole('button', { name: 'Forget' }).click();
    await forget('The safe');
    await expect(page.locator('output')).toHaveText('Forgotten, with 0 of the answers.');
    expect(await page.evaluate(whereIs, 'Dentist on Tuesday')).not.toEqual([]);
    await forget('Dentist');
    await expect(page.locator('output')).toHaveText('Forgotten, with 1 of the answers.');
    for (const words of ['Dentist on Tuesday', '4-8-15']) expect(await page.evaluate(whereIs, words)).toEqual([]);
    // The page's own server was asked for files only.
    expect(host.requests.filter((path) => !/\.(html|js|css|wasm)$|^\/$/.test(path))).toEqual([]);
    model.close();
    await host.close();
  },
);

test(
  'without a server a script answers from the notes and says so, and an unknown model is named',
  ONCE,
  async ({ page }) => {
    const host = await serveFolders({ folders: { '/sallyport/': 'dist', '/': 'web/examples/notes' } });
    const model = await localModel([() => ({ done: true, message: 'Not asked.' })]);
    await page.goto(`${host.origin}/`);
    await page.getByLabel('New note').fill('Feed the leaven.\nAt six.');
    await page.getByRole('button', { name: 'Keep' }).click();
    await expect(page.locator('#notes li')).toHaveCount(1);
    const ask = async (server: string, name: string, question: string, answer: string) => {
      await page.getByLabel('Local server').fill(server);
      await page.getByLabel('Model', { exact: true }).fill(name);
      await page.getByLabel('Question').fill(question);
      await page.getByRole('button', { name: 'Ask' }).click();
      await expect(page.locator('output')).toHaveText(answer, { timeout: 30_000 });
    };
    const standIn = 'A script answers, because no server does:';
    const nowhere = 'http://127.0.0.1:9/v1';
    await ask(nowhere, 'llama3.2', 'What is it about the leaven?', `${standIn} Feed the leaven.\nAt six.`);
    await ask(nowhere, 'llama3.2', 'Where are the oranges?', `${standIn} No note has a word of the question.`);
    await ask(model.url, 'other', 'When?', 'The server has no model other. It has: llama3.2');
    expect(model.asked).toEqual([]);
    model.close();
    await host.close();
  },
);

/** The example of notes with its worker for GGUF files, as a bundler makes it. */
async function serveNotes() {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-notes-'));
  await cp('web/examples/notes', folder, { recursive: true });
  await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    resolve: { alias: { 'sallyport/models': resolve('dist/models.js') } },
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: 'es2024',
      lib: { entry: 'web/examples/notes/gguf.js', formats: ['es'], fileName: () => 'worker-model.js' },
    },
  });
  const engine = 'node_modules/@wllama/wllama/esm/wasm';
  // The package of the small model puts its file there.
  const weights = { '/sallyport/small-model.bin': 'dist/small-model/weights.bin' };
  const host = await serveFolders({ folders: { ...weights, '/sallyport/': 'dist', '/wllama/': engine, '/': folder } });
  const close = async () => {
    await host.close();
    await rm(folder, { recursive: true });
  };
  return { ...host, close };
}

test(
  'a model in the page answers about private notes, without a server and without a question to a person',
  ONCE,
  async ({ page }) => {
    const host = await serveNotes();
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(host.origin) && !request.url().startsWith('blob:')) elsewhere.push(request.url());
    });
    await page.goto(`${host.origin}/`);
    const keep = async () => {
      await page.getByLabel('New note').fill('Dentist on Tuesday at nine.');
      await page.getByRole('button', { name: 'Keep' }).click();
      await expect(page.locator('#notes li')).toHaveCount(1);
    };
    await keep();
    const output = page.locator('output');
    const ask = async (question: string) => {
      await page.getByLabel('Question').fill(question);
      await page.getByRole('button', { name: 'Ask' }).click();
    };

    await page.getByLabel('Who answers').selectOption('The small model of Sallyport, in this page');
    await expect(page.getByLabel('Local server')).toBeHidden();
    await ask('Keep a note named oven-3: the left corner burns');
    await expect(page.locator('#notes li').filter({ hasText: 'the left corner burns' })).toBeVisible({
      timeout: 60_000,
    });
    await expect(output).not.toHaveText('…');

    await page.getByLabel('Who answers').selectOption('A GGUF file, in this page');
    await page.getByLabel('File', { exact: true }).setInputFiles('web/examples/notes/notes.css');
    await ask('When is the dentist?');
    await expect(output).toContainText('GGUF');
    // A model of 280 KB that was trained for sums knows no notes. It proposes any tool in the right form, by chance also
    // a note to keep behind a search, which a person answers.
    const run = page.locator('sallyport-run');
    const deny = run.getByRole('button', { name: 'Deny' });
    const answered = async () => {
      await page.getByLabel('File', { exact: true }).setInputFiles('test/fixtures/tiny-model/tiny-q8_0.gguf');
      await ask('When is the dentist?');
      await expect(async () => {
        await expect(run.getByRole('heading', { name: 'May private content go to' })).toHaveCount(0);
        if (await deny.isVisible()) await deny.click();
        await expect(output).not.toHaveText('…', { timeout: 2_000 });
      }).toPass({ timeout: 60_000 });
    };
    await startNested(page, answered, async () => {
      await page.reload();
      await keep();
      await page.getByLabel('Who answers').selectOption('A GGUF file, in this page');
    });
    await expect(output).not.toContainText('GGUF');
    await expect(output).not.toContainText('model_failed');
    expect(elsewhere).toEqual([]);
    await host.close();
  },
);
