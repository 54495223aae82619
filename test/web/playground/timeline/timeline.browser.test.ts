import { signal } from '@preact/signals-core';
import { afterEach, expect, test } from 'vitest';
import type { LedgerRecord } from '../../../../core/index.ts';
import type { Playground } from '../../../../web/playground/playground.ts';
import type { RunSession } from '../../../../web/playground/run/session.ts';
import { openSelection } from '../../../../web/playground/timeline/selection.ts';
import type { Timeline } from '../../../../web/playground/timeline/timeline.ts';
import { groupSteps } from '../../../../web/records/steps.ts';
import { all, button, fill, one, openApp, press, RECORDS, TEXT, text } from '../rig.ts';

afterEach(() => document.body.replaceChildren());

const rows = () => all('sp-timeline .row');
const count = () => expect.poll(() => rows().length);

/** The run of the rig, opened from its file. */
async function openFile(content: string = TEXT) {
  const rig = await openApp();
  rig.store.openFile(new File([content], 'a.run.jsonl'));
  await expect.poll(() => rig.store.session.value?.fileName).toBe('a.run.jsonl');
  await expect.poll(() => rows().length).toBeGreaterThan(10);
  return rig;
}

test('the filter finds words in the texts of records, counts them by their side, and marks the place', async () => {
  await openFile();
  fill('#filter', 'sum');
  await expect.poll(() => text('sp-timeline')).toMatch(/Found in 3 records: 1 proposed, 2 recorded/u);
  await expect.poll(() => text('sp-timeline mark').toLowerCase()).toContain('sum');
  expect(rows().length).toBeLessThan(RECORDS.length);
  fill('#filter', 'answered:"no such words"');
  await expect.poll(() => text('sp-timeline')).toContain('No record matches');
  one('#clear').click();
  await count().toBe(RECORDS.length);
});

test('the filter suggests a status for a misspelt status, and completes the names of fields', async () => {
  await openFile();
  fill('#filter', 'status:rejectd');
  await expect.poll(() => button('status:rejected')).toBeDefined();
  button('status:rejected').click();
  await count().toBe(1);
  fill('#filter', 'proposed:calc type:prop');
  await expect.poll(() => button(/^proposed:calc type:proposal/u)).toBeDefined();
  button(/^proposed:calc type:proposal/u).click();
  await expect.poll(() => one<HTMLInputElement>('#filter').value).toContain('type:proposal');
});

test('a filter without a record is left by its button', async () => {
  await openFile();
  fill('#filter', 'type:verdict no such thing');
  await count().toBe(0);
  await expect.poll(() => button(/^Show all/u)).toBeDefined();
  button(/^Show all/u).click();
  await count().toBe(RECORDS.length);
  expect(one<HTMLInputElement>('#filter').value).toBe('');
});

test('times of a record are local dates, with the recorded number beside them', async () => {
  const { store } = await openFile();
  store.selection.select(2);
  await expect.poll(() => all('sp-inspector #tab-receipt').length).toBe(1);
  one('sp-inspector #tab-receipt').click();
  await expect.poll(() => all('sp-fields time')[0]?.textContent).toMatch(/\d{4}/u);
  expect(text('sp-fields')).toMatch(/\d{13}/u);
});

test('the time of a run is drawn step by step, with keys and in words', async () => {
  await openFile();
  one('sp-timeline #time').click();
  const lines = () => all('sp-waterfall [role=option]');
  await expect.poll(() => lines().length).toBe(3);
  expect(text('sp-waterfall .totals')).toContain('in 3 steps');
  // A run of a file has the times of its records alone.
  expect(text('sp-waterfall')).toContain('times of their records');
  expect(lines()[2]?.querySelector('rect:not(.track)')).not.toBeNull();
  const list = one('sp-waterfall [role=listbox]');
  press('Home', list);
  await expect.poll(() => lines()[0]?.ariaSelected).toBe('true');
  press('ArrowDown', list);
  await expect.poll(() => lines()[1]?.ariaSelected).toBe('true');
  expect(lines()[1]?.textContent?.replace(/\s+/gu, ' ')).toMatch(/Step 2, .+\. .*(?: s| ms)/u);
  expect(text('sp-waterfall .detail')).toContain('Step 2');
  fill('#filter', 'type:rejected');
  await expect.poll(() => lines().length).toBe(1);
  one('sp-timeline #time').click();
  await expect.poll(() => rows().length).toBeGreaterThan(0);
});

/** The ledger alone, in a place of 500 px; its list scrolls by itself. */
function openTimeline() {
  const records = signal<readonly LedgerRecord[]>([]);
  const steps = signal(groupSteps([]));
  const session = signal({ records, steps } as unknown as RunSession);
  const selection = openSelection(records, session);
  const timeline = document.createElement('sp-timeline') as Timeline;
  timeline.store = { selection, session } as unknown as Playground;
  timeline.style.height = '500px';
  document.body.append(timeline);
  const list = () => one('sp-timeline .list');
  return {
    selection,
    list,
    tell(all: readonly LedgerRecord[]) {
      steps.value = groupSteps(all);
      records.value = all;
    },
    isInSight(seq: number): boolean {
      const [row] = all(`sp-timeline #r${seq}`);
      const [of, at] = [list().getBoundingClientRect(), row?.getBoundingClientRect()];
      return at !== undefined && at.top >= of.top && at.bottom <= of.bottom;
    },
  };
}

/** Records of one group: they belong to no step. */
function pauses(count: number): readonly LedgerRecord[] {
  const [first] = RECORDS;
  const pause = { kind: 'state', body: { event: 'interrupted' } };
  return Array.from({ length: count }, (_, run_seq) => ({ ...first, ...pause, run_seq }) as LedgerRecord);
}

test('a selected record that arrives later than its number is brought in sight', async () => {
  const { selection, tell, isInSight } = openTimeline();
  selection.select(60);
  await count().toBe(0);
  tell(pauses(100));
  await expect.poll(() => isInSight(60)).toBe(true);
});

test('a list that grows over its window keeps its place, and its keys reach both ends', async () => {
  const { tell, list, isInSight } = openTimeline();
  tell(pauses(100));
  await count().toBe(100);
  await expect.poll(() => isInSight(99)).toBe(true);
  press('Home', list());
  await expect.poll(() => isInSight(0)).toBe(true);
  list().scrollTop = 2000;
  tell(pauses(2000));
  await expect.poll(() => all('sp-timeline #after').length).toBe(1);
  for (let frame = 0; frame < 10; frame += 1) await new Promise((next) => requestAnimationFrame(next));
  expect(list().scrollTop).toBe(2000);
  press('End', list());
  await expect.poll(() => isInSight(1999)).toBe(true);
  expect(rows().length).toBeLessThan(200);
});
