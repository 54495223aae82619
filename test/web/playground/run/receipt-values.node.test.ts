import { signal } from '@preact/signals-core';
import { expect, test } from 'vitest';
import { encodeText } from '../../../../core/index.ts';
import { receiptValues } from '../../../../web/playground/run/receipt-values.ts';

test('the values of a file are shown, however deep a stranger has nested one', () => {
  const deep = `{"status":"success","result":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
  const observation = { kind: 'observation', run_seq: 1, body: { payload: { sha256: 'a'.repeat(64), bytes: 1 } } };
  const session = {
    records: signal([observation]),
    steps: signal([{ named: true, title: 'deep', records: [observation] }]),
    payload: () => ({ state: 'there', bytes: encodeText(deep) }),
  };
  expect(() => receiptValues(session as never)).not.toThrow();
});
