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
