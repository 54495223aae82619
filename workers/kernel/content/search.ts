import MiniSearch from 'minisearch';
import type { Section } from '../../../core/content/section.ts';
import type { StagedFiles } from '../../../core/content/staged.ts';
import { decodeUtf8 } from '../../../core/json/utf8.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { Found } from '../../api.ts';
import { makePace, makeSerialQueue, pause } from '../../async.ts';
import type { LedgerStore } from '../../store/store.ts';
import { type FileEntry, fileRow, soundSections } from './file.ts';
import type { CorpusIndex } from './section-index.ts';

/** Words of a query that count; a query may be a stranger's text. */
const WORDS_MAX = 16;
/**
 * The index takes several times the memory of its text. Of a larger corpus the smallest files are searched, whatever
 * their order: most files are. The result names the others.
 */
const BYTES_MAX = 32 << 20;
/** Names of files that a result has. */
const LEFT_MAX = 20;

/** Full-text search over sections. Its results are suggestions for reading. */
export interface Search {
  /**
   * Returns the best sections first, at most `most`, sections of `written` files before all other sections. Brings the
   * index up to date first.
   */
  find(query: string, most: number, written?: StagedFiles): Promise<Outcome<Found>>;
}

interface Leaf {
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

/** @param bytesMax bytes of text that are searched. */
export function makeSearch(
  store: Pick<LedgerStore, 'get'>,
  corpus: () => CorpusIndex,
  bytesMax: number = BYTES_MAX,
): Search {
  const index = new MiniSearch<Leaf>({ fields: ['heading', 'text'], searchOptions: SEARCH });
  /** The indexed files, each with its entry at that time. */
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

  /**
   * Brings the index up to date, with pauses, so that this worker can answer other requests. Returns the paths of the
   * files that it leaves out, the smallest first.
   */
  async function sync(): Promise<Outcome<readonly string[]>> {
    const { files, paths } = corpus();
    const order = await paths();
    const sizeOf = (path: string): number => files.get(path)?.bytes ?? 0;
    const sorted = order.toSorted((one, other) => sizeOf(one) - sizeOf(other));
    let bytes = 0;
    const end = sorted.findIndex((path) => (bytes += sizeOf(path)) > bytesMax);
    const left = end < 0 ? [] : sorted.slice(end);
    const isLeft = new Set(left);
    for (const [path, { sections }] of indexed) {
      if (files.get(path)?.sections === sections && !isLeft.has(path)) continue;
      forget(path);
      if (isDue(sections.length)) await pause();
    }
    for (const path of order) {
      const file = files.get(path);
      if (file === undefined || isLeft.has(path) || indexed.has(path)) continue;
      const taken = await take(path, file);
      if (!taken.ok) return taken;
    }
    return pass(left);
  }

  const inTurn = makeSerialQueue();
  return {
    async find(query, most, written = new Map()) {
      const done = await inTurn(sync);
      if (!done.ok) return done;
      const words = query.split(/\s+/u).slice(0, WORDS_MAX).join(' ');
      const replaced = new Set([...written.keys()].flatMap(idsOf));
      const hits = index.search(words).filter(({ id }) => !replaced.has(String(id)));
      const fresh = searchFiles(words, written);
      const sections: Found['sections'][number][] = fresh.slice(0, most);
      // A common word is in most sections; hits beyond `most` are not looked up.
      for (const { id, score } of hits) {
        if (sections.length >= most) break;
        const found = sectionOf(corpus(), String(id));
        if (found !== undefined) sections.push({ ...found, score });
      }
      return pass({
        sections,
        matches: fresh.length + hits.length,
        searched: indexed.size,
        files: corpus().files.size,
        left: done.value.slice(0, LEFT_MAX),
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

function sectionOf(corpus: CorpusIndex, section_id: string): Section | undefined {
  return corpus.fileOf(section_id)?.sections.find((section) => section.section_id === section_id);
}

/** The text of each section of a file, in order: together they are the file. */
export function sectionTexts(sections: readonly Section[], text: string): readonly string[] {
  let [line, at] = [0, 0];
  return sections.map(({ line_end }) => {
    const start = at;
    for (; line < line_end; line++) {
      const found = text.indexOf('\n', at);
      at = found < 0 ? text.length : found + 1;
    }
    return text.slice(start, at);
  });
}
