import { SLICE_PATTERN } from '../../core/content/slice-form.ts';
import csv from './guest/lib/csv.js?raw';
import date from './guest/lib/date.js?raw';
import decimal from './guest/lib/decimal.js?raw';
import text from './guest/lib/text.js?raw';

/** Files a capability carries inside its source, by path: until it can ask for them, they come with it. */
export type Files = { readonly [path: string]: string };

/** The runtime's pattern of slices: a guest reads what the runtime reads. */
const SLICE = `const SLICE_PATTERN = ${JSON.stringify(SLICE_PATTERN)};\n`;

const IMPORT = /^import \{[^}]*\} from '\.\/(?:lib\/)?(\w+)\.js';\n/gm;

/**
 * Joins a guest module, the parts it imports and the files it carries into the single module that the sandbox loads: a
 * realm has no loader, so it cannot be made to fetch.
 */
export function link(source: string, files: Files = {}): string {
  const library = new Map(Object.entries({ csv, date, decimal, text, slice: SLICE, files: carried(files) }));
  const parts = new Map<string, string>();
  const own = take(source, library, parts);
  return [...parts.values(), own].join('\n');
}

/** Takes the imports out of a module, and the parts they name in: each once, before its first user. */
function take(source: string, library: ReadonlyMap<string, string>, parts: Map<string, string>): string {
  const own = source.replaceAll(IMPORT, (_line, name: string) => {
    const part = library.get(name);
    if (part === undefined) throw new Error(`no guest part is called ${name}`);
    if (!parts.has(name)) parts.set(name, take(part, library, parts).replaceAll(/^export /gm, ''));
    return '';
  });
  return own.trimStart();
}

/** JSON inside a string: a path such as `__proto__` stays a name, and no text can end the literal. */
function carried(files: Files): string {
  const sorted = Object.keys(files)
    .toSorted()
    .map((path) => [path, files[path]]);
  const json = JSON.stringify(Object.fromEntries(sorted));
  return `/** @type {Readonly<Record<string, string>>} */\nconst files = JSON.parse(${JSON.stringify(json)});\n`;
}
