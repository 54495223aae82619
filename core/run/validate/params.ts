import { parseSlice } from '../../content/slice.ts';
import type { SchemaIssue } from '../../errors/details.ts';
import { refuse } from '../../errors.ts';
import { isHash } from '../../hash.ts';
import { type JsonObject, member } from '../../json/value.ts';
import { FLAG, OBJECT, type OptionTypes, STRING, wrongOption } from '../../option.ts';
import { type Outcome, pass } from '../../outcome.ts';
import { isOutputName } from '../../protocol/catalytic.ts';
import type { Operation } from '../../protocol/proposal.ts';

/** Parameters of an operation, by type; each form is closed. */
export interface Params {
  /** READ; absent: the symbol's default. */
  readonly slice?: string;
  /** WRITE: the new text, and the hash of the text it replaces. */
  readonly content?: string;
  readonly expected_hash?: string;
  /** EXECUTE: the arguments of the capability. */
  readonly args?: JsonObject;
  /** Name under which the operation's result appears in `outputs`. */
  readonly output?: string;
  /** False: the message goes on when the operation fails, unless a budget was exceeded or an expansion failed. */
  readonly critical?: boolean;
}

const COMMON: OptionTypes = { output: ['a name', isOutputName], critical: FLAG };
const TYPES: { readonly [T in Operation['type']]: OptionTypes } = {
  READ: { ...COMMON, slice: ['a slice', STRING[1]] },
  WRITE: { ...COMMON, content: ['a text', STRING[1]], expected_hash: ['the hash of what it replaces', isHash] },
  EXECUTE: { ...COMMON, args: OBJECT },
};
const NEEDED: { readonly [T in Operation['type']]: readonly string[] } = {
  READ: [],
  WRITE: ['content', 'expected_hash'],
  EXECUTE: ['args'],
};

/**
 * The parameters of all operations. Refuses a missing, unknown or mistyped parameter with `arguments_schema`, a
 * malformed slice with its own code, and an output name that two operations share with `output_twice`.
 */
export function readParams(operations: readonly Operation[]): Outcome<readonly Params[]> {
  const outputs = new Set<string>();
  for (const [index, { type, params }] of operations.entries()) {
    const pointer = `/ops/${index}/params`;
    const issue = complaint(type, params);
    if (issue !== undefined) {
      const place = { step: 'arguments', pointer: pointer + issue.pointer } as const;
      return refuse('arguments_schema', { issues: [issue] }, place);
    }
    const { slice, output } = params as Params;
    const parsed = slice === undefined ? undefined : parseSlice(slice);
    if (parsed?.ok === false)
      return { ok: false, refusal: { ...parsed.refusal, step: 'arguments', pointer: `${pointer}/slice` } };
    if (output !== undefined && outputs.has(output))
      return refuse('output_twice', { name: output }, { step: 'arguments', pointer: `${pointer}/output` });
    if (output !== undefined) outputs.add(output);
  }
  return pass(operations.map(({ params }) => params as Params));
}

function complaint(type: Operation['type'], params: JsonObject): SchemaIssue | undefined {
  const wrong = wrongOption(params, TYPES[type], NEEDED[type]);
  if (wrong === undefined) return undefined;
  const { name, wants } = wrong;
  if (wants === undefined) return { pointer: '', keyword: 'additionalProperties', message: `unknown member ${name}` };
  return member(params, name) === undefined
    ? { pointer: '', keyword: 'required', message: `${name} is missing: ${wants}` }
    : { pointer: `/${name}`, keyword: 'type', message: `must be ${wants}` };
}
