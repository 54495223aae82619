import { parseSlice } from '../../content/slice.ts';
import type { SchemaIssue } from '../../errors/details.ts';
import { refuse } from '../../errors.ts';
import { isHash } from '../../hash.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../json/value.ts';
import { type Outcome, pass } from '../../outcome.ts';
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

type Rule = { readonly wants: string; readonly fits: (value: JsonValue) => boolean; readonly required?: true };

const OUTPUT = /^[A-Za-z0-9._-]{1,64}$/;
const isText = (value: JsonValue): boolean => typeof value === 'string';
const COMMON: { readonly [name: string]: Rule } = {
  output: { wants: 'a name', fits: (value) => typeof value === 'string' && OUTPUT.test(value) },
  critical: { wants: 'true or false', fits: (value) => typeof value === 'boolean' },
};
const RULES: { readonly [T in Operation['type']]: { readonly [name: string]: Rule } } = {
  READ: { ...COMMON, slice: { wants: 'a slice', fits: isText } },
  WRITE: {
    ...COMMON,
    content: { wants: 'a text', fits: isText, required: true },
    expected_hash: { wants: 'the hash of what it replaces', fits: isHash, required: true },
  },
  EXECUTE: { ...COMMON, args: { wants: 'an object', fits: isObject, required: true } },
};

/**
 * The parameters of all operations. Refuses a missing, unknown or mistyped parameter with `arguments_schema`, a
 * malformed slice with its own code, and an output name that two operations share with `output_twice`.
 */
export function readParams(operations: readonly Operation[]): Outcome<readonly Params[]> {
  const outputs = new Set<string>();
  for (const [index, { type, params }] of operations.entries()) {
    const pointer = `/ops/${index}/params`;
    const issue = complaint(params, RULES[type]);
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

function complaint(params: JsonObject, rules: { readonly [name: string]: Rule }): SchemaIssue | undefined {
  const stray = Object.keys(params).find((name) => !Object.hasOwn(rules, name));
  if (stray !== undefined) return { pointer: '', keyword: 'additionalProperties', message: `unknown member ${stray}` };
  for (const [name, { wants, fits, required }] of Object.entries(rules)) {
    const value = member(params, name);
    if (value === undefined && required)
      return { pointer: '', keyword: 'required', message: `${name} is missing: ${wants}` };
    if (value !== undefined && !fits(value))
      return { pointer: `/${name}`, keyword: 'type', message: `must be ${wants}` };
  }
  return undefined;
}
