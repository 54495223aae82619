import { type Dirent, readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { buildIndex, type SectionIndex, type SourceFile } from '../../../core/content/build.ts';
import { CANONICAL_SOURCES, matchesGlobs } from '../../../core/content/glob.ts';
import { visibleLine } from '../../../core/text/visible.ts';
import { type Command, type CommandCall, EXIT, UsageError } from './command.ts';

export const index: Command = {
  name: 'index',
  summary: 'Cuts the sources of a folder into sections and prints the hash that they are known by. Follows no links.',
  operands: '[FOLDER]',
  options: {
    globs: {
      value: 'GLOBS',
      help: `Which files, separated by commas; ${CANONICAL_SOURCES.join(',')} where it is absent.`,
    },
  },
  examples: [
    'sallyport index .',
    "sallyport index notes --globs '**/*.md'   # every note",
    'sallyport index . --json | jq .index_hash',
  ],
  run,
};

async function run({ operands, options, json, terminal }: CommandCall): Promise<number> {
  const folder = operands[0] ?? '.';
  const globs = typeof options['globs'] === 'string' ? options['globs'].split(',') : CANONICAL_SOURCES;
  const { paths, links } = await sourcesIn(folder, globs);
  const built = buildIndex(read(folder, paths));
  if (!built.ok) {
    terminal.complain(`sallyport: ${built.refusal.message}`);
    return EXIT.malformed;
  }
  for (const link of links)
    terminal.complain(`sallyport: ${visibleLine(link)} is a link to a folder, and not followed`);
  if (paths.length === 0)
    terminal.complain(
      `sallyport: nothing in ${visibleLine(folder)} matches ${globs.join(', ')}. Name others by --globs`,
    );
  if (json) terminal.printJson({ files: paths.length, links, ...built.value });
  else terminal.print(summary(paths.length, built.value));
  return EXIT.ok;
}

interface Sources {
  readonly paths: readonly string[];
  /**
   * Links in folders that may hold more files. The command does not follow them: the target may be a stranger's, or
   * this folder again.
   */
  readonly links: readonly string[];
}

async function sourcesIn(folder: string, globs: readonly string[]): Promise<Sources> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => {
    throw new UsageError(`${folder} cannot be read`);
  });
  const others = found
    .filter((entry) => !entry.isDirectory())
    .map((entry) => ({ entry, path: relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/') }));
  const named = others.filter(({ path }) => matchesGlobs(path, globs));
  // A link may lead out of the folder, to a stranger's file.
  const stray = named.find(({ entry }) => !entry.isFile());
  if (stray !== undefined) throw new UsageError(`${stray.path} is not a file`);
  const links = others.filter(({ entry, path }) => entry.isSymbolicLink() && leadsOn(path, globs) && isFolder(entry));
  return { paths: named.map(({ path }) => path), links: links.map(({ path }) => path).sort() };
}

/** True if a path below this folder could match. */
function leadsOn(path: string, globs: readonly string[]): boolean {
  const depth = path.split('/').length;
  return globs.some((glob) => {
    const segments = glob.split('/');
    const deep = segments.slice(0, depth).indexOf('**') + 1;
    const goesOn = deep > 0 || segments.length > depth;
    return goesOn && matchesGlobs(path, [segments.slice(0, deep || depth).join('/')]);
  });
}

function isFolder({ parentPath, name }: Dirent): boolean {
  try {
    return statSync(join(parentPath, name)).isDirectory();
  } catch {
    // The link is broken or circular.
    return false;
  }
}

/** Reads the files in turn: a large folder would exceed the limit of open files, and the memory. */
function* read(folder: string, paths: readonly string[]): Generator<SourceFile> {
  for (const path of paths) yield { path, bytes: bytesOf(folder, path) };
}

function bytesOf(folder: string, path: string): Uint8Array {
  try {
    return readFileSync(join(folder, path));
  } catch {
    throw new UsageError(`${path} cannot be read`);
  }
}

function summary(files: number, { sections, index_hash }: SectionIndex): string {
  return `${files} files, ${sections.length} sections\nindex ${index_hash}`;
}
