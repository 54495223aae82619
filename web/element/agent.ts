import type { LedgerRecord, Report } from '../../core/index.ts';
import type {
  CapabilityDefinition,
  GrantOption,
  HeldPart,
  ModelPort,
  Run,
  Runtime,
  RunView,
  StartOptions,
} from '../../workers/api.ts';
import type * as script from '../../workers/bridges/models/script.ts';
import { part } from '../../workers/load-part.ts';
import { definedProperties, ownProperties } from '../../workers/own-properties.ts';
import { isOver } from '../../workers/run-view.ts';
import type { PageOptions } from '../client.ts';
import { modelProposals, toldTexts } from '../records/steps.ts';
import { cancellable } from '../shared/cancellable.ts';
import type { Scenario } from './scenario.ts';
import { type SharedRuntime, shareRuntime } from './shared-runtime.ts';

/** The options of an element; its scenario fills the missing members. */
export interface AgentOptions {
  readonly src?: string | undefined;
  readonly runtime?: Runtime | undefined;
  readonly capabilities?: readonly CapabilityDefinition[] | undefined;
  readonly grants?: readonly GrantOption[] | undefined;
  readonly model?: ModelPort | undefined;
  readonly task?: string | undefined;
  readonly dialect?: StartOptions['dialect'] | undefined;
  readonly store?: PageOptions['store'] | undefined;
  readonly hold?: PageOptions['hold'] | undefined;
  readonly assets?: string | undefined;
}

export interface AgentListener {
  state(view: RunView): void;
  record(record: LedgerRecord): void;
  /** A piece of the model's answer, while it arrives. */
  text(piece: string): void;
  /** The name of the model that is asked; undefined when the request is over. */
  asking(model: string | undefined): void;
  /** The run goes on elsewhere: in another tab (`run_open`), or in a later runtime of the page (`run_suspended`). */
  taken(error: unknown): void;
}

type MakeModel = (made: () => number) => ModelPort;

const TAKEN_AWAY = 'the element was taken away';

/** A runtime and its latest run, as an element drives them. A lent runtime is not closed, and a shared one by its last user. */
export class Agent {
  readonly runtime: Runtime;
  run: Run | undefined;
  readonly #options: AgentOptions;
  /** The model for a run that has made this number of proposals at its first request: a script begins again with every run. */
  readonly #model: MakeModel;
  readonly #listener: AgentListener;
  readonly #release: () => Promise<void>;
  #cancel: () => void = () => undefined;
  #isClosed = false;

  private constructor(
    { runtime, release }: SharedRuntime,
    options: AgentOptions,
    model: MakeModel,
    listener: AgentListener,
  ) {
    this.runtime = runtime;
    this.#release = release;
    this.#options = options;
    this.#model = model;
    this.#listener = listener;
  }

  /** `how` ends the opening of a runtime of the element's own, and is told its progress. */
  static async open(
    given: AgentOptions,
    scenario: Scenario,
    listener: AgentListener,
    how: Pick<PageOptions, 'signal' | 'onProgress'>,
  ): Promise<Agent> {
    const options = ownProperties({ ...scenario, ...definedProperties(given) });
    const { runtime, capabilities, grants, store, hold, assets, model } = options;
    // before the runtime, which nobody would close if the code of the script could not be loaded
    const next = model ? () => model : await scriptOf(scenario);
    const wanted = { capabilities, grants, store, hold, assets } as PageOptions;
    const isData = given.capabilities === undefined;
    const lent = runtime && { runtime, release: async () => undefined };
    return new Agent(lent ?? (await shareRuntime({ isData, options: wanted }, how)), options, next, listener);
  }

  /** Starts the next run and pauses it before its first step, so that its questions are seen. */
  start(task: string): Run {
    void this.#abort('replaced');
    const { dialect = 'xct' } = this.#options;
    const { model, onText, drive } = this.#driver();
    return drive(this.runtime.start({ dialect, task, model, paused: true, onText }));
  }

