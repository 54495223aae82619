import {
  type CSSResult,
  html,
  LitElement,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit';
import type { LedgerRecord, Report } from '../../core/index.ts';
import type {
  ApprovalAnswer,
  CapabilityDefinition,
  GrantOption,
  ModelPort,
  Runtime,
  RuntimeInfo,
  RunView,
  StartOptions,
} from '../../workers/api.ts';
import type { PageOptions } from '../client.ts';
import { sentenceOf } from '../state/trouble.ts';
import { Agent, type AgentOptions } from './agent.ts';
import type { FrameHost } from './frame.ts';
import { PROPERTIES } from './properties.ts';
import type { Question, registerCard } from './question.ts';
import { gates, header, list, outcome } from './show.ts';
import { runStyles } from './style.ts';
import { DEFAULT_WORDS, fill, type RunWords } from './words.ts';

/**
 * What is shown: `compact` without the list of records, `timeline` without the gates, `approve-only` the questions and
 * the outcome.
 */
export type RunElementView = 'full' | 'compact' | 'timeline' | 'approve-only';

/** What a person is asked; what is put to rules is none of theirs. */
function questionIn({ pending, consent }: RunView): Question | undefined {
  if (pending) return pending.why ? undefined : { kind: 'approval', request: pending };
  return consent && { kind: 'consent', request: consent };
}

/**
 * A run in somebody's page: its gates, its records, its questions. `mode="inline"` runs it here; `mode="frame"` shows
 * the page named by `frame`, of another origin, whose questions this page can neither see nor answer.
 *
 * @see custom-elements.json for every attribute, property, method, event, part and custom property
 */
export class SallyportRun extends LitElement {
  static override properties: PropertyDeclarations = PROPERTIES;
  static override styles: CSSResult = runStyles;
  declare src: string | undefined;
  declare task: string | undefined;
  declare dialect: StartOptions['dialect'] | undefined;
  declare view: RunElementView | undefined;
  declare mode: 'inline' | 'frame' | undefined;
  declare theme: 'light' | 'dark' | undefined;
  declare frame: string | undefined;
  declare assets: string | undefined;
  declare store: PageOptions['store'] | undefined;
  declare readonly: boolean;
  declare words: RunWords;
  /** The run as it stands, also for those who came after the events; undefined before the first. */
  declare state: RunView | undefined;
  declare records: readonly LedgerRecord[];
  declare trouble: string | undefined;
  declare info: RuntimeInfo | undefined;
  declare asked: string | undefined;
  /** For those who come after the event: resolves when the first runtime is open. */
  readonly ready: Promise<RuntimeInfo>;
  #opened: (info: RuntimeInfo) => void = () => undefined;
  capabilities: readonly CapabilityDefinition[] | undefined;
  grants: readonly GrantOption[] | undefined;
  model: ModelPort | undefined;
  /** A runtime of the page's own, which the element uses and does not close. */
  runtime: Runtime | undefined;
  #agent: Promise<Agent> | undefined;
  #given: AgentOptions = {};
  /** Loaded where there is a frame. */
  #host: Promise<FrameHost> | undefined;
  /** The page answers this question itself. */
  #taken: string | undefined;
  #told: string | undefined;
  #whenDecided: ReturnType<typeof registerCard> | undefined;

  constructor() {
    super();
    this.readonly = false;
    this.words = DEFAULT_WORDS;
    this.records = [];
    this.ready = new Promise((resolve) => (this.#opened = resolve));
  }

  /** Starts the next run and lets it go. */
  async start(task?: string): Promise<void> {
    if (await this.#remote('start', task)) return;
    await this.#try(async () => (await this.#begin(task)).run());
  }

  /** One proposal, to its receipt or its question; the first step starts the run. */
  async step(): Promise<void> {
    if (await this.#remote('step')) return;
    await this.#try(async () => (await this.#current()).step());
  }

  async resume(): Promise<void> {
    if (await this.#remote('resume')) return;
    await this.#try(async () => (await this.#current()).run());
  }

  async pause(): Promise<void> {
    if (await this.#remote('pause')) return;
    await (await this.#agent)?.run?.pause();
  }

  async abort(reason = 'aborted'): Promise<void> {
    if (await this.#remote('abort', reason)) return;
    await (await this.#agent)?.run?.abort(reason);
  }

  /** The latest run as canonical JSONL; undefined before the first. */
  async export(): Promise<string | undefined> {
    if (this.mode === 'frame') return (await this.#framed())?.export();
    const agent = await this.#agent;
    return agent?.run && agent.runtime.ledger.export(agent.run.id);
  }

  async verify(): Promise<Report | undefined> {
    if (this.mode === 'frame') return (await this.#framed())?.verify();
    const report = await (await this.#agent)?.verify();
    if (report?.ok === false) this.#emit('tamper', report);
    return report;
  }

  async #remote(command: 'start' | 'step' | 'resume' | 'pause' | 'abort', text?: string): Promise<boolean> {
    if (this.mode !== 'frame') return false;
    await (await this.#framed())?.tell(command, text);
    return true;
  }

  /** Of an element that is in no page there is no frame. */
  async #framed(): Promise<FrameHost | undefined> {
    if (this.isConnected) await this.updateComplete;
    return this.#host;
  }

  async #begin(task?: string) {
    const agent = await this.#open();
    this.records = [];
    this.asked = task ?? this.task ?? agent.task;
    return agent.start(this.asked);
  }

  async #current() {
    const { run } = await this.#open();
    return run === undefined || run.view.end !== undefined ? this.#begin() : run;
  }

  /** What was set since the agent was opened counts from the next run on. */
  #open(): Promise<Agent> {
    const { src, runtime, capabilities, grants, model, task, dialect, store, assets } = this;
    const given = { src, runtime, capabilities, grants, model, task, dialect, store, assets };
    const changed = Object.entries(given).some(([name, value]) => this.#given[name as keyof AgentOptions] !== value);
    const live = this.state !== undefined && this.state.end === undefined;
    if (this.#agent !== undefined && (!changed || live)) return this.#agent;
    const before = this.#agent;
    this.#given = given;
    this.#agent = this.#openAgent(given, before);
    return this.#agent;
  }

  async #openAgent(given: AgentOptions, before: Promise<Agent> | undefined): Promise<Agent> {
    await (await before?.catch(() => undefined))?.close();
    // Before anything can be asked, and not before anything runs.
    this.#whenDecided = (await import('./question.ts')).registerCard();
    const scenario = given.src === undefined ? {} : await (await import('./scenario.ts')).loadScenario(given.src);
    const agent = await Agent.open(given, scenario, {
      state: (view) => this.#turn(view),
      record: (record) => this.#append(record),
    });
    this.info = agent.runtime.info;
    this.#opened(agent.runtime.info);
    this.#emit('ready', agent.runtime.info);
    return agent;
  }

  async #try(act: () => Promise<void>): Promise<void> {
    this.trouble = undefined;
    try {
      await act();
    } catch (error) {
      this.trouble = sentenceOf(error);
      this.#emit('error', error);
    }
  }

  #append(record: LedgerRecord): void {
    this.records = [...this.records, record];
    this.#emit('record', record);
  }

  #turn(view: RunView): void {
    this.state = view;
    this.#emit('state', view);
    this.#ask(view);
    if (view.end !== undefined) this.#emit('done', view.end);
  }

  /** Whoever cancels the event answers in the element's place. It says so once for each question. */
  #ask(view: RunView): void {
    const request = questionIn(view)?.request;
    if (request === undefined || request.digest === this.#told) return;
    this.#told = request.digest;
    const answer = (said: ApprovalAnswer) => this.#answer(request.digest, { ...said, via: 'program' });
    if (!this.#emit('approval', { request, answer }, true)) this.#taken = request.digest;
  }

  #answer(digest: string, answer: ApprovalAnswer): void {
    void this.#try(async () => (await this.#agent)?.run?.answer(digest, answer));
  }

  #emit(name: string, detail: unknown, cancelable = false): boolean {
    const init = { detail, cancelable, bubbles: true, composed: true };
    return this.dispatchEvent(new CustomEvent(`sallyport-${name}`, init));
  }

  protected override render(): TemplateResult {
    if (this.mode === 'frame') return this.#frame();
    const only = this.view === 'approve-only';
    return html`<slot name="header"></slot>
      ${only ? '' : [header(this), this.view === 'timeline' ? '' : gates(this), this.view === 'compact' ? '' : list(this)]}
      ${this.#question()} ${outcome(this)} ${only || this.readonly ? '' : this.#controls()}
      <slot name="footer"></slot>`;
  }

  #frame(): TemplateResult {
    const { origin } = new URL(this.frame ?? '', document.baseURI);
    return html`<iframe part="frame" title=${fill(this.words.frame, { origin })}
      sandbox="allow-scripts allow-same-origin" referrerpolicy="no-referrer"></iframe>`;
  }

  #question(): TemplateResult | string {
    const question = this.#asked();
    if (question === undefined) return '';
    return html`<sallyport-question part="approval" exportparts="approve, deny" .question=${question} .words=${this.words}></sallyport-question>`;
  }

  #asked(): Question | undefined {
    const question = this.state && questionIn(this.state);
    return question?.request.digest === this.#taken ? undefined : question;
  }

  #controls(): TemplateResult {
    const { state, words } = this;
    const busy = state !== undefined && state.end === undefined && state.mode !== 'paused';
    const live = state !== undefined && state.end === undefined;
    return html`<div class="controls">
      <button type="button" part="step" class="primary" ?disabled=${busy} @click=${() => void this.step()}>${words.step}</button>
      ${
        busy
          ? html`<button type="button" part="pause" @click=${() => void this.pause()}>${words.pause}</button>`
          : html`<button type="button" part="run" @click=${() => void this.resume()}>${words.run}</button>`
      }
      <button type="button" part="abort" ?disabled=${!live} @click=${() => void this.abort()}>${words.abort}</button>
    </div>`;
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    // The latest record is the one that counts.
    if (changed.has('records')) this.renderRoot.querySelector('.records')?.scrollTo({ top: 1e9 });
    const card = this.renderRoot.querySelector('sallyport-question');
    const digest = this.#asked()?.request.digest;
    if (card !== null && digest !== undefined) this.#whenDecided?.(card, (said) => this.#answer(digest, said));
    const iframe = this.renderRoot.querySelector('iframe');
    if (iframe !== null) this.#host ??= this.#connect(iframe);
  }

  async #connect(iframe: HTMLIFrameElement): Promise<FrameHost> {
    const { connectFrame } = await import('./frame.ts');
    return connectFrame(iframe, this.frame ?? '', (name, detail) => {
      if (name === 'state') this.state = detail as RunView;
      if (name === 'ready') this.#opened(detail as RuntimeInfo);
      this.#emit(name, detail);
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    // An element that is only moved is connected again by then.
    queueMicrotask(() => {
      if (!this.isConnected) void this.#leave();
    });
  }

  async #leave(): Promise<void> {
    const agent = this.#agent;
    this.#agent = undefined;
    void this.#host?.then((host) => host.close());
    this.#host = undefined;
    await (await agent)?.close();
  }
}
