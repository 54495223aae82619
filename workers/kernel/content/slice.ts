import { type Budgets, NOTHING_SPENT } from '../../../core/content/budget.ts';
import { expand } from '../../../core/content/expand.ts';
import { lookUp } from '../../../core/content/symbols.ts';
import { resolveSection, resolveSymbol, type Target } from '../../../core/content/target.ts';
import { isHash } from '../../../core/hash.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { SliceRead } from '../../api.ts';
import type { ContentRepository } from './repository.ts';

/** Current target of a reference: a symbol, a section id, or, for a person who tries slices, the path of a file. */
function targetOf({ corpus, symbols }: ContentRepository, ref: string): Outcome<Target> {
  if (ref.startsWith('@')) return lookUp(symbols, ref, corpus);
  if (isHash(ref)) return resolveSection(ref, corpus.fileOf(ref));
  const file = { symbol_id: ref, target_type: 'FILE', target_ref: ref, default_slice_policy: '' } as const;
  return resolveSymbol(file, corpus.file(ref));
}

/**
 * Expands a slice as for a message without charges. Where another tab has changed the content since, looks it up again
 * on the current content.
 */
export async function trySlice(
  repository: ContentRepository,
  ref: string,
  slice: string,
  budgets: Budgets,
): Promise<Outcome<SliceRead>> {
  const first = await readSlice(repository, ref, slice, budgets);
  const stale = !first.ok && STALE.has(first.refusal.code);
  const before = repository.corpus;
  if (!stale || !(await repository.refresh()).ok || repository.corpus === before) return first;
  return readSlice(repository, ref, slice, budgets);
}

const STALE: ReadonlySet<string> = new Set([
  'content_changed',
  'content_missing',
  'section_range',
  'section_unknown',
  'symbol_unknown',
  'target_gone',
]);

async function readSlice(
  repository: ContentRepository,
  ref: string,
  slice: string,
  budgets: Budgets,
): Promise<Outcome<SliceRead>> {
  const target = targetOf(repository, ref);
  if (!target.ok) return target;
  const text = await repository.text(target.value.file_path);
  if (!text.ok) return text;
  const facts = { run_id: '', target: target.value, slice, text: text.value, spent: NOTHING_SPENT, budgets };
  const read = expand(facts);
  if (!read.ok) return read;
  const { expansion, bytes, file_path, spent } = read.value;
  const { content_hash, payload_ref } = expansion;
  return pass({ text: read.value.text, bytes, content_hash, payload_ref, file_path, sections: spent.sections.size });
}
