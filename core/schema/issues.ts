import type { SchemaIssue } from '../errors/details.ts';
import { pointerTo } from '../json/value.ts';

/** An issue as a generated validator leaves it; only these members are read. */
interface RawIssue {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message: string;
  /** The name at fault, when it is a name and not a value that `propertyNames` refuses. */
  readonly propertyName?: string;
  readonly params?: {
    readonly additionalProperty?: string;
    readonly unevaluatedProperty?: string;
    readonly propertyName?: string;
  };
}

/** A generated validator. Its answer is generated code's word: only `true` is a yes. */
export type RawValidator = ((value: unknown) => unknown) & { errors?: readonly RawIssue[] | null };

const ISSUES_MAX = 20;
const MESSAGE_MAX = 200;
const POINTER_MAX = 500;

/**
 * Runs a generated validator: an empty list means yes. The first twenty issues, each once, ordered by pointer, then
 * keyword, then message, so that member order in the value does not show. A "no" without an issue and a "yes" with an
 * issue both count as a no.
 */
export function validate(validator: RawValidator, value: unknown): readonly SchemaIssue[] {
  const yes = validator(value);
  const raw = validator.errors ?? [];
  if (yes === true && raw.length === 0) return [];
  const issues =
    raw.length > 0 ? raw.map(issue) : [{ pointer: '', keyword: 'false schema', message: 'does not match' }];
  const ranked = issues.map((one) => ({ one, rank: `${one.pointer}\u0000${one.keyword}\u0000${one.message}` }));
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0));
  return ranked
    .filter((row, at) => row.rank !== ranked[at - 1]?.rank)
    .slice(0, ISSUES_MAX)
    .map((row) => row.one);
}

/** Points at the member that is too much or has a wrong name, not at the object around it. */
function issue(raw: RawIssue): SchemaIssue {
  const { additionalProperty, unevaluatedProperty, propertyName = raw.propertyName } = raw.params ?? {};
  const extra = additionalProperty ?? unevaluatedProperty ?? propertyName;
  const pointer = extra === undefined ? raw.instancePath : pointerTo(raw.instancePath, extra);
  return { pointer: cut(pointer, POINTER_MAX), keyword: raw.keyword, message: cut(raw.message, MESSAGE_MAX) };
}

/** Names and patterns of strangers stand in pointers and messages: cut to size, never inside a surrogate pair. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = (text.charCodeAt(max - 2) & 0xfc00) === 0xd800 ? max - 2 : max - 1;
  return `${text.slice(0, end)}…`;
}
