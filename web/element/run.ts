import {
  type CSSResult,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type PropertyValues,
  type ReactiveController,
  type TemplateResult,
} from 'lit';
import type { JsonValue, LedgerRecord, Report } from '../../core/index.ts';
import type {
  ApprovalAnswer,
  CapabilityDefinition,
  EditedQuestion,
  GrantOption,
  ModelPort,
  Run,
  Runtime,
  RuntimeInfo,
  RunView,
  StartOptions,
} from '../../workers/api.ts';
import { unlessAborted } from '../../workers/async.ts';
import { isOlder, loadPart, part } from '../../workers/load-part.ts';
import { isOver } from '../../workers/run-view.ts';
import type { PageOptions } from '../client.ts';
import { sentenceOf } from '../shared/error-text.ts';
import { inFocus } from '../shared/typing.ts';
import { inSpeech } from '../texts/area.ts';
import { Agent, type AgentOptions, loadScript } from './agent.ts';
import type { FrameCommand, FrameHost } from './frame.ts';
import { ElementLanguage } from './language.ts';
import type { ElementQuestion, registerCard } from './question.ts';
import type { RunElementView, SallyportRun } from './sallyport-run.ts';
import type { Scenario } from './scenario.ts';
import { startAhead } from './shared-runtime.ts';
import {
  asking,
  controls,
  frame,
  gates,
  header,
  type LastWords,
  list,
  type OpenedValue,
  outcome,
  said,
  withPiece,
} from './show.ts';
import { runStyles } from './style.ts';
import { DEFAULT_WORDS, type RunWords } from './words.ts';

/** Options for opening an agent; a change counts from the next run on. */
const GIVEN = {
  src: {},
  task: {},
  dialect: {},
  assets: {},
  store: {},
  hold: {},
  capabilities: { attribute: false },
  grants: { attribute: false },
  model: { attribute: false },
  runtime: { attribute: false },
};

const GIVEN_NAMES = Object.keys(GIVEN) as readonly (keyof typeof GIVEN)[];

/** Attributes, and the properties whose change draws the element again. */
const PROPERTIES: PropertyDeclarations = {
  ...GIVEN,
  view: {},
  mode: { reflect: true },
  theme: { reflect: true },
  frame: {},
  keep: {},
  readonly: { type: Boolean },
  words: { attribute: false },
  state: { state: true },
  records: { state: true },
  trouble: { state: true },
  isOlder: { state: true },
  info: { state: true },
  asked: { state: true },
  saying: { state: true },
  silent: { state: true },
  opening: { state: true },
  lastWords: { state: true },
  heldOpen: { state: true },
};

const loadHeldWords = part(() => import('./held-words.ts'));

const loadKeptRuns = part(() => import('./kept-runs.ts'));

/** A silence that is shorter is not told. */
const QUIET_MS = 2000;

/** Reason of an opening that a person or the page has ended. */
const ENDED = new Error('The opening was ended.');

async function scenarioAt(src: string): Promise<Scenario> {
  // both parts at once: a scenario has a script
  const [{ loadScenario }] = await Promise.all([loadPart(() => import('./scenario.ts')), loadScript()]);
  return loadScenario(src);
}

