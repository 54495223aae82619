import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { runnerImport } from 'vite';
import type * as core from '../../core/index.ts';
import type * as formats from '../../core/schema/formats.ts';
import type * as keywords from '../../core/schema/keywords.ts';
import { packageEntries } from '../entries.mjs';
import { heldOf, ROWS } from '../size.mjs';

type Core = typeof core;

interface Page {
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

/** Pages generated from the tables of the source, so that they cannot be out of date. */
export async function generatedPages(root: string): Promise<readonly Page[]> {
  const { module } = await runnerImport<Core>(join(root, 'core/index.ts'));
  const page = (name: string, title: string, ...text: readonly string[]): Page => ({
    name,
    title,
    text: [`# ${title}`, ...text].join('\n\n'),
  });
  return [
    page('exports', 'Everything exported', EXPORTS_LEAD, ...exportsOf(root)),
    page('codes', 'Codes', CODES_LEAD, codes(module, root), '## Thrown', THROWN_LEAD, thrown(root, module)),
    page(
      'records',
      'Records',
      RECORDS_LEAD,
      ...RECORD_FILES.flatMap((file) => shapes(join(root, 'core/ledger', file))),
    ),
    page('limits-reference', 'Limits', LIMITS_LEAD, ...limits(module, root)),
    page('schemas', 'Schemas', SCHEMAS_LEAD, ...(await schemas(root, module))),
    page('sizes', 'Sizes', SIZES_LEAD, sizes()),
    page('telemetry', 'Telemetry events', TELEMETRY_LEAD, telemetry(module)),
    page('element', 'The element', ELEMENT_LEAD, ...element(root), ELEMENT_ELSEWHERE),
    page('conformance', 'Conformance', CONFORMANCE_LEAD, ...conformance(root)),
  ];
}

const EXPORTS_LEAD =
  'If you look a name up: every name that the package exports, entry by entry, with its declaration and the comment of its source. [The interface](api.md) says what each name is for.';
const CODES_LEAD =
  'If you meet a refusal, look its code up here: every refusal has a class, a stable code inside it, and details. A model is told the code, the sentence and the details; so is a person. A test yields each code. `Exceeded` is `{ limit: number; used: number }`, and a `Breach` also lists all exceeded budgets. The third column is the category of FemtoClaw 17, without its `_ERROR`, and its severity: `info` where a person or program wanted the refusal, `warning` at a limit or where another writer was first, `error` where this attempt has failed and the next may succeed, `critical` where the run cannot go on from the stored records. The event `telemetry_lost` tells the ninth category, `observability`, because telemetry never refuses.';
const THROWN_LEAD =
  'Misuse by a program is no refusal: it throws `SallyportError`, with a code of the table above or of this table.';
const RECORDS_LEAD =
  'If you read records, these are their bodies, by kind. A body never holds a proposal, arguments, a result or a text: it names them by hash and size. [The formats](formats.md) say what each hash covers.';
const RECORD_FILES = [
  'payload-ref.ts',
  ...['parts', 'run', 'step', 'authority', 'power', 'content', 'evidence', 'log'].map((name) => `kinds/${name}.ts`),
  'record.ts',
];
const LIMITS_LEAD =
  'If you meet a limit or set one: every bound of the runtime with its reason. A limit is ours and constant; a budget bounds the spending of a message.';
const SCHEMAS_LEAD =
  'If you write schemas for arguments, results or the `where` of a grant, they are JSON Schema 2020-12. No value is coerced or filled in. A schema that the compiler would judge wrongly, or that engines would judge differently, is refused at registration, with `schema_refused`, the rule and a pointer; it is never approximated. Schemas of libraries that give JSON Schema (zod 4.2, arktype 2.2) are taken in that form, and closed.';
const SIZES_LEAD =
  'If you count what a visit of your page downloads: the most of each part, gzipped; the build fails above these sizes. A page of yours loads the element and its client; kernel, sandbox and engine come with the first run, the rest when it is first needed. `npm run size` measures the built files, and `--parts` lists their parts.';
const TELEMETRY_LEAD =
  'If you observe runs, the runtime derives these events from each transition. Arguments, results and messages are never in an event, only hashes and sizes. Of a held call no more is told than that it was requested, started and has ended; `run.telemetry({ held: true })` tells all of it, marked `held`. The second name is the OpenTelemetry name.';
const ELEMENT_LEAD =
  'If you use `<sallyport-run>`, this is the element as its custom elements manifest describes it. The manifest is in the package, for editors.';

const CONFORMANCE_LEAD =
  'If you compare Sallyport with the three specifications: for each clause, the test vectors and tests that hold the implementation to it. Vectors are data that other runtimes can run; tests are named by file and title. The matrix is a table in `test/conformance`; a test fails where the matrix names a missing vector or test, or leaves out a clause that has vectors.';

/** What each generated page begins with. */
export const LEADS = [
  EXPORTS_LEAD,
  CODES_LEAD,
  RECORDS_LEAD,
  LIMITS_LEAD,
  SCHEMAS_LEAD,
  SIZES_LEAD,
  TELEMETRY_LEAD,
  ELEMENT_LEAD,
  CONFORMANCE_LEAD,
];

const ELEMENT_ELSEWHERE = `## Tasks without an attribute

${table(
  ['wanted', 'how'],
  [
    ['a model', 'the property `model`: any object with `id` and `propose`, for example the models of `sallyport`'],
    ['capabilities, grants and a script without a program', '`src`: a file of this origin'],
    [
      'answers by a program',
      'cancel `sallyport-approval`, and call its `detail.answer`; the ledger says that a program answered',
    ],
    [
      'powers, `authorizer`, `approve`, `consent`, `guard`',
      '`runtime`: the result of `openRuntime`, with all its options',
    ],
    ['addresses of the workers and of the engine', '`assets`: the folder with these files'],
    ['another language', '`lang`, on the element or around it: English and German; `words` for any other'],
    [
      'another tag, or a class on top',
      "`const Run = await customElements.whenDefined('sallyport-run'); customElements.define('my-run', class extends Run {});`",
    ],
  ],
)}`;

function codes({ CODES, categoryOf, severityOf }: Core, root: string): string {
  const details = detailsIn(join(root, 'core/errors'));
  const category = (code: string) =>
    categoryOf(code as core.Code)
      .replace('_ERROR', '')
      .toLowerCase();
  const rows = Object.entries(CODES).map(([code, row]) => {
    const graded = `${category(code)}, ${severityOf(code as core.Code).toLowerCase()}`;
    return [`\`${code}\``, row.class, graded, details.get(code), row.todo];
  });
  return table(['code', 'class', 'FemtoClaw 17', 'details', 'remedy'], rows);
}

/** The type of each code's details, as its row declares it. */
function detailsIn(folder: string): ReadonlyMap<string, string> {
  const found = readdirSync(folder).flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(DETAILS)]);
  if (found.length < 100) throw new Error('The reference finds no details of the codes.');
  return new Map(
    found.map(([, code = '', type]) => {
      const plain = type?.replaceAll('readonly ', '').replaceAll(/\s+/g, ' ').replaceAll('; }', ' }');
      return [code, plain === undefined ? '' : `\`${plain}\``];
    }),
  );
}

