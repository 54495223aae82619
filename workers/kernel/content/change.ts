import { type Outcome, pass } from '../../../core/outcome.ts';
import type { ContentChange, ContentOverview } from '../../api.ts';
import type { LedgerStore } from '../../store/store.ts';
import type { ContentRepository } from './repository.ts';
import type { RepositoryChange } from './stored-content.ts';

type Counts = Pick<ContentChange, 'added' | 'changed' | 'unchanged' | 'removed'>;

/** Writes a change of files, and returns the content after it. */
export async function changeFiles(
  store: Pick<LedgerStore, 'tidy'>,
  repository: ContentRepository,
  change: RepositoryChange,
  counts: Counts,
): Promise<Outcome<ContentChange>> {
  const isEmpty = (change.files?.size ?? 0) === 0;
  const done = isEmpty ? pass(undefined) : await repository.put(change);
  // Removed content also leaves the copies; a failed cleanup happens again when the ledger is opened next.
  if (done.ok && counts.removed > 0) await store.tidy();
  return done.ok ? pass({ ...(await overviewOf(repository)), ...counts }) : done;
}

export async function overviewOf({ corpus, symbols }: ContentRepository): Promise<ContentOverview> {
  const bytes = [...corpus.files.values()].reduce((sum, file) => sum + file.bytes, 0);
  const counts = { files: corpus.files.size, sections: corpus.sections, symbols: symbols.size, bytes };
  return { ...counts, index_hash: await corpus.indexHash() };
}