  /** Takes up a run of an earlier visit, which rests until it is driven. Rejects as `resume` of the runtime does. */
  async takeUp(run_id: string): Promise<Run> {
    let made = 0;
    const { model, onText, drive } = this.#driver(() => made);
    const run = await this.runtime.resume(run_id, model, { onText });
    // behind the resumption: another page may have made a step before it went. No proposal is made before the run is driven
    made = modelProposals(await this.runtime.ledger.records(run_id)).length;
    drive(run);
    // the element was taken away meanwhile, and its run goes as it would have gone then
    if (this.#isClosed) await this.#abort(TAKEN_AWAY);
    this.#listener.state(run.view);
    return run;
  }

  /** A model behind its first `made` proposals, and the function that makes the run that it drives the latest. */
  #driver(made: () => number = () => 0): {
    readonly model: ModelPort;
    readonly onText: (piece: string) => void;
    readonly drive: (run: Run) => Run;
  } {
    let driven: Run | undefined;
    const isLatest = (): boolean => driven !== undefined && this.run === driven;
    const model = this.#model(made);
    const { port, cancel } = cancellable(model, (isAsked) => {
      if (isLatest()) this.#listener.asking(isAsked ? (model.name ?? model.id) : undefined);
    });
    const drive = (run: Run): Run => {
      driven = run;
      this.#cancel = cancel;
      this.run = run;
      run.watch((view) => void (isLatest() && this.#listener.state(view)));
      void this.#follow(run);
      return run;
    };
    return { model: port, onText: (piece) => void (isLatest() && this.#listener.text(piece)), drive };
  }

  /** Ends the request to the model, and pauses: the run can ask again. */
  async cancelRequest(): Promise<void> {
    if (this.run?.view.mode !== 'paused') void this.run?.pause();
    this.#cancel();
  }

  get task(): string {
    return this.#options.task ?? '';
  }

  /** The commands of a run that could not begin reject with its reason, and so do those of a closed runtime. */
  async #follow(run: Run): Promise<void> {
    const isElsewhere = (): boolean => isOver(run.view) && run.view.end === undefined;
    try {
      for await (const record of run.records()) if (this.run === run) this.#listener.record(record);
      // Rejects with the reason.
      if (isElsewhere()) await run.result;
    } catch (error) {
      if (this.run === run && isElsewhere()) this.#listener.taken(error);
    }
  }

  async export(): Promise<string | undefined> {
    return this.run && this.runtime.ledger.export(this.run.id);
  }

  /** The words of a model, with the held values of the run that they name. */
  async parts(text: string): Promise<readonly HeldPart[] | undefined> {
    return this.run && this.runtime.held.parts(this.run.id, text);
  }

  /** The texts of the run so far that a remote model would be sent. */
  async told(): Promise<readonly string[]> {
    const { run } = this;
    if (run === undefined) return [];
    const { ledger } = this.runtime;
    const texts = toldTexts(await ledger.records(run.id)).map(async ({ ref, record }) =>
      new TextDecoder().decode(await ledger.payload(run.id, ref, { record })),
    );
    return Promise.all(texts);
  }

  async verify(): Promise<Report | undefined> {
    return this.run && this.runtime.ledger.verify(this.run.id);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#abort(TAKEN_AWAY);
    await this.#release();
  }

  /** A run that never began, that another tab has, or whose runtime is closed, needs no abort. */
  async #abort(reason: string): Promise<void> {
    if (this.run?.view.end === undefined) await this.run?.abort(reason).catch(() => undefined);
  }
}

/** Loaded only where a script may propose. */
export const loadScript: () => Promise<typeof script> = part(() => import('../../workers/bridges/models/script.ts'));

async function scriptOf({ script = [] }: Scenario): Promise<MakeModel> {
  const { fromScript } = await loadScript();
  return (made) => {
    let rest: ModelPort | undefined;
    const propose: ModelPort['propose'] = (...asked) => (rest ??= fromScript(script.slice(made()))).propose(...asked);
    return { ...fromScript([]), propose };
  };
}
