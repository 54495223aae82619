/** Judges proposals of the small model against the tasks that people wrote for it. */

/**
 * A value of an argument. `{ has }` is text that the argument holds, `{ oneOf }` lists values that are equally right,
 * and `{ between }` has the least and the most of a number.
 */
type Wanted = unknown;

/** A task with the calls that it needs, and text that the answer holds. */
export interface JudgedTask {
  readonly task: string;
  readonly kind?: 'two' | 'recover' | 'refusal' | 'decline';
  readonly calls: readonly (readonly [tool: string, args: { readonly [name: string]: Wanted }])[];
  readonly says: string;
  /** A first proposal that is not the model's, and that the runtime refuses. */
  readonly first?: string;
  /** The answer of the person to each question; yes where it is left out. */
  readonly person?: 'no';
  /** Capabilities without a grant. */
  readonly ungranted?: readonly string[];
}

/** What was counted of a task. */
export interface Verdict {
  readonly calls: number;
  readonly rightTools: number;
  readonly exactArguments: number;
  readonly whole: boolean;
  readonly invalid: number;
  readonly proposals: number;
}

interface Call {
  readonly tool: string;
  readonly args: unknown;
}

/** Compares the model's proposals with the calls of a task, in their order. */
export function judge(task: JudgedTask, proposals: readonly string[]): Verdict {
  const said = proposals.map(read);
  const calls = said.flatMap((proposal) => ('call' in proposal ? [proposal.call] : []));
  const rightTools = task.calls.filter(([tool], at) => calls[at]?.tool === tool).length;
  const exact = task.calls.filter(
    ([tool, args], at) => calls[at]?.tool === tool && holds(args, calls[at]?.args),
  ).length;
  const answer = said.findLast((proposal) => 'answer' in proposal)?.answer ?? '';
  return {
    calls: task.calls.length,
    rightTools,
    exactArguments: exact,
    whole: exact === task.calls.length && calls.length === exact && answer.includes(task.says),
    invalid: said.filter((proposal) => !('call' in proposal) && !('answer' in proposal)).length,
    proposals: proposals.length,
  };
}

type Said = { readonly call: Call } | { readonly answer: string } | { readonly broken: true };

function read(text: string): Said & { readonly answer?: string } {
  const value = jsonOf(text);
  const { next_step, tool_call, done, message } = Object(value);
  if (next_step !== undefined) return { call: { tool: next_step.tool, args: next_step.arguments } };
  if (tool_call !== undefined) return { call: tool_call };
  const answer = done === true ? message : message?.content;
  return typeof answer === 'string' ? { answer } : { broken: true };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True for equal values, and for values that a wanted form accepts. Spaces of an expression do not count. */
function holds(wanted: Wanted, got: unknown, name = ''): boolean {
  if (typeof wanted !== 'object' || wanted === null)
    return name === 'expression' ? bare(wanted) === bare(got) : wanted === got;
  if ('has' in wanted) return typeof got === 'string' && got.includes(String(wanted.has));
  if ('oneOf' in wanted) return (wanted.oneOf as readonly Wanted[]).some((one) => holds(one, got, name));
  if ('between' in wanted) return isBetween(wanted.between as readonly [number, number], got);
  const members = Object(got) as { readonly [name: string]: unknown };
  const names = Object.keys(wanted);
  return (
    names.length === Object.keys(members).length &&
    names.every((key) => holds((wanted as { readonly [name: string]: Wanted })[key], members[key], key))
  );
}

function isBetween([least, most]: readonly [number, number], got: unknown): boolean {
  return typeof got === 'number' && got >= least && got <= most;
}

function bare(expression: unknown): string {
  return String(expression).replaceAll(' ', '');
}
