import type { ApprovalReason } from '../capability/authorize.ts';
import { type Effect, joined, LABELS, type Label } from '../capability/guard.ts';
import { handleOf, handlesIn, type ValueOf, withValues } from '../capability/hold.ts';
import type { Code } from '../errors.ts';
import { isHash } from '../hash.ts';
import { canonicalize } from '../json/canonical.ts';
import { decodeUtf8 } from '../json/utf8.ts';
import { isCount, isObject, type JsonValue } from '../json/value.ts';
import type { ExportFile } from '../ledger/export.ts';
import { arrayOf, type Form, isText } from '../ledger/form.ts';
import type { ApprovalBody, DecisionBody } from '../ledger/kinds/authority.ts';
import type { Evidence, HeldEvidence, OperationEvidence } from '../ledger/kinds/evidence.ts';
import { NO_CODES } from '../ledger/kinds/parts.ts';
import type { PowerBody, PowerDecision } from '../ledger/kinds/power.ts';
import type { VerdictBody } from '../ledger/kinds/step.ts';
import { parseJson } from '../ledger/line.ts';
import { type PayloadRef, unsalted } from '../ledger/payload-ref.ts';
import type { Bodies, LedgerRecord, RecordKind } from '../ledger/record.ts';
import { groupBySteps } from '../ledger/steps.ts';
import { CALLBACK, demand, LIST, OBJECT, type OptionType } from '../option.ts';
import { type Outcome, pass } from '../outcome.ts';
import { restorePowers, restoreRegistry } from '../run/resume/facts.ts';

/** A definition that is registered or pinned now. */
export interface KnownDefinition {
  readonly name: string;
  readonly hash: string;
  readonly effect: Effect;
  /** The call itself runs in the sandbox, so that held values in its arguments ask nobody. */
  readonly isInside?: true;
}

/** A recorded use of a definition: a call of a step, or what a program used while it ran. */
export interface PastUse {
  readonly run_id: string;
  /** Counted from 1. */
  readonly step: number;
  readonly step_id: string;
  /** Of a use by a program while it ran. */
  readonly ticket?: number;
  readonly name: string;
  /** Hash of the definition. */
  readonly hash: string;
  /** Arguments as they were proposed; absent where they were erased. */
  readonly args?: JsonValue;
  readonly args_hash?: string;
  /** The arguments are salted in the ledger: nothing may quote them. */
  readonly isSecret: boolean;
  /** Places of the arguments that held a handle, with the labels of its value. */
  readonly handles: readonly { readonly pointer: string; readonly labels: readonly Label[] }[];
  /** The arguments with the values of their handles; absent where there are none, or one has no value any more. */
  readonly resolved?: JsonValue;
  /** Labels of the data that the model had read; of a read by a program also those of the program's step. */
  readonly labels: readonly Label[];
  /** Clock of the decision, integer ms since epoch. */
  readonly now: number;
  /**
   * `ran`: it was permitted. `denied`: a person said no. `refused`: by the rules, or by a question that nobody answered.
   * `open`: its question was still open at the end of the records.
   */
  readonly end: 'ran' | 'denied' | 'refused' | 'open';
  /** Why a person was asked, if one was. */
  readonly asked?: ApprovalReason;
  readonly code?: Code;
  /** Id of the grant that permitted it, or that asked. */
  readonly grant?: string;
  /** By a watch, which stands where there is no grant. */
  readonly watched?: true;
}

/** A run of a ledger. Its content is a stranger's. */
export interface RecordedRun {
  readonly records: readonly LedgerRecord[];
  /** Finds the bytes that a record names, without their salt; undefined after erasure. */
  find(ref: PayloadRef): Uint8Array | undefined;
}

/** The run, with members of their types. Throws `option_invalid`. */
function given(run: RecordedRun): RecordedRun {
  demand('run', run, OBJECT);
  demand('records', run.records, LIST);
  demand('find', run.find, CALLBACK);
  return run;
}

/** Uses as `usesIn` gives them. */
export const USES: OptionType = ['a list of uses', (value) => Array.isArray(value) && value.every(isUse)];

const USE: Form<Pick<PastUse, 'run_id' | 'step' | 'name' | 'hash' | 'labels' | 'handles' | 'now' | 'end'>> = {
  run_id: isText,
  step: isCount,
  name: isText,
  hash: isHash,
  labels: arrayOf(isText),
  handles: Array.isArray,
  now: isCount,
  end: isText,
};

function isUse(value: unknown): boolean {
  return isObject(value) && Object.entries(USE).every(([name, is]) => is(value[name]));
}

/** Definitions as `definitionsIn` gives them. */
export const DEFINITIONS: OptionType = [
  'a list of definitions',
  (value) =>
    Array.isArray(value) &&
    value.every((each) => isObject(each) && isText(each['name']) && isHash(each['hash']) && isText(each['effect'])),
];

