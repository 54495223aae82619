import { signal } from '@preact/signals-core';
import { expect, test, vi } from 'vitest';
import { encodeText } from '../../../../core/index.ts';
import { receiptValues } from '../../../../web/playground/run/receipt-values.ts';

test('the values of a file are shown, however deep a stranger has nested one', () => {
  const deep = `{"status":"success","result":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
  const observation = {
    kind: 'observation',
    run_seq: 1,
    body: { status: 'success', payload: { sha256: 'a'.repeat(64), bytes: 1 } },
  };
  const session = {
    records: signal([observation]),
    steps: signal([{ named: true, title: 'deep', records: [observation] }]),
    payload: () => ({ state: 'there', bytes: encodeText(deep) }),
  };
  expect(() => receiptValues(session as never)).not.toThrow();
});

test('a long turn has the values of its first calls read, and the others counted', () => {
  const steps = Array.from({ length: 500 }, (_, at) => {
    const status = at === 3 ? 'error' : 'success';
    return {
      kind: 'observation',
      run_seq: at,
      body: { status, payload: { sha256: String(at).padStart(64, '0'), bytes: 1 } },
    };
  });
  const payload = vi.fn(() => ({ state: 'there', bytes: encodeText('{"status":"success","result":1}') }));
  const session = {
    records: signal(steps),
    steps: signal(steps.map((record) => ({ named: true, title: 'add', records: [record] }))),
    payload,
  };
  const drawn = JSON.stringify(receiptValues(session as never));
  expect(payload).toHaveBeenCalledTimes(12);
  expect(drawn).toContain('487');
});
