import { withLabels } from '../../capability/guard.ts';
import { CONTENT_READ } from '../../content/built-in.ts';
import { expand } from '../../content/expand.ts';
import { movedSections, sameAsBefore } from '../../content/staged.ts';
import { resolveSymbol, type Target } from '../../content/target.ts';
import { contentHash, withLineFeeds } from '../../content/text.ts';
import { type StagedFile, stage } from '../../content/write.ts';
import { refuse } from '../../errors.ts';
import { type Outcome, pass } from '../../outcome.ts';
import type { RunEvent } from '../event.ts';
import type { OpenStep, Work } from '../open-step.ts';
import { stepPayload } from '../payload.ts';
import type { Executing, RunState } from '../state.ts';
import { stay, type Transition } from '../step.ts';
import { sourceOf } from '../validate/resolution.ts';
import { withExpansions } from './expansions.ts';
import { failed, succeeded } from './operation.ts';
import { type OperationFacts, operationOf } from './operation-result.ts';

/** Applies the loaded file. The message's own staged writes take precedence over the stored text. */
export function loaded(state: RunState, at: Executing, event: Extract<RunEvent, { type: 'loaded' }>): Transition {
  const { open } = at;
  const { work } = open;
  if (work === undefined) return stay(state);
  const { file, rows } = event;
  const path = work.targets[work.done.length]?.file_path ?? '';
  const staged = work.staged.get(path);
  const held = staged ?? (file && { before: file, after: file, was: rows, rows });
  if (held === undefined) return failed(state, open, work, refuse('content_missing', { path }).refusal);
  const { type } = operationOf(work);
  const seen =
    staged === undefined ? sourceOf(open, type, work.targets[work.done.length] as Target, held.after.text) : undefined;
  const ran = seen === undefined ? {} : { source: seen.source };
  const after = { ...work, payloads: [...work.payloads, ...(seen?.payloads ?? [])] };
  const target = targetNow(work, held);
  if (!target.ok) return failed(state, open, after, target.refusal, ran);
  const facts = { target: target.value, held, ran };
  return type === 'READ' ? read(state, open, after, facts) : write(state, open, after, facts);
}

/** The content of an operation, and the part of it that is recorded. */
interface Content {
  readonly target: Target;
  readonly held: StagedFile;
  readonly ran: OperationFacts;
}

/** The target as authorized. Only this message's own writes can have moved it since it was resolved. */
function targetNow(work: Work, held: StagedFile): Outcome<Target> {
  const target = work.targets[work.done.length] as Target;
  if (!work.staged.has(target.file_path)) return pass(target);
  const row = held.rows.find((each) => each.symbol_id === target.symbol_or_section_id);
  return row === undefined
    ? refuse('target_gone', { symbol: target.symbol_or_section_id })
    : resolveSymbol(row, held.after);
}

function read(state: RunState, open: OpenStep, work: Work, { target, held, ran }: Content): Transition {
  const { facts, expandedBytes } = state;
  const slice = work.params[work.done.length]?.slice ?? target.default_slice_policy ?? '';
  const { spent, message } = work;
  const done = expand({ run_id: facts.run_id, target, slice, text: held.after.text, spent, budgets: message.budgets });
  if (!done.ok) return failed(state, open, work, done.refusal, ran);
  const { expansion, text, spent: after } = done.value;
  const same = sameAsBefore(expansion, work.sinceWrite, target.file_path);
  if (!same.ok) return failed(state, open, work, same.refusal, ran);
  const used = expandedBytes + after.bytes;
  const limit = facts.limits.expandedBytes;
  if (used > limit)
    return failed(state, open, work, refuse('budget_run', { limit, used }, { step: 'charge' }).refusal, ran);
  const yields = stepPayload(open, `yields ${work.done.length}`, text);
  const told = { slice, content_hash: expansion.content_hash, text };
  const shown = withExpansions(work, [{ expansion, payload: yields }]);
  return succeeded(state, open, { ...work, ...shown, spent: after }, yields, told, ran);
}

function write(state: RunState, open: OpenStep, work: Work, { target, held, ran }: Content): Transition {
  const { content = '', expected_hash = '' } = work.params[work.done.length] ?? {};
  const done = stage(held, target, content, expected_hash);
  // the refusal reveals whether the text is the expected text, so it counts as a read
  const labels = [...withLabels(new Set(work.labels), CONTENT_READ.manifest.labels ?? [])];
  if (!done.ok) return failed(state, open, { ...work, labels }, done.refusal, ran);
  const content_hash = contentHash(withLineFeeds(content));
  const staged = new Map(work.staged).set(target.file_path, done.value);
  const moved = movedSections(held.after, done.value.after, target);
  const sections = new Set([...work.spent.sections].map((id) => moved.get(id) ?? id));
  const written = { ...work, staged, sinceWrite: [], spent: { ...work.spent, sections } };
  const yields = stepPayload(open, `yields ${work.done.length}`, content_hash);
  return succeeded(state, open, written, yields, { content_hash }, ran);
}
