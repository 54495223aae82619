import { type Bodies, type ExportFile, groupBySteps, type LedgerRecord, type PayloadRef } from '../../core/index.ts';
import { records as texts } from '../texts/en/records.ts';
import type { RecordTone } from './describe.ts';
import { type GateName, gatesOf, type StripGate, stoppedAt } from './gates.ts';
import { heldOf, releaseOf } from './held.ts';

/** The records of a proposal, or (`step` 0 or between) the records that belong to the run itself. */
export interface StepGroup {
  /** Unique and stable within the run: the first record's run_seq. */
  readonly key: number;
  readonly step: number | undefined;
  readonly records: readonly LedgerRecord[];
  readonly gates: readonly StripGate[];
  readonly stopped: GateName | undefined;
  readonly title: string;
  /** The title is a capability's name. */
  readonly named: boolean;
}

/** Groups records by step in append order. Lossless: every record is in exactly one group. */
export function groupSteps(records: readonly LedgerRecord[]): readonly StepGroup[] {
  return groupBySteps(records).map(({ step, records: own }) => groupOf(step, own));
}

/** The group that holds the record with this run_seq. */
export function groupAt(groups: readonly StepGroup[], seq: number | undefined): StepGroup | undefined {
  return groups.find((group) => group.records.some((record) => record.run_seq === seq));
}

function groupOf(step: number | undefined, records: readonly LedgerRecord[]): StepGroup {
  const gates = step === undefined ? [] : gatesOf(records);
  const verdict = records.find((record) => record.kind === 'verdict')?.body;
  const name = verdict?.capability ?? soleCall(verdict);
  return {
    key: records[0]?.run_seq ?? 0,
    step,
    records,
    gates,
    stopped: stoppedAt(gates),
    title: name ?? titleOf(step, verdict, records),
    named: name !== undefined,
  };
}

type Verdict = Bodies['verdict'] | undefined;

/** A message with a single call takes the name of the called capability. */
function soleCall(verdict: Verdict): string | undefined {
  const [first, second] = verdict?.operations ?? [];
  return second === undefined && first?.type === 'EXECUTE' ? first.capability : undefined;
}

function titleOf(step: number | undefined, verdict: Verdict, records: readonly LedgerRecord[]): string {
  if (step === undefined) return texts().titles[records.at(-1)?.kind === 'seal' ? 'end' : 'run'];
  const [first, ...rest] = verdict?.operations ?? [];
  if (first === undefined) return texts().titles[verdict?.kind ?? 'call'];
  return rest.length === 0 ? `${first.type} ${first.target}` : texts().operations(rest.length + 1);
}

interface StepOutcome {
  readonly word: string;
  /** The gate that stopped it, or the person or program that it waits for. */
  readonly place: string;
  readonly tone: RecordTone;
  /** Of a step whose model was told a handle, or a small value for bits, in the place of the outcome. */
  readonly chip?: StepChip;
}

interface StepChip {
  readonly kind: 'held' | 'release';
  readonly word: string;
  /** Its handle, or its bits. */
  readonly short: string;
}

/** The end of a step, or the answer that it waits for, in a few words. */
export function outcomeOf(group: StepGroup): StepOutcome {
  const at = (name: GateName): StripGate | undefined => group.gates.find((gate) => gate.name === name);
  const { outcomes, at: placeOf, forYou } = texts();
  const chip = chipOf(group.records);
  const held = chip === undefined ? {} : { chip };
  if (group.stopped !== undefined)
    return { word: outcomes.stopped, place: placeOf(group.stopped), tone: 'bad', ...held };
  if (at('approve')?.state === 'waiting') return { word: outcomes.waits, place: forYou, tone: 'wait' };
  if (at('receipt')?.state === 'passed') return { word: outcomes.passed, place: '', tone: 'good', ...held };
  return { word: outcomes.underWay, place: '', tone: 'plain' };
}

function chipOf(records: readonly LedgerRecord[]): StepChip | undefined {
  const handle = heldOf(records)?.handle;
  if (handle !== undefined) return { kind: 'held', word: texts().heldAs(handle), short: handle };
  const bits = releaseOf(records)?.bits;
  if (bits === undefined) return undefined;
  return { kind: 'release', word: texts().released(bits, false), short: texts().bits(bits) };
}

/** The outcome of a step in one line of text. */
export function outcomeText(group: StepGroup): string {
  const { word, place, chip } = outcomeOf(group);
  return [`${word} ${place}`.trimEnd(), ...(chip === undefined ? [] : [chip.word])].join(', ');
}

/** The step that a record belongs to; undefined for a record of the run itself. */
export function stepOf({ kind, body }: LedgerRecord): number | undefined {
  if (kind === 'receipt') return body.evidence.step;
  return 'step' in body ? body.step : undefined;
}

/** The readable records of a file, in its order. */
export function recordsIn({ records }: ExportFile): readonly LedgerRecord[] {
  return records.flatMap((line) => (line === undefined ? [] : [line.record]));
}

type ProposalRecord = Extract<LedgerRecord, { kind: 'proposal' }>;

/** True for a proposal of the run's model. A person's edited call stands in the records as a proposal, too. */
function isOfModel(record: LedgerRecord): record is ProposalRecord {
  return record.kind === 'proposal' && record.body.by !== 'person';
}

/** The proposals that a run has got from its model. */
export function modelProposals(records: readonly LedgerRecord[]): readonly ProposalRecord[] {
  return records.filter(isOfModel);
}

/** A text of a run that a model is sent, with the number of the record that names it. */
export interface ToldText {
  readonly kind: 'task' | 'proposal' | 'observation';
  readonly ref: PayloadRef;
  readonly record: number;
}

/**
 * The texts of a run that its model is sent: the task, its own proposals, and the replies to them. A person's edited call is
 * told in the reply alone.
 */
export function toldTexts(records: readonly LedgerRecord[]): readonly ToldText[] {
  return records.flatMap((record): readonly ToldText[] => {
    if (record.kind === 'task') return [{ kind: record.kind, ref: record.body.text, record: record.run_seq }];
    if (record.kind !== 'observation' && !isOfModel(record)) return [];
    return [{ kind: record.kind, ref: record.body.payload, record: record.run_seq }];
  });
}
