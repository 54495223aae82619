import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { decodeUtf8, type LedgerRecord, type PayloadRef, type RunLimits } from '../../../core/index.ts';
import type {
  ModelPort,
  OpeningLength,
  ResumeOptions,
  Run,
  RunRow,
  Runtime,
  StartOptions,
} from '../../../workers/api.ts';
import { modelProposals } from '../../records/steps.ts';
import { run as texts } from '../../texts/en/run.ts';
import type { ActionRunner } from '../parts/action-runner.ts';
import { storedText } from '../parts/local-storage.ts';
import { HOME, type PlaygroundScenario, type ScenarioShelf } from '../scenario.ts';
import {
  modelIn,
  ORIGIN,
  openProposer,
  PROPOSERS,
  type ProposerChoice,
  type ProposerName,
  scenarioIn,
} from './proposer.ts';
import { callerOf } from './session-caller.ts';

/** A person's choices before a run; its first record holds them. */
export interface RunSetup {
  /** Undefined: the scenario's own task. */
  readonly task?: string;
  readonly limits?: Partial<RunLimits>;
}

/** A person's choices for the next run. Taking up an earlier run changes the scenario, too. */
export interface RunChoices {
  readonly shelf: ScenarioShelf;
  readonly scenario: Signal<PlaygroundScenario>;
  /** The proposer of the run that is looked at, and of the next one. A fork changes it, too. */
  readonly chosen: Signal<ProposerName>;
  /** The proposer that the person has chosen last; this device remembers it. */
  readonly preferred: Signal<ProposerName>;
  readonly setup: Signal<RunSetup>;
}

export function openRunChoices(shelf: ScenarioShelf, first: PlaygroundScenario): RunChoices {
  const preferred = storedProposer();
  return {
    shelf,
    scenario: signal<PlaygroundScenario>(first),
    chosen: signal(preferred.peek()),
    preferred,
    setup: signal<RunSetup>({}),
  };
}

function storedProposer(): Signal<ProposerName> {
  const stored = storedText('sallyport.proposer', 'script') as Signal<ProposerName>;
  if (!PROPOSERS.includes(stored.peek())) stored.value = 'script';
  return stored;
}

export interface StartedRun {
  readonly run: Run;
  readonly proposer: ProposerChoice;
}

/** Proposals of another view, such as the workshop, and the name of that view. */
export interface Offer {
  readonly task: string;
  readonly script: readonly string[];
  readonly origin: string;
}

interface BeginOptions {
  readonly scenario: PlaygroundScenario;
  /** Names of the capabilities that the run sees; undefined: all of them. */
  readonly offer?: readonly string[] | undefined;
  readonly chosen: ProposerName;
  readonly setup: RunSetup;
  readonly elsewhere?: ModelPort | undefined;
  /** Proposals of another run instead of the scenario's. */
  readonly script?: readonly string[];
  readonly origin?: string;
  /** Labels that the run begins with; a stranger's proposals are `untrusted`. */
  readonly labels?: StartOptions['labels'];
}

/** Starts a run that rests before its first step. */
export function beginRun(
  runtime: Runtime,
  { scenario, offer, chosen, setup, script, labels, ...rest }: BeginOptions,
): StartedRun {
  const proposer = openProposer({ script: script ?? scenario.script, scenario: scenario.id, chosen, ...rest });
  const { dialect, task } = scenario;
  const limits = setup.limits === undefined ? {} : { limits: setup.limits };
  const model = proposer.port;
  const options = {
    dialect,
    task: setup.task ?? task,
    model,
    paused: true,
    opening: openingFor(model),
    ...limits,
    ...(offer && { offer }),
    ...(labels?.length && { labels }),
  };
  return { run: runtime.start(options), proposer };
}

/** A window below this size has no room for the descriptions of all capabilities. */
const NARROW_BYTES = 4096;
/** Below this size, the instructions with names alone would take more than the history: some 350 bytes and the names. */
const TINY_BYTES = 1024;

function openingFor({ window: { contextBytes } = { contextBytes: Infinity } }: ModelPort): OpeningLength {
  if (contextBytes < TINY_BYTES) return 'none';
  return contextBytes < NARROW_BYTES ? 'names' : 'full';
}

export interface ResumedRun extends StartedRun {
  readonly scenario: PlaygroundScenario;
}

/** Proposers for a run that is taken up. */
export interface ResumedProposers {
  readonly chosen: ProposerName;
  /** A model that can propose now. It proposes only where the run began with a model of its id. */
  readonly model?: ModelPort | undefined;
  /** The page was opened anew: a run that began with a model goes on with it, and another one has none. */
  readonly isReopened?: boolean;
}

/** Records of a run that has made no step: its configuration and its task. */
const BARE_RECORDS = 2;

/** The runs of this device, as they were when they were last read. */
interface RunRows {
  /** Those that have made a step. */
  readonly runs: ReadonlySignal<readonly RunRow[]>;
  /** Reads them anew. */
  listRuns(): void;
  /** All of them, from the reading that is under way if there is one: the list and the first run of a page share it. */
  rows(): Promise<readonly RunRow[]>;
}

