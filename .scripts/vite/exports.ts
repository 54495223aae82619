import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { packageEntries } from '../entries.mjs';

/** An export of a module: its declaration, and the text of its comment. */
interface Exported {
  readonly name: string;
  readonly kind: 'function' | 'value' | 'class' | 'type';
  readonly code: string;
  readonly words: string;
}

type Node = Readonly<Record<string, unknown>> & { readonly type: string; readonly start: number; readonly end: number };

/**
 * A section for each entry of the package: every name it exports, with its declaration and the first sentence of its
 * comment.
 */
export function exportsOf(root: string): string[] {
  const known = new Map<string, string>();
  const entries = packageEntries().filter(({ runs }) => runs);
  return entries.map(({ title, source }) => {
    const all = [...exportedBy(join(root, source)).values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const rows = all.map((each) => rowOf(each, title, known));
    return [`## ${title}`, ...rows].join('\n\n');
  });
}

/** A row of the table; a declaration that another entry has shown is only named. */
function rowOf({ name, code, words }: Exported, entry: string, known: Map<string, string>): string {
  const before = known.get(code);
  if (before !== undefined) return `\`${name}\`, as in \`${before}\`.`;
  known.set(code, entry);
  return `### ${name}\n\n${words}\n\n\`\`\`text\n${code}\n\`\`\``;
}

/** Every export of a module, by name. */
export function exportedBy(file: string): ReadonlyMap<string, Exported> {
  const source = readFileSync(file, 'utf8');
  const { program, comments } = parseSync(file, source);
  const found = new Map<string, Exported>();
  for (const node of program.body as unknown as readonly Node[]) {
    const from = (node['source'] as { readonly value: string } | null | undefined)?.value;
    const there = from?.startsWith('.') ? join(dirname(file), from) : undefined;
    if (node.type === 'ExportAllDeclaration' && there !== undefined) {
      for (const [name, each] of exportedBy(there)) found.set(name, each);
    } else if (node.type === 'ExportNamedDeclaration') {
      const declared = node['declaration'] as Node | null;
      if (declared !== null) {
        const exported = declaredBy(declared, source, wordsBefore(node.start, source, comments));
        found.set(exported.name, exported);
      } else if (there !== undefined) reExport(node, there, found);
    }
  }
  return found;
}

interface Specifier {
  readonly local: { readonly name: string };
  readonly exported: { readonly name: string };
}

function reExport(node: Node, there: string, found: Map<string, Exported>): void {
  // Generated modules have types written by hand.
  const exports = exportedBy(there.replace(/\.js$/, '.d.ts'));
  for (const { local, exported } of node['specifiers'] as readonly Specifier[]) {
    const each = exports.get(local.name);
    if (each === undefined) throw new Error(`The reference does not find ${local.name} in ${there}.`);
    found.set(exported.name, { ...each, name: exported.name });
  }
}

const KINDS: { readonly [type: string]: Exported['kind'] } = {
  FunctionDeclaration: 'function',
  TSDeclareFunction: 'function',
  ClassDeclaration: 'class',
  VariableDeclaration: 'value',
};

function declaredBy(node: Node, source: string, words: string): Exported {
  const kind = KINDS[node.type] ?? 'type';
  const [first] = (node['declarations'] ?? [node]) as readonly Node[];
  const { name } = (first ?? node)['id'] as { readonly name: string };
  return { name, kind, words, code: source.slice(node.start, endOf(node, kind)).trim() };
}

/**
 * End of the declaration without its implementation: a function ends before its body, a value before its initializer.
 */
function endOf(node: Node, kind: Exported['kind']): number {
  if (kind === 'type') return node.end;
  if (kind !== 'value') return (node['body'] as Node | null)?.start ?? node.end;
  const [first] = node['declarations'] as readonly [{ readonly id: Node }];
  return first.id.end;
}

interface Comment {
  readonly type: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

function wordsBefore(start: number, source: string, comments: readonly Comment[]): string {
  const above = comments.find(
    ({ type, end }) => type === 'Block' && end <= start && source.slice(end, start).trim() === '',
  );
  const text = above?.value.replace(/^\s*\*/gm, '').replace(/\s+/g, ' ') ?? '';
  return (text.split(/\s@\w/)[0] ?? '').trim();
}
