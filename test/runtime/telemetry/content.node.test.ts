import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentHash, type JsonObject, toOtlp } from '../../../core/index.ts';
import { type Desk, openDesk } from '../content/desk.ts';
import { BUDGETS, execute, message, name, OPERATIONS, put, read, write } from '../content/messages.ts';

const THROWS = {
  name: 'throws',
  version: '1.0.0',
  description: 'Fails.',
  effect: 'pure',
  args: { type: 'object' },
  source: 'export default () => { throw new RangeError("no"); };',
} as const;

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk([...OPERATIONS, { capability: 'throws', mode: 'allow' }], [THROWS]);
  await put(desk.runtime, { 'a.md': '# A\none\n' });
  await name(desk.runtime, '@x/a', 'FILE', 'a.md');
});
afterAll(() => desk.close());

const TYPES: readonly string[] = [
  'content_expanded',
  'content_failed',
  'budget_spent',
  'budget_exceeded',
  'step_failed',
];
const stale = write('@x/a', { content: 'new\n', expected_hash: contentHash('old\n') });
const fresh = write('@x/a', { content: 'new\n', expected_hash: contentHash('# A\none\n') });
const throws = (params: JsonObject = {}) => execute('@TOOLS/throws', { args: {}, ...params });
const budget = { budgets: { ...BUDGETS, max_bytes_expanded: 4 } };

test.each([
  ['a budget that is passed', [read('@x/a')], budget, ['READ budget_bytes'], 'budget_bytes', 0],
  ['a slice out of bounds', [read('@x/a', { slice: 'head(9)' })], {}, ['READ slice_bounds'], 'slice_bounds', 0],
  ['a WRITE of what has changed', [read('@x/a'), stale], {}, ['WRITE content_changed'], 'content_changed', 8],
  ['a WRITE that is withdrawn', [fresh, throws()], {}, ['WRITE capability_threw'], 'capability_threw', 0],
  ['a message that is PARTIAL', [read('@x/a'), throws({ critical: false })], {}, [], 'capability_threw', 8],
] as const)('telemetry tells the code of %s', async (_what, ops, more, failed, code, bytes_expanded) => {
  const told = await desk.send([message(ops, more)]);
  const { receipt } = told.receipts[0] ?? {};
  const events = told.events
    .map(({ event }) => event)
    .filter(
      ({ event_type, execution_id }) => TYPES.includes(event_type) && execution_id.endsWith(receipt?.step_id ?? '-'),
    );
  const contents = events.flatMap((event) => (event.event_type === 'content_failed' ? [event] : []));
  expect(contents.map((event) => `${event.operation} ${event.code}`)).toEqual(failed);
  expect(events.find(({ event_type }) => event_type === 'budget_spent')).toMatchObject({ bytes_expanded });
  const over = events.filter(({ event_type }) => event_type === 'budget_exceeded');
  expect(over.length).toBe(code.startsWith('budget_') ? 1 : 0);
  expect(events.at(-1)).toMatchObject({ event_type: 'step_failed', code, outcome: receipt?.status, status: 'failed' });
  const [scope] = toOtlp(told.events).traces.resourceSpans[0].scopeSpans;
  const step = scope.spans.find((span) => span.name === 'sallyport.step');
  expect(step?.status).toEqual({ code: 2, message: code });
});
