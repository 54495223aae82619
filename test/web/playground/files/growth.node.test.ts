import { readFileSync } from 'node:fs';
import { effect } from '@preact/signals-core';
import { afterAll, expect, test } from 'vitest';
import { extend, formatExport, NO_RECORDS, parseExport, type RunHead, verifyFile } from '../../../../core/index.ts';
import { compareRuns } from '../../../../core/ledger/compare.ts';
import { groupBySteps } from '../../../../core/ledger/steps.ts';
import { leaveOut, partsOf } from '../../../../web/playground/files/disclosures.ts';
import { exportBlob } from '../../../../web/playground/files/export-blob.ts';
import type { FileWorker } from '../../../../web/playground/files/file-worker.ts';
import { RunSearch } from '../../../../web/playground/files/find-in-run.ts';
import { reportedRun } from '../../../../web/playground/files/reported-run.ts';
import { TAMPERINGS } from '../../../../web/playground/files/tampering.ts';
import { openFile, readFile } from '../../../../web/playground/run/session.ts';
import { formatReport } from '../../../../web/playground/send/report.ts';
import { linesOf } from '../../../../web/playground/timeline/timeline-lines.ts';
import { isProblem } from '../../../../web/records/describe.ts';
import { recordsIn } from '../../../../web/records/steps.ts';
import type { PayloadPage, Runtime } from '../../../../workers/api.ts';
import { openWorkCounter } from '../../../counted-work.ts';
import { localFiles } from './local-files.ts';

const WHOLE = readFileSync('test/vectors/exports/whole.jsonl', 'utf8');

/** A run of so many rounds, each with proposals of its own, so that its payloads grow with it. */
function longRun(rounds: number) {
  const { run_id = '', records: lines } = parseExport(WHOLE);
  const [first, ...rest] = recordsIn({ records: lines } as never);
  if (first === undefined) throw new Error('the vector has no record');
  let head: RunHead = NO_RECORDS;
  const bytes = new TextEncoder().encode('x'.repeat(40));
  const payloads: { sha256: string; bytes: Uint8Array }[] = [];
  const texts = [first, ...Array.from({ length: rounds }, () => rest).flat()].map((record, at) => {
    const own =
      record.kind === 'proposal' ? { ...record.body, payload: { sha256: hashOf(at), bytes: 40 } } : record.body;
    if (record.kind === 'proposal') payloads.push({ sha256: hashOf(at), bytes });
    const link = extend(head, { kind: record.kind, body: own } as never, { run_id, epoch: 1, at: record.at + at });
    head = { records: head.records + 1, head: link.record.hash };
    return link.text;
  });
  const text = formatExport(run_id, texts, payloads);
  return { text, file: parseExport(text) };
}

const hashOf = (at: number): string => at.toString(16).padStart(64, 'a');

type Read = ReturnType<typeof longRun>;

const WORK: { readonly [what: string]: (read: Read) => unknown } = {
  checks: ({ file }) => verifyFile(file),
  ...Object.fromEntries(TAMPERINGS.map(({ word, apply }) => [word, (read: Read) => apply(read, 3)])),
  search: (read) => new RunSearch(read).find('carry'),
  disclosures: ({ file }) => partsOf(file),
  'an export without its private texts': (read) => leaveOut(read, new Set(['plain'])),
  report: ({ file }) => formatReport(reportedRun(file), verifyFile(parseExport(WHOLE))),
  comparison: ({ file }) => compareRuns(file, parseExport(WHOLE)),
};

const counter = openWorkCounter();
afterAll(counter.close);

const [SMALL, LARGE] = [longRun(30), longRun(240)];

function growth(work: (read: Read) => unknown): number {
  work(SMALL);
  return counter.count(() => work(LARGE)) / counter.count(() => work(SMALL));
}

// sorting grows by a little more than the length, and quadratic work by 64
test.each(Object.entries(WORK))('a run of eight times the length takes less than 12 times the work: %s', (_, work) => {
  const grown = growth(work);
  expect(grown).toBeLessThan(12);
  // work that is bounded for a long run, such as a report, grows by less
  expect(grown).toBeGreaterThan(4);
});

