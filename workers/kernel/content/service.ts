import { BUDGETS } from '../../../core/content/budget.ts';
import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { ContentChange, ContentFile, ContentOverview, Found, Rebuilt, SliceRead } from '../../api.ts';
import type { LedgerStore } from '../../store/store.ts';
import { recordInLog } from '../../store/system-log.ts';
import { Additions } from './additions.ts';
import { changeFiles, overviewOf } from './change.ts';
import type { FileEntry } from './file.ts';
import type { Pack } from './ingest.ts';
import { type ContentPage, type Cursor, pageOf } from './pages.ts';
import { rebuild } from './rebuild.ts';
import type { ContentRepository } from './repository.ts';
import type { Search } from './search.ts';
import { trySlice } from './slice.ts';
import { type ContentTurns, type SymbolService, symbolService } from './symbol-service.ts';
import { undoOf } from './undo.ts';

/**
 * The content as the client reaches it: every answer is a value, and large tables are JSON text, so that it crosses a
 * port well.
 */
export interface ContentService extends SymbolService {
  /** Opens an addition; later changes wait until it is committed or dropped. */
  beginAddition(): Promise<Outcome<number>>;
  /** Indexes a pack; the service owns its bytes from then on. */
  stageFiles(addition: number, pack: Pack): Promise<Outcome<void>>;
  commitAddition(addition: number, whole: boolean): Promise<Outcome<ContentChange>>;
  dropAddition(addition: number): Promise<void>;
  removeFiles(paths: readonly string[]): Promise<Outcome<ContentChange>>;
  contentOverview(): Promise<Outcome<ContentOverview>>;
  /** A page of all files; undefined where the content has changed since the previous page. */
  listFiles(cursor: Cursor | undefined): Promise<Outcome<ContentPage<readonly ContentFile[]> | undefined>>;
  /** A page of the packed tables of all files; undefined where the content has changed since the previous page. */
  sectionTables(cursor: Cursor | undefined): Promise<Outcome<ContentPage<readonly string[]> | undefined>>;
  sectionTable(path: string): Promise<Outcome<string>>;
  fileText(path: string): Promise<Outcome<string>>;
  expandRef(ref: string, slice: string): Promise<Outcome<SliceRead>>;
  searchContent(query: string, most: number): Promise<Outcome<Found>>;
  rebuildIndex(): Promise<Outcome<Rebuilt>>;
  undoStep(run_id: string, step: number): Promise<Outcome<ContentChange>>;
}

/** @param isTool whether a capability has this name: `@TOOLS/<name>` is taken then; @param epoch of the log */
export function makeContentService(
  store: LedgerStore,
  repository: ContentRepository,
  search: Search,
  isTool: (name: string) => boolean,
  epoch: () => number = () => 1,
): ContentService {
  const additions = new Additions(store, repository);
  const turns = turnsOf(repository);
  const { inTurn, fresh } = turns;
  return {
    beginAddition: () => additions.begin(),
    stageFiles: (addition, pack) => additions.stage(addition, pack),
    commitAddition: (addition, whole) => additions.commit(addition, whole),
    dropAddition: (addition) => additions.end(addition),
    removeFiles: (paths) =>
      inTurn(async () => {
        const missing = paths.find((path) => !repository.corpus.files.has(path));
        if (missing !== undefined) return refuse('content_missing', { path: missing });
        const files = new Map(paths.map((path) => [path, undefined]));
        const counts = { added: 0, changed: 0, unchanged: 0, removed: files.size };
        return changeFiles(store, repository, { files }, counts);
      }),
    contentOverview: () => fresh(async () => pass(await overviewOf(repository))),
    listFiles: (cursor) => fresh(async () => pass(await pageOf(repository, cursor, fileOf))),
    sectionTables: (cursor) =>
      fresh(async () => pass(await pageOf(repository, cursor, (_path, { sections }) => sections))),
    sectionTable: (path) =>
      fresh(() => {
        const file = repository.corpus.files.get(path);
        return file === undefined ? refuse('content_missing', { path }) : pass(file.sections);
      }),
    fileText: (path) => repository.text(path),
    ...symbolService(repository, turns, isTool),
    expandRef: (ref, slice) => trySlice(repository, ref, slice, BUDGETS),
    searchContent: (query, most) => fresh(() => search.find(query, most)),
    rebuildIndex: () => inTurn(() => rebuild(store, repository.corpus)),
    undoStep: (run_id, step) =>
      inTurn(async () => {
        const undo = await undoOf(store, repository, run_id, step);
        if (!undo.ok) return undo;
        const { change, note } = undo.value;
        const rows = repository.writes(change);
        const noted = await recordInLog(store, epoch(), note, rows);
        if (!noted.ok) return noted;
        repository.committed(change, rows);
        const changed = note.files.length;
        return pass({ ...(await overviewOf(repository)), added: 0, changed, unchanged: 0, removed: 0 });
      }),
  };
}

function turnsOf(repository: ContentRepository): ContentTurns {
  const fresh: ContentTurns['fresh'] = async (work) => {
    const done = await repository.refresh();
    return done.ok ? work() : done;
  };
  return {
    fresh,
    inTurn: async (work) => {
      const release = await repository.turn();
      return repository.alone(() => fresh(work)).finally(release);
    },
  };
}

function fileOf(path: string, { bytes, content_hash, places }: FileEntry): ContentFile {
  return { path, bytes, content_hash, sections: places.length };
}
