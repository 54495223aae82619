import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { TextReader, TextWriter, Uint8ArrayReader, Uint8ArrayWriter, ZipReader, ZipWriter } from '@zip.js/zip.js';
import { parseExport, verifyExport } from '../core/index.ts';
import { withRunId } from '../test/web/playground/learn/with-run-id.ts';
import { LESSONS } from '../web/playground/learn/lessons/index.ts';
import { type Lesson, type LessonMove, ledgerShows } from '../web/playground/learn/lessons/lesson.ts';
import { expect, shared, solo, test } from './fixtures.ts';
import { approve, badge, readToEnd, runToQuestion, step } from './open.ts';
import { ready } from './ready.ts';
import { keepSaved, saved } from './saved.ts';
import { ONCE } from './tags.ts';

/** Gives the right answer to the question that each lesson asks before its experiment. */
async function predict(page: Page, { predict }: Lesson): Promise<void> {
  await expect(page.locator('sp-bench .held')).toBeVisible({ timeout: 30_000 });
  await page.getByRole('radio', { name: predict.answers[predict.right] ?? '', exact: true }).check();
}

async function denyWith(page: Page, reason: string): Promise<void> {
  await page.getByRole('button', { name: 'Deny with a reason' }).click();
  await page.locator('#why').fill(reason);
  const deny = page.getByRole('button', { name: 'Deny', exact: true });
  // The field has moved the buttons, which take no click in the first half second.
  await deny.scrollIntoViewIfNeeded();
  await expect(deny).toHaveAttribute('aria-disabled', 'false');
  await deny.click();
  await expect(page.locator('sp-approval h2')).toHaveCount(0);
}

async function make(page: Page, move: LessonMove): Promise<void> {
  const trials = page.locator('sp-bench .last, sp-bench .earlier li');
  const before = await trials.count();
  if ('send' in move) {
    await page.locator('#draft').fill(move.send);
    await expect(page.locator('#send')).toHaveAttribute('aria-disabled', 'false', { timeout: 30_000 });
    await page.locator('#draft').press('Control+Enter');
    await expect(page.locator('sp-bench sp-approval h2').or(trials.nth(before)).first()).toBeVisible();
  }
  if ('ask' in move) {
    // The answer to this order comes, and not the draft of the one before.
    await page.locator('#draft').fill('');
    await page.locator('#order').fill(move.ask);
    await page.locator('#held').setChecked(move.held);
    await page.locator('#ask').click();
    await expect(page.locator('#draft')).not.toHaveValue('', { timeout: 60_000 });
    await expect(page.locator('#send')).toHaveAttribute('aria-disabled', 'false', { timeout: 60_000 });
    await page.locator('#send').click();
    await expect(trials).toHaveCount(before + 1);
    await expect(page.locator('#send')).toHaveAttribute('aria-disabled', 'false');
  }
  if ('send' in move && move.send.includes('"WRITE"')) {
    // The question shows the change line by line.
    const change = page.locator('sp-rewriting');
    await expect(change).toContainText('Before and after');
    await expect(change.locator('li.gone')).toHaveCount(0);
    await expect(change.locator('li.new')).toHaveText(['+comes: October: £606.60 paid, £252.00 open.']);
  }
  if ('answer' in move && move.answer === 'approve') await approve(page);
  if ('answer' in move && move.answer === 'deny') {
    await readToEnd(page);
    // A card is answered where its buttons are in sight.
    await page.locator('#approve').scrollIntoViewIfNeeded();
    await expect(page.locator('#approve')).toHaveAttribute('aria-disabled', 'false');
    if (move.reason === undefined) await page.getByRole('button', { name: 'Deny', exact: true }).click();
    else await denyWith(page, move.reason);
  }
  if ('choice' in move) await page.locator('sp-bench .grants input').nth(move.choice).check();
  if ('source' in move) {
    await page.locator('sp-bench .cm-content').click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Backspace');
    await page.keyboard.insertText(move.source);
    await page.locator('#load').click();
  }
  if ('tamper' in move) {
    const undo = page.locator('sp-bench sp-audit').getByRole('button', { name: 'Undo' });
    if ((await undo.getAttribute('aria-disabled')) === 'false') {
      // The checks judge each falsified copy: the next one would replace it before they have.
      await expect(page.locator('sp-checks li[data-status=fail]').first()).toBeVisible();
      await undo.click();
    }
    await page.locator('sp-chain li button').nth(5).click();
    await page.getByRole('button', { name: move.tamper }).click();
  }
  if ('anchor' in move && move.anchor === 'clear') await page.getByLabel('Head you noted elsewhere').fill('');
  if ('rewrite' in move) await page.locator('#rewrite').click();
  if ('replay' in move) {
    const again = page.getByRole('button', { name: /^Run it (again|once more)/ });
    await expect(again).toHaveAttribute('aria-disabled', 'false');
    await again.click();
    await expect(page.locator('sp-checks li').last()).toHaveAttribute('data-status', /pass|fail/);
  }
  if ('anchor' in move && move.anchor === 'restore') await page.locator('#restore').click();
}

