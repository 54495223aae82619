import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { extend, formatExport, NO_RECORDS, parseExport, type RunHead, verifyFile } from '../../../../core/index.ts';
import { compareRuns } from '../../../../core/ledger/compare.ts';
import { groupBySteps } from '../../../../core/ledger/steps.ts';
import { leaveOut, partsOf } from '../../../../web/playground/files/disclosures.ts';
import { RunSearch } from '../../../../web/playground/files/find-in-run.ts';
import { reportedRun } from '../../../../web/playground/files/reported-run.ts';
import { TAMPERINGS } from '../../../../web/playground/files/tampering.ts';
import { formatReport } from '../../../../web/playground/send/report.ts';
import { recordsIn } from '../../../../web/records/steps.ts';
import { openWorkCounter } from '../../../counted-work.ts';

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
