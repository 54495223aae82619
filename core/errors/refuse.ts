import type {
  CodeRow,
  CodeRows,
  Details,
  DetailsIn,
  Exceeded,
  GuestError,
  RefusalClass,
  SchemaIssue,
  Step,
} from './details.ts';

/** Location of a refusal: the gate, and the member that it is about. */
export interface RefusalLocation {
  readonly step?: Step;
  readonly pointer?: string;
}

/** A `Refused` of `outcome.ts` with this code. */
interface RefusedWith<C> {
  readonly ok: false;
  readonly refusal: RefusalLocation & {
    readonly class: RefusalClass;
    readonly code: C;
    readonly message: string;
    readonly details: Details;
  };
}

/** Makes a refusal from a table. Passing another code's details does not compile. */
export type Refuse<D> = <C extends keyof D>(code: C, details: D[C], place?: RefusalLocation) => RefusedWith<C>;

/** Makes a `refuse` for a table with some of the codes, so that a bundle holds the texts of no further codes. */
export function refuser<T extends CodeRows>(table: T): Refuse<DetailsIn<T>> {
  return (code, details, place = {}) => {
    const row = table[code] as CodeRow<typeof details>;
    const quoted = clipped(details);
    const at = place.pointer === undefined ? place : { ...place, pointer: clip(place.pointer) };
    const message = sentencesOf(row.what(quoted), at.pointer, row.todo);
    return { ok: false, refusal: { class: row.class, code, ...at, message, details: quoted as Details } };
  };
}

/**
 * A refusal's message: clause, location and advice as sentences. A clause often ends in quoted words, which may end in
 * a full stop or in the same advice: each is written once.
 */
export function sentencesOf(clause: string, pointer: string | undefined, todo: string): string {
  const said = (clause.endsWith(todo) ? clause.slice(0, -todo.length) : clause).replace(/[\s.]+$/u, '');
  const isNamed = pointer === undefined || (pointer === '' && said.includes('the top level'));
  const where = isNamed ? '' : ` at ${pointer || 'the top level'}`;
  return /[!?…]$/u.test(said) && where === '' ? `${said} ${todo}` : `${said}${where}. ${todo}`;
}

/** The words of every limit. */
export function over(what: string, unit: string, { used, limit }: Exceeded): string {
  return `${what}: ${used} ${unit}, the limit is ${limit}`;
}

/** The words of a guest's error. */
export function wordsOf({ name, message }: GuestError): string {
  return `${name}: ${message}`;
}

/** The words of a validator's first issue. */
export function firstOf([issue]: readonly SchemaIssue[]): string {
  return issue?.message ?? 'does not match the schema';
}

/** The words of all issues, each with its place. */
export function placesOf(issues: readonly SchemaIssue[]): string {
  return issues
    .map(({ pointer, message }) => `${message.replace(/[.\s]+$/u, '')} at ${pointer || 'the top level'}`)
    .join('; ');
}

/** Names of members as a list in words. */
export function membersOf(names: readonly string[]): string {
  const [last, ...others] = names.map((name) => JSON.stringify(name)).toReversed();
  if (last === undefined) return 'no members';
  return others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`;
}

/** A refusal quotes the stranger; a name of a megabyte would come back three times over, into every context. */
const QUOTED_UNITS = 512;

export function clip(text: string): string {
  if (text.length <= QUOTED_UNITS) return text;
  const end = text.charCodeAt(QUOTED_UNITS - 1) >> 10 === 0x36 ? QUOTED_UNITS - 1 : QUOTED_UNITS;
  return `${text.slice(0, end)}…`;
}

/** Cuts long texts in details. Details are flat except for lists; the maker of a list bounds it and its items. */
function clipped<D>(details: D): D {
  const entries = Object.entries(details as object).map(
    ([name, value]) => [name, typeof value === 'string' ? clip(value) : value] as const,
  );
  return Object.fromEntries(entries) as D;
}
