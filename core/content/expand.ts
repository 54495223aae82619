import { utf8Length } from '../json/utf8.ts';
import { type Outcome, pass } from '../outcome.ts';
import { type Budgets, type Spending, spend } from './budget.ts';
import { sliceRange } from './slice.ts';
import { type Target, targetText } from './target.ts';
import { contentHash } from './text.ts';

/** Catalytic Chat Contract, Expansion: bounded content that was delivered. */
export interface Expansion {
  readonly run_id: string;
  readonly symbol_or_section_id: string;
  readonly slice: string;
  readonly content_hash: string;
  /** `sha256:<content_hash>` */
  readonly payload_ref: string;
}

/** The delivered text, and its record. */
interface ExpansionResult {
  readonly expansion: Expansion;
  readonly text: string;
  /** UTF-8 bytes of the text. */
  readonly bytes: number;
  readonly file_path: string;
  readonly spent: Spending;
}

interface ExpandFacts {
  readonly run_id: string;
  readonly target: Target;
  readonly slice: string;
  /** The whole text of the target's file, as it is now. */
  readonly text: string;
  readonly spent: Spending;
  readonly budgets: Budgets;
}

/**
 * Bounded retrieval of content: the hash of the whole target is taken again, the slice is cut, its cost is charged, and
 * only then is the text delivered. Sections count by leaf: each leaf that the slice touches.
 *
 * @see Catalytic Chat Contract, Expansion
 */
export function expand({ run_id, target, slice, text, spent, budgets }: ExpandFacts): Outcome<ExpansionResult> {
  const whole = targetText(target, text);
  if (!whole.ok) return whole;
  const range = sliceRange(whole.value.text, slice);
  if (!range.ok) return range;
  const { start, end } = range.value;
  const cut = whole.value.text.slice(start, end);
  const bytes = utf8Length(cut);
  const sections = touched(target, whole.value.ends, start, end);
  const charged = spend(spent, { sections, bytes, expands: 1 }, budgets);
  if (!charged.ok) return charged;
  const content_hash = contentHash(cut);
  const payload_ref = `sha256:${content_hash}`;
  const { symbol_or_section_id, file_path } = target;
  const expansion = { run_id, symbol_or_section_id, slice, content_hash, payload_ref };
  return pass({ expansion, text: cut, bytes, file_path, spent: charged.value });
}

function touched({ sections }: Target, ends: readonly number[], start: number, end: number): readonly string[] {
  return sections
    .filter((_, index) => (ends[index] ?? 0) > start && (ends[index - 1] ?? 0) < end)
    .map((section) => section.section_id);
}
