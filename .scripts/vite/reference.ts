import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runnerImport } from 'vite';
import type * as core from '../../core/index.ts';
import { CONFORMANCE_LEAD, conformance } from './conformance.ts';
import { exportsOf } from './exports.ts';
import { table } from './table.ts';

type Core = typeof core;

interface Page {
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

/** The pages that are made from the tables of the source: what is here cannot be out of date. */
export async function generatedPages(root: string): Promise<readonly Page[]> {
  const { module } = await runnerImport<Core>(join(root, 'core/index.ts'));
  const page = (name: string, title: string, ...text: readonly string[]): Page => ({
    name,
    title,
    text: [`# ${title}`, ...text].join('\n\n'),
  });
  return [
    page('exports', 'Everything exported', EXPORTS_LEAD, ...exportsOf(root)),
    page('codes', 'Codes', CODES_LEAD, codes(module)),
    page('records', 'Records', RECORDS_LEAD, ...shapes(root, 'core/ledger/record.ts')),
    page('limits-reference', 'Limits', LIMITS_LEAD, ...limits(module, root)),
    page('telemetry', 'Telemetry events', TELEMETRY_LEAD, telemetry(module)),
    page('element', 'The element', ELEMENT_LEAD, ...element(root)),
    page('conformance', 'Conformance', CONFORMANCE_LEAD, ...conformance(root)),
  ];
}

const EXPORTS_LEAD =
  'Entry by entry, every name the package exports: its declaration, and what its source says of it. What it is for stands in [the interface](api.md).';
const CODES_LEAD =
  'Every refusal has a class, a stable code inside it, and details. A model is told the code, the sentence and the details; so is a person. Each code has a test that yields it. The third column is the category of FemtoClaw 17, without its `_ERROR`; the ninth, `observability`, is told by the event `telemetry_lost`, for telemetry refuses nothing.';
const RECORDS_LEAD =
  'The bodies of the ledger’s records, by kind. A body never holds a proposal, arguments, a result or a text: it names them by hash and size. Hashes are SHA-256 over canonical JSON (RFC 8785).';
const LIMITS_LEAD =
  'Every bound of the runtime with its reason. A limit is ours and constant; what a message may spend is a budget.';
const TELEMETRY_LEAD =
  'Derived from each transition of a run, never emitted by hand. Arguments, results and messages are never in an event, only hashes and sizes. The second name is the one in OpenTelemetry.';
const ELEMENT_LEAD =
  '`<sallyport-run>`, as its custom elements manifest describes it. The manifest is in the package, for editors.';

function codes({ CODES, categoryOf }: Core): string {
  const category = (code: string) =>
    categoryOf(code as core.Code)
      .replace('_ERROR', '')
      .toLowerCase();
  const rows = Object.entries(CODES).map(([code, row]) => [`\`${code}\``, row.class, category(code), row.todo]);
  return table(['code', 'class', 'FemtoClaw 17', 'what to do'], rows);
}

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

/** The comment above each member. */
function reasonsIn(source: string): ReadonlyMap<string, string> {
  const found = source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:readonly )?(\w+):/g);
  // The first that bears a name is the one a model meets.
  return new Map(
    [...found].reverse().map(([, comment = '', name = '']) => [name, comment.replace(/\s*\n\s*\*\s?/g, ' ').trim()]),
  );
}

function telemetry({ EVENTS }: Core): string {
  const rows = Object.entries(EVENTS).map(([type, { name, status }]) => [`\`${type}\``, `\`${name}\``, status]);
  return table(['event', 'OpenTelemetry', 'status'], rows);
}

/** The shapes as their source declares them: an interface of data reads as well as any table. */
function shapes(root: string, file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const found = source.matchAll(
    /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?export (?:interface|type) (\w+)[\s\S]*?\n(?:\}\[?\w*\]?;?|\s+\);)\n/g,
  );
  return [...found].map(([whole, comment = '', name = '']) => {
    const code = whole.slice(whole.indexOf('export')).replaceAll('export ', '').trimEnd();
    return `## ${name}\n\n${comment.replace(/\s*\n\s*\*\s?/g, ' ').trim()}\n\n\`\`\`text\n${code}\n\`\`\``;
  });
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
    return `## ${title}\n\n${table(['name', 'type', 'what it is'], rows)}`;
  });
}
