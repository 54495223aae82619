import { type Section, sectionId } from '../../content/section.ts';
import { readSymbol } from '../../content/symbols.ts';
import { resolveSymbol, type Target } from '../../content/target.ts';
import { lineEnd } from '../../content/text.ts';
import { isHash } from '../../hash.ts';
import { canonicalText } from '../../json/canonical.ts';
import { utf8Length } from '../../json/utf8.ts';
import { isCount, isObject, type JsonValue } from '../../json/value.ts';
import type { OperationEvidence } from '../../ledger/kinds/evidence.ts';
import { RESOLVED_SECTIONS, SOURCE_BYTES } from '../../limits.ts';
import type { Operation } from '../../protocol/proposal.ts';
import type { Payload } from '../effect.ts';
import type { ResolvedSymbol } from '../event.ts';
import type { OpenStep } from '../open-step.ts';
import { operationIn, stepPayload } from '../payload.ts';

/**
 * The targets of a message's symbols as a payload: each row with the leaves that it covers, by lines and hash, without
 * headings and text. This is enough to resolve, judge and authorize the message again. Undefined above the size limit.
 */
export function resolutionPayload(
  open: Pick<OpenStep, 'salt'>,
  found: ReadonlyMap<string, ResolvedSymbol>,
): Payload | undefined {
  const all = [...found.values()].map((each) => ({ ...each, leaves: leavesOf(each) }));
  if (all.reduce((sum, { leaves }) => sum + leaves.length, 0) > RESOLVED_SECTIONS) return undefined;
  const list = all.map(({ row, file, leaves }) => ({
    row: { ...row },
    ...(file && { path: file.file_path, leaves: leaves.map(lines) }),
  }));
  return stepPayload(open, 'resolved', canonicalText(list));
}

function leavesOf({ row, file }: ResolvedSymbol): readonly Section[] {
  const target = resolveSymbol(row, file && { ...file, text: '', content_hash: '' });
  return target.ok ? target.value.sections : [];
}

function lines({ line_start, line_end, content_hash }: Section): JsonValue {
  return [line_start, line_end, content_hash];
}

/** Reads the payload back; undefined if it is malformed. It resolves to the same targets. */
export function readResolution(value: JsonValue | undefined): ReadonlyMap<string, ResolvedSymbol> | undefined {
  if (!Array.isArray(value)) return undefined;
  const all = (value as readonly JsonValue[]).map(readResolvedSymbol);
  const found = all.flatMap((each) => (each === undefined ? [] : [[each.row.symbol_id, each] as const]));
  return found.length === all.length ? new Map(found) : undefined;
}

function readResolvedSymbol(value: JsonValue): ResolvedSymbol | undefined {
  const { row: named = null, path, leaves } = isObject(value) ? value : {};
  const row = readSymbol(named);
  if (!row.ok) return undefined;
  if (path === undefined) return { row: row.value };
  if (typeof path !== 'string' || !Array.isArray(leaves)) return undefined;
  const sections = (leaves as readonly JsonValue[]).map((leaf, index) => readLeaf(path, leaf, index));
  const whole = sections.flatMap((section) => section ?? []);
  return whole.length === sections.length ? { row: row.value, file: { file_path: path, sections: whole } } : undefined;
}

/**
 * A leaf without its heading, which was not stored. The leaves of a heading are its own and the deeper leaves below it.
 */
function readLeaf(file_path: string, leaf: JsonValue, index: number): Section | undefined {
  const [line_start, line_end, content_hash] = Array.isArray(leaf) ? (leaf as readonly JsonValue[]) : [];
  if (!isCount(line_start) || !isCount(line_end) || typeof content_hash !== 'string' || !isHash(content_hash))
    return undefined;
  const place = { file_path, line_start, line_end, content_hash };
  return { section_id: sectionId(place), heading_path: index === 0 ? [''] : ['', ''], ...place };
}

/** Content that an operation found in a file, stored with its receipt. */
export interface SeenSource {
  readonly source: NonNullable<OperationEvidence['source']>;
  readonly payloads: readonly Payload[];
}

/**
 * The content to store. READ: the text of its target and the line at which it begins. WRITE: the whole file, which the
 * change records anyway. A text above the limit is not stored; a replay then takes the operation's result as recorded.
 */
export function sourceOf(open: OpenStep, type: Operation['type'], target: Target, text: string): SeenSource {
  const cut = type === 'READ' && target.target_type !== 'FILE' ? textOfLines(text, target) : undefined;
  const [line, seen] = cut === undefined ? [0, text] : [target.line_start, cut];
  if (utf8Length(seen) > SOURCE_BYTES) return { source: { line }, payloads: [] };
  const payload = stepPayload(open, `source ${operationIn(open)}`, seen);
  return { source: { line, text: payload.ref }, payloads: [payload] };
}

/** The text of these lines; undefined if the text ends before them. */
function textOfLines(text: string, { line_start, line_end }: Target): string | undefined {
  let [start, at] = [0, 0];
  for (let line = 0; line < line_end; line++) {
    if (line === line_start) start = at;
    if (at >= text.length) return undefined;
    at = lineEnd(text, at);
  }
  return text.slice(line_start === line_end ? at : start, at);
}