/** Opens the text as Run and Audit do, and draws its list as it grows; returns the lengths at which it was drawn. */
async function opened(text: string, ask: FileWorker['call'] = localFiles().call): Promise<readonly number[]> {
  const files: FileWorker = { call: ask };
  const found = await files.call('open', [exportBlob(text)]);
  if (found.kind !== 'run') throw new Error('the text holds no run');
  const { file, facts } = found;
  await files.call('verify', [file, {}]);
  const { session } = readFile(files, { file, facts, fileName: '' }, () => Promise.reject(new Error('not asked')));
  const drawn: number[] = [];
  await new Promise<void>((resolve) => {
    effect(() => {
      const { length } = session.records.value;
      linesOf(session.steps.value, () => true);
      session.records.value.filter(isProblem);
      if (length > 0) drawn.push(length);
      if (length === facts.records) resolve();
    });
  });
  session.close();
  return drawn;
}

test('a run of eight times the length is opened with less than 12 times the work', async () => {
  await opened(SMALL.text);
  const [small, large] = [
    await counter.counted(() => opened(SMALL.text)),
    await counter.counted(() => opened(LARGE.text)),
  ];
  expect(large / small).toBeLessThan(12);
  expect(large / small).toBeGreaterThan(4);
});

test('a run is opened in messages of at most 1,000 records, and drawn again when its list has grown by half', async () => {
  const { call } = localFiles();
  const sizes: number[] = [];
  const drawn = await opened(LARGE.text, (method, args, watch) => {
    const answer = call(method, args, watch);
    if (method === 'records') void answer.then((found) => sizes.push((found as readonly unknown[]).length));
    return answer;
  });
  const { length } = LARGE.file.records;
  expect(sizes).toEqual([...sizes.slice(1).map(() => 1_000), length % 1_000]);
  expect(drawn).toEqual([1_000, 2_000, 3_000, length]);
});

test('the thread of the page reads no text of a file that Run opens', async () => {
  const { call } = localFiles();
  const read = (): never => {
    throw new Error('The page has read the file.');
  };
  const asked = async (...[method, ...rest]: Parameters<FileWorker['call']>) => {
    const answer = await call(method, ...rest);
    const { file } = (method === 'open' ? answer : {}) as { readonly file?: { readonly blob: Blob } };
    // the file's thread keeps what it has read by the id of the file
    if (file !== undefined) Object.assign(file.blob, { arrayBuffer: read, text: read, stream: read });
    return answer;
  };
  const given = new File([SMALL.text], 'small.run.jsonl');
  const session = await openFile({} as Runtime, { call: asked as FileWorker['call'] }, given);
  expect(session.records.value).toHaveLength(SMALL.file.records.length);
  expect(session.file?.blob.size).toBe(given.size);
  session.close();
});

test('the texts of a run are read once each, in pages', async () => {
  const files = localFiles();
  const file = exportBlob(LARGE.text);
  const [seen, pages]: [string[], number[]] = [[], []];
  for (let from: number | undefined = 0; from !== undefined; ) {
    const page: PayloadPage = await files.call('payloads', [file, from]);
    seen.push(...page.payloads.map(({ sha256 }) => sha256));
    pages.push(page.payloads.reduce((sum, { bytes }) => sum + bytes.length, 0));
    from = page.next;
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.toSorted()).toEqual([...LARGE.file.payloads.keys()].toSorted());
  expect(Math.max(...pages)).toBeLessThan(2 << 20);
});

test('a step of a stranger with eight times the revocations takes less than 12 times the work', () => {
  const step = (length: number) =>
    Array.from({ length }, (_, at) => ({
      kind: at === 0 ? 'proposal' : 'revocation',
      body: at === 0 ? { step: 1 } : {},
    }));
  const grouped = (length: number): number => {
    const records = step(length) as never;
    return counter.count(() => groupBySteps(records));
  };
  expect(groupBySteps(step(9) as never)).toHaveLength(1);
  expect(grouped(800) / grouped(100)).toBeLessThan(12);
});

const QUADRATIC: typeof WORK = {
  'a search for each record': ({ file: { records } }) => records.map((line) => records.indexOf(line)),
  'a copy for each record': ({ file: { records } }) => records.reduce<unknown[]>((all, line) => [...all, line], []),
  'a pass for each record': ({ file: { records } }) =>
    records.map((line) => records.filter((other) => other?.record.hash === line?.record.hash)),
};

test.each(Object.entries(QUADRATIC))('the law finds %s', (_, work) => {
  expect(growth(work)).toBeGreaterThan(40);
});