/** A row of a table of codes, up to the type of its details. */
const DETAILS = /^ {2}(\w+): \{\s*class: '\w+',\s*what: \((?:d: ([^=]+))?\): string =>/gm;

/** Messages that the sources throw with a code and a text of their own, with `…` for inserted values. */
function thrown(root: string, { CODES }: Core): string {
  const files = ['core', 'sandbox', 'workers', 'web'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.includes('generated'))
      .map((file) => join(root, folder, file)),
  );
  const found = files.flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    const own = [...source.matchAll(/new SallyportError\(\s*'(\w+)',\s*(['`])((?:(?!\2)[^\\])+)\2/g)];
    const listed = file.endsWith('core/sallyport-error.ts') ? [...source.matchAll(MISUSE)] : [];
    return [...own, ...listed].map(
      ([, code = '', , words = '']) => [code, words.replace(/\$\{[^}]*\}+/g, '…')] as const,
    );
  });
  const rows = [...new Map(found)].filter(([code]) => !Object.hasOwn(CODES, code));
  rows.sort(([one], [other]) => (one < other ? -1 : 1));
  if (rows.length < 15) throw new Error('The reference finds no words of what is thrown.');
  return table(
    ['code', 'words'],
    rows.map(([code, words]) => [`\`${code}\``, words]),
  );
}

/** A row of the table of misuse. */
const MISUSE = /^ {2}(\w+): \((?:d)?\) =>\s+(['`])((?:(?!\2)[^\\])+)\2,$/gm;

function limits(core: Core, root: string): string[] {
  const reasons = reasonsIn(readFileSync(join(root, 'core/limits.ts'), 'utf8'));
  const tables: { readonly [title: string]: object } = {
    'A proposal': core.DECODE_LIMITS,
    'A call': core.CALL_LIMITS,
    'A run': core.RUN_LIMITS,
    'A capability': core.CAPABILITY_LIMITS,
    'Budgets of a message': core.BUDGETS,
  };
  return Object.entries(tables).map(([title, values]) => {
    const rows = Object.entries(values).map(([name, value]) => [`\`${name}\``, String(value), reasons.get(name)]);
    return `## ${title}\n\n${table(['name', 'value', 'why'], rows)}`;
  });
}

async function schemas(root: string, { REFUSALS, CAPABILITY_LIMITS }: Core): Promise<string[]> {
  const read = async <T>(file: string) => (await runnerImport<T>(join(root, 'core/schema', file))).module;
  const { KEYWORDS } = await read<typeof keywords>('keywords.ts');
  const { FORMATS } = await read<typeof formats>('formats.ts');
  const named = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' ');
  const isNote = (name: string) => KEYWORDS.get(name)?.shape === 'note';
  const { schemaDepth, schemaProperties, schemaBytes, schemaAlternatives } = CAPABILITY_LIMITS;
  return [
    `At most ${schemaBytes} bytes, ${schemaDepth} levels, ${schemaProperties} properties in all, ${schemaAlternatives} alternatives.`,
    `## Keywords\n\n${named([...KEYWORDS.keys()].filter((name) => !isNote(name)))}`,
    `Kept and shown, but not checked: ${named([...KEYWORDS.keys()].filter(isNote))}. Any other keyword is refused: a misspelt keyword would have no effect.`,
    `## Formats\n\n${named(Object.keys(FORMATS))}, each checked exactly, the same in every engine.`,
    `## What is refused\n\n${table(
      ['rule', 'why'],
      Object.entries(REFUSALS).map(([rule, why]) => [`\`${rule}\``, why]),
    )}`,
  ];
}

function sizes(): string {
  return table(
    ['file', 'goal', 'at most'],
    ROWS.map(({ what, goal }) => [what, `${goal} KB`, `${heldOf(goal).toFixed(1)} KB`]),
  );
}

/** The comment above each member. */
function reasonsIn(source: string): ReadonlyMap<string, string> {
  const found = source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:readonly )?(\w+):/g);
  // The first limit of a name is the limit that a model meets.
  return new Map(
    [...found].reverse().map(([, comment = '', name = '']) => [name, comment.replace(/\s*\n\s*\*\s?/g, ' ').trim()]),
  );
}

function telemetry({ EVENTS }: Core): string {
  const rows = Object.entries(EVENTS).map(([type, { name, status }]) => [`\`${type}\``, `\`${name}\``, status]);
  return table(['event', 'OpenTelemetry', 'status'], rows);
}

