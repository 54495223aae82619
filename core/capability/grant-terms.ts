import { isSameSigner, isSigner, type YesSigner } from '../approval/signer.ts';
import { refuse } from '../errors/option.ts';
import type { DetailsOf } from '../errors.ts';
import { isHash } from '../hash.ts';
import { isCount, isObject, isPointer, type JsonObject } from '../json/value.ts';
import { arrayOf, type Form, oneOf as isOneOf, isText, optional, shaped, type Test } from '../ledger/form.ts';
import { GRANT_LIMITS } from '../limits.ts';
import { ANY, COUNT, OBJECT, type OptionType, type OptionTypes, oneOf, optionFault } from '../option.ts';
import { type Outcome, pass } from '../outcome.ts';
import { bothOf } from '../schema/both.ts';
import { type Accepts, covers, type Held, LABELS, type Label } from './guard.ts';

/** Terms that the author of a grant writes. */
export interface AuthorTerms {
  readonly mode: 'allow' | 'ask' | 'deny';
  /**
   * JSON Schema that narrows the capability's own; both must accept. A denial with `where` denies only the arguments
   * that it accepts.
   */
  readonly where?: JsonObject;
  /** Calls in a run, those of standing answers included. */
  readonly uses?: number;
  /** Integer ms since epoch; from this moment on the grant is void. */
  readonly expires?: number;
  /** Every rate holds: at most four, and a narrower grant adds to them. */
  readonly rate?: readonly Rate[];
  /**
   * Places of the arguments that take held values with these labels without a question. A place is a JSON pointer, in
   * which `*` stands for any member or index; it covers what is below it, too. The empty pointer stands for the call
   * itself: that it is made may follow from such values.
   *
   * @example accepts: { '/body': ['private', 'untrusted'], '/to/*': ['private'] }
   */
  readonly accepts?: Accepts;
  /** Results of calls by the grant are held, and the model hears a handle; with a label: where they can have the label. */
  readonly held?: Held;
  /**
   * Lets a small result out to the model, at the cost of bits: the logarithm of the number of values that the result can have,
   * none included. For a capability in the sandbox whose result schema has few values. While bits are left a call of its
   * definition is a release: the bits are charged before it starts, whatever it comes to, and whatever goes wrong is told as
   * the one result `no_release`. Without bits left the results are held.
   *
   * @example release: { bits: 20, drops: ['untrusted'] }
   */
  readonly release?: ReleaseTerm;
  /**
   * Principals that the grant is for; runs of others do not have it. The author writes the texts that sessions are opened
   * with, and records have an HMAC of each with a secret of the ledger.
   */
  readonly for?: readonly string[];
  /** Where this grant needs a person, the yes is signed by passkeys of these persons. Not for a denial. */
  readonly signed?: Signed;
  /** Why a definition is denied: its server has changed it since a person accepted it. A permission ignores it. */
  readonly changed?: ChangedHashes;
  /** The grant stands for having none: a watch lifts it. A denial ignores it. */
  readonly fallback?: true;
}

export interface ReleaseTerm {
  /** 1 to 65,536: all calls of all runs of the runtime together, and so also those of a run. */
  readonly bits: number;
  /** Labels that released values do not bring into the context: whoever wrote the value may choose among these answers. */
  readonly drops?: readonly 'untrusted'[];
}

/** Whose signed yes counts. */
export interface Signed {
  /** At least one, and at most 32. A person with several passkeys stands here several times, with the same name. */
  readonly by: readonly YesSigner[];
  /** How many different names have to sign; absent: one. */
  readonly of?: number;
}

/** Hashes of a server's definition of a tool: as it was pinned, and as the server declares it now. */
export interface ChangedHashes {
  readonly pinned: string;
  readonly declared: string;
}

/** At most `calls` calls in any `windowMs` ms of the run's recorded time. */
export interface Rate {
  /** 1 to 1,000 */
  readonly calls: number;
  readonly windowMs: number;
}

