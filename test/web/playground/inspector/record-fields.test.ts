import { expect, it } from 'vitest';
import { fieldsOf } from '../../../../web/playground/inspector/record-fields.ts';
import { record } from '../../records/sample-records.ts';
import { spoken } from '../../texts/spoken.ts';

const sealed = record(5, 'receipt', {
  receipt: { status: 'SUCCESS', expanded: [] },
  evidence: { step: 1, args_hash: 'cd'.repeat(32) },
} as never);
const fieldOf = (name: string) => fieldsOf(sealed).find(({ path }) => path.endsWith(name));

it('a member is explained in the language of the interface', () => {
  expect(fieldOf('args_hash')?.over).toBe('over the canonical arguments');
  spoken('de');
  expect(fieldOf('args_hash')?.over).toBe('über die kanonischen Argumente');
});

it('the path and the value of a member stay as they are recorded in any language', () => {
  spoken('de');
  expect(fieldOf('status')).toMatchObject({ path: 'body.receipt.status', value: 'SUCCESS' });
});

it('an empty list says so in the language of the interface', () => {
  expect(fieldOf('expanded')?.value).toBe('(none)');
  spoken('de');
  expect(fieldOf('expanded')?.value).toBe('(keine)');
});