/** The shapes as their source declares them: an interface of data reads as well as any table. */
function shapes(file: string): string[] {
  const types = [...exportedBy(file).values()].filter(({ kind }) => kind === 'type');
  return types.map(({ name, words, code }) => `## ${name}\n\n${words}\n\n\`\`\`text\n${code}\n\`\`\``);
}

interface Named {
  readonly name: string;
  readonly description?: string;
  readonly default?: string;
  readonly kind?: string;
  readonly type?: { readonly text: string };
}

function element(root: string): string[] {
  const manifest = JSON.parse(readFileSync(join(root, 'web/element/custom-elements.json'), 'utf8')) as {
    readonly modules: readonly [{ readonly declarations: readonly [{ readonly [part: string]: readonly Named[] }] }];
  };
  const [{ declarations }] = manifest.modules;
  const [declared] = declarations;
  const parts = {
    attributes: 'Attributes',
    members: 'Properties and methods',
    events: 'Events',
    slots: 'Slots',
    cssParts: 'Parts',
    cssProperties: 'Custom properties',
  };
  return Object.entries(parts).map(([part, title]) => {
    const rows = (declared[part] ?? []).map(({ name, kind, type, description }) => [
      `\`${name}${kind === 'method' ? '()' : ''}\``,
      type === undefined ? '' : `\`${type.text}\``,
      description,
    ]);
    return `## ${title}\n\n${table(['name', 'type', 'meaning'], rows)}`;
  });
}

interface Vector {
  readonly clause: string;
  readonly file: string;
}

interface Decision {
  readonly point: string;
  readonly here: string;
  readonly vectors?: readonly string[];
  readonly tests?: readonly string[];
}

interface Row {
  readonly clause: string;
  readonly asks: string;
  readonly vectors?: readonly string[];
  readonly tests?: readonly string[];
}

