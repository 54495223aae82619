import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { buildIndex, CANONICAL_SOURCES, matchesGlobs, type SectionIndex, type SourceFile } from '../../core/index.ts';
import { type Call, type Command, EXIT, UsageError } from './command.ts';

export const index: Command = {
  name: 'index',
  summary: 'Cuts the sources of a folder into sections and prints the hash that they are known by.',
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

async function run({ operands, options, json, terminal }: Call): Promise<number> {
  const folder = operands[0] ?? '.';
  const globs = typeof options['globs'] === 'string' ? options['globs'].split(',') : CANONICAL_SOURCES;
  const paths = await sourcesIn(folder, globs);
  const built = buildIndex(read(folder, paths));
  if (!built.ok) {
    terminal.complain(`sallyport: ${built.refusal.message}`);
    return EXIT.malformed;
  }
  if (json) terminal.printJson({ files: paths.length, ...built.value });
  else terminal.print(summary(paths.length, built.value));
  return EXIT.ok;
}

async function sourcesIn(folder: string, globs: readonly string[]): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => {
    throw new UsageError(`${folder} cannot be read`);
  });
  const named = found
    .filter((entry) => !entry.isDirectory())
    .map((entry) => ({ entry, path: relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/') }))
    .filter(({ path }) => matchesGlobs(path, globs));
  // a link may lead out of the folder, and what it leads to is another's
  const stray = named.find(({ entry }) => !entry.isFile());
  if (stray !== undefined) throw new UsageError(`${stray.path} is not a file`);
  return named.map(({ path }) => path);
}

/** One after the other: all at once, a large folder would be more files than may be open, and more text than memory. */
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