/** The uses that a run recorded, in the order of its decisions. Never throws for a record that has its form. */
export function usesIn(run: RecordedRun): readonly PastUse[] {
  const { records, find } = given(run);
  const json = reader(find);
  const held = new Map<string, PastOutcome>();
  const uses: PastUse[] = [];
  for (const { step, records: own } of groupBySteps(records)) {
    if (step === undefined) continue;
    const past = new StepUses(own, json, held);
    uses.push(...past.all());
    const { receipt, evidence } = past.closed ?? {};
    if (evidence?.held !== undefined)
      held.set(handleOf(step, evidence.held.operation), { ...evidence.held, isGood: receipt?.status === 'SUCCESS' });
  }
  return uses;
}

/** The definitions that a run offered: its capabilities, tools and powers. `payload_missing`, `facts_altered`. */
export function definitionsIn(run: RecordedRun): Outcome<readonly KnownDefinition[]> {
  const { records, find } = given(run);
  const [first] = records;
  if (first?.kind !== 'configuration') return pass([]);
  const registry = restoreRegistry(first.body, find);
  if (!registry.ok) return registry;
  const powers = restorePowers(first.body, find);
  if (!powers.ok) return powers;
  const known = [...registry.value.capabilities.values()].map(
    ({ hash, manifest: { name, effect, host } }): KnownDefinition => ({
      name,
      hash,
      effect,
      ...(host === undefined && { isInside: true }),
    }),
  );
  const provided = [...(powers.value?.powers.values() ?? [])].map(
    ({ hash, manifest: { name, effect } }): KnownDefinition => ({ name, hash, effect }),
  );
  return pass([...known, ...provided]);
}

/** The run in an export. */
export function runInExport({ records, payloads }: ExportFile): RecordedRun {
  return {
    records: records.flatMap((line) => (line === undefined ? [] : [line.record])),
    find: (ref) => {
      const bytes = (ref.kept ?? ref.bytes) === ref.bytes ? payloads.get(ref.sha256) : undefined;
      return bytes && unsalted(ref, bytes);
    },
  };
}

/** The uses in an export. Its form is not verified here: check the file first, and say so where nobody vouches for it. */
export function usesInExport(file: ExportFile): readonly PastUse[] {
  return usesIn(runInExport(file));
}

/** Reads payloads as JSON, each once. A value that cannot be written again is none. */
function reader(find: RecordedRun['find']): (ref: PayloadRef) => JsonValue | undefined {
  const known = new Map<string, JsonValue | undefined>();
  return (ref) => {
    const key = `${ref.sha256} ${ref.salt ?? ''}`;
    if (!known.has(key)) {
      const bytes = find(ref);
      const text = bytes && decodeUtf8(bytes);
      const value = text === undefined ? undefined : parseJson(text);
      known.set(key, value !== undefined && canonicalize(value).ok ? value : undefined);
    }
    return known.get(key);
  };
}

type Arguments = Pick<PastUse, 'args' | 'isSecret' | 'handles' | 'resolved'>;

/** Bytes of the values in the places of handles. */
const BYTES_MAX = 2 ** 24;

/** A held outcome of an earlier step. */
type PastOutcome = HeldEvidence & { readonly isGood: boolean };

type Draft = { -readonly [K in keyof PastUse]: PastUse[K] };

/** A call that a message asked for. */
type AskedFor = Pick<VerdictBody, 'capability' | 'capability_hash' | 'args'>;

/** The uses of a step. */
class StepUses {
  readonly closed: Bodies['receipt'] | undefined;
  readonly evidence: Evidence | undefined;
  readonly #records: readonly LedgerRecord[];
  readonly #bodies = new Map<RecordKind, Bodies[RecordKind][]>();
  readonly #json: ReturnType<typeof reader>;
  readonly #held: ReadonlyMap<string, PastOutcome>;
  readonly #run_id: string;

  constructor(
    records: readonly LedgerRecord[],
    json: ReturnType<typeof reader>,
    held: ReadonlyMap<string, PastOutcome>,
  ) {
    this.#records = records;
    for (const { kind, body } of records) {
      const of = this.#bodies.get(kind) ?? [];
      of.push(body);
      this.#bodies.set(kind, of);
    }
    this.#json = json;
    this.#held = held;
    this.#run_id = records[0]?.run_id ?? '';
    this.closed = this.#body('receipt')[0];
    this.evidence = this.closed?.evidence;
  }