/** Terms that a grant has because it is a person's standing answer. */
export interface AnswerTerms {
  /** Only these very arguments: hash of their canonical text. */
  readonly args_hash?: string;
  /**
   * Digest of the question that a person answered with this grant. Two answers are two grants, each with its own count,
   * though their terms be the same.
   */
  readonly answer?: string;
  /**
   * Id of the grant that asked. Each use of a standing answer is also a use of its parent, and a standing answer ends
   * with its parent.
   */
  readonly parent?: string;
  /** Run of the question that was answered: a standing answer is void when this run ends. */
  readonly run?: string;
  /** Labels of the held values that the person was asked about, sorted: a question about others is put again. */
  readonly handled?: readonly Label[];
  /** Labels of the data read when the person answered, sorted: the guard asks again about labels that came later. */
  readonly labels?: readonly Label[];
}

/** Terms that a grant has because it is part of a watch; see `watch.ts`. */
interface WatchTerms {
  readonly watch?: WatchTerm;
}

/** What a person said when a watch began. Its end is the grant's `expires`. */
export interface WatchTerm {
  readonly note?: string;
  /** What leaves the device runs without a question, too. */
  readonly egress?: true;
}

/**
 * A grant as its author, a person's answer or a watch gives it; it is bound at once to the definition that is registered
 * now.
 */
export interface GrantTerms extends AuthorTerms, AnswerTerms, WatchTerms {}

/** The terms of a grant as a decision reads them. */
interface HeldTerms extends GrantTerms {
  /** Hash of `where`. */
  readonly where_hash?: string;
}

export type AuthorTermName = keyof AuthorTerms;
export type GrantTermName = keyof GrantTerms;

/** Uses of a grant. */
export interface GrantUse {
  readonly count: number;
  /** Recorded times of the latest uses, in the order of their records; no more than a rate can count. */
  readonly recent: readonly number[];
}

/** Uses of each grant, by its id. The uses of a grant include those of its standing answers. */
export type GrantUses = ReadonlyMap<string, GrantUse>;

/** Time of a use that is kept for an open question, ms since epoch: no window of a rate leaves it behind. */
export const KEPT_AT: number = 2 ** 52;

export const NO_USE: GrantUse = { count: 0, recent: [] };

/** Facts of a use that terms are compared with. */
export interface TermFacts {
  /** Integer ms, from a recorded event. */
  readonly now: number;
  /** Earlier uses of the grant, with those of its standing answers. */
  readonly use: GrantUse;
  /** For each `where_hash`: whether that schema accepts these arguments. */
  readonly holds: ReadonlyMap<string, boolean>;
  /** True for the hash of these arguments, also under the salt of an earlier step. */
  readonly isExact: (args_hash: string) => boolean;
}

type DenialCode = 'grant_constraint' | 'grant_used_up' | 'grant_rate' | 'grant_expired';
type DenialDetails<C extends DenialCode> = Omit<DetailsOf[C], 'name'>;

/** How a term is held at a decision. */
export interface HeldTerm<C extends DenialCode = DenialCode> {
  /** Code that refuses a use outside of the term. */
  readonly code: C;
  /** Form of the code's details in records, besides the name. */
  readonly details: Form<DenialDetails<C>>;
  /** A denial with the term denies less; otherwise a denial ignores it. */
  readonly limitsDenial: boolean;
  /** The details of the refusal; undefined for a use within the term. */
  miss(grant: HeldTerms, facts: TermFacts): DenialDetails<C> | undefined;
}

/** What the author of a grant writes. */
interface WrittenTerm<V> {
  /** Type of the value. */
  readonly type: OptionType;
  /** The value in a configuration file, with its words; absent for a term that only programs write. */
  readonly schema?: TermSchema;
  /** The narrower of the parent's value and the asked value; undefined if the asked value cannot be had. */
  narrow(given: V, asked: V): V | undefined;
  /** What a grant without the term stands for, where that is narrower than any value; absent: the widest. */
  readonly absent?: V;
  /** The most that can be had, for a term whose narrowing adds to it; absent: the asked value is wider. */
  readonly most?: string;
}

