import { expect, it } from 'vitest';
import { fieldsOf } from '../../../web/playground/inspector/record-fields.ts';
import { describe } from '../../../web/records/describe.ts';
import { record } from './sample-records.ts';

const HASH = 'cd'.repeat(32);
const receiptOf = (evidence: object) =>
  record(5, 'receipt', { receipt: { status: 'SUCCESS' }, evidence: { step: 1, fuel: 0, ...evidence } } as never);
const overImage = (evidence: object) =>
  fieldsOf(receiptOf(evidence)).find(({ path }) => path.endsWith('image_hash'))?.over;

it('the receipt of a tool says that the program carried out the call, and names no fuel', () => {
  const { summary } = describe(receiptOf({ image_hash: HASH, capability_hash: HASH }));
  expect(summary).toBe('success, carried out by the program');
});

it('the receipt of a tool says that its request was sent twice', () => {
  const { summary } = describe(receiptOf({ image_hash: HASH, capability_hash: HASH, repeated: 'session_forgotten' }));
  expect(summary).toBe('success, carried out by the program, sent twice, because the server had forgotten its session');
});

it('the receipt of a capability in the sandbox names its fuel', () =>
  expect(describe(receiptOf({ image_hash: HASH, capability_hash: 'ef' })).summary).toBe('success, 0 fuel'));

it('the hash in the place of an image is not explained as an image, in a step and in an operation of a message', () => {
  const tool = { image_hash: HASH, capability_hash: HASH };
  expect(overImage(tool)).toContain('there is no image');
  expect(overImage({ operations: [tool] })).toContain('there is no image');
  expect(overImage({ image_hash: HASH, capability_hash: 'ef' })).toBe('over the prepared memory of the sandbox');
});

it('the first record of a session names its caller, and the labels that it began with', () => {
  const body = { dialect: 'femtoclaw/0.1', model: 'ai-sdk', caller: true, labels: ['private', 'untrusted'] } as never;
  expect(describe(record(0, 'configuration', body)).summary).toBe(
    'femtoclaw/0.1, session of ai-sdk, private and untrusted from the start',
  );
});
