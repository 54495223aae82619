// Which types an entry of the package mentions and does not export, read from the declarations in `dist/types`.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** A declaration file: its exports, its declarations, and the origins of its other names.
 * @typedef {{exports: Map<string, Target>, stars: string[], declared: Map<string, object>, imported: Map<string, Target>}} Module */
/** A name in a file of its own or of another.
 * @typedef {{file: string, name: string}} Target */

/** @type {Map<string, Module>} */
const modules = new Map();

/** Every type of the package that declarations of the entry mention and that the entry does not export. A type that its
 * own file does not export is a detail of that file, and is not counted.
 * @param {string} entry a `.d.ts` file
 * @returns {string[]} sorted, each as `Name (mentioned by Other)` */
export function missingTypes(entry) {
  const all = exportsOf(entry);
  const there = new Set([...all.values()].map(keyOf));
  const missing = new Set();
  for (const [name, target] of all) {
    const declaration = moduleOf(target.file).declared.get(target.name);
    for (const mentioned of declaration === undefined ? [] : mentionedIn(declaration)) {
      const found = local(target.file, mentioned);
      const isPrivate = found !== undefined && !moduleOf(found.file).exports.has(found.name);
      if (found !== undefined && !isPrivate && !there.has(keyOf(found)))
        missing.add(`${mentioned} (mentioned by ${name})`);
    }
  }
  return [...missing].toSorted((one, other) => one.localeCompare(other));
}

/** Packages that a compiler looks for when it reads the entry, itself or through another file.
 * @param {string} entry a `.d.ts` file
 * @returns {string[]} without those of Node */
export function neededPackages(entry) {
  const [files, packages] = [new Set([entry]), new Set()];
  for (const file of files)
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()'([^'\s]+)'/g)) {
      if (name.startsWith('.')) files.add(join(dirname(file), name.replace(/\.js$/, '.d.ts')));
      else if (!name.startsWith('node:')) packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0]);
    }
  return [...packages];
}

/** Names of values that the entry exports without `@experimental` in their comment; core's are core's own.
 * @param {string} entry a `.d.ts` file
 * @returns {string[]} sorted */
export function unmarkedValues(entry) {
  const found = [...exportsOf(entry)].filter(([, { file, name }]) => {
    const declaration = /** @type {any} */ (moduleOf(file).declared.get(name));
    if (file.startsWith('dist/types/core/') || /^TS(?:Interface|TypeAlias)/.test(declaration.type)) return false;
    // the first of its overloads has the comment
    const marked = `@experimental(?:(?!\\*/).)*\\*/\\s*(?:export\\s+)?declare (?:function|const|class) ${name}\\b`;
    return !new RegExp(marked, 's').test(readFileSync(file, 'utf8'));
  });
  return found.map(([name]) => name).toSorted((one, other) => one.localeCompare(other));
}

/** @param {Target} target */
function keyOf({ file, name }) {
  return `${file}#${name}`;
}

/** Every exported name of a file, with the place of its declaration.
 * @param {string} file
 * @returns {Map<string, Target>} */
function exportsOf(file) {
  const found = new Map();
  for (const name of exportedNames(file, new Set())) {
    const target = exported(file, name);
    if (target !== undefined) found.set(name, target);
  }
  return found;
}

/** @param {string} file
 * @param {Set<string>} seen
 * @returns {string[]} */
function exportedNames(file, seen) {
  if (seen.has(file)) return [];
  seen.add(file);
  const { exports, stars } = moduleOf(file);
  return [...exports.keys(), ...stars.flatMap((star) => exportedNames(star, seen))];
}

/** The declaration behind an exported name of a file.
 * @param {string} file
 * @param {string} name
 * @returns {Target | undefined} */
function exported(file, name, seen = new Set()) {
  if (seen.has(file)) return undefined;
  seen.add(file);
  const { exports, stars } = moduleOf(file);
  const target = exports.get(name);
  if (target !== undefined) return target.file === file ? local(file, target.name) : exported(target.file, target.name);
  for (const star of stars) {
    const found = exported(star, name, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The declaration of a name as a file uses it.
 * @param {string} file
 * @param {string} name
 * @returns {Target | undefined} */
function local(file, name) {
  const { declared, imported } = moduleOf(file);
  if (declared.has(name)) return { file, name };
  const target = imported.get(name);
  return target && exported(target.file, target.name);
}

/** @param {string} file
 * @returns {Module} */
function moduleOf(file) {
  const known = modules.get(file);
  if (known !== undefined) return known;
  /** @type {Module} */
  const module = { exports: new Map(), stars: [], declared: new Map(), imported: new Map() };
  modules.set(file, module);
  const { program } = parseSync(file, readFileSync(file, 'utf8'), { lang: 'dts' });
  for (const node of program.body) read(/** @type {any} */ (node), file, module);
  return module;
}

/** @param {any} node
 * @param {string} file
 * @param {Module} module */
function read(node, file, module) {
  const from = node.source?.value.startsWith('.') ? fileOf(file, node.source.value) : undefined;
  if (node.type === 'ImportDeclaration') {
    if (from === undefined) return;
    for (const { local, imported } of node.specifiers)
      module.imported.set(local.name, { file: from, name: imported?.name ?? 'default' });
  } else if (node.type === 'ExportAllDeclaration') {
    if (from !== undefined) module.stars.push(from);
  } else if (node.type === 'ExportNamedDeclaration' && node.declaration === null) {
    for (const { local, exported } of node.specifiers)
      module.exports.set(exported.name, { file: from ?? file, name: local.name });
  } else {
    const declaration = node.declaration ?? node;
    for (const name of namesOf(declaration)) {
      module.declared.set(name, declaration);
      if (node.type === 'ExportNamedDeclaration') module.exports.set(name, { file, name });
    }
  }
}

/** @param {any} declaration
 * @returns {string[]} */
function namesOf(declaration) {
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.map((/** @type {any} */ each) => each.id.name);
  return declaration.id?.name === undefined ? [] : [declaration.id.name];
}

/** Names of types that a declaration refers to, without its own type parameters.
 * @param {any} node
 * @returns {Set<string>} */
function mentionedIn(node, found = new Set(), own = new Set()) {
  if (Array.isArray(node)) for (const each of node) mentionedIn(each, found, own);
  else if (node !== null && typeof node === 'object') {
    if (node.type === 'TSTypeParameter') own.add(node.name.name);
    if (node.type === 'TSTypeReference') found.add(leftmost(node.typeName));
    if (node.type === 'TSTypeQuery') found.add(leftmost(node.exprName));
    if (node.type === 'TSInterfaceHeritage' || node.type === 'TSClassImplements') found.add(leftmost(node.expression));
    for (const [key, value] of Object.entries(node)) if (key !== 'parent') mentionedIn(value, found, own);
  }
  for (const name of own) found.delete(name);
  return found;
}

/** @param {any} name
 * @returns {string} */
function leftmost(name) {
  return name.type === 'TSQualifiedName' ? leftmost(name.left) : name.name;
}

/** @param {string} file
 * @param {string} source */
function fileOf(file, source) {
  return join(dirname(file), source.replace(/\.js$/, '.d.ts'));
}
