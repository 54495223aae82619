import { refuse } from '../errors.ts';
import { canonicalText } from '../json/canonical.ts';
import { decode } from '../json/decode.ts';
import { encodeText } from '../json/utf8.ts';
import { type JsonValue, pointerTo } from '../json/value.ts';
import { type Outcome, pass } from '../outcome.ts';
import { closed, kindOf, text } from '../protocol/shape.ts';
import { parseSlice } from './slice.ts';
import { type Corpus, fileBehind, isSymbol, resolveSymbol, type SymbolRow, type Target } from './target.ts';
import { compareText } from './text.ts';

/** The registry: rows by symbol. Never changed in place. */
export type Symbols = ReadonlyMap<string, SymbolRow>;

/** Symbols under this name are capabilities, defined by registering the capability. */
const TOOLS = '@TOOLS/';

export function toolSymbol(capability: string): string {
  return `${TOOLS}${capability}`;
}

/** The capability a symbol may be the name of. */
export function toolOf(symbol: string): string | undefined {
  return symbol.startsWith(TOOLS) && !symbol.includes('/', TOOLS.length) ? symbol.slice(TOOLS.length) : undefined;
}

const MEMBERS = ['symbol_id', 'target_type', 'target_ref', 'default_slice_policy'] as const;
const TYPES: readonly string[] = ['SECTION', 'FILE', 'HEADING'];

/**
 * Reads a row of a stranger: exactly the contract's four members, each of its type. `target_ref` may also be
 * `path#["Heading", "Below it"]`; `defineSymbol` makes an id of it.
 */
export function readSymbol(value: JsonValue): Outcome<SymbolRow> {
  const row = closed(value, '', MEMBERS);
  if (!row.ok) return row;
  for (const name of MEMBERS) {
    const found = text(row.value, name, '');
    if (!found.ok) return found;
  }
  const read = row.value as unknown as SymbolRow;
  const place = { step: 'form' } as const;
  if (!isSymbol(read.symbol_id))
    return refuse('symbol_syntax', { symbol: read.symbol_id }, { ...place, pointer: '/symbol_id' });
  if (!TYPES.includes(read.target_type)) return wrongType(read.target_type);
  const slice = parseSlice(read.default_slice_policy);
  return slice.ok ? pass(read) : slice;
}

function wrongType(type: JsonValue): ReturnType<typeof refuse> {
  const details = { expected: 'SECTION, FILE or HEADING', got: typeof type === 'string' ? type : kindOf(type) };
  return refuse('wrong_type', details, { step: 'form', pointer: '/target_type' });
}

/**
 * Defines a symbol. Its target must exist and be unique: refuses with `symbol_twice`, `target_unknown`, `target_kind`
 * (a HEADING without a heading) and `symbol_ambiguous`.
 */
export function defineSymbol(
  symbols: Symbols,
  row: SymbolRow,
  corpus: Corpus,
  isTaken: (capability: string) => boolean = () => false,
): Outcome<SymbolRow> {
  const tool = toolOf(row.symbol_id);
  if (symbols.has(row.symbol_id) || (tool !== undefined && isTaken(tool)))
    return refuse('symbol_twice', { symbol: row.symbol_id });
  const ref = referred(row, corpus);
  if (!ref.ok) return ref;
  const bound = { ...row, target_ref: ref.value };
  const file = fileBehind(bound, corpus);
  if (file === undefined) return refuse('target_unknown', { ref: row.target_ref });
  const target = resolveSymbol(bound, file);
  if (target.ok) return pass(bound);
  const got = 'text without a heading';
  return refuse('target_kind', { symbol: row.symbol_id, got, expected: 'a section with a heading' });
}

/** The section id that a reference means. A heading that stands more than once is ambiguous. */
function referred({ target_type, target_ref: ref }: SymbolRow, corpus: Corpus): Outcome<string> {
  const mark = ref.indexOf('#[');
  if (target_type === 'FILE' || mark < 0) return pass(ref);
  const names = decode(encodeText(ref.slice(mark + 1)));
  const path = names.ok && Array.isArray(names.value) ? canonicalText(names.value) : undefined;
  const sections = corpus.file(ref.slice(0, mark))?.sections ?? [];
  const found = sections.filter((section) => canonicalText(section.heading_path) === path);
  if (found.length > 1) return refuse('symbol_ambiguous', { ref, matches: found.length });
  return found[0] === undefined ? refuse('target_unknown', { ref }) : pass(found[0].section_id);
}

/** Current target of a symbol. */
export function lookUp(symbols: Symbols, symbol: string, corpus: Corpus): Outcome<Target> {
  const row = symbols.get(symbol);
  return row === undefined ? refuse('symbol_unknown', { symbol }) : resolveSymbol(row, fileBehind(row, corpus));
}

/** All rows in the order of their symbols. */
export function listSymbols(symbols: Symbols): readonly SymbolRow[] {
  return [...symbols.values()].toSorted((a, b) => compareText(a.symbol_id, b.symbol_id));
}

/** The registry as a file: the same rows give the same text. */
export function exportSymbols(symbols: Symbols): string {
  return `${canonicalText(listSymbols(symbols))}\n`;
}

/** A registry of a large corpus; a row takes six values. */
const IMPORT_LIMITS = { bytes: 64 << 20, depth: 3, nodes: 1_000_000 } as const;

/**
 * Adds all rows of an exported registry, or refuses with the first row that cannot be defined and its place. No row
 * replaces an existing symbol.
 */
export function importSymbols(
  symbols: Symbols,
  bytes: Uint8Array,
  corpus: Corpus,
  isTaken?: (capability: string) => boolean,
): Outcome<Symbols> {
  const value = decode(bytes, IMPORT_LIMITS);
  if (!value.ok) return value;
  if (!Array.isArray(value.value)) {
    const got = kindOf(value.value);
    return refuse('wrong_type', { expected: 'an array', got }, { step: 'structure', pointer: '' });
  }
  const all = new Map(symbols);
  for (const [index, each] of (value.value as readonly JsonValue[]).entries()) {
    const row = readSymbol(each);
    const defined = row.ok ? defineSymbol(all, row.value, corpus, isTaken) : row;
    if (!defined.ok) {
      const { refusal } = defined;
      return { ok: false, refusal: { ...refusal, pointer: pointerTo('', index) + (refusal.pointer ?? '') } };
    }
    all.set(defined.value.symbol_id, defined.value);
  }
  return pass(all);
}
