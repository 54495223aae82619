// The parts of the check, each with the keys of what it reads.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { binOf, ROOT } from '../steps.mjs';
import { keysOf } from './keys.mjs';
import { filesIn, listConfigs, listUnfound, readConfig, writePrograms } from './programs.mjs';
import { CODE, readSources } from './sources.mjs';

/** `keys`: of each unit. `args`: the command that checks these units.
 * @typedef {{name: string, keys: import('./passed.mjs').Keys, args: (units: string[]) => string[]}} Part */

/** A command line has room for this many paths on every platform. */
const PATHS_MAX = 200;

const OXLINT = [binOf('oxlint'), '--deny-warnings', '--report-unused-disable-directives'];
const BIOME = [binOf('@biomejs/biome#biome'), 'check', '--error-on-warnings'];

/** @returns {Part[]} */
export function readParts() {
  const written = writePrograms();
  const isolated = written.filter(({ program }) => program.compilerOptions['isolatedDeclarations'] === true);
  const sources = readSources(ROOT, (path) => isolated.some(({ program }) => filesIn(program, [path]).length > 0));
  const paths = [...sources.files.keys()];
  const keys = keysOf(sources, toolVersions());
  const whole = (/** @type {string} */ key) => ({ whole: key });
  const each = (/** @type {string[]} */ units, /** @type {(path: string) => string} */ keyOf) =>
    Object.fromEntries(units.map((path) => [path, keyOf(path)]));
  const programs = written.map((each) => ({ ...each, files: filesIn(each.program, paths) }));
  // The linter reads a file within its program: with the types that other files of the program declare for all.
  const declared = new Map(
    programs.flatMap(({ files }) => {
      const types = keys.declared(files);
      return files.map((path) => [path, types]);
    }),
  );
  const all = keys.declared(paths);
  const unfound = listUnfound(listConfigs().map(readConfig), paths);
  return [
    // Steps fill the cores already; a compiler with several threads takes longer beside other steps.
    ...programs.map(({ name, config, program, files }) => ({
      name: `tsc ${name}`,
      keys: whole(keys.whole(files, JSON.stringify(program))),
      args: () => [binOf('typescript#tsc'), '--singleThreaded', '-p', config],
    })),
    {
      name: 'oxlint',
      keys: each(
        paths.filter((path) => CODE.test(path)),
        (path) => keys.typed(path, declared.get(path) ?? all),
      ),
      args: (units) =>
        units.length > PATHS_MAX || units.some((path) => unfound.has(path))
          ? OXLINT
          : [...OXLINT, '--no-error-on-unmatched-pattern', ...units],
    },
    {
      name: 'biome',
      keys: each(paths, keys.alone),
      args: (units) =>
        units.length > PATHS_MAX
          ? BIOME
          : [...BIOME, '--no-errors-on-unmatched', '--files-ignore-unknown=true', ...units],
    },
    {
      name: 'knip',
      keys: whole(keys.everything()),
      // The cache holds the imports and exports of each file, by its time and size, in node_modules/.cache/knip.
      args: () => [binOf('knip'), '--no-progress', '--cache'],
    },
  ];
}

/** The installed packages with their versions, and Node. */
function toolVersions() {
  return `${process.version}\n${readFileSync(join(ROOT, 'node_modules/.package-lock.json'), 'utf8')}`;
}
