import type { LedgerRecord, Report } from '../../core/index.ts';
import type {
  ApprovalAnswer,
  ApprovalRequest,
  CapabilityDefinition,
  ConsentRequest,
  GrantOption,
  ModelPort,
  RunEnd,
  Runtime,
  RuntimeInfo,
  RunView,
  StartOptions,
} from '../../workers/api.ts';
import type { PageOptions } from '../client.ts';
import type { RunWords } from './words.ts';

/** Parts that are shown: `compact` has no records, `timeline` no gates, `approve-only` the questions and the outcome. */
export type RunElementView = 'full' | 'compact' | 'timeline' | 'approve-only';

/**
 * `<sallyport-run>`: a run in a page of another author, with its gates, its records and its questions. `mode="inline"`
 * runs it in the page. `mode="frame"` shows the page named by `frame`, which has another origin; the embedding page can
 * neither see nor answer that page's questions. Programs see this type. It names no library, so that a project compiles
 * without the library of the class.
 *
 * @see custom-elements.json for every attribute, property, method, event, part and custom property
 */
export interface SallyportRun extends HTMLElement {
  src: string | undefined;
  task: string | undefined;
  dialect: StartOptions['dialect'] | undefined;
  view: RunElementView | undefined;
  mode: 'inline' | 'frame' | undefined;
  theme: 'light' | 'dark' | undefined;
  frame: string | undefined;
  /** Name under which this page remembers the element's run, so that a reload does not lose it. */
  keep: string | undefined;
  assets: string | undefined;
  store: PageOptions['store'] | undefined;
  /** Which results the element's own runtime holds from the model. */
  hold: PageOptions['hold'] | undefined;
  readonly: boolean;
  words: RunWords;
  capabilities: readonly CapabilityDefinition[] | undefined;
  grants: readonly GrantOption[] | undefined;
  model: ModelPort | undefined;
  /** A runtime that the page has opened. The element uses it and does not close it. */
  runtime: Runtime | undefined;
  /** The run's present state; undefined before the first run. */
  state: RunView | undefined;
  records: readonly LedgerRecord[];
  trouble: string | undefined;
  info: RuntimeInfo | undefined;
  asked: string | undefined;
  /** Resolves when the first runtime is open, for a program that missed the event `sallyport-ready`. */
  readonly ready: Promise<RuntimeInfo>;
  /** Resolves when the changes made so far are on the page. */
  readonly updateComplete: Promise<boolean>;
  /** Starts the next run. A run that has not ended is aborted. */
  start(task?: string): Promise<void>;
  /** Runs a proposal to its receipt or its question. The first step starts the run. */
  step(): Promise<void>;
  resume(): Promise<void>;
  pause(): Promise<void>;
  /** Ends the run, or the opening of its runtime. */
  abort(reason?: string): Promise<void>;
  /**
   * Takes up the newest run of `keep` that is not over: its records and its question are shown, and it rests until it is
   * driven. False where there is none, and where it cannot be taken up, with the reason as trouble. Call it when model
   * and runtime are set. An element with `src` calls it by itself.
   */
  takeUp(): Promise<boolean>;
  /** The latest run as canonical JSONL; undefined before the first. */
  export(): Promise<string | undefined>;
  verify(): Promise<Report | undefined>;
}

/** A question for a person. A listener that cancels the event answers in the element's place. */
export interface AskedDetail {
  readonly request: ApprovalRequest | ConsentRequest;
  readonly answer: (answer: ApprovalAnswer) => void;
}

/** The events that the element dispatches; all of them bubble, out of shadow trees too. */
export interface RunEvents {
  'sallyport-ready': CustomEvent<RuntimeInfo>;
  'sallyport-record': CustomEvent<LedgerRecord>;
  'sallyport-state': CustomEvent<RunView>;
  'sallyport-approval': CustomEvent<AskedDetail>;
  'sallyport-done': CustomEvent<RunEnd>;
  'sallyport-tamper': CustomEvent<Report>;
  'sallyport-error': CustomEvent<unknown>;
}

declare global {
  interface HTMLElementTagNameMap {
    'sallyport-run': SallyportRun;
  }
  interface HTMLElementEventMap extends RunEvents {}
}

/** Props of `<sallyport-run>` in a template: attributes, properties, and listeners named by their event. */
export type SallyportRunProps = Partial<
  Pick<
    SallyportRun,
    | 'src'
    | 'task'
    | 'dialect'
    | 'view'
    | 'mode'
    | 'theme'
    | 'frame'
    | 'keep'
    | 'assets'
    | 'store'
    | 'hold'
    | 'readonly'
    | 'words'
    | 'capabilities'
    | 'grants'
    | 'model'
    | 'runtime'
  >
> & { readonly [E in keyof RunEvents as `on${E}`]?: (event: RunEvents[E]) => void };