/** Expects evidence that verifies and shows the last task of the lesson done. */
async function judge(page: Page, lesson: Lesson): Promise<void> {
  await expect(page.locator('sp-lesson .solved')).toBeVisible({ timeout: 30_000 });
  await page.evaluate(() => Object.assign(window, { saved: undefined }));
  await page.locator('#evidence').click();
  const file = await saved(page);
  expect(verifyExport(file), lesson.title).toMatchObject({ ok: true });
  const records = parseExport(file).records.flatMap((line) => (line === undefined ? [] : [line.record]));
  if (lesson.place !== undefined) return;
  // A lesson with a choice of grants has two runs, and the evidence is the last run.
  const task = lesson.tasks.at(-1);
  expect(task !== undefined && ledgerShows(task, records), lesson.title).toBe(true);
}

/** The exports in the saved zip with all evidence. */
async function unpacked(page: Page): Promise<string[]> {
  await page.evaluate(() => Object.assign(window, { saved: undefined }));
  await page.locator('#evidence').click();
  await saved(page);
  const bytes = await page.evaluate(async () => [
    ...new Uint8Array((await (window as { saved?: Blob }).saved?.arrayBuffer()) ?? new ArrayBuffer(0)),
  ]);
  const reader = new ZipReader(new Uint8ArrayReader(Uint8Array.from(bytes)));
  const entries = (await reader.getEntries()).filter((entry) => !entry.directory);
  expect(entries.map(({ filename }) => filename)).toContainEqual(expect.stringMatching(/^lesson-\d+\.run\.jsonl$/));
  return Promise.all(entries.map((entry) => entry.getData(new TextWriter())));
}

/** The output of `sallyport verify --lesson`. */
interface Checked {
  readonly lessons: readonly { readonly solved: boolean }[];
}

