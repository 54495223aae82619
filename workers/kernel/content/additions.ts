import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass, type Refused } from '../../../core/outcome.ts';
import type { ContentChange } from '../../api.ts';
import { releaseBuffer } from '../../release-buffer.ts';
import type { LedgerStore } from '../../store/store.ts';
import { changeFiles } from './change.ts';
import { type Intake, newIntake, type Pack, takeIn } from './ingest.ts';
import type { ContentRepository } from './repository.ts';

interface Addition {
  readonly intake: Intake;
  readonly release: () => void;
}

/** Additions under way. Each holds the turn to change content from its beginning to its commit or end. */
export class Additions {
  readonly #store: LedgerStore;
  readonly #repository: ContentRepository;
  readonly #open = new Map<number, Addition>();
  #begun = 0;

  constructor(store: LedgerStore, repository: ContentRepository) {
    this.#store = store;
    this.#repository = repository;
  }

  async begin(): Promise<Outcome<number>> {
    const release = await this.#repository.turn();
    const done = await this.#repository.refresh();
    if (!done.ok) {
      release();
      return done;
    }
    this.#open.set(++this.#begun, { intake: newIntake(this.#store.scratch), release });
    return pass(this.#begun);
  }

  async stage(addition: number, pack: Pack): Promise<Outcome<void>> {
    const open = this.#open.get(addition);
    if (open === undefined) return refuse('option_invalid', { name: 'addition' });
    const { corpus, packs } = this.#repository;
    const taken = await takeIn(open.intake, pack, { files: corpus.files, packs });
    releaseBuffer(pack.bytes);
    // An incomplete addition must not be committed.
    if (!taken.ok) await this.end(addition);
    return taken;
  }

  async commit(addition: number, whole: boolean): Promise<Outcome<ContentChange>> {
    const open = this.#open.get(addition);
    if (open === undefined) return refuse('option_invalid', { name: 'addition' });
    try {
      return await this.#repository.alone(() => this.#put(open.intake, whole));
    } finally {
      await this.end(addition);
    }
  }

  async #put(intake: Intake, whole: boolean): Promise<Outcome<ContentChange>> {
    const repository = this.#repository;
    const fresh = await repository.refresh();
    if (!fresh.ok) return fresh;
    const moved = movedSince(repository, intake);
    if (moved !== undefined) return moved;
    const { files, counts } = balance(repository, intake, whole);
    return changeFiles(this.#store, repository, { files, packs: intake.packs }, counts);
  }

  /** Ends an addition, committed or not. */
  async end(addition: number): Promise<void> {
    const open = this.#open.get(addition);
    this.#open.delete(addition);
    await open?.intake.spill.close();
    open?.release();
  }
}

/** Refuses an unchanged file that another tab has changed since it was staged. */
function movedSince({ corpus }: ContentRepository, { seen, filed }: Intake): Refused | undefined {
  for (const [path, expected] of seen) {
    const found = corpus.files.get(path)?.source_hash ?? '';
    if (!filed.has(path) && found !== expected) return refuse('content_changed', { path, expected });
  }
  return undefined;
}

/** The changes of an addition. With `whole`, it removes every file that the addition does not contain. */
function balance({ corpus }: ContentRepository, { seen, filed }: Intake, whole: boolean) {
  const gone = whole ? [...corpus.files.keys()].filter((path) => !seen.has(path)) : [];
  const added = [...filed.keys()].filter((path) => !corpus.files.has(path)).length;
  return {
    files: new Map([...filed, ...gone.map((path) => [path, undefined] as const)]),
    counts: { added, changed: filed.size - added, unchanged: seen.size - filed.size, removed: gone.length },
  };
}