/** Keywords of JSON Schema that the terms use. */
export interface TermSchema {
  readonly type?: 'object' | 'array' | 'integer' | 'string';
  readonly description?: string;
  readonly enum?: readonly (string | true)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly items?: TermSchema;
  readonly maxLength?: number;
  readonly properties?: { readonly [name: string]: TermSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: false | TermSchema;
}

interface Term<T extends GrantTermName> {
  /** Form of the value in records. */
  readonly form: Test;
  /** Undefined for a term that decides by itself, or says who answered. */
  readonly held: HeldTerm | undefined;
  readonly written: T extends AuthorTermName ? WrittenTerm<NonNullable<AuthorTerms[T]>> : undefined;
}

function held<C extends DenialCode>(term: HeldTerm<C>): HeldTerm {
  return term as unknown as HeldTerm;
}

const RANK: { readonly [M in AuthorTerms['mode']]: number } = { deny: 0, ask: 1, allow: 2 };
const MODES = ['allow', 'ask', 'deny'] as const;

const isChanged: Test = /* @__PURE__ */ shaped({ pinned: isHash, declared: isHash });
const isRate: Test = /* @__PURE__ */ shaped({
  calls: (value) => isCount(value) && value >= 1 && value <= GRANT_LIMITS.rateCalls,
  windowMs: (value) => isCount(value) && value >= 1 && value <= GRANT_LIMITS.rateWindowMs,
});
const isRates: Test = (value) =>
  arrayOf(isRate)(value) &&
  (value as readonly Rate[]).length >= 1 &&
  (value as readonly Rate[]).length <= GRANT_LIMITS.rates;

const isLabelList = arrayOf(isOneOf(...LABELS));
const isAccepts: Test = (value) =>
  isObject(value) && Object.entries(value).every(([place, labels]) => isPointer(place) && isLabelList(labels));
const isHeldTerm: Test = isOneOf(true, ...LABELS);
const isWatch: Test = /* @__PURE__ */ shaped({ note: optional(isText), egress: optional(isOneOf(true)) });

const isRelease: Test = (value) =>
  shaped({ bits: isCount, drops: optional(arrayOf(isOneOf('untrusted'))) })(value) &&
  isReleaseTerm(value as ReleaseTerm);
const isReleaseTerm = ({ bits, drops }: ReleaseTerm): boolean =>
  bits >= 1 && bits <= GRANT_LIMITS.releaseBits && (drops === undefined || drops.length === 1);
const PRINCIPALS_MAX = 100;
const PRINCIPAL_CHARACTERS = 512;
const isShort = ({ length }: string): boolean => length >= 1 && length <= PRINCIPAL_CHARACTERS;
const isPrincipals: Test = (value) =>
  arrayOf((each) => isText(each) && isShort(each as string))(value) &&
  (value as readonly string[]).length >= 1 &&
  (value as readonly string[]).length <= PRINCIPALS_MAX;

const isSigned: Test = (value) =>
  SIGNED(value) && (value as Signed).of !== 0 && ((value as Signed).of ?? 1) <= countNames((value as Signed).by);
const SIGNED: Test = /* @__PURE__ */ shaped({
  by: (value) => arrayOf(isSigner)(value) && isWithin((value as readonly YesSigner[]).length),
  of: optional(isCount),
});

function isWithin(signers: number): boolean {
  return signers >= 1 && signers <= GRANT_LIMITS.signers;
}

function countNames(by: readonly YesSigner[]): number {
  return new Set(by.map(({ name }) => name)).size;
}

const smaller = (given: number, asked: number): number => Math.min(given, asked);

/**
 * The one table of the terms of a grant. The type of a grant, the making and the narrowing of grants, decisions, the
 * form in records, the schema of the gateway's configuration and the forms of the page follow from it: a term without
 * one of these does not compile. A decision compares the terms in this order; of several grants that refuse a use, the
 * one that held the longest gives the reason.
 */
export const GRANT_TERMS: { readonly [T in GrantTermName]-?: Term<T> } = /* @__PURE__ */ (() => ({
  mode: {
    form: isOneOf(...MODES),
    held: undefined,
    written: {
      type: oneOf(...MODES),
      schema: { enum: MODES, description: 'Whether a call runs, asks a person each time, or is denied.' },
      narrow: (given, asked) => (RANK[asked] > RANK[given] ? undefined : asked),
    },
  },
  changed: {
    form: isChanged,
    held: undefined,
    written: { type: ['{pinned, declared}, two hashes', isChanged], narrow: (_, asked) => asked },
  },
  accepts: {
    form: isAccepts,
    held: undefined,
    written: {
      type: ['an object of JSON pointers, each with a list of private and untrusted', isAccepts],
      schema: {
        type: 'object',
        description: 'Places of the arguments that take held values with these labels without a question.',
        additionalProperties: { type: 'array', items: { enum: LABELS } },
      },
      absent: {},
      narrow: bothAccept,
    },
  },
  held: {
    form: isHeldTerm,
    held: undefined,
    written: {
      type: ['true, private or untrusted', isHeldTerm],
      schema: { enum: [true, ...LABELS], description: 'Whether results are held: the model hears a handle.' },
      narrow: (given, asked) => (given === asked ? given : true),
    },
  },
  fallback: {
    form: isOneOf(true),
    held: undefined,
    written: { type: ['true', (value) => value === true], narrow: (_, asked) => asked },
  },
  watch: { form: isWatch, held: undefined, written: undefined },
  for: {
    form: isPrincipals,
    held: undefined,
    written: {
      type: [`a list of 1 to ${PRINCIPALS_MAX} principals`, isPrincipals],
      schema: {
        type: 'array',
        description: 'Principals that the grant is for.',
        minItems: 1,
        maxItems: PRINCIPALS_MAX,
        items: { type: 'string', maxLength: PRINCIPAL_CHARACTERS },
      },
      narrow: bothPrincipals,
    },
  },
  signed: {
    form: isSigned,
    held: undefined,
    written: {
      type: [
        `{by: a list of 1 to ${GRANT_LIMITS.signers} signers, each {name, key, origin}, of?: at most as many as there are names}`,
        isSigned,
      ],
      schema: {
        type: 'object',
        description: 'Where this grant needs a person, the yes is signed by passkeys of these persons.',
        additionalProperties: false,
        required: ['by'],
        properties: {
          by: {
            type: 'array',
            minItems: 1,
            maxItems: GRANT_LIMITS.signers,
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['name', 'key', 'origin'],
              properties: {
                name: { type: 'string', minLength: 1, description: 'Name of the person.' },
                key: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Hash of the passkey.' },
                origin: { type: 'string', description: 'Origin of the page that the passkey was made on.' },
                rp: { type: 'string', minLength: 1, description: 'RP ID; absent: the host of the origin.' },
              },
            },
          },
          of: { type: 'integer', minimum: 1, description: 'Different names that have to sign; absent: one.' },
        },
      },
      narrow: bothSign,
    },
  },
  handled: { form: isLabelList, held: undefined, written: undefined },
  answer: { form: isHash, held: undefined, written: undefined },
  parent: { form: isHash, held: undefined, written: undefined },
  run: { form: isText, held: undefined, written: undefined },
  labels: { form: arrayOf(isOneOf(...LABELS)), held: undefined, written: undefined },
  expires: {
    form: isCount,
    held: held({
      code: 'grant_expired',
      details: { expires: isCount },
      limitsDenial: true,
      miss: ({ expires = 0 }, { now }) => (now >= expires ? { expires } : undefined),
    }),
    written: {
      type: COUNT,
      schema: { type: 'integer', minimum: 1, description: 'Milliseconds since 1970 at which the grant ends.' },
      narrow: smaller,
    },
  },
  release: {
    form: isRelease,
    held: undefined,
    written: {
      type: [`{bits: 1 to ${GRANT_LIMITS.releaseBits}, drops?: ['untrusted']}`, isRelease],
      schema: {
        type: 'object',
        description: 'Bits of small results that the model may be told, over all runs; the results are held otherwise.',
        additionalProperties: false,
        required: ['bits'],
        properties: {
          bits: { type: 'integer', minimum: 1, maximum: GRANT_LIMITS.releaseBits },
          drops: {
            type: 'array',
            description: 'Whoever wrote the value may choose among these answers: they do not count as untrusted.',
            minItems: 1,
            maxItems: 1,
            items: { enum: ['untrusted'] },
          },
        },
      },
      // a grant that releases permits more than one that does not
      absent: { bits: 0 },
      narrow: bothRelease,
    },
  },
  uses: {
    form: isCount,
    held: held({
      code: 'grant_used_up',
      details: { uses: isCount },
      limitsDenial: false,
      miss: ({ uses = 0 }, { use }) => (use.count >= uses ? { uses } : undefined),
    }),
    written: {
      type: COUNT,
      schema: { type: 'integer', minimum: 1, description: 'Calls that the grant permits in a run.' },
      narrow: smaller,
    },
  },
  rate: {
    form: isRates,
    held: held({
      code: 'grant_rate',
      details: { calls: isCount, windowMs: isCount, next: optional(isCount), after_ms: optional(isCount) },
      limitsDenial: false,
      miss: ({ rate = [] }, facts) => rateMiss(rate, facts),
    }),
    written: {
      type: [
        `a list of 1 to ${GRANT_LIMITS.rates} rates, each {calls: 1 to ${GRANT_LIMITS.rateCalls}, windowMs: 1 to ${GRANT_LIMITS.rateWindowMs}}`,
        isRates,
      ],
      schema: {
        type: 'array',
        description: 'At most so many calls in any window of so many milliseconds of a run; every rate holds.',
        minItems: 1,
        maxItems: GRANT_LIMITS.rates,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['calls', 'windowMs'],
          properties: {
            calls: { type: 'integer', minimum: 1, maximum: GRANT_LIMITS.rateCalls },
            windowMs: { type: 'integer', minimum: 1, maximum: GRANT_LIMITS.rateWindowMs },
          },
        },
      },
      narrow: bothRates,
      most: `at most ${GRANT_LIMITS.rates} rates, with those of the grant`,
    },
  },
  args_hash: {
    form: isHash,
    held: held({
      code: 'grant_constraint',
      details: {},
      limitsDenial: true,
      miss: ({ args_hash = '' }, { isExact }) => (isExact(args_hash) ? undefined : {}),
    }),
    written: undefined,
  },
  where: {
    form: isObject,
    held: held({
      code: 'grant_constraint',
      details: {},
      limitsDenial: true,
      miss: ({ mode, where_hash = '' }, { holds }) => {
        const isMet = holds.get(where_hash);
        // A constraint without a result closes both ways: a permission does not permit, a denial denies.
        return (mode === 'deny' ? isMet !== false : isMet === true) ? undefined : {};
      },
    }),
    written: {
      type: OBJECT,
      schema: { type: 'object', description: 'JSON Schema that the arguments must satisfy too.' },
      narrow: bothOf,
    },
  },
}))();