for (const [from, to] of [
  [0, 5],
  [5, 9],
  [9, 11],
  [12, 14],
  [14, LESSONS.length],
] as const) {
  test(`lessons ${from + 1} to ${to} are solved by their answer keys, and the command confirms it`, async ({
    page,
    app,
  }, info) => {
    test.setTimeout(120_000);
    await keepSaved(page);
    await page.goto(`${app.url}#/learn/${from + 1}`);
    for (const lesson of LESSONS.slice(from, to)) {
      await expect(page.locator('sp-lesson h1').first()).toHaveText(lesson.title, { timeout: 30_000 });
      await predict(page, lesson);
      for (const move of lesson.key) await make(page, move);
      await judge(page, lesson);
      if (lesson.number < LESSONS.length) await page.locator('#next').click();
    }
    await page.getByRole('button', { name: 'All lessons' }).click();
    await expect(page.locator('sp-learn')).toContainText(`${to - from} of ${LESSONS.length} done on this device`);
    const folder = info.outputPath('handed-in');
    mkdirSync(folder);
    for (const [nth, file] of (await unpacked(page)).entries()) writeFileSync(join(folder, `${nth}.run.jsonl`), file);
    for (const { number } of LESSONS.slice(from, to)) {
      const args = [resolve('dist/cli.js'), 'verify', folder, '--lesson', String(number), '--json'];
      const { lessons } = JSON.parse(spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout) as Checked;
      expect([number, lessons[0]?.solved]).toEqual([number, true]);
    }
    await expect.poll(() => page.url()).toMatch(/#\/learn$/);
  });
}

test('lesson 12 is solved by its answer key: a run survives a reload', async ({ page, app }) => {
  await keepSaved(page);
  await page.goto(`${app.url}#/learn/12`);
  const lesson = LESSONS[11] as Lesson;
  await predict(page, lesson);
  await page.locator('#go').click();
  await expect(badge(page)).toHaveText('Ready', { timeout: 30_000 });
  await step(page);
  await page.reload();
  await ready(page);
  await runToQuestion(page);
  await approve(page);
  await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
  await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Learn' }).click();
  await page.getByRole('button', { name: /Pull the plug/ }).click();
  await expect(page.locator('sp-lesson .tasks .done')).toHaveCount(1, { timeout: 30_000 });
  for (const move of lesson.key.slice(1)) await make(page, move);
  await judge(page, lesson);
});

async function zipOf(files: { readonly [name: string]: string }): Promise<Buffer> {
  const writer = new ZipWriter(new Uint8ArrayWriter());
  for (const [name, text] of Object.entries(files)) await writer.add(name, new TextReader(text));
  return Buffer.from(await writer.close());
}

test('a teacher sees thirty zips as a table, and no byte of them leaves the page', async ({ page, app }) => {
  await keepSaved(page);
  await page.goto(`${app.url}#/learn/1`);
  const [lesson] = LESSONS;
  await predict(page, lesson as Lesson);
  for (const move of lesson?.key ?? []) await make(page, move);
  await expect(page.locator('sp-lesson .solved')).toBeVisible({ timeout: 30_000 });
  await page.getByRole('button', { name: 'All lessons' }).click();
  const [run = ''] = await unpacked(page);
  // Back returns to the lesson, and not to the page before.
  await page.goBack();
  await expect(page.locator('sp-lesson h1').first()).toHaveText(lesson?.title ?? '');
  await page.getByRole('button', { name: 'All lessons' }).click();

  const ofPupil = (nth: number) => ({ 'lesson-1.run.jsonl': withRunId(run, nth, 0) });
  const name = (nth: number) => `pupil${String(nth).padStart(2, '0')}`;
  const zips = await Promise.all(
    Array.from({ length: 30 }, async (_, at) => {
      const nth = at + 1;
      const own: { [name: string]: string } = ofPupil(nth === 30 ? 29 : nth);
      if (nth === 2) own['lesson-1.run.jsonl'] = run.replace('Please', 'Plense');
      // a run of lesson 1 is no work on lesson 3
      if (nth === 3) own['lesson-3.run.jsonl'] = withRunId(run, 99, 0);
      return { name: `${name(nth)}.zip`, mimeType: 'application/zip', buffer: await zipOf(own) };
    }),
  );
  await page.locator('#class').click();
  await expect(page.locator('sp-class')).toContainText('No evidence yet');
  const sent: string[] = [];
  page.on('request', (request) =>
    sent.push(`${request.method()} ${new URL(request.url()).pathname.replace(/-[\w-]{8}\./, '.')}`),
  );
  await page.locator('#zips').setInputFiles(zips);
  await page.locator('#cancel').click();
  await expect(page.locator('sp-class')).toContainText('No evidence yet');
  await page.locator('#zips').setInputFiles(zips);
  await expect(page.locator('#summary')).toHaveText(/30 pupils, 2 lessons, 31 files checked\.\s+1 file was altered/, {
    timeout: 60_000,
  });
  expect(
    [...new Set(sent)].filter((each) => !/^GET \/assets\/(?:worker-\w+\.js|[\w-]+\.js|[\w-]+\.wasm)$/.test(each)),
  ).toEqual([]);

  const rows = page.locator('sp-class tbody tr');
  const row = (nth: number) => rows.filter({ hasText: new RegExp(`^\\s*${name(nth)}`) });
  await expect(rows.first()).toContainText(name(1));
  await expect(row(1).locator('td')).toHaveText(['solved', 'missing', '1']);
  await expect(row(2)).toContainText('Altered or not read: lesson-1.run.jsonl');
  await expect(row(3).locator('td')).toHaveText(['solved', /0 of 2 tasks/, '1']);
  await expect(row(30)).toContainText(`Same runs as ${name(29)}: 1 of 1`);

  const solved = page.getByRole('columnheader', { name: 'Solved' });
  await solved.getByRole('button').press('Enter');
  await expect(solved).toHaveAttribute('aria-sort', 'descending');
  await solved.getByRole('button').press('Enter');
  await expect(solved).toHaveAttribute('aria-sort', 'ascending');
  await expect(rows.first()).toContainText(name(2));
  await row(2).getByRole('button').click();
  await expect(page.locator('sp-class .files')).toContainText('Lesson 1: task 1 and 2 not shown');
  await page.evaluate(() => Object.assign(window, { saved: undefined }));
  await page.locator('#csv').click();
  const csv = (await saved(page)).split('\r\n');
  expect([csv.length, csv[1]]).toEqual([32, '"pupil01","solved","missing","1",""']);
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('#csv')).toBeHidden();
  await expect(rows.last()).toBeVisible();
  await page.emulateMedia({ media: null });
});

