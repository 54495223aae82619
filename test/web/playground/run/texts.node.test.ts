import { expect, test, vi } from 'vitest';
import { sha256Hex } from '../../../../core/hash.ts';
import { encodeText, type PayloadRef } from '../../../../core/index.ts';
import { followRun, readRun } from '../../../../web/playground/run/session.ts';
import { deferred } from '../../../../workers/async.ts';

const texts = Array.from({ length: 200 }, (_, at) => {
  const bytes = encodeText(`Text ${at}`);
  return { sha256: sha256Hex(bytes), bytes };
});
const refOf = ({ sha256, bytes }: (typeof texts)[number]): PayloadRef =>
  ({ sha256, bytes: bytes.length }) as PayloadRef;
const absent = { sha256: 'f'.repeat(64), bytes: 1 } as PayloadRef;

/** A run on the device, in pages of 50 texts, and what is asked of its ledger. Its records name the first text twice. */
async function opened() {
  const [first] = texts.map(refOf);
  const records = [{ kind: 'task', body: { text: refOf(texts[1] as (typeof texts)[number]) } }]
    .concat([1, 2].map(() => ({ kind: 'task', body: { text: first as PayloadRef } })))
    .map((record, run_seq) => ({ ...record, run_seq }));
  const payload = vi.fn(async (_: string, ref: PayloadRef) => texts.find(({ sha256 }) => sha256 === ref.sha256)?.bytes);
  const payloads = vi.fn(async (_: string, from: number) => ({
    payloads: texts.slice(from, from + 50),
    ...(from + 50 < texts.length && { next: from + 50 }),
  }));
  const ledger = { records: async () => [...records, { kind: 'seal', run_seq: 3, body: {} }], payload, payloads };
  const runtime = { ledger, runs: async () => [{ run_id: 'run', sealed: true }] };
  const session = await readRun(runtime as never, 'run');
  if (session === undefined) throw new Error('the run was not read');
  return { session, payload, payloads };
}

type Session = Awaited<ReturnType<typeof opened>>['session'];
const stateOf = (session: Session, ref: PayloadRef) => session.payload(ref).state;

test('a few texts of a run are each searched for', async () => {
  const { session, payload, payloads } = await opened();
  const few = texts.slice(0, 4).map(refOf);
  for (const ref of [...few, ...few, absent]) expect(stateOf(session, ref)).toBe('loading');
  await vi.waitFor(() => expect(few.map((ref) => stateOf(session, ref))).toEqual(few.map(() => 'there')));
  await vi.waitFor(() => expect(stateOf(session, absent)).toBe('missing'));
  expect([payload.mock.calls.length, payloads.mock.calls.length]).toEqual([5, 0]);
  // the search for a text begins at the first record that names it
  expect(payload.mock.calls.slice(0, 3)).toEqual([
    ['run', few[0], { record: 1 }],
    ['run', few[1], { record: 0 }],
    ['run', few[2], {}],
  ]);
});

test('many texts that are asked for together are read in one pass over the run', async () => {
  const { session, payload, payloads } = await opened();
  const many = texts.slice(0, 120).map(refOf);
  for (const ref of [...many, absent]) expect(stateOf(session, ref)).toBe('loading');
  await vi.waitFor(() => expect(many.map((ref) => stateOf(session, ref))).toEqual(many.map(() => 'there')));
  await vi.waitFor(() => expect(stateOf(session, absent)).toBe('missing'));
  expect([payload.mock.calls.length, payloads.mock.calls.length]).toEqual([0, 4]);
  const [first] = many;
  expect(first && session.payload(first)).toEqual({ state: 'there', bytes: texts[0]?.bytes });
});

test('texts are searched for where a pass over the run fails', async () => {
  const { session, payload, payloads } = await opened();
  payloads.mockRejectedValue(new Error('altered'));
  const many = texts.slice(0, 20).map(refOf);
  for (const ref of many) stateOf(session, ref);
  await vi.waitFor(() => expect(many.map((ref) => stateOf(session, ref))).toEqual(many.map(() => 'there')));
  expect(payload).toHaveBeenCalledTimes(20);
});

/** A finished run whose records come in pages, as the page reads it anew; `length` is what its view tells. */
async function drawings(pages: number, length: number): Promise<{ readonly drawn: number; readonly shown: number }> {
  const records = async function* () {
    for (let at = 0; at < pages * PAGE; at++) {
      if (at % PAGE === 0) await new Promise((resolve) => setTimeout(resolve, 60));
      yield { kind: 'state', run_seq: at, body: {} };
    }
  };
  const run = {
    id: 'run',
    view: { mode: 'running', end: { state: 'completed' }, records: length },
    watch: () => () => undefined,
    records,
  };
  const session = followRun({ ledger: {} } as never, run as never);
  let drawn = -1;
  session.records.subscribe(() => drawn++);
  await vi.waitFor(() => expect(session.records.value.length).toBe(pages * PAGE), { timeout: 10_000 });
  session.close();
  return { drawn, shown: session.records.value.length };
}

const PAGE = 500;

test('a long run that is read anew is drawn again when its list has grown by half, and not with each page', async () => {
  const { drawn } = await drawings(30, 30 * PAGE);
  expect(drawn).toBeLessThan(15);
});

test('a run of which fewer records come than its view tells is shown as far as it came', async () => {
  expect(await drawings(4, 100 * PAGE)).toMatchObject({ shown: 4 * PAGE });
});

test('a run that is followed gives bytes also where its ledger answers by a proxy, as while a page opens', async () => {
  const ledger = new Proxy({}, { get: (_, name) => async () => encodeText(String(name)) });
  const view = { mode: 'paused', records: 0 };
  const run = { id: 'run', view, watch: () => () => undefined, records: async function* () {} };
  const session = followRun({ ledger } as never, run as never);
  expect(await session.bytes('f'.repeat(64))).toEqual(encodeText('payload'));
  session.close();
});

test.each([[3 * PAGE], [Number.POSITIVE_INFINITY]])(
  'the check of a run begins when the page has read it, or can read no more of it (%s records)',
  async (length) => {
    const ends = deferred<void>();
    const records = async function* () {
      for (let at = 0; at < 3 * PAGE; at++) yield { kind: 'state', run_seq: at, body: {} };
      await ends.promise;
      throw new Error('altered');
    };
    const view = { mode: 'running', end: { state: 'completed' }, records: length };
    const run = { id: 'run', view, watch: () => () => undefined, records };
    const check = vi.fn(async () => ({ ok: true, shown: session.records.peek().length }));
    const session = followRun({ ledger: { verify: check } } as never, run as never);
    const checked = session.verify();
    expect(check).not.toHaveBeenCalled();
    if (length > 3 * PAGE) {
      await vi.waitFor(() => expect(session.records.value.length).toBe(3 * PAGE));
      expect(check).not.toHaveBeenCalled();
      ends.resolve();
    }
    await checked;
    expect(session.report.value).toEqual({ ok: true, shown: 3 * PAGE });
    session.close();
  },
);