/**
 * What both accept: a place of one that the other covers, too, with the labels of both. Two patterns that only meet
 * accept nothing.
 */
function bothAccept(given: Accepts, asked: Accepts): Accepts {
  const within = (inner: Accepts, outer: Accepts) =>
    Object.entries(inner).flatMap(([place, labels]) => {
      const taken = Object.entries(outer).flatMap(([key, each]) => (covers(key, place) ? each : []));
      const both = labels.filter((label) => taken.includes(label));
      return both.length === 0 ? [] : [[place, both] as const];
    });
  const all = new Map<string, readonly Label[]>();
  for (const [place, labels] of [...within(given, asked), ...within(asked, given)])
    all.set(
      place,
      LABELS.filter((label) => labels.includes(label) || all.get(place)?.includes(label)),
    );
  return Object.fromEntries(all);
}

/** The smaller bits, and the labels that both drop. */
function bothRelease(given: ReleaseTerm, asked: ReleaseTerm): ReleaseTerm | undefined {
  const bits = smaller(given.bits, asked.bits);
  if (bits === 0) return undefined;
  return { bits, ...(given.drops && asked.drops && { drops: given.drops }) };
}

/** The principals of both; undefined where there are none. */
function bothPrincipals(given: readonly string[], asked: readonly string[]): readonly string[] | undefined {
  const both = given.filter((each) => asked.includes(each));
  return both.length === 0 ? undefined : both;
}