  all(): readonly PastUse[] {
    return [...this.#calls(), ...this.#inner()];
  }

  /** The calls of the message, by their decisions. */
  #calls(): readonly PastUse[] {
    const verdict = this.#body('verdict')[0];
    if (verdict === undefined) return [];
    const asked: readonly AskedFor[] = verdict.operations ?? [verdict];
    const uses: Draft[] = [];
    let current: Draft | undefined;
    for (const { kind, body } of this.#records) {
      if (kind === 'decision') {
        current ??= this.#use(body, asked[uses.length]);
        Object.assign(current, decidedBy(body));
        if (body.decision === 'REQUIRES_APPROVAL') continue;
        uses.push(current);
        current = undefined;
      } else if (current !== undefined && kind === 'approval') Object.assign(current, answeredBy(body));
    }
    if (current !== undefined) uses.push(this.#ended(current));
    return uses;
  }

  /** A use whose question was not followed by a decision: the receipt tells how it ended. */
  #ended(use: Draft): PastUse {
    const { reason } = this.evidence ?? {};
    return reason === undefined || use.end !== 'open' ? use : { ...use, end: 'refused', code: reason.code };
  }

  #use({ step, step_id, capability, capability_hash, args_hash, labels, now }: DecisionBody, asked?: AskedFor): Draft {
    const isAsked = asked?.capability_hash === capability_hash;
    return {
      run_id: this.#run_id,
      step,
      step_id,
      name: capability,
      hash: capability_hash,
      ...this.#args(isAsked ? asked.args : undefined),
      args_hash,
      labels,
      now,
      end: 'open',
    };
  }

  #args(ref: PayloadRef | undefined): Arguments {
    const args = ref && this.#json(ref);
    const isSecret = ref?.salt !== undefined;
    if (args === undefined) return { isSecret, handles: [] };
    const found = this.#held.size === 0 ? pass([]) : handlesIn(args);
    if (!found.ok || found.value.length === 0) return { args, isSecret, handles: [] };
    const handles = found.value.map(({ handle, pointer }) => ({
      pointer,
      labels: this.#held.get(handle)?.labels ?? [],
    }));
    const resolved = isObject(args) ? withValues(args, found.value, (handle) => this.#value(handle), BYTES_MAX) : found;
    return { args, isSecret, handles, ...(resolved.ok && isObject(resolved.value) && { resolved: resolved.value }) };
  }

  #value(handle: string): ReturnType<ValueOf> {
    const held = this.#held.get(handle);
    const value = held?.isGood ? this.#json(held.outcome) : undefined;
    return value === undefined ? undefined : { value };
  }

  /** What programs used while they ran: tools, and powers of the page. */
  #inner(): readonly PastUse[] {
    const { evidence } = this;
    const calls: readonly (Partial<OperationEvidence> | undefined)[] = evidence?.operations ?? [evidence];
    const issued = byUse(this.#body('power').filter((body) => body.event === 'issued'));
    const questions = byUse(this.#body('approval').filter(isAboutPower));
    const uses: PastUse[] = [];
    for (const call of calls) {
      const told = this.#list(call?.power_calls);
      for (const decisions of byTicket(call?.powers ?? [])) {
        const use = this.#innerUse(decisions, { issued, questions, told });
        if (use !== undefined) uses.push(use);
      }
    }
    if (evidence !== undefined) return uses;
    // of a call without a receipt, only the powers that were issued and the questions are known
    for (const each of issued.values()) for (const body of each) uses.push(this.#issuedUse(body));
    for (const [key, asked] of questions) if (!issued.has(key)) uses.push(...this.#openUse(asked));
    return uses;
  }

  #innerUse(decisions: readonly PowerDecision[], { issued, questions, told }: InnerRecords): PastUse | undefined {
    const last = decisions.at(-1);
    if (last === undefined) return undefined;
    const { ticket, power: name, power_hash: hash, now, code, grant, watched } = last;
    const key = useKey(ticket, hash);
    // operations of a message count their tickets anew
    const begun = last.decision === 'AUTHORIZED' ? issued.get(key)?.shift() : undefined;
    const asked = questions.get(key) ?? [];
    const [no] = asked.flatMap((body) => answeredBy(body) ?? []);
    const ref = begun?.args ?? (asked.length > 2 ? undefined : argsAsked(asked));
    return {
      ...this.#place(begun),
      ticket,
      name,
      hash,
      ...(ref === undefined ? this.#toldArgs(told[ticket - 1]) : this.#args(ref)),
      now,
      end: endOf(last),
      ...(asked.length > 0 && { asked: 'grant' as const }),
      ...(code !== undefined && { code }),
      ...(grant !== undefined && { grant }),
      ...(watched && { watched }),
      ...(last.decision !== 'AUTHORIZED' && no),
    };
  }

  #issuedUse(body: Issued): PastUse {
    const { ticket, power: name, power_hash: hash, now, grant } = body;
    return { ...this.#place(body), ticket, name, hash, ...this.#args(body.args), now, end: 'ran', grant };
  }

  /** A use whose question is the last that is known of it. */
  #openUse(asked: readonly ApprovalBody[]): readonly PastUse[] {
    const [first] = asked;
    const ref = argsAsked(asked);
    if (first?.ticket === undefined || ref === undefined) return [];
    const { ticket, capability: name, capability_hash: hash } = first;
    const [no] = asked.flatMap((body) => answeredBy(body) ?? []);
    const now = this.#records[0]?.at ?? 0;
    return [{ ...this.#place(), ticket, name, hash, ...this.#args(ref), now, end: 'open', asked: 'grant', ...no }];
  }

  /** The labels are those that the model had read, and all that the program had read at its end. */
  #place(begun?: Issued): Pick<PastUse, 'run_id' | 'step' | 'step_id' | 'labels'> {
    const [first] = this.#body('proposal');
    const { step = 0, step_id = '' } = first ?? begun ?? {};
    const { evidence } = this;
    const isFirst = begun !== undefined && begun.ticket === 1;
    const read =
      evidence === undefined ? (isFirst ? [] : LABELS) : joined(evidence.labels, evidence.held?.labels ?? []);
    return { run_id: this.#run_id, step, step_id, labels: joined(begun?.labels ?? [], read) };
  }

  #toldArgs(call: JsonValue | undefined): Arguments {
    const args = call !== undefined && isObject(call) && Array.isArray(call['args']) ? call['args'] : [];
    const isSecret = this.evidence?.power_calls?.salt !== undefined;
    return args.length === 1 ? { args: args[0] as JsonValue, isSecret, handles: [] } : { isSecret, handles: [] };
  }

  #list(ref: PayloadRef | undefined): readonly JsonValue[] {
    const value = ref && this.#json(ref);
    return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
  }

  #body<K extends RecordKind>(kind: K): readonly Bodies[K][] {
    return (this.#bodies.get(kind) ?? []) as unknown as readonly Bodies[K][];
  }
}

type Issued = Extract<PowerBody, { event: 'issued' }>;

interface InnerRecords {
  /** By `useKey`, in their order; each is taken once. */
  readonly issued: ReadonlyMap<string, Issued[]>;
  readonly questions: ReadonlyMap<string, readonly ApprovalBody[]>;
  readonly told: readonly JsonValue[];
}

function useKey(ticket: number, hash: string): string {
  return `${ticket} ${hash}`;
}

/** Records of uses by a program, by the ticket and the definition. */
function byUse<B extends Issued | ApprovalBody>(bodies: readonly B[]): ReadonlyMap<string, B[]> {
  const found = new Map<string, B[]>();
  for (const body of bodies) {
    const key = useKey(body.ticket ?? 0, 'power_hash' in body ? body.power_hash : body.capability_hash);
    const of = found.get(key) ?? [];
    of.push(body);
    found.set(key, of);
  }
  return found;
}

function isAboutPower({ ticket }: ApprovalBody): boolean {
  return ticket !== undefined;
}

function argsAsked(asked: readonly ApprovalBody[]): PayloadRef | undefined {
  return asked.flatMap((body) => (body.event === 'asked' ? [body.args] : []))[0];
}

function decidedBy({ decision, why, code, now, grant, watched }: DecisionBody): Partial<PastUse> {
  const by = { ...(grant !== undefined && { grant }), ...(watched && { watched }) };
  if (decision === 'REQUIRES_APPROVAL') return { now, ...(why !== undefined && { asked: why }), ...by };
  return { now, end: decision === 'AUTHORIZED' ? 'ran' : 'refused', ...(code !== undefined && { code }), ...by };
}

/** How a no ends a use: of a person, or of what stands for one. */
function answeredBy(body: ApprovalBody): Pick<PastUse, 'end' | 'code'> | undefined {
  if (body.event !== 'answered' || body.approved) return undefined;
  const code = NO_CODES[body.via ?? 'gesture'];
  return { end: code === 'approval_denied' ? 'denied' : 'refused', code };
}

function endOf({ decision }: PowerDecision): PastUse['end'] {
  if (decision === 'AUTHORIZED') return 'ran';
  return decision === 'REQUIRES_APPROVAL' ? 'open' : 'refused';
}

/** The decisions about each power call, in the order of the tickets. */
function byTicket(decisions: readonly PowerDecision[]): readonly (readonly PowerDecision[])[] {
  const tickets = new Map<number, PowerDecision[]>();
  for (const decided of decisions) {
    const of = tickets.get(decided.ticket) ?? [];
    of.push(decided);
    tickets.set(decided.ticket, of);
  }
  return [...tickets].sort(([one], [other]) => one - other).map(([, of]) => of);
}
