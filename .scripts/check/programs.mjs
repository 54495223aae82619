// The programs that the compiler checks. Folders with the same compiler options are checked as a single program: their
// sources are read and bound once, and no folder gets a wider `lib` than its own tsconfig gives it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { ROOT } from '../steps.mjs';

/** A tsconfig with its `extends` carried out; paths are absolute.
 * @typedef {{name: string, options: Record<string, unknown>, include: string[], exclude: string[]}} Config */
/** @typedef {{extends?: string, compilerOptions?: Record<string, unknown>, include?: string[], exclude?: string[]}} Written */

const SKIPPED = new Set(['node_modules', '.git', 'dist', 'test-results', 'playwright-report']);
const CACHE = join(ROOT, 'node_modules/.cache/sallyport/check');

/** Every tsconfig below the root: each folder compiles against only the `lib` it may use.
 * @param {string} [folder]
 * @returns {string[]} */
export function listConfigs(folder = ROOT) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : listConfigs(path);
    return /^tsconfig(\.\w+)?\.json$/.test(entry.name) && folder !== ROOT ? [path] : [];
  });
}

/** @param {string} path
 * @returns {Config} */
export function readConfig(path) {
  const folder = dirname(path);
  const { include = ['.'], exclude = [] } = written(path);
  const absolute = (/** @type {string} */ entry) => resolve(folder, entry).split(sep).join('/');
  return {
    name: relative(ROOT, path),
    options: optionsOf(path),
    include: include.map(absolute),
    exclude: exclude.map(absolute),
  };
}

/** @param {string} path
 * @returns {Record<string, unknown>} */
function optionsOf(path) {
  const { extends: base, compilerOptions = {} } = written(path);
  return base === undefined ? compilerOptions : { ...optionsOf(resolve(dirname(path), base)), ...compilerOptions };
}

/** @param {string} path
 * @returns {Written} */
function written(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Configs with equal options, together. A config that excludes files of another config stays alone.
 * @param {Config[]} configs
 * @returns {Config[][]} */
export function groupConfigs(configs) {
  /** @type {Config[][]} */
  const groups = [];
  for (const config of configs) {
    const group = groups.find((each) => each.every((member) => canJoin(member, config)));
    if (group === undefined) groups.push([config]);
    else group.push(config);
  }
  return groups;
}

/** @param {Config} one
 * @param {Config} other */
function canJoin(one, other) {
  return optionsKey(one) === optionsKey(other) && !hides(one, other) && !hides(other, one);
}

/** @param {Config} config */
function optionsKey({ options }) {
  return JSON.stringify(Object.entries(options).sort(([name], [next]) => (name < next ? -1 : 1)));
}

/** @param {Config} one
 * @param {Config} other */
function hides({ exclude }, { include }) {
  return exclude.some((hidden) => include.some((path) => path === hidden || path.startsWith(`${hidden}/`)));
}

/** @typedef {{compilerOptions: Record<string, unknown>, include: string[], exclude: string[]}} Program */

/** Writes the config of each group. `program` is its content.
 * @returns {Array<{name: string, config: string, program: Program}>} */
export function writePrograms() {
  mkdirSync(CACHE, { recursive: true });
  return groupConfigs(listConfigs().map(readConfig)).map((group, index) => {
    const config = join(CACHE, `tsconfig.${index}.json`);
    const program = programOf(group, join(CACHE, `tsconfig.${index}.tsbuildinfo`));
    writeFileSync(config, JSON.stringify(program, null, 2));
    return { name: group.map(({ name }) => name).join(' + '), config, program };
  });
}

/** Files that the compiler starts a program from; a pattern counts as its folder.
 * @param {Pick<Program, 'include' | 'exclude'>} program
 * @param {string[]} paths below the root
 * @param {string} [root]
 * @returns {string[]} */
export function filesIn({ include, exclude }, paths, root = ROOT) {
  const base = root.split(sep).join('/');
  const isIn = (/** @type {string} */ path) => (/** @type {string} */ entry) => {
    const folder = entry.replace(/\/[^/]*\*.*$/, '');
    return path === folder || path.startsWith(`${folder}/`);
  };
  return paths.filter((path) => include.some(isIn(`${base}/${path}`)) && !exclude.some(isIn(`${base}/${path}`)));
}

/** Files that the nearest `tsconfig.json` leaves out. The linter looks for no other config: given one of these files
 * without the program around it, it reads the file without the types of Node.
 * @param {Config[]} configs
 * @param {string[]} paths below the root
 * @param {string} [root]
 * @returns {Set<string>} */
export function listUnfound(configs, paths, root = ROOT) {
  const named = configs.map((config) => ({ config, folder: dirname(config.name).split(sep).join('/') }));
  const found = named.filter(({ config }) => basename(config.name) === 'tsconfig.json');
  const byDepth = found.sort((one, other) => other.folder.length - one.folder.length);
  const nearest = (/** @type {string} */ path) => byDepth.find(({ folder }) => path.startsWith(`${folder}/`))?.config;
  return new Set(
    paths.filter((path) => {
      const config = nearest(path);
      return config !== undefined && filesIn(config, [path], root).length === 0;
    }),
  );
}

/** The compiler remembers in `tsBuildInfoFile` which files it has checked, by their content, and checks the others.
 * @param {Config[]} group
 * @param {string} tsBuildInfoFile
 * @returns {Program} */
function programOf(group, tsBuildInfoFile) {
  const [{ options } = { options: {} }] = group;
  return {
    compilerOptions: { ...options, incremental: true, tsBuildInfoFile },
    include: group.flatMap(({ include }) => include),
    exclude: [join(ROOT, 'node_modules'), ...group.flatMap(({ exclude }) => exclude)],
  };
}