/** The signers of both, and the larger number of names; undefined where there are fewer. */
function bothSign(given: Signed, asked: Signed): Signed | undefined {
  const by = given.by.filter((one) => asked.by.some((other) => isSameSigner(one, other)));
  const of = Math.max(given.of ?? 1, asked.of ?? 1);
  return of > countNames(by) ? undefined : { by, ...(of > 1 && { of }) };
}

/** Every rate that is reached, and of these the one that takes longest to permit the next call. */
function rateMiss(rate: readonly Rate[], { now, use }: TermFacts): DenialDetails<'grant_rate'> | undefined {
  const waits = rate.flatMap(({ calls, windowMs }): DenialDetails<'grant_rate'>[] => {
    const within = use.recent.filter((at) => at > now - windowMs).sort((a, b) => a - b);
    const leaves = within[within.length - calls];
    if (leaves === undefined) return [];
    const next = leaves + windowMs;
    return [{ calls, windowMs, ...(leaves < KEPT_AT && { next, after_ms: next - now }) }];
  });
  const nextOf = ({ next = Number.POSITIVE_INFINITY }: DenialDetails<'grant_rate'>) => next;
  return waits.reduce<DenialDetails<'grant_rate'> | undefined>(
    (longest, wait) => (longest === undefined || nextOf(wait) > nextOf(longest) ? wait : longest),
    undefined,
  );
}

