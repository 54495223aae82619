import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path/posix';
import { parseSync } from 'oxc-parser';

/** An import of a file. `to` is a path from the root of the repository, or a package. */
export interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

/** Reads the imports, re-exports and dynamic imports of one file; a path that is not a literal is `?`. */
export function importsOf(from: string, source: string): Import[] {
  const { module, errors } = parseSync(from, source);
  if (errors.length > 0) throw new Error(`${from}: ${errors[0]?.message}`);
  const at = (to: string, typeOnly: boolean): Import => ({
    from,
    to: to.startsWith('.') ? normalize(join(from, '..', to)) : to,
    typeOnly,
  });
  const isTyped = (start: number) => /^(import|export)\s+type\b/.test(source.slice(start));
  return [
    ...module.staticImports.map((found) => at(found.moduleRequest.value, isTyped(found.start))),
    ...module.staticExports.flatMap(({ start, entries }) =>
      entries.flatMap((entry) => (entry.moduleRequest ? [at(entry.moduleRequest.value, isTyped(start))] : [])),
    ),
    ...module.dynamicImports.map(({ moduleRequest }) => {
      const text = source.slice(moduleRequest.start, moduleRequest.end);
      return at(/^(['"`])([^'"`$]*)\1$/.exec(text)?.[2] ?? '?', false);
    }),
  ];
}

export const FOLDERS = ['core', 'sandbox', 'workers', 'web'] as const;

/** The source files of the product. */
export const sources = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|js)$/.test(file) && !file.endsWith('.d.ts'))
    .map((file) => ({ file: `${folder}/${file}`, source: readFileSync(`${folder}/${file}`, 'utf8') })),
);

/** Functions that load code later, and tell of code that is gone. Each is given a function with the import in it. */
const LOADERS: ReadonlySet<unknown> = new Set(['loadPart', 'part', 'loading', 'late', 'loadBeside']);

/** The dynamic imports of one file that no loader makes, each as its text. */
export function bareImports(file: string, source: string): string[] {
  if (!/\bimport\s*\(/.test(source)) return [];
  const { program } = parseSync(file, source);
  const bare: string[] = [];
  /** `made`: the nearest function around the node was given to a loader. */
  const walk = (node: unknown, isGiven: boolean, made: boolean): void => {
    if (Array.isArray(node)) return node.forEach((each) => walk(each, isGiven, made));
    if (typeof node !== 'object' || node === null) return;
    const { type, callee, start, end, ...members } = node as { readonly [member: string]: unknown };
    if (type === 'ImportExpression' && !made) bare.push(source.slice(Number(start), Number(end)));
    const isFunction = /Function/.test(String(type));
    const isCall = type === 'CallExpression';
    const given = isCall ? LOADERS.has(nameOf(callee)) : !isFunction && isGiven;
    walk(callee, false, made);
    for (const member of Object.values(members)) walk(member, given, isFunction ? isGiven : made);
  };
  walk(program, false, false);
  return bare;
}

/** The name of a called function, or of the called member of an object. */
function nameOf(callee: unknown): unknown {
  const { name, property } = Object(callee) as { readonly name?: unknown; readonly property?: { name?: unknown } };
  return name ?? property?.name;
}