/** The class behind `<sallyport-run>`. */
export class RunElement extends LitElement implements SallyportRun {
  static override properties: PropertyDeclarations = PROPERTIES;
  static override styles: CSSResult = runStyles;
  declare src: string | undefined;
  declare task: string | undefined;
  declare dialect: StartOptions['dialect'] | undefined;
  declare view: RunElementView | undefined;
  declare mode: 'inline' | 'frame' | undefined;
  declare theme: 'light' | 'dark' | undefined;
  declare frame: string | undefined;
  declare keep: string | undefined;
  declare assets: string | undefined;
  declare store: PageOptions['store'] | undefined;
  declare hold: PageOptions['hold'] | undefined;
  declare readonly: boolean;
  declare words: RunWords;
  /** The current run, also for listeners added after the events; undefined before the first run. */
  declare state: RunView | undefined;
  declare records: readonly LedgerRecord[];
  declare trouble: string | undefined;
  /** The trouble is a file that is gone, because the site has another build. */
  declare isOlder: boolean;
  declare info: RuntimeInfo | undefined;
  declare asked: string | undefined;
  /** The model's answer so far, while it arrives. */
  declare saying: string | undefined;
  /** The model that is asked and has been silent for some seconds. */
  declare silent: { readonly model: string; readonly seconds: number } | undefined;
  /** The words at the end of the run, with the held values that they name; undefined while they are read, and without values. */
  declare lastWords: LastWords | undefined;
  /** The held outcome that a person has opened. */
  declare heldOpen: OpenedValue | undefined;
  /** Share of an opening under way that is done, from 0 to 1. */
  declare opening: number | undefined;
  /** For listeners that are added after the event: resolves when the first runtime is open. */
  readonly ready: Promise<RuntimeInfo>;
  #opened: (info: RuntimeInfo) => void = () => undefined;
  // Declared, not defined: a field would hide the accessor that keeps a value set before the element was loaded.
  declare capabilities: readonly CapabilityDefinition[] | undefined;
  declare grants: readonly GrantOption[] | undefined;
  declare model: ModelPort | undefined;
  /** A runtime of the page's own, which the element uses and does not close. */
  declare runtime: Runtime | undefined;
  #agent: Promise<Agent> | undefined;
  #given: AgentOptions = {};
  /** Ends the opening under way. */
  #stop: AbortController | undefined;
  /** Loaded where there is a frame. */
  #host: Promise<FrameHost> | undefined;
  /** The page answers this question itself. */
  #taken: string | undefined;
  #told: string | undefined;
  #takingUp: Promise<boolean> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  /** The model that is asked. */
  #model: string | undefined;
  #card: ReturnType<typeof registerCard> | undefined;
  /** Words that the page has set stay in every language. */
  readonly #language: ElementLanguage = new ElementLanguage(this, (now, before) => {
    if (this.words === before.words) this.words = now.words;
  });

  constructor() {
    super();
    this.readonly = false;
    this.isOlder = false;
    this.words = DEFAULT_WORDS;
    this.records = [];
    this.ready = new Promise((resolve) => (this.#opened = resolve));
    this.addController(new FocusReturn(this));
    new ResizeObserver(() => this.#toLatest()).observe(this);
  }

  /** Starts the next run and lets it go on by itself. Aborts a run that has not ended. */
  start(task?: string): Promise<void> {
    const begin = async (): Promise<void> => {
      await this.#takingUp;
      this.#letGo(this.#begin(await this.#open(), task));
    };
    return this.#do('start', begin, task);
  }

  /** Takes up the newest run of `keep` that is not over. It rests until it is driven. False where there is none. */
  takeUp(): Promise<boolean> {
    this.#takingUp ??= this.#takeUp().finally(() => (this.#takingUp = undefined));
    return this.#takingUp;
  }

  async #takeUp(): Promise<boolean> {
    const { keep, mode, state } = this;
    if (keep === undefined || mode === 'frame' || (state && !isOver(state))) return false;
    let task: string | undefined;
    await this.#do('resume', async () => {
      const { keptRuns, takeUpKept } = await loadKeptRuns();
      // a page without a kept run opens no runtime
      if (keptRuns(keep).length === 0) return;
      const agent = await this.#open();
      // a start that was called before has begun its run by now
      if (agent.run === undefined || isOver(agent.run.view)) task = await takeUpKept(keep, agent);
    });
    this.asked = task ?? this.asked;
    return task !== undefined;
  }

  /** Runs a proposal to its receipt or its question. The first step starts the run. */
  step(): Promise<void> {
    return this.#do('step', async () => void (await (await this.#current()).step()));
  }

  resume(): Promise<void> {
    return this.#do('resume', async () => this.#letGo(await this.#current()));
  }

  /** The run's state says where it comes to rest. */
  #letGo(run: Run): void {
    run.run().catch(this.#fail);
  }

  pause(): Promise<void> {
    return this.#do('pause', async () => (await this.#agent)?.run?.pause());
  }

  abort(reason = 'aborted'): Promise<void> {
    return this.#do(
      'abort',
      async () => {
        this.#stop?.abort(ENDED);
        await (await this.#agent)?.run?.abort(reason);
      },
      reason,
    );
  }

  /** Ends the request to the model: the run waits, and `resume` asks again. */
  cancelRequest(): Promise<void> {
    return this.#do('pause', async () => (await this.#agent)?.cancelRequest());
  }

  /** The latest run as canonical JSONL; undefined before the first. */
  async export(): Promise<string | undefined> {
    return (await this.#driver())?.export();
  }

  async verify(): Promise<Report | undefined> {
    const report = await (await this.#driver())?.verify();
    // A frame tells this by itself.
    if (report?.ok === false && this.mode !== 'frame') this.#emit('tamper', report);
    return report;
  }

  /** In the frame, or here. */
  async #do(command: FrameCommand, here: () => Promise<void>, text?: string): Promise<void> {
    this.trouble = undefined;
    this.isOlder = false;
    try {
      await (this.mode === 'frame' ? (await this.#framed())?.tell(command, text) : here());
    } catch (error) {
      if (error !== ENDED) this.#fail(error);
    }
  }

  readonly #fail = (error: unknown): void => {
    this.isOlder = isOlder(error);
    this.trouble = this.isOlder ? this.words.older : sentenceOf(error);
    this.#emit('error', error);
  };

  #driver(): Promise<Agent | FrameHost | undefined> | undefined {
    return this.mode === 'frame' ? this.#framed() : this.#agent;
  }

  /** An element outside the document has no frame. */
  async #framed(): Promise<FrameHost | undefined> {
    if (this.isConnected) await this.updateComplete;
    return this.#host;
  }

  /** At once, so that two calls that waited for the same agent are about the same run. */
  #begin(agent: Agent, task?: string): Run {
    this.asked = task ?? this.task ?? agent.task;
    const run = agent.start(this.asked);
    if (this.keep !== undefined) void this.#keepRun(this.keep, run.id).catch(this.#fail);
    return run;
  }

  async #keepRun(name: string, run_id: string): Promise<void> {
    (await loadKeptRuns()).keepRun(name, run_id);
  }

  async #current(): Promise<Run> {
    await this.#takingUp;
    const agent = await this.#open();
    const { run } = agent;
    return run === undefined || isOver(run.view) ? this.#begin(agent) : run;
  }

  #open(): Promise<Agent> {
    const given = Object.fromEntries(GIVEN_NAMES.map((name) => [name, this[name]])) as AgentOptions;
    const changed = GIVEN_NAMES.some((name) => this.#given[name] !== given[name]);
    const live = this.state !== undefined && !isOver(this.state);
    if (this.#agent !== undefined && (!changed || live)) return this.#agent;
    this.#given = given;
    const stop = new AbortController();
    const agent = this.#openAgent(given, this.#agent, stop.signal);
    const opening = unlessAborted(agent, stop.signal).finally(() => {
      if (this.#stop !== stop) return;
      this.#stop = undefined;
      this.opening = undefined;
    });
    this.#stop = stop;
    this.opening = 0;
    this.#agent = opening;
    // The next call tries again to open it. An agent that is open behind the abort has no other owner.
    opening.catch(() => {
      void close(agent);
      if (this.#agent === opening) this.#agent = undefined;
    });
    return opening;
  }

  async #openAgent(given: AgentOptions, before: Promise<Agent> | undefined, signal: AbortSignal): Promise<Agent> {
    await close(before);
    signal.throwIfAborted();
    const end = given.runtime === undefined ? startAhead(given) : () => undefined;
    // the scenario of an element that was taken away may never come
    signal.addEventListener('abort', end, { once: true });
    try {
      return await this.#openOver(given, signal);
    } finally {
      end();
    }
  }

  async #openOver(given: AgentOptions, signal: AbortSignal): Promise<Agent> {
    const [card, scenario] = await Promise.all([
      loadPart(() => import('./question.ts')),
      given.src === undefined ? {} : scenarioAt(given.src),
    ]);
    // Registered before a question can come up, and not before a run needs it.
    this.#card = card.registerCard();
    const listener = {
      state: (view: RunView) => this.#turn(view),
      record: (record: LedgerRecord) => this.#append(record),
      text: (piece: string) => {
        this.saying = withPiece(this.saying, piece);
        if (this.#model !== undefined) this.#listen(this.#model);
      },
      asking: (model: string | undefined) => this.#listen(model),
      taken: this.#fail,
    };
    const onProgress = (share: number) => void (this.#stop?.signal === signal && (this.opening = share));
    const agent = await Agent.open(given, scenario, listener, { signal, onProgress });
    if (!signal.aborted) this.#inform(agent.runtime.info);
    return agent;
  }

  /** Counts the seconds without a piece of the answer; undefined: no model is asked. */
  #listen(model: string | undefined): void {
    clearTimeout(this.#silence);
    this.#model = model;
    this.silent = undefined;
    if (model === undefined) return;
    const since = performance.now();
    const tick = (wait: number): void => {
      this.#silence = setTimeout(() => {
        this.silent = { model, seconds: Math.round((performance.now() - since) / 1000) };
        tick(1000);
      }, wait);
    };
    tick(QUIET_MS);
  }

  #inform(info: RuntimeInfo): void {
    this.info = info;
    this.#opened(info);
    this.#emit('ready', info);
  }

  /** A run begins with record 0. */
  #append(record: LedgerRecord): void {
    this.records = record.run_seq > 0 ? [...this.records, record] : [record];
    this.#emit('record', record);
  }

  #turn(view: RunView): void {
    this.state = view;
    if (view.phase !== 'INPUT_RECEIVED') this.saying = undefined;
    this.#emit('state', view);
    this.#ask(view);
    this.lastWords = undefined;
    if (view.end === undefined) return;
    void this.#read(view.end.message);
    this.#emit('done', view.end);
  }

  async #read(message = ''): Promise<void> {
    if (!message.includes('{{h')) return;
    const { state } = this;
    const drawn = await this.#drawn(message).catch(() => undefined);
    if (this.state === state) this.lastWords = drawn;
  }

  /** Opens a held outcome for the person, or closes it. */
  async openHeld(handle: string): Promise<void> {
    const opened = { handle, run: this.records[0]?.run_id };
    if (this.heldOpen?.handle === handle && this.heldOpen.run === opened.run) return void (this.heldOpen = undefined);
    this.heldOpen = opened;
    const drawn = await this.#drawn(`{{${handle}}}`).catch(this.#fail);
    if (this.heldOpen === opened && drawn) this.heldOpen = { ...opened, drawn };
  }

  async #drawn(message: string): Promise<LastWords | undefined> {
    const { drawnWith } = await loadHeldWords();
    const parts = await (await this.#agent)?.parts(message);
    return parts && drawnWith(parts);
  }

  /** A listener that cancels the event answers in the element's place. The event is sent once for each question. */
  #ask(view: RunView): void {
    const request = this.#card?.questionIn(view)?.request;
    if (request === undefined || request.digest === this.#told) return;
    this.#told = request.digest;
    const answer = (said: ApprovalAnswer) => this.#answer(request.digest, { ...said, via: 'program' });
    if (!this.#emit('approval', { request, answer }, true)) this.#taken = request.digest;
  }

  async #edit(digest: string, args: JsonValue): Promise<EditedQuestion> {
    const run = (await this.#agent)?.run;
    if (run === undefined) throw new Error('no run');
    return run.edit(digest, args);
  }

  #answer(digest: string, answer: ApprovalAnswer): void {
    this.#send(digest, answer).catch(this.#fail);
  }

  async #send(digest: string, answer: ApprovalAnswer): Promise<void> {
    await (await this.#agent)?.run?.answer(digest, answer);
  }

  #emit(name: string, detail: unknown, cancelable = false): boolean {
    const init = { detail, cancelable, bubbles: true, composed: true };
    return this.dispatchEvent(new CustomEvent(`sallyport-${name}`, init));
  }

  /** Not drawn in English first, and then in another language: the controls would move. */
  protected override async scheduleUpdate(): Promise<void> {
    if (!this.hasUpdated) await this.#language.settled;
    await super.scheduleUpdate();
  }

  /** A word that the page's table lacks, such as one written for an earlier version, is English. */
  protected override willUpdate(): void {
    if (Object.keys(DEFAULT_WORDS).some((name) => !(name in this.words)))
      this.words = { ...DEFAULT_WORDS, ...this.words };
  }

  protected override render(): TemplateResult {
    const parts = inSpeech(this.#language.spoken, () => this.#parts());
    return html`<div lang=${this.#lang() ?? nothing}>${parts}</div>`;
  }

  /** The language of the words; undefined for words that the page has set. */
  #lang(): string | undefined {
    const { words, locale } = this.#language.spoken;
    return this.words === words ? locale : undefined;
  }

  #parts(): TemplateResult {
    if (this.mode === 'frame') return frame(this);
    const only = this.view === 'approve-only';
    return html`<slot name="header"></slot>
      ${only ? '' : [header(this), this.view === 'timeline' ? '' : gates(this), this.view === 'compact' ? '' : list(this)]}
      ${said(this)} ${asking(this)} ${this.#question()} ${outcome(this)} ${only || this.readonly ? '' : controls(this)}
      <slot name="footer"></slot>`;
  }

  #question(): TemplateResult | string {
    const question = this.#asked();
    if (question === undefined) return '';
    return html`<sallyport-question part="approval" exportparts="approve, deny" lang=${this.#lang() ?? nothing} .question=${question} .reason=${this.#reason(question)} .told=${this.#leaving} .words=${this.words} .speech=${this.#language.spoken}></sallyport-question>`;
  }

  readonly #leaving = async (): Promise<readonly string[]> => (await (await this.#agent)?.told()) ?? [];

  /** Why the person is asked, in the language of the words; undefined where only the kernel's sentence tells it. */
  #reason({ kind, request }: ElementQuestion): string | undefined {
    const { reasons, words } = this.#language.spoken;
    if (kind !== 'approval' || this.words !== words) return undefined;
    const why = this.#card?.whyAsked(this.records, request);
    return why && reasons?.[why];
  }

  #asked(): ElementQuestion | undefined {
    if (this.state === undefined || isOver(this.state)) return undefined;
    const question = this.#card?.questionIn(this.state);
    return question?.request.digest === this.#taken ? undefined : question;
  }

  /** A scenario has all that its run needs. A page that sets a model or a runtime calls `takeUp` by itself. */
  protected override firstUpdated(): void {
    if (this.src !== undefined) void this.takeUp();
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has('mode') || changed.has('frame')) this.#unframe();
    if (changed.has('records') || changed.has('words')) this.#toLatest();
    if (changed.has('saying')) this.renderRoot.querySelector('.saying')?.scrollTo({ top: 1e9 });
    const card = this.renderRoot.querySelector('sallyport-question');
    // the card itself tells why a signed yes did not count
    if (card)
      this.#card?.whenDecided(
        card,
        (digest, said) =>
          said.approved && said.signed !== undefined ? this.#send(digest, said) : this.#answer(digest, said),
        (digest, args) => this.#edit(digest, args),
      );
    const iframe = this.renderRoot.querySelector('iframe');
    if (iframe) this.#host ??= this.#connect(iframe);
  }

  /** The latest record stays in sight, also where the texts of the records wrap anew. */
  #toLatest(): void {
    // the size of the element is told before the words of its language have come, and it is drawn
    if (!this.hasUpdated) return;
    this.renderRoot.querySelector('.records')?.scrollTo({ top: 1e9 });
  }

  #connect(iframe: HTMLIFrameElement): Promise<FrameHost> {
    const host = loadPart(() => import('./frame.ts')).then(({ connectFrame }) =>
      connectFrame(iframe, this.frame ?? '', (name, detail) => {
        if (name === 'ready') return this.#inform(detail as RuntimeInfo);
        if (name === 'record') return this.#append(detail as LedgerRecord);
        if (name === 'state') this.state = detail as RunView;
        this.#emit(name, detail);
      }),
    );
    host.catch(this.#fail);
    return host;
  }

  #unframe(): void {
    this.#host?.then(
      (host) => host.close(),
      () => undefined,
    );
    this.#host = undefined;
  }

  /** A frame that is moved is loaded again. */
  override connectedCallback(): void {
    super.connectedCallback();
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#unframe();
    // An element that is only moved is connected again by then.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#stop?.abort(ENDED);
      void close(this.#agent);
      this.#agent = undefined;
    });
  }
}

