import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { buildIndex, CANONICAL_SOURCES, matchesGlobs, type SectionIndex } from '../../core/index.ts';
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
  const files = await sourcesIn(folder, globs);
  const built = buildIndex(files);
  if (!built.ok) {
    terminal.complain(`sallyport: ${built.refusal.message}`);
    return EXIT.malformed;
  }
  if (json) terminal.printJson({ files: files.length, ...built.value });
  else terminal.print(summary(files.length, built.value));
  return EXIT.ok;
}

async function sourcesIn(folder: string, globs: readonly string[]) {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => {
    throw new UsageError(`${folder} cannot be read`);
  });
  const paths = found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => matchesGlobs(path, globs))
    .sort();
  return Promise.all(paths.map(async (path) => ({ path, bytes: await readFile(join(folder, path)) })));
}

function summary(files: number, { sections, index_hash }: SectionIndex): string {
  return `${files} files, ${sections.length} sections\nindex ${index_hash}`;
}
