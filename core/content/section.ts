import { refuse } from '../errors.ts';
import { sectionHash } from '../hash.ts';
import { demand, OBJECT, STRING } from '../option.ts';
import { type Outcome, pass } from '../outcome.ts';
import { scanHeadings } from './markdown/headings.ts';
import { lineCount, lineEnd } from './text.ts';

/** Catalytic Chat Contract, Section. `line_end` is exclusive; `heading_path` is empty for the file-level section. */
export interface Section {
  readonly section_id: string;
  readonly file_path: string;
  readonly heading_path: readonly string[];
  readonly line_start: number;
  readonly line_end: number;
  readonly content_hash: string;
}

/** SHA-256 of `file_path:line_start:line_end:content_hash`. The last three have fixed shapes, so a path may hold `:`. */
export function sectionId(section: Place): string {
  demand('section', section, OBJECT);
  return sectionHash(placeText(section));
}

type Place = Pick<Section, 'file_path' | 'line_start' | 'line_end' | 'content_hash'>;

function placeText({ file_path, line_start, line_end, content_hash }: Place): string {
  return `${file_path}:${line_start}:${line_end}:${content_hash}`;
}

/** SHA-256 of the UTF-8 of each text, in order, as hex digits. */
type HashTexts = (texts: readonly string[]) => readonly string[];

const hashEach: HashTexts = (texts) => texts.map(sectionHash);

/**
 * The sections of a file's normalised text: leaves, each from its heading to the next heading of any level, so that
 * every line is in exactly one leaf and the leaves together are the file. The text before the first heading is a
 * file-level section, and so is a file that is not Markdown. Refuses with `path_invalid`.
 */
export function extractSections(filePath: string, text: string): Outcome<readonly Section[]> {
  demand('filePath', filePath, STRING);
  demand('text', text, STRING);
  return sectionsBy(hashEach, filePath, text);
}

/** `extractSections` with another function for SHA-256, which is given all texts of the file at once. */
export function sectionsBy(hash: HashTexts, filePath: string, text: string): Outcome<readonly Section[]> {
  const path = checkPath(filePath);
  if (!path.ok) return path;
  const starts = sectionStarts(filePath, text);
  const lines = lineCount(text);
  const hashes = hash(starts.map(({ offset }, index) => text.slice(offset, starts[index + 1]?.offset ?? text.length)));
  const places = starts.map(({ line }, index) => ({
    file_path: filePath,
    line_start: line,
    line_end: starts[index + 1]?.line ?? lines,
    content_hash: hashes[index] as string,
  }));
  const ids = hash(places.map(placeText));
  return pass(
    starts.map((start, index) => ({
      section_id: ids[index] as string,
      heading_path: start.path,
      ...(places[index] as Place),
    })),
  );
}

interface Start {
  readonly path: readonly string[];
  readonly line: number;
  readonly offset: number;
}

/** File names whose text is scanned for headings; case counts. */
const MARKDOWN = /\.(?:md|markdown)$/;

function sectionStarts(filePath: string, text: string): readonly Start[] {
  const starts: Start[] = [];
  const open: { readonly depth: number; readonly name: string }[] = [];
  for (const { depth, name, line, offset } of MARKDOWN.test(filePath) ? headingsOf(text) : []) {
    while ((open.at(-1)?.depth ?? 0) >= depth) open.pop();
    open.push({ depth, name });
    starts.push({ path: open.map((heading) => heading.name), line, offset });
  }
  return starts[0]?.line === 0 ? starts : [{ path: [], line: 0, offset: 0 }, ...starts];
}

/** A byte order mark belongs to the text, but a heading may follow it; front matter is not Markdown. */
function headingsOf(text: string): ReturnType<typeof scanHeadings> {
  const start = text.startsWith('\ufeff') ? 1 : 0;
  const matter = frontMatterEnd(text, start);
  if (matter === undefined) {
    const [first, ...rest] = scanHeadings(text, start);
    return first === undefined ? [] : [first.line === 0 ? { ...first, offset: 0 } : first, ...rest];
  }
  return scanHeadings(text, matter.offset, matter.line);
}

/**
 * Behind a block that opens the file: YAML from a line `---` to the next `---` or `...`, TOML from a line `+++` to the next.
 * An unclosed block is Markdown.
 */
function frontMatterEnd(text: string, start: number): { readonly offset: number; readonly line: number } | undefined {
  let at = lineEnd(text, start);
  const [, fence] = /^(---|\+\+\+)[ \t]*\n$/.exec(text.slice(start, at)) ?? [];
  if (fence === undefined) return undefined;
  const close = fence === '---' ? /^(?:---|\.\.\.)[ \t]*\n?$/ : /^\+\+\+[ \t]*\n?$/;
  for (let line = 2; at < text.length; line++) {
    const end = lineEnd(text, at);
    if (close.test(text.slice(at, end))) return { offset: end, line };
    at = end;
  }
  return undefined;
}

/** Control characters, C0 and C1, and the separators of lines and paragraphs. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
/** Characters that change the direction of the text beside them: `a\u202egpj.md` is shown as `adm.jpg`. */
const BIDI = /\p{Bidi_Control}/u;

/**
 * A path that names content: relative to its root, `/` between segments, in NFC, compared by code unit. Another
 * spelling is refused with `path_invalid`, never converted: two spellings would be two identities.
 *
 * @see Catalytic Chat Contract, Section
 */
export function checkPath(path: string): Outcome<string> {
  const reason = fault(path);
  return reason === undefined ? pass(path) : refuse('path_invalid', { path: path.toWellFormed(), reason });
}

function fault(path: string): string | undefined {
  if (path === '') return 'it is empty';
  if (!path.isWellFormed()) return 'it holds half of a surrogate pair';
  if (CONTROL.test(path)) return 'it holds a control character';
  if (BIDI.test(path)) return 'it holds a character that changes the direction of writing';
  if (path.includes('\\')) return 'it holds a backslash';
  if (/^[A-Za-z]:\//.test(path)) return 'it names a drive';
  if (path !== path.normalize('NFC')) return 'it is not in Unicode form NFC';
  const segments = path.split('/');
  if (segments.includes('')) return path.startsWith('/') ? 'it is absolute' : 'a segment is empty';
  return segments.some((segment) => segment === '.' || segment === '..') ? 'it climbs' : undefined;
}
