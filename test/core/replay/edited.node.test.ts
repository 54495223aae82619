import { beforeAll, expect, test } from 'vitest';
import { parseExport, type Report } from '../../../core/index.ts';
import { replayed, verified } from '../../runtime/replayed.ts';
import { changesOf, otherValuesOf } from './changes.ts';
import { edited } from './rich-runs.ts';

let runs: { readonly whole: string; readonly stripped: string };
beforeAll(async () => {
  runs = await edited();
});

/** What the records of an edited call say about it, beside what the records of every call say. */
const FACTS = [
  'proposal by',
  'proposal record (removed)',
  'approval.answered instead',
  'approval.answered digest',
  'approval.answered approved',
  'approval.answered record (removed)',
  'receipt evidence.reason.code',
];

/** The name of the arguments beside a yes whose texts are left out. The arguments of the call itself are bound by its digest. */
const UNREAD = ['approval.answered instead.args.bytes', 'approval.answered instead.args.sha256'];

const skippedIn = ({ checks }: Report) => JSON.stringify(checks.map(({ skipped }) => skipped?.count));

test.each(['whole', 'stripped'] as const)('a changed fact of an edited call fails a check (%s)', async (form) => {
  const text = runs[form];
  const before = await verified(text);
  expect((await replayed(text)).ok && before.ok).toBe(true);
  const isFact = (leaf: string) => FACTS.some((fact) => leaf === fact || leaf.startsWith(`${fact}.`));
  const changes = changesOf(text, otherValuesOf([runs.whole])).filter(
    ({ leaf, how }) => isFact(leaf) || FACTS.includes(`${leaf} (${how})`),
  );
  expect(changes.length).toBeGreaterThan(20);
  const survived: string[] = [];
  for (const { leaf, make } of changes) {
    const forged = make();
    if (forged === undefined) continue;
    const report = await verified(forged);
    // a name of a text that is in no file is taken as recorded, which the report counts
    if (report.ok && skippedIn(report) === skippedIn(before)) survived.push(leaf);
  }
  expect([...new Set(survived)]).toEqual(form === 'whole' ? [] : UNREAD);
});

test('an edited call whose texts are left out is taken as recorded, and the report says so', async () => {
  const { checks, ok } = await verified(runs.stripped);
  expect(ok).toBe(true);
  const decisions = checks.find(({ id }) => id === 'decisions');
  expect(decisions?.skipped?.count).toBeGreaterThan(3);
  expect(parseExport(runs.stripped).payloads.size).toBeLessThan(parseExport(runs.whole).payloads.size);
});
