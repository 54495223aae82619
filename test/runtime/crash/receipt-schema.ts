import { isSymbol } from '../../../core/content/target.ts';
import type { JsonValue } from '../../../core/index.ts';

/** The contract's Receipt and Expansion, written from its text alone: closed objects, every member checked. */
export function receiptFaults(receipt: JsonValue): readonly string[] {
  return [
    ...members(receipt, '', {
      run_id: UUID,
      step_id: UUID,
      expanded: LIST,
      actions: LIST,
      outputs: OBJECT,
      status: (value) => ['SUCCESS', 'FAILURE', 'PARTIAL'].includes(value as string),
    }),
    ...each(receipt, 'expanded', expansionFaults),
    ...each(receipt, 'actions', (action, at) =>
      members(action, at, {
        type: (value) => ['READ', 'WRITE', 'EXECUTE'].includes(value as string),
        target: (value) => isSymbol(value as string),
        status: (value) => ['SUCCESS', 'FAILURE'].includes(value as string),
        result: OBJECT,
      }),
    ),
  ];
}

function expansionFaults(expansion: JsonValue, at: string): readonly string[] {
  return members(expansion, at, {
    run_id: UUID,
    symbol_or_section_id: (value) => typeof value === 'string' && (isSymbol(value) || HASH.test(value)),
    slice: (value) => typeof value === 'string' && /^(?:(?:lines|chars)\[\d+:\d+\]|(?:head|tail)\(\d+\))$/.test(value),
    content_hash: (value) => typeof value === 'string' && HASH.test(value),
    payload_ref: (value) => typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value),
  });
}

type Test = (value: JsonValue | undefined) => boolean;
const HASH = /^[0-9a-f]{64}$/;
const UUID: Test = (value) => typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
const LIST: Test = Array.isArray;
const OBJECT: Test = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function members(value: JsonValue, at: string, tests: { readonly [name: string]: Test }): readonly string[] {
  if (!OBJECT(value)) return [`${at}: no object`];
  const object = value as { readonly [name: string]: JsonValue };
  const wrong = Object.entries(tests).flatMap(([name, test]) => (test(object[name]) ? [] : [`${at}/${name}`]));
  return [
    ...wrong,
    ...Object.keys(object).flatMap((name) => (Object.hasOwn(tests, name) ? [] : [`${at}/${name}: more`])),
  ];
}

function each(
  value: JsonValue,
  name: string,
  faults: (member: JsonValue, at: string) => readonly string[],
): readonly string[] {
  const list = (value as { readonly [name: string]: JsonValue })[name];
  return Array.isArray(list) ? (list as JsonValue[]).flatMap((member, nth) => faults(member, `/${name}/${nth}`)) : [];
}
