import { EXPAND, isContentPower } from '../../capability/built-in-power.ts';
import type { PowerCall } from '../../capability/call.ts';
import { HELD_TERMS, type HeldTerm } from '../../capability/grant-terms.ts';
import type { Label } from '../../capability/guard.ts';
import { type Budgets, isBudgetCode, NOTHING_SPENT, type Spending } from '../../content/budget.ts';
import { CONTENT_READ } from '../../content/built-in.ts';
import type { Expansion } from '../../content/expand.ts';
import { type DetailsOf, refuse } from '../../errors.ts';
import { sha256Text } from '../../hash.ts';
import { isCount, type JsonValue } from '../../json/value.ts';
import { arrayOf, type Form, isText, isWord, oneOf, optional, shaped, type Test } from '../../ledger/form.ts';
import { lengthOf } from '../../ledger/payload-ref.ts';
import { allNamed, limitsFor } from '../../limits.ts';
import type { Refused } from '../../outcome.ts';
import type { Payload } from '../effect.ts';
import type { OpenStep, Work } from '../open-step.ts';
import { operationIn, stepPayload } from '../payload.ts';
import type { RunState } from '../state.ts';
import { executing } from '../step.ts';

/**
 * Content that a call was given: its expansion, by the hash of the content itself, and the payload that its receipt
 * names.
 */
export interface ExpandedContent {
  readonly expansion: Expansion;
  readonly payload: Payload;
}

/** The expansion for the receipt. In a secret step its hash is the hash of the salted payload. */
export function inReceipt({ expansion, payload: { ref } }: ExpandedContent): Expansion {
  return { ...expansion, content_hash: ref.sha256, payload_ref: `sha256:${ref.sha256}` };
}

/** Content budget of the running call. */
export interface Allowance {
  readonly budgets: Budgets;
  readonly spent: Spending;
  /** Bytes that the run has left, in addition to the step's own limit. */
  readonly left: number;
  /** Expansions of its message behind its newest WRITE. */
  readonly expanded: readonly Expansion[];
  /** In a message, what its refs declare: the call may expand nothing else. */
  readonly declared?: ReadonlySet<string>;
}

export function allowance(state: RunState): Allowance {
  const { facts } = state;
  const open = executing(state)?.open;
  const { work } = open ?? {};
  const used = bytesBefore(state, open);
  const [budgets, spent] = [work?.message.budgets ?? facts.budgets, work?.spent ?? NOTHING_SPENT];
  const { expandedBytes: most, ...others } = limitsFor(facts.limits, 'content');
  allNamed(others);
  const declared = work && { declared: work.declared };
  return { budgets, spent, left: most - used, expanded: work?.sinceWrite ?? [], ...declared };
}

/**
 * Bytes that the run has expanded before this step, in the budget that the step is charged to. What held steps have read
 * must not tell in what others may read, so they have a budget of their own, of the same size. A message is charged to
 * both, each with its part.
 */
export function bytesBefore(
  { expandedBytes, heldBytes }: Pick<RunState, 'expandedBytes' | 'heldBytes'>,
  open: Pick<OpenStep, 'held'> | undefined,
): number {
  if (open?.held === undefined) return expandedBytes;
  return heldBytes - (open.held.message?.bytes ?? 0);
}

/**
 * Every expansion of a call, made from the record of its power calls: a replay gives the same list. `from`: place of the
 * first of these calls among all of them.
 */
export function givenTo(
  run_id: string,
  open: Pick<OpenStep, 'salt' | 'work'>,
  calls: readonly PowerCall[],
  from = 0,
): readonly ExpandedContent[] {
  return calls.flatMap(({ name, args, result, error }, nth) => {
    const index = from + nth;
    if (name !== EXPAND || error !== undefined || typeof result !== 'string' || !Array.isArray(args)) return [];
    const [ref, slice] = args as readonly JsonValue[];
    if (typeof ref !== 'string' || typeof slice !== 'string') return [];
    const payload = stepPayload(open, `given ${operationIn(open)} ${index}`, result);
    const content_hash = payload.ref.salt === undefined ? payload.ref.sha256 : sha256Text(result);
    return [
      {
        expansion: { run_id, symbol_or_section_id: ref, slice, content_hash, payload_ref: `sha256:${content_hash}` },
        payload,
      },
    ];
  });
}

/**
 * Labels of the data that these power calls have shown. Content is private and untrusted, and so are the headings that
 * a search finds. A refusal also reveals content: the length of a section, or its absence.
 */
export function labelsOf(calls: readonly PowerCall[]): readonly Label[] {
  const isAsked = calls.some(({ name }) => isContentPower(name));
  return isAsked ? (CONTENT_READ.manifest.labels ?? []) : [];
}