export function openRunList(runtime: Pick<Runtime, 'runs'>, attempt: ActionRunner): RunRows {
  const runs = signal<readonly RunRow[]>([]);
  let reading: Promise<readonly RunRow[]> | undefined;
  const read = (): Promise<readonly RunRow[]> => {
    const own = runtime.runs().finally(() => {
      if (reading === own) reading = undefined;
    });
    reading = own;
    return own;
  };
  return {
    runs,
    listRuns: () =>
      attempt(texts().actions.listRuns, async () => {
        runs.value = (await read()).filter(({ records: length }) => length > BARE_RECORDS);
      }),
    rows: () => reading ?? read(),
  };
}

/** Resumes the youngest unfinished of these runs that no other tab holds; undefined where there is none. */
export async function takeUp(
  runtime: Runtime,
  rows: readonly RunRow[],
  shelf: ScenarioShelf,
  proposers: ResumedProposers,
): Promise<ResumedRun | undefined> {
  for (const { run_id, sealed, foreign } of rows) {
    if (sealed || foreign) continue;
    const begun = await takeUpRun(runtime, shelf, { ...proposers, isReopened: true }, run_id).catch(() => undefined);
    if (begun !== undefined) return begun;
  }
  return undefined;
}

/** Resumes this run; undefined where no scenario here fits it. */
export async function takeUpRun(
  runtime: Runtime,
  shelf: ScenarioShelf,
  { chosen: wanted, model, isReopened = false }: ResumedProposers,
  run_id: string,
  options: ResumeOptions = {},
): Promise<ResumedRun | undefined> {
  const before = await runtime.ledger.records(run_id);
  const scenario = await scenarioOf(shelf, before);
  const [first] = before;
  // a session's own program proposes, and no model of this page can
  if (callerOf(before) !== undefined) return undefined;
  if (scenario === undefined || first?.kind !== 'configuration') return undefined;
  // a script of another view went with its page, and no other script replaces it
  const script = first.body.model.includes(ORIGIN) ? [] : scenario.script;
  const { id } = scenario;
  const recorded = modelIn(first.body.model);
  const elsewhere = model?.id === recorded ? model : undefined;
  const hasModel = recorded !== first.body.model;
  const own = hasModel ? 'model' : wanted === 'model' ? 'script' : wanted;
  const chosen = isReopened ? own : wanted;
  const common = { script, scenario: id, chosen, recorded, elsewhere };
  let proposer = openProposer(common);
  const propose: ModelPort['propose'] = (...asked) => proposer.port.propose(...asked);
  const opening = openingFor(proposer.port);
  const run = await runtime.resume(run_id, { ...proposer.port, propose }, { opening, ...options });
  // the former holder may have made a step before its release; no proposal is made before the run is driven
  const told = modelProposals(await runtime.ledger.records(run_id)).length;
  const from = Math.min(told, script.length);
  // a script that is told to its end proposes nothing: the person does
  const goesOn = chosen === 'script' && from === script.length ? 'you' : chosen;
  proposer = openProposer({ ...common, chosen: goesOn, from });
  return { run, proposer, scenario };
}

/**
 * The scenario and the dialect that the first record of a run of this device names. A scenario that is not open yet is
 * opened, which registers and grants: never for records of a stranger.
 */
export async function scenarioOf(
  shelf: ScenarioShelf,
  [first]: readonly LedgerRecord[],
): Promise<PlaygroundScenario | undefined> {
  if (first?.kind !== 'configuration') return undefined;
  const forms = await shelf.open(scenarioIn(first.body.model) ?? HOME);
  return forms?.find(({ dialect }) => first.body.dialect.startsWith(dialect));
}

/**
 * The scenario for records of a stranger, in their dialect: the one they name where a person has opened it, and the
 * current one otherwise. Opens no scenario.
 */
export function openScenarioOf(
  { opened }: Pick<ScenarioShelf, 'opened'>,
  [first]: readonly LedgerRecord[],
  current: PlaygroundScenario,
): PlaygroundScenario {
  if (first?.kind !== 'configuration') return current;
  const { model, dialect: spoken } = first.body;
  const forms = [scenarioIn(model) ?? HOME, current.id].flatMap((wanted) =>
    opened.peek().filter(({ id }) => id === wanted),
  );
  return forms.find(({ dialect }) => spoken.startsWith(dialect)) ?? current;
}

/** True for a run without a step: it was only made, and perhaps resumed or narrowed. */
export function isUntouched(records: readonly LedgerRecord[]): boolean {
  return records.every(
    ({ kind, body }) =>
      kind === 'configuration' ||
      kind === 'task' ||
      kind === 'revocation' ||
      (kind === 'state' && body.event === 'resumed'),
  );
}

/**
 * The proposals of a run's model, byte for byte, read back from its ledger. Undefined where a part is missing. A person's
 * edited call is none of them: another run would record it as its model's.
 */
export async function proposalsOf(
  records: readonly LedgerRecord[],
  payload: (ref: PayloadRef) => Promise<Uint8Array | undefined>,
): Promise<readonly string[] | undefined> {
  const texts = await Promise.all(
    modelProposals(records).map(async ({ body: { payload: ref } }) => {
      const bytes = ref.kept === undefined ? await payload(ref) : undefined;
      return bytes === undefined ? undefined : decodeUtf8(bytes);
    }),
  );
  const whole = texts.filter((text) => text !== undefined);
  return whole.length === texts.length ? whole : undefined;
}
