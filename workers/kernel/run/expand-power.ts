import type { PowerCall } from '../../../core/capability/call.ts';
import type { Label } from '../../../core/capability/guard.ts';
import { spend } from '../../../core/content/budget.ts';
import { CONTENT_CAPABILITIES } from '../../../core/content/built-in.ts';
import { expand } from '../../../core/content/expand.ts';
import { sameAsBefore } from '../../../core/content/staged.ts';
import { refuse } from '../../../core/errors.ts';
import { decode } from '../../../core/json/decode-within.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { ReadArguments } from '../../../core/run/event.ts';
import { type Allowance, givenTo, spentWith } from '../../../core/run/execute/expansions.ts';
import { makeSerialQueue } from '../../async.ts';
import { PowerRefusal } from '../../sandbox/power-refusal.ts';
import type { ReadContent } from '../content/written.ts';
import type { HostPower } from './built-in-powers.ts';

/** The call that expands, and its permissions. */
export interface ExpansionCall {
  readonly content: ReadContent;
  readonly run_id: string;
  readonly allowance: () => Allowance;
  /** Receives the content's labels before the lookup, because a refusal also reveals content. */
  readonly shows: (labels: readonly Label[]) => void;
  /** Says whether the call may read this content, by the run's grants for `content.read`. */
  readonly permit: (ticket: number, args: ReadArguments) => Promise<Outcome<void>>;
  readonly before: EarlierAnswers;
}

/** Answers that a call had before it was parked, and the ids of the sections that it had touched. */
export interface EarlierAnswers {
  readonly calls: readonly PowerCall[];
  readonly touched: readonly string[];
}

/**
 * `sections.expand(ref, slice)` for a single call. Expansions run in turn: each is charged before the next begins, and
 * the guest never receives text over the allowance.
 */
export function expandingPower({ content, run_id, allowance, shows, permit, before }: ExpansionCall): {
  readonly power: HostPower;
  readonly touched: () => readonly string[];
} {
  const given = givenTo(run_id, {}, before.calls);
  let spent = given.length > 0 ? spentWith(allowance().spent, given, before.touched) : undefined;
  const inTurn = makeSerialQueue();
  let expanded = given.map(({ expansion }) => expansion);

  async function give(ref: string, slice: string, ticket: number): Promise<Outcome<string>> {
    shows(CONTENT_CAPABILITIES[0]?.manifest.labels ?? []);
    const { budgets, left, spent: begun, expanded: earlier, declared } = allowance();
    if (declared?.has(ref) === false) return refuse('target_undeclared', { symbol: ref });
    const named = spend(spent ?? begun, ref.startsWith('@') ? { symbols: [ref] } : {}, budgets);
    if (!named.ok) return named;
    const target = await content.locate(ref);
    if (!target.ok) return target;
    const permitted = await permit(ticket, { target: ref, path: target.value.file_path, slice });
    if (!permitted.ok) return permitted;
    const { file } = await content.load(target.value.file_path);
    if (file === undefined) return refuse('content_missing', { path: target.value.file_path });
    const given = expand({ run_id, target: target.value, slice, text: file.text, spent: named.value, budgets });
    if (!given.ok) return given;
    const same = sameAsBefore(given.value.expansion, [...earlier, ...expanded], target.value.file_path);
    if (!same.ok) return same;
    const used = given.value.spent.bytes;
    if (used > left) return refuse('budget_run', { limit: left, used });
    spent = given.value.spent;
    expanded = [...expanded, given.value.expansion];
    return pass(given.value.text);
  }

  return {
    power: async (args, ticket) => {
      const [ref, slice] = argumentsOf(args);
      const outcome = await inTurn(() => give(ref, slice, ticket));
      if (!outcome.ok) throw new PowerRefusal(outcome.refusal);
      return JSON.stringify(outcome.value);
    },
    touched: () => [...(spent?.sections ?? [])],
  };
}

function argumentsOf(args: string): readonly [ref: string, slice: string] {
  const list = decode(encodeText(args));
  const [ref, slice, ...more] = list.ok && Array.isArray(list.value) ? (list.value as readonly unknown[]) : [];
  if (typeof ref !== 'string' || typeof slice !== 'string' || more.length > 0)
    throw new TypeError('sections.expand takes a symbol or section id, and a slice');
  return [ref, slice];
}