/** The budget use of the message after a call. The outside names the touched sections. */
export function spentWith(spent: Spending, given: readonly ExpandedContent[], touched: readonly string[]): Spending {
  const symbols = given.flatMap(({ expansion: { symbol_or_section_id: ref } }) => (ref.startsWith('@') ? [ref] : []));
  return {
    symbols: new Set([...spent.symbols, ...symbols]),
    sections: new Set([...spent.sections, ...touched]),
    bytes: spent.bytes + bytesOf(given),
    expands: spent.expands + given.length,
  };
}

/** The message's expansions with these. */
export function withExpansions(work: Work, more: readonly ExpandedContent[]): Pick<Work, 'expanded' | 'sinceWrite'> {
  const sinceWrite = [...work.sinceWrite, ...more.map(({ expansion }) => expansion)];
  return { expanded: [...work.expanded, ...more.map(inReceipt)], sinceWrite };
}

export function bytesOf(given: readonly ExpandedContent[]): number {
  return given.reduce((sum, { payload }) => sum + lengthOf(payload.ref), 0);
}

/**
 * The refusal of a call because content was refused to it, however its guest handled the error: the denial of its read,
 * the exceeded budget or the reference that leads nowhere with its recorded details, or `power_failed`. A search fails
 * its call only if it was denied. Undefined if no expansion failed.
 *
 * @see Catalytic Chat Contract, Budget Definitions and Error Policy
 */
export function failedExpansion(calls: readonly PowerCall[]): Refused | undefined {
  for (const { name, error } of calls) {
    if (error === undefined || !isContentPower(name)) continue;
    const { details, ...said } = error;
    const denied = readDenial(error.name, details);
    if (denied !== undefined) return denied;
    if (name === EXPAND) return expansionError(error.name, details) ?? refuse('power_failed', { error: said }, PLACE);
  }
  return undefined;
}

const PLACE = { step: 'execute' } as const;

/** A replay reads recorded errors from an untrusted file: malformed details yield undefined. */
function expansionError(code: string, details: unknown): Refused | undefined {
  if (code === 'budget_run' && isBound(details)) return refuse(code, details as DetailsOf['budget_run'], PLACE);
  if (isBudgetCode(code) && isBreach(details)) return refuse(code, details as DetailsOf['budget_bytes'], PLACE);
  return isLost(code, details) ? refuse(code, details as never, PLACE) : undefined;
}

const BOUND: Form<DetailsOf['budget_run']> = { limit: isCount, used: isCount };
const isBound = shaped(BOUND);
const isBreach = shaped({ ...BOUND, breaches: arrayOf(shaped({ ...BOUND, code: isWord })) });

type LostCode = keyof typeof LOST;

/** Codes of a reference or a slice that leads to no content, and the details recorded with each. */
const LOST = {
  symbol_unknown: shaped({ symbol: isText }),
  symbol_ambiguous: shaped({ ref: isText, matches: isCount }),
  target_unknown: shaped({ ref: isText }),
  target_gone: shaped({ symbol: isText }),
  section_unknown: shaped({ section_id: isText }),
  section_range: shaped({ path: isText, line_end: isCount, lines: isCount }),
  slice_syntax: shaped({ slice: isText }),
  slice_bounds: shaped({ slice: isText, unit: optional(oneOf('lines', 'characters')), size: optional(isCount) }),
  slice_unbounded: shaped({}),
  content_utf8: shaped({ offset: isCount, path: optional(isText) }),
  content_missing: shaped({ path: isText }),
  content_changed: shaped({ path: isText, expected: isText }),
} satisfies { readonly [C in keyof DetailsOf]?: Test };

function isLost(code: string, details: unknown): code is LostCode {
  return Object.hasOwn(LOST, code) && LOST[code as LostCode](details);
}

type OwnCode = 'capability_disabled' | 'no_grant' | 'grant_denied' | 'read_unasked';
type DenialCode = OwnCode | HeldTerm['code'];

const NAMED = { name: isText };

/** Codes that deny a read of a running call, and the details recorded with each. */
const DENIALS: Readonly<Record<OwnCode, Test>> & { readonly [code: string]: Test } = {
  capability_disabled: shaped(NAMED),
  no_grant: shaped(NAMED),
  grant_denied: shaped(NAMED),
  read_unasked: shaped(NAMED),
  ...Object.fromEntries(HELD_TERMS.map(({ code, details }) => [code, shaped({ ...NAMED, ...details })])),
};

export function isReadDenial(code: string | undefined): code is DenialCode {
  return code !== undefined && Object.hasOwn(DENIALS, code);
}

/**
 * The refusal behind a recorded error of a read. Undefined if the details are malformed: the file may be a stranger's.
 */
function readDenial(code: string, details: unknown): Refused | undefined {
  if (!isReadDenial(code) || DENIALS[code]?.(details) !== true) return undefined;
  return refuse(code, details as DetailsOf[HeldTerm['code']] & DetailsOf[OwnCode], { step: 'authorize' });
}
