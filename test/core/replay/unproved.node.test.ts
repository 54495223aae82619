import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { type LedgerRecord, parseExport, type Report } from '../../../core/index.ts';
import { IS_SHORT, isTried } from '../../cases.ts';
import { replayed, verified } from '../../runtime/replayed.ts';
import { type Change, changesOf, nameOf, otherValuesOf } from './changes.ts';
import { richRuns } from './rich-runs.ts';
import { UNPROVED, unprovedTable, WITHOUT_TEXTS } from './unproved.ts';

let runs: ReadonlyMap<string, string>;
beforeAll(async () => {
  runs = await richRuns();
}, 60_000);

const recordsOf = (text: string): readonly LedgerRecord[] =>
  parseExport(text).records.flatMap((line) => (line ? [line.record] : []));

/** Each kind of record, with each of its events. */
const KINDS = [
  ...[
    'configuration',
    'task',
    'seal',
    'proposal',
    'verdict',
    'observation',
    'decision',
    'intent',
    'content',
    'receipt',
  ],
  ...['resumed', 'interrupted', 'model_failed'].map((event) => `state.${event}`),
  ...['message', 'flood', 'answer'].map((event) => `rejection.${event}`),
  ...[
    'approval.asked',
    'approval.part',
    'approval.answered',
    'consent.asked',
    'consent.answered',
    'revocation',
    'parked',
  ],
  ...['power.issued', 'power.answered', 'progress.operation', 'progress.reads'],
  ...['lost', 'restored', 'archived', 'backup_made', 'backup_restored', 'deleted', 'erased', 'notified', 'undone'].map(
    (e) => `log.${e}`,
  ),
];

test('the runs hold each kind of record and each of its events, and pass every check', async () => {
  const all = [...runs.values()].flatMap(recordsOf);
  expect([...new Set(all.map(nameOf))].sort()).toEqual([...KINDS].sort());
  for (const [name, text] of runs) {
    const { checks } = await replayed(text);
    expect(
      checks.flatMap(({ status, first }) => (status === 'fail' ? first : [])),
      name,
    ).toEqual([]);
  }
});

/** What a reader of a report sees of it, without the head, which follows from each change. */
const seen = ({ checks }: Report) =>
  JSON.stringify(checks.map(({ id, status, skipped }) => [id, status, skipped?.count, skipped?.first.code]));

/** Of the changes that the list does not name, a short run tries each fortieth. */
const isTriedHere = (nth: number) => isTried(nth) && (!IS_SHORT || nth % 40 === 0);
/** The same change in the same run is tried in so many records. */
const MOST = IS_SHORT ? 1 : 2;

async function survives({ make }: Change, before: string): Promise<boolean> {
  const text = make();
  if (text === undefined) return false;
  const quick = await verified(text);
  if (!quick.ok) return false;
  const whole = await replayed(text);
  return whole.ok && seen(whole) === before;
}

test('a changed fact that no check finds stands in the list, and each fact of the list is one', async () => {
  const named = new Map<string, number>(UNPROVED.flatMap(({ leaves }) => leaves.map((leaf) => [leaf, 0] as const)));
  const found = new Map<string, string>();
  const tries = new Map<string, number>();
  const others = otherValuesOf(runs.values());
  for (const [name, text] of runs) {
    const before = seen(await replayed(text));
    let nth = 0;
    for (const change of changesOf(text, others)) {
      const key = `${change.leaf} (${change.how})`;
      const known = [...named.keys()].find((listed) => isOf(change, listed, name));
      const place = IS_SHORT ? key : `${name} ${key}`;
      const count = tries.get(place) ?? 0;
      // the list itself is asked in every run
      if (known === undefined ? !isTriedHere(nth++) || count >= MOST : (named.get(known) ?? 0) > 0) continue;
      tries.set(place, count + 1);
      if (!(await survives(change, before))) continue;
      if (known === undefined) found.set(key, name);
      else named.set(known, (named.get(known) ?? 0) + 1);
    }
  }
  expect([...found].map(([key, name]) => `${key} in ${name}`).sort()).toEqual([]);
  expect([...named].flatMap(([leaf, count]) => (count === 0 ? [leaf] : []))).toEqual([]);
}, 600_000);

test.each([
  ['session', 'receipt evidence.fuel', 'near', 'decisions', 'the fuel of a tool'],
  ['session', 'receipt evidence.image_hash', 'other', 'decisions', 'the image of a tool'],
  ['session after', 'seal message', 'gone', 'decisions', 'a seal does not follow'],
  ['session after', 'configuration labels', 'doubled', 'form', 'labels is not valid'],
  ['guest', 'parked labels', 'doubled', 'form', 'labels is not valid'],
  ['messages', 'configuration budgets.max_symbols', 'near', 'decisions', 'limits'],
  ['guest', 'configuration registry text powers', 'doubled', 'decisions', 'registry'],
  ['guest', 'configuration policy text enabled', 'doubled', 'decisions', 'policy'],
  ['guest', 'decision now', 'none', 'decisions', 'before what it follows'],
  ['guest', 'decision now', 'far', 'decisions', 'after the record that tells it'],
  ['guest', 'receipt evidence.powers.now', 'far', 'decisions', 'the time of a decision'],
  ['secret left out', 'intent record', 'removed', 'decisions', 'an act without its intent'],
  ['secret left out', 'decision record', 'removed', 'decisions', 'what nobody has permitted'],
  ['guest', 'record at', 'none', 'links', 'ms before that of the record before it'],
])('of the run %s, a changed %s (%s) fails %s: %s', async (name, leaf, how, id, said) => {
  const all = changesOf(runs.get(name) ?? '', otherValuesOf(runs.values()));
  const tried = all.filter((change) => change.leaf === leaf && change.how === how);
  const failed = await Promise.all(
    tried.map(async ({ make }) => {
      const { checks } = await verified(make() ?? '');
      const first = checks.find(({ status }) => status === 'fail');
      return `${first?.id}: ${first?.first?.message}`;
    }),
  );
  expect(failed).toContainEqual(expect.stringMatching(new RegExp(`^${id}: .*${said}`)));
});

/** True if the change is one of the listed place, or of a place inside it. */
function isOf({ leaf, how }: Change, listed: string, run: string): boolean {
  const place = listed.startsWith(WITHOUT_TEXTS) ? `${WITHOUT_TEXTS}: ${leaf}` : leaf;
  if (place !== leaf && run !== 'secret left out') return false;
  if (listed.endsWith(')')) return `${place} (${how})` === listed;
  return place === listed || place.startsWith(`${listed}.`) || place.startsWith(`${listed} `);
}

test('the page on proofs has the table of the list', () => {
  if (process.env['TABLE']) writeFileSync(process.env['TABLE'], unprovedTable());
  expect(readFileSync('web/docs/proofs.md', 'utf8')).toContain(unprovedTable());
});