test('the progress of a lesson survives a reload', async ({ page, app }) => {
  await page.goto(`${app.url}#/learn/1`);
  await predict(page, LESSONS[0] as Lesson);
  await make(page, { send: 'Please add 2 and 3.' });
  await expect(page.locator('sp-lesson .tasks .done')).toHaveCount(1, { timeout: 30_000 });
  await page.reload();
  await expect(page.locator('sp-lesson .tasks .done')).toHaveCount(1, { timeout: 30_000 });
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'All lessons' }).press('Enter');
  await expect(page.locator('sp-learn')).toContainText('1 of 2 tasks');
});

shared('a guess is kept, and the page judges it only after the experiment', ONCE, async ({ page, app }) => {
  await page.goto(`${app.url}#/learn/1`);
  const lesson = LESSONS[0] as Lesson;
  const { answers, right, because } = lesson.predict;
  const guess = page.locator('sp-lesson .predict');
  await expect(page.locator('sp-bench .held')).toBeVisible({ timeout: 30_000 });
  await page.getByRole('radio', { name: answers[0] ?? '', exact: true }).check();
  await expect(guess.getByRole('status')).toContainText('Your guess is kept');
  await expect(guess).not.toContainText(because);
  await expect(guess.locator('.right')).toHaveCount(0);
  for (const move of lesson.key) await make(page, move);
  await expect(guess.getByRole('status')).toContainText(`Not what you guessed: ${answers[right]}`, { timeout: 30_000 });
  await expect(guess.getByRole('status')).toContainText(because);
  await expect(guess.locator('.right')).toContainText(answers[right] ?? '');
});

shared('a starter replaces a typed proposal, and the keys or the button bring it back', ONCE, async ({ page, app }) => {
  await page.goto(`${app.url}#/learn/4`);
  await predict(page, LESSONS[3] as Lesson);
  const [draft, undo] = [page.locator('sp-bench #draft'), page.locator('sp-bench .undo')];
  const starters = page.locator('sp-bench .starters button');
  await starters.nth(1).click();
  // A starter is no typed text.
  await expect(undo).toHaveCount(0);
  await draft.fill('typed');
  await starters.first().click();
  await expect(page.locator('sp-bench .replaced [role=status]')).toHaveText('The text that you typed was replaced.');
  await undo.click();
  await expect(draft).toHaveValue('typed');
  await expect(draft).toBeFocused();
  await starters.first().click();
  await draft.press('ControlOrMeta+z');
  await expect(draft).toHaveValue('typed');
  await expect(undo).toHaveCount(0);
});

shared('lesson 5 counts a denial with a reason, and no denial without a reason', async ({ page, app }) => {
  await page.goto(`${app.url}#/learn/5`);
  const lesson = LESSONS[4] as Lesson;
  const told = page.locator('sp-lesson .tasks li').nth(1);
  await predict(page, lesson);
  const [, , other] = lesson.key;
  await make(page, other as LessonMove);
  await make(page, { answer: 'deny' });
  await expect(page.locator('sp-bench .last')).toContainText('approval_denied', { timeout: 30_000 });
  await expect(told).not.toHaveClass('done');
  await make(page, other as LessonMove);
  await make(page, { answer: 'deny', reason: 'not without me' });
  await expect(told).toHaveClass('done', { timeout: 30_000 });
});

solo('a lesson on a phone shows the draft after the guess, and names no keys', async ({ browser, app }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  await page.goto(`${app.url}#/learn/1`);
  await predict(page, LESSONS[0] as Lesson);
  await expect(page.locator('sp-bench #draft')).toBeInViewport();
  await expect(page.locator('sp-bench kbd').first()).toBeHidden();
  await context.close();
});

shared('lesson 7 marks a syntax error in the editor, and removes the earlier result', async ({ page, app }) => {
  await page.goto(`${app.url}#/learn/7`);
  const lesson = LESSONS[6] as Lesson;
  await predict(page, lesson);
  await make(page, lesson.key[0] as LessonMove);
  await expect(page.locator('sp-bench .last')).toBeVisible({ timeout: 30_000 });
  await make(page, { source: 'export default ({ loaves }) => ({ pence: ' });
  await expect(page.locator('sp-bench .write [role=alert]')).toContainText(/^Line 1, column \d+/, { timeout: 30_000 });
  await expect(page.locator('sp-bench .write [role=alert]')).not.toContainText('..');
  await expect(page.locator('sp-bench .last')).toHaveCount(0);
});
