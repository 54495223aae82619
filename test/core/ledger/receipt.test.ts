import { describe, expect, test } from 'vitest';
import { completeReceipt } from '../../../core/ledger/receipt.ts';
import { runId } from './sample.ts';

const run_id = runId(1);
const HASH = 'a'.repeat(64);
const expansion = {
  run_id,
  symbol_or_section_id: '@CANON/bread',
  slice: 'lines[0:3]',
  content_hash: HASH,
  payload_ref: `sha256:${HASH}`,
};
const action = { type: 'EXECUTE', target: '@TOOLS/math.add', status: 'SUCCESS', result: { sha256: HASH, bytes: 3 } };
const receipt = {
  run_id,
  step_id: '00000001-0000-8000-8000-000000000001',
  expanded: [expansion],
  actions: [action],
  outputs: { sum: { sha256: HASH, bytes: 3 } },
  status: 'SUCCESS',
};
const whatOf = (value: unknown, required_outputs?: readonly string[]): unknown => {
  const outcome = completeReceipt(value, { run_id, ...(required_outputs && { required_outputs }) });
  return outcome.ok ? 'complete' : outcome.refusal.code === 'receipt_incomplete' && outcome.refusal.details['what'];
};

describe('a complete receipt', () => {
  test.each([
    ['the contract’s six fields', receipt],
    ['a receipt without actions, outputs or expansions', { ...receipt, expanded: [], actions: [], outputs: {} }],
    [
      'a failure with a failed action',
      { ...receipt, status: 'FAILURE', actions: [{ ...action, status: 'FAILURE', result: {} }] },
    ],
    ['a failure whose actions all succeeded', { ...receipt, status: 'FAILURE' }],
    [
      'a partial receipt with a failed action beside a successful action',
      { ...receipt, status: 'PARTIAL', actions: [action, { ...action, status: 'FAILURE', result: {} }] },
    ],
    ['an expansion of a section by its id', { ...receipt, expanded: [{ ...expansion, symbol_or_section_id: HASH }] }],
  ])('completeReceipt accepts %s', (_, value) => expect(whatOf(value)).toBe('complete'));

  test('completeReceipt accepts a success with its required outputs', () =>
    expect(whatOf(receipt, ['sum'])).toBe('complete'));
  test('completeReceipt accepts a failure that lacks its required outputs', () =>
    expect(whatOf({ ...receipt, status: 'FAILURE', outputs: {} }, ['sum'])).toBe('complete'));
});

describe('an incomplete receipt', () => {
  const cases: readonly [string, unknown, string][] = [
    ['a value that is no object', null, 'not an object'],
    ['a list', [receipt], 'not an object'],
    ['a field too many', { ...receipt, note: 1 }, 'an unknown member'],
    ['a run_id that is no UUID v4', { ...receipt, run_id: receipt.step_id }, 'run_id is not valid'],
    ['another run', { ...receipt, run_id: runId(2) }, 'run_id is of another run'],
    ['a step_id that is no UUID v8', { ...receipt, step_id: run_id }, 'step_id is not valid'],
    [
      'an expansion of another run',
      { ...receipt, expanded: [{ ...expansion, run_id: runId(2) }] },
      'an expansion is of another run',
    ],
    [
      'an expansion that names two contents',
      { ...receipt, expanded: [{ ...expansion, payload_ref: `sha256:${'b'.repeat(64)}` }] },
      'an expansion names two contents',
    ],
    ['an unbounded slice', { ...receipt, expanded: [{ ...expansion, slice: 'ALL' }] }, 'expanded is not valid'],
    [
      'a slice spelled another way',
      { ...receipt, expanded: [{ ...expansion, slice: 'lines[00:3]' }] },
      'expanded is not valid',
    ],
    [
      'an action on a target that is no symbol',
      { ...receipt, actions: [{ ...action, target: 'math.add' }] },
      'actions is not valid',
    ],
    ['an action of another type', { ...receipt, actions: [{ ...action, type: 'DELETE' }] }, 'actions is not valid'],
    [
      'a result that is not a name of bytes',
      { ...receipt, actions: [{ ...action, result: { value: 3 } }] },
      'actions is not valid',
    ],
    [
      'a result of which only a beginning is stored',
      { ...receipt, actions: [{ ...action, result: { sha256: HASH, bytes: 3, kept: 2 } }] },
      'actions is not valid',
    ],
    [
      'an output of which only a beginning is stored',
      { ...receipt, outputs: { sum: { sha256: HASH, bytes: 3, kept: 2 } } },
      'outputs is not valid',
    ],
    ['an output that is not a name of bytes', { ...receipt, outputs: { sum: 3 } }, 'outputs is not valid'],
    ['another status', { ...receipt, status: 'OK' }, 'status is not valid'],
    [
      'a success with a failed action',
      { ...receipt, actions: [{ ...action, status: 'FAILURE', result: {} }] },
      'status and actions disagree',
    ],
    ['a partial receipt without a failed action', { ...receipt, status: 'PARTIAL' }, 'status and actions disagree'],
    ...Object.keys(receipt).map((name): [string, unknown, string] => [
      `a receipt without ${name}`,
      without(receipt, name),
      `${name} is missing`,
    ]),
    ...Object.keys(expansion).map((name): [string, unknown, string] => [
      `an expansion without ${name}`,
      { ...receipt, expanded: [without(expansion, name)] },
      'expanded is not valid',
    ]),
    ...Object.keys(action).map((name): [string, unknown, string] => [
      `an action without ${name}`,
      { ...receipt, actions: [without(action, name)] },
      'actions is not valid',
    ]),
  ];
  test.each(cases)('completeReceipt refuses %s', (_, value, what) => expect(whatOf(value)).toBe(what));

  test('completeReceipt refuses a success that lacks its required outputs, inherited names included', () => {
    expect(whatOf(receipt, ['sum', 'toString'])).toBe('output "toString" is missing');
  });
});

function without(object: object, name: string): object {
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== name));
}
