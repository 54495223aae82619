import MiniSearch from 'minisearch';
import type { Section } from '../../core/content/section.ts';
import type { StagedFiles } from '../../core/content/staged.ts';
import { decodeUtf8 } from '../../core/json/utf8.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import type { Found } from '../api.ts';
import { makePace, pause } from '../async/pause.ts';
import type { LedgerStore } from '../store/store.ts';
import { type FileEntry, fileRow, soundSections } from './file.ts';
import { sectionTexts } from './leaves.ts';
import type { Holdings } from './section-index.ts';

/** Words of a query that count; what a model asks for is a stranger's. */
const WORDS_MAX = 16;
/** The index takes several times its text in memory: of a larger corpus, the rest is not searched, and that is said. */
const BYTES_MAX = 32 << 20;

/** Full-text search over sections. It suggests where to read and justifies nothing. */
export interface Search {
  /**
   * The best sections first, at most so many, those of `written` files before the others. Brings the index up to date
   * before it answers.
   */
  find(query: string, most: number, written?: StagedFiles): Promise<Outcome<Found>>;
}

interface Leaf {
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

export function makeSearch(store: LedgerStore, holdings: () => Holdings): Search {
  const index = new MiniSearch<Leaf>({ fields: ['heading', 'text'], searchOptions: SEARCH });
  /** Each file that is in the index, as it is there. */
  const indexed = new Map<string, FileEntry>();
  const isDue = makePace();

  function idsOf(path: string): readonly string[] {
    const entry = indexed.get(path);
    return entry === undefined ? [] : soundSections(path, entry).map(idOf);
  }

  function forget(path: string): void {
    for (const id of idsOf(path)) index.discard(id);
    indexed.delete(path);
  }

  async function take(path: string, entry: FileEntry): Promise<Outcome<void>> {
    const found = await store.get('files', path);
    if (!found.ok) return found;
    const row = fileRow(found.value);
    const text = row === undefined || row.sections !== entry.sections ? undefined : decodeUtf8(row.text);
    if (text === undefined) return pass(undefined);
    const table = soundSections(path, entry);
    indexed.set(path, entry);
    for (const [nth, part] of sectionTexts(table, text).entries()) {
      index.add(leafOf(table[nth], part));
      if (isDue(part.length)) await pause();
    }
    return pass(undefined);
  }

  /** One after the other: between two files others get their turn in this worker. */
  async function sync(): Promise<Outcome<number>> {
    const { files, paths } = holdings();
    for (const [path, { sections }] of indexed) {
      if (files.get(path)?.sections === sections) continue;
      forget(path);
      if (isDue(sections.length)) await pause();
    }
    let bytes = 0;
    for (const path of await paths()) {
      const file = files.get(path);
      bytes += file?.bytes ?? 0;
      if (bytes > BYTES_MAX) break;
      if (file === undefined || indexed.has(path)) continue;
      const taken = await take(path, file);
      if (!taken.ok) return taken;
    }
    return pass(indexed.size);
  }

  let turn: Promise<unknown> = Promise.resolve();
  return {
    async find(query, most, written = new Map()) {
      const synced = turn.then(sync);
      turn = synced.catch(() => undefined);
      const done = await synced;
      if (!done.ok) return done;
      const words = query.split(/\s+/u).slice(0, WORDS_MAX).join(' ');
      const replaced = new Set([...written.keys()].flatMap(idsOf));
      const hits = index.search(words).filter(({ id }) => !replaced.has(String(id)));
      const fresh = searchFiles(words, written);
      const sections: Found['sections'][number][] = fresh.slice(0, most);
      // a common word is in most sections: those that nobody will see are not looked up
      for (const { id, score } of hits) {
        if (sections.length >= most) break;
        const found = sectionOf(holdings(), String(id));
        if (found !== undefined) sections.push({ ...found, score });
      }
      return pass({
        sections,
        matches: fresh.length + hits.length,
        searched: done.value,
        files: holdings().files.size,
      });
    },
  };
}

function idOf({ section_id }: Section): string {
  return section_id;
}

/** The sections of these files that hold every word, the best first. */
function searchFiles(words: string, written: StagedFiles): Found['sections'][number][] {
  if (written.size === 0) return [];
  const index = new MiniSearch<Leaf>({ fields: ['heading', 'text'], searchOptions: SEARCH });
  const sections = new Map<string, Section>();
  for (const { after } of written.values()) {
    for (const [nth, text] of sectionTexts(after.sections, after.text).entries()) {
      const section = after.sections[nth] as Section;
      index.add(leafOf(section, text));
      sections.set(section.section_id, section);
    }
  }
  return index.search(words).flatMap(({ id, score }) => {
    const section = sections.get(String(id));
    return section === undefined ? [] : [{ ...section, score }];
  });
}

const SEARCH = { combineWith: 'AND', prefix: (term: string) => term.length > 2, boost: { heading: 2 } } as const;

function leafOf(section: Section | undefined, text: string): Leaf {
  return { id: section?.section_id ?? '', heading: section?.heading_path.at(-1) ?? '', text };
}

function sectionOf(holdings: Holdings, section_id: string): Section | undefined {
  return holdings.fileOf(section_id)?.sections.find((section) => section.section_id === section_id);
}