/** An agent that could not be opened needs no close. */
async function close(agent: Promise<Agent> | undefined): Promise<void> {
  await (await agent?.catch(() => undefined))?.close();
}

/**
 * Gives the focus a place when the part that had it goes: where it was before the question took it, or else the button
 * *Step*, or the records of an element without buttons.
 */
class FocusReturn implements ReactiveController {
  readonly #host: LitElement;
  #isHeld = false;
  #isAsking = false;
  /** The focused element when the question came. */
  #before: Element | null = null;

  constructor(host: LitElement) {
    this.#host = host;
  }

  hostUpdate(): void {
    this.#isHeld = this.#focused !== null;
  }

  hostUpdated(): void {
    const isAsking = this.#find('sallyport-question') !== null;
    // The question takes the focus later, when it is drawn.
    if (isAsking && !this.#isAsking) this.#before = inFocus();
    this.#isAsking = isAsking;
    if (isAsking) return;
    if (this.#isHeld && this.#focused === null) this.#place()?.focus();
    this.#before = null;
  }

  #place(): HTMLElement | null {
    const before = this.#before;
    if (before instanceof HTMLElement && before.isConnected && before !== document.body) return before;
    return this.#find('[part=step]') ?? this.#find('.records');
  }

  #find(selector: string): HTMLElement | null {
    return this.#host.shadowRoot?.querySelector<HTMLElement>(selector) ?? null;
  }

  get #focused(): Element | null {
    return this.#host.shadowRoot?.activeElement ?? null;
  }
}