/** All rates of both; undefined for more than a grant may hold. */
function bothRates(given: readonly Rate[], asked: readonly Rate[]): readonly Rate[] | undefined {
  const isNew = ({ calls, windowMs }: Rate) =>
    !given.some((each) => each.calls === calls && each.windowMs === windowMs);
  const all = [...given, ...asked.filter(isNew)];
  return all.length > GRANT_LIMITS.rates ? undefined : all;
}

export const TERM_NAMES = /* @__PURE__ */ Object.keys(GRANT_TERMS) as readonly GrantTermName[];

/** The terms that refuse a use. */
export const HELD_TERMS: readonly (HeldTerm & { readonly name: GrantTermName })[] = /* @__PURE__ */ TERM_NAMES.flatMap(
  (name) => {
    const { held: term } = GRANT_TERMS[name];
    return term === undefined ? [] : [{ ...term, name }];
  },
);

/** Names of the terms that an author writes. */
export const AUTHOR_TERM_NAMES = /* @__PURE__ */ TERM_NAMES.filter(
  (name) => GRANT_TERMS[name].written !== undefined,
) as readonly AuthorTermName[];

/** What an author writes for a term. */
export function writtenTerm<T extends AuthorTermName>(name: T): WrittenTerm<NonNullable<AuthorTerms[T]>> {
  return GRANT_TERMS[name].written as WrittenTerm<NonNullable<AuthorTerms[T]>>;
}

/** Types of the terms that a grant's author writes. */
export const TERM_TYPES: OptionTypes = /* @__PURE__ */ Object.fromEntries(
  /* @__PURE__ */ AUTHOR_TERM_NAMES.map((name) => [name, GRANT_TERMS[name].written.type]),
);

/** The members of these names that are not undefined. */
export function picked<T extends object>(from: T, names: readonly (keyof T)[]): Partial<T> {
  return Object.fromEntries(
    names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])),
  ) as Partial<T>;
}

/**
 * The terms of a grant as its author wrote them, or `option_invalid` with the member's name. Values are not guessed: a
 * misspelt denial would never deny, and a date given as a text would never come.
 */
export function checkTerms(given: object): Outcome<AuthorTerms> {
  const fault = optionFault(given, WRITTEN, ['mode']);
  if (fault !== undefined) return fault;
  const { mode, release, signed } = given as AuthorTerms;
  if (mode === 'deny' && release !== undefined)
    return refuse('option_invalid', { name: 'release', wants: 'a grant that allows or asks' });
  // nobody is asked about a denial, so that nobody could sign
  return mode === 'deny' && signed !== undefined
    ? refuse('option_invalid', { name: 'signed', wants: 'a grant that allows or asks' })
    : pass(given as AuthorTerms);
}

/** A grant as its author writes it; what it is for is checked by the registry. */
const WRITTEN: OptionTypes = /* @__PURE__ */ Object.assign({ capability: ANY, power: ANY }, TERM_TYPES);

const STANDING: OptionTypes = { args: oneOf('exact', 'any'), uses: COUNT };

/** Scope of a person's yes beyond the call in question; refuses as `checkTerms` does. */
export function checkStanding(given: unknown): Outcome<unknown> {
  if (!isObject(given)) return refuse('option_invalid', { name: 'standing', wants: OBJECT[0] });
  return optionFault(given, STANDING, ['args']) ?? pass(given);
}