const SPECIFICATIONS = {
  xct: 'XCT 0.1',
  femtoclaw: 'FemtoClaw Protocol 1.0.0',
  catalytic: 'Catalytic Chat Contract 1.0',
} as const;

/**
 * The matrix with a section for each specification, and beside it our decisions where the specifications are silent.
 */
export function conformance(root: string): string[] {
  const vectors = vectorsIn(join(root, 'test/vectors'));
  const matrix = Object.entries(SPECIFICATIONS).map(([file, title]) => {
    const rows = read<readonly Row[]>(join(root, `test/conformance/${file}.json`));
    const cells = rows.map((row) => [shortened(row.clause), row.asks, heldBy(row, vectors)]);
    return `## ${title}\n\n${table(['clause', 'demand', 'held by'], cells)}`;
  });
  return [...matrix, silent(root, vectors), disagreeing(root)];
}

function heldBy({ clause, vectors: others = [], tests = [] }: Row, vectors: readonly Vector[]): string {
  const own = new Set([clause, ...others]);
  const counted = vectorsOf(vectors.filter((vector) => own.has(vector.clause)));
  return [...counted, ...tests.map((test) => test.replace(/^(\S+): /, '`$1`: '))].join('; ');
}

/** "3 vectors in `xct.json`", file by file. */
function vectorsOf(vectors: readonly Vector[]): string[] {
  const files = [...new Set(vectors.map(({ file }) => file))];
  return files.map((file) => {
    const count = vectors.filter((vector) => vector.file === file).length;
    return `${count} ${count === 1 ? 'vector' : 'vectors'} in \`test/vectors/${file}\``;
  });
}

/** Vectors cover proposals in files of their own; content, receipts and names are covered by tests as well. */
function silent(root: string, vectors: readonly Vector[]): string {
  const own = vectors.filter(({ clause }) => /decisions:|^(Sallyport|FC-|FemtoClaw \d)/.test(clause));
  const clauses = [...new Set(own.map(({ clause }) => clause))].sort();
  const cells = clauses.map((each) => [each, vectorsOf(own.filter(({ clause }) => clause === each)).join('; ')]);
  const told = read<readonly Decision[]>(join(root, 'test/conformance/decisions.json')).map(
    ({ point, here, ...by }) => [`**${point}.** ${here}`, heldBy({ clause: '', asks: '', ...by }, vectors)],
  );
  return `## Where they are silent\n\n${table(['decision', 'held by'], [...told, ...cells])}`;
}

/** The table that the vectors come with. */
function disagreeing(root: string): string {
  const text = readFileSync(join(root, 'test/vectors/README.md'), 'utf8');
  const [rows = ''] = /\| point \|[\s\S]*?(?=\n\n)/.exec(text) ?? [];
  if (rows === '') throw new Error('The vectors say nothing of where the specifications disagree.');
  return `## Where they disagree\n\n${rows}`;
}

function vectorsIn(folder: string): Vector[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json') && file !== 'registries.json')
    .flatMap((file) => read<Omit<Vector, 'file'>[]>(join(folder, file)).map((vector) => ({ ...vector, file })));
}

function read<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}

/** The specification is the section's title already. */
function shortened(clause: string): string {
  return clause.replace(/^(XCT|FemtoClaw Protocol|Catalytic Chat Contract),? /, '');
}

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
    return [`## ${title}`, ...promised(join(root, source)), ...rows].join('\n\n');
  });
}

/** What an entry promises, as the comment at its top says. */
function promised(file: string): readonly string[] {
  const [head = ''] = /^\/\*\*.*?\*\//s.exec(readFileSync(file, 'utf8')) ?? [];
  return head.includes('@experimental')
    ? ['*Experimental.* [It may change](changelog.md#what-an-entry-promises).']
    : [];
}

/** A row of the table; a declaration that another entry has shown is only named. */
function rowOf({ name, code, words }: Exported, entry: string, known: Map<string, string>): string {
  const before = known.get(code);
  if (before !== undefined) return `\`${name}\`, as in \`${before}\`.`;
  known.set(code, entry);
  return `### ${name}\n\n${words}\n\n\`\`\`text\n${code}\n\`\`\``;
}

/** Every export of a module, by name. */
function exportedBy(file: string): ReadonlyMap<string, Exported> {
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

type Cell = string | number | undefined;

/** A table in Markdown; cells are escaped as text. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]) =>
    `| ${cells
      .map((cell) =>
        String(cell ?? '')
          .replaceAll('|', '\\|')
          .replaceAll('\n', ' '),
      )
      .join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
