import oracle from 'canonicalize';
import { describe, expect, test } from 'vitest';
import { Defect } from '../../../core/assert.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { extend, headAfter, NO_RECORDS } from '../../../core/ledger/chain.ts';
import type { Draft } from '../../../core/ledger/record.ts';
import { runId, sampleRun } from './sample.ts';

const links = sampleRun(1, 3).batches.flatMap((batch) => batch.records);
const stamp = { run_id: runId(1), epoch: 0, at: 1 };
const task: Draft = { kind: 'task', body: { text: { sha256: 'a'.repeat(64), bytes: 4 } } };

describe('extend', () => {
  test('extend stores exactly the canonical JSON of the record', () => {
    for (const { record, text } of links) expect(text).toBe(oracle(record));
  });

  test('extend hashes a line of purpose and canonical JSON, as any program can', async () => {
    for (const { record } of links) {
      const { body, hash, ...rest } = record;
      expect(record.body_hash).toBe(await sha256Of(`sallyport/body/1\n${oracle(body)}`));
      expect(hash).toBe(await sha256Of(`sallyport/record/1\n${oracle(rest)}`));
    }
  });

  test('extend chains each record to the record before, and the first record to zeros', () => {
    links.forEach(({ record }, index) => {
      expect(record.run_seq).toBe(index);
      expect(record.prev).toBe(links[index - 1]?.record.hash ?? '0'.repeat(64));
    });
  });

  test('extend writes the same bytes in every engine and version', () => {
    const { record, text } = extend(NO_RECORDS, task, stamp);
    expect(record.hash).toBe('2362ac19ed87be0399541bd49dd565d46fad3243cb2d238c4c041a4dd4e592db');
    expect(text).toHaveLength(423);
  });

  test('extend throws a Defect for a draft or a stamp that core must never make', () => {
    const wrong: readonly [Draft, Partial<typeof stamp>][] = [
      [task, { run_id: 'run"1' }],
      [task, { at: 0.5 }],
      [task, { epoch: -1 }],
      [{ kind: 'task', body: { text: undefined as never } }, {}],
      [{ kind: 'receipt', body: { receipt: {}, evidence: {} } } as never, {}],
    ];
    for (const [draft, change] of wrong)
      expect(() => extend(NO_RECORDS, draft, { ...stamp, ...change })).toThrow(Defect);
  });

  test('extend goes on from the head after a record', () => {
    const first = extend(NO_RECORDS, task, stamp);
    const second = extend(headAfter(first.record), task, stamp);
    expect([second.record.run_seq, second.record.prev]).toEqual([1, first.record.hash]);
    expect(second.record.body_hash).toBe(first.record.body_hash);
    expect(second.record.hash).not.toBe(first.record.hash);
  });
});

async function sha256Of(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encodeText(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
