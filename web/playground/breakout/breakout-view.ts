import '../parts/json-text.ts';
import '../lab/stopped.ts';
import '../parts/gate-strip.ts';
import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { CapabilityDefinition } from '../../../workers/api.ts';
import { openRuntime } from '../../index.ts';
import { gatesOf } from '../../records/gates.ts';
import { type IconName, icon } from '../../style/icons.ts';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import { breakout } from '../../texts/en/breakout.ts';
import { number } from '../../texts/intl.ts';
import type { Lab, OpenRuntime } from '../lab/lab.ts';
import { consoleLines, spent, told } from '../lab/trial.ts';
import { whyText } from '../parts/page-error.ts';
import { saveFile } from '../parts/save-file.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { ATTEMPTS, type AttackVerdict, attempt, type BreakoutAttempt, openBreakout } from './attempts.ts';
import type { OpenForIncident } from './incident-run.ts';
import {
  type IncidentPlays,
  incidentDetail,
  incidentItems,
  incidentStyles,
  openIncidentPlays,
} from './incident-view.ts';
import { INCIDENTS } from './incidents.ts';

const KINDS = ['guest', 'proposal'] as const satisfies readonly BreakoutAttempt['kind'][];

/**
 * Incidents as scripts, each in three ways; and attacks with one click each: the limit that stopped it, the time, the
 * cost, and the result of the next call.
 */
export class BreakoutView extends View {
  static override get styles(): CSSResult[] {
    return [shared, quoted, breakoutStyles, incidentStyles];
  }
  #opened: Breakout | undefined;

  get #page(): Breakout {
    this.#opened ??= openBreakoutPage(openRuntime, this.store.home.capabilities);
    return this.#opened;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    void this.#opened?.cancel();
    this.#opened = undefined;
  }

  protected override view(): TemplateResult {
    const { selected, results, plays } = this.#page;
    const incident = INCIDENTS.find(({ name }) => name === selected.value);
    const open = ATTEMPTS.find(({ id }) => id === selected.value);
    const choose = (name: string): void => {
      selected.value = name;
    };
    return html`${this.#board()}
      <div class="columns">
        <nav class="list" aria-label=${breakout().attacks}>${incidentItems(plays, selected.value, choose)}${KINDS.map((kind) => this.#group(kind))}</nav>
        ${incident === undefined ? '' : incidentDetail(plays, incident)}
        ${open === undefined ? '' : this.#detail(open, results.value.get(open.id))}
      </div>`;
  }

  #board(): TemplateResult {
    const { results, progress, current, pauseMs, trouble } = this.#page;
    const tried = [...results.value.values()];
    const left = tried.filter(({ held }) => !held).length;
    const under = progress.value;
    const pause = pauseMs.value;
    const texts = breakout();
    return html`<header class="board">
      <h1>${texts.title}</h1>
      <p class="score" role="status">${texts.score(left, tried.length)}${pause === undefined ? '' : html`<span class="soft">${texts.pause(pause)}</span>`}
        ${trouble.value === undefined ? '' : html`<span class="bad">${whyText(trouble.value)}</span>`}</p>
      ${under === undefined ? '' : html`<label class="soft">${texts.progress(under.done, under.of)}<progress max=${under.of} .value=${under.done}></progress></label>`}
      ${tried.length === 0 || current.value !== undefined ? '' : html`<button type="button" @click=${() => void this.#save()}>${icon('download')}${texts.save}</button>`}
      ${
        current.value === undefined
          ? html`<button type="button" id="all" class="primary" @click=${() => void this.#page.run(ATTEMPTS)}>${icon('run')}${texts.runAll(ATTEMPTS.length)}</button>`
          : html`<button type="button" id="cancel" @click=${() => void this.#page.cancel()}>${icon('stop')}${texts.cancel}</button>`
      }
    </header>`;
  }

  #group(kind: BreakoutAttempt['kind']): TemplateResult {
    return html`<h2 id=${kind}>${breakout().groups[kind]}</h2>
      <ul aria-labelledby=${kind}>${ATTEMPTS.filter((each) => each.kind === kind).map((each) => this.#item(each))}</ul>`;
  }

  #item(each: BreakoutAttempt): TemplateResult {
    const { selected, results, current } = this.#page;
    const verdict = results.value.get(each.id);
    const face = faceOf(verdict, current.value === each.id);
    const choose = (): void => {
      selected.value = each.id;
    };
    return html`<li><button type="button" class="plain" aria-current=${selected.value === each.id ? 'true' : 'false'} @click=${choose}>
      <span class="${face.tone} ${face.turning ? 'spin' : ''}">${icon(face.icon)}</span>
      <span>${each.title}<span class="unseen">, ${face.word}</span></span>
      <span class="when">${verdict === undefined ? '' : `${number(Math.round(verdict.trial.elapsedMs))} ms`}</span>
    </button></li>`;
  }

  #detail(each: BreakoutAttempt, verdict: AttackVerdict | undefined): TemplateResult {
    const { current } = this.#page;
    const busy = current.value !== undefined;
    const texts = breakout();
    return html`<article aria-labelledby="title">
      <header>
        <h2 id="title">${each.title}</h2>
        <button type="button" id="one" aria-disabled=${busy} @click=${() => void (busy || this.#page.run([each]))}>${icon('play')}${verdict === undefined ? texts.try : texts.tryAgain}</button>
      </header>
      <p>${each.caption}</p>
      <div role="status">${verdict === undefined ? '' : headline(verdict)}</div>
      ${verdict === undefined ? '' : result(verdict)}
      ${
        each.source === undefined
          ? html`<section><h3>${texts.proposalBytes}</h3><sp-json .text=${each.text} label=${texts.proposal}></sp-json></section>`
          : html`<section><h3>${texts.guestSource}</h3><pre class="source" tabindex="0" role="region" aria-label=${texts.source}>${shown(each.source)}</pre></section>`
      }
    </article>`;
  }

  async #save(): Promise<void> {
    const file = await this.#page.save();
    if (file !== undefined) saveFile('break-out.run.jsonl', file);
  }
}

interface Face {
  readonly icon: IconName;
  readonly tone: string;
  readonly word: string;
  readonly turning?: boolean;
}

function faceOf(verdict: AttackVerdict | undefined, current: boolean): Face {
  const { faces } = breakout();
  if (current) return { icon: 'gear', tone: 'wait', word: faces.underWay, turning: true };
  if (verdict === undefined) return { icon: 'dot', tone: 'soft', word: faces.notTried };
  return verdict.held
    ? { icon: 'shield', tone: 'good', word: faces.held }
    : { icon: 'cross', tone: 'bad', word: faces.unexpected };
}

/** The reason in the words of the table of codes, as the model was told. */
function headline(verdict: AttackVerdict): TemplateResult {
  const { held, reached, trial, code } = verdict;
  const tone = held ? 'good' : 'bad';
  const texts = breakout();
  const mark = icon(held ? 'shield' : 'cross');
  if (reached.length > 0)
    return html`<div class="headline bad">${mark}<p>${texts.reached(shown(reached.join(', ')))}</p></div>`;
  const said = code === undefined ? texts.ranToEnd : html`<span lang="en">${shown(told(trial))}</span>`;
  return html`<div class="headline ${tone}">${mark}<p>${said}</p></div>`;
}

function result({ trial, code, step, next }: AttackVerdict): TemplateResult {
  const after = next.receipt.body.evidence.reason === undefined ? 'good' : 'bad';
  const texts = breakout();
  return html`<sp-strip .gates=${gatesOf(trial.records)} label=${texts.gates}></sp-strip>
    <dl class="cost">
      <div><dt>${texts.stoppedBy}</dt><dd class="mono">${code ?? texts.notStopped}</dd></div>
      <div><dt>${texts.where}</dt><dd>${step ?? texts.nowhere}</dd></div>
      ${spent(trial)}
      <div><dt>${texts.next}</dt><dd class=${after}>${after === 'good' ? texts.nextGood(next.elapsedMs) : texts.nextBad(next.elapsedMs)}</dd></div>
    </dl>
    <sp-stopped .step=${trial.step}></sp-stopped>
    ${consoleLines(trial)}
    <section><h3>${texts.told}</h3><sp-json .text=${trial.reply} pretty label=${texts.reply}></sp-json></section>`;
}

/** The break-out page: the attempts in the open lab, and how each ended. */
interface Breakout {
  readonly plays: IncidentPlays;
  /** Name of an incident, or id of an attempt. */
  readonly selected: Signal<string>;
  readonly results: ReadonlySignal<ReadonlyMap<string, AttackVerdict>>;
  /** The attempt that is under way. */
  readonly current: ReadonlySignal<string | undefined>;
  /** The number of finished attempts, while several were requested. */
  readonly progress: ReadonlySignal<{ readonly done: number; readonly of: number } | undefined>;
  /** The longest this page did not answer while attacks ran, in ms. */
  readonly pauseMs: ReadonlySignal<number | undefined>;
  /** Why the last attempts could not be made. */
  readonly trouble: ReadonlySignal<unknown>;
  run(attempts: readonly BreakoutAttempt[]): Promise<void>;
  cancel(): Promise<void>;
  /** The lab's run as a file; ends it. */
  save(): Promise<string | undefined>;
  close(): Promise<void>;
}

function openBreakoutPage(open: OpenRuntime & OpenForIncident, catalogue: readonly CapabilityDefinition[]): Breakout {
  const results = signal<ReadonlyMap<string, AttackVerdict>>(new Map());
  const current = signal<string | undefined>(undefined);
  const progress = signal<{ done: number; of: number } | undefined>(undefined);
  const trouble = signal<unknown>(undefined);
  const pauses = watchPauses();
  const plays = openIncidentPlays(open);
  const selected = signal<string>(INCIDENTS[0]?.name ?? '');
  let lab: Promise<Lab> | undefined;
  let tried = new Set<string>();
  let cancelled = false;

  /** A guest that hung is not started twice in a run, so a repeated attempt gets a fresh lab. */
  async function labFor(id: string): Promise<Lab> {
    if (tried.has(id)) await close();
    lab ??= openBreakout(open, catalogue);
    tried.add(id);
    return lab;
  }

  async function close(): Promise<void> {
    const old = lab;
    lab = undefined;
    tried = new Set();
    await (await old?.catch(() => undefined))?.close();
  }

  async function run(attempts: readonly BreakoutAttempt[]): Promise<void> {
    if (current.peek() !== undefined) return;
    cancelled = false;
    trouble.value = undefined;
    const stop = pauses.start();
    try {
      for (const [done, each] of attempts.entries()) {
        if (attempts.length > 1) progress.value = { done, of: attempts.length };
        current.value = each.id;
        selected.value = each.id;
        const verdict = await attempt(await labFor(each.id), each);
        results.value = new Map(results.value).set(each.id, verdict);
        if (cancelled) break;
      }
    } catch (error) {
      if (!cancelled) trouble.value = error;
    } finally {
      stop();
      current.value = undefined;
      progress.value = undefined;
    }
  }

  return {
    plays,
    selected,
    results,
    current,
    progress,
    pauseMs: pauses.longestMs,
    trouble,
    run,
    cancel: async () => {
      cancelled = true;
      plays.cancel();
      await close();
    },
    save: async () => {
      const file = await (await lab)?.seal();
      await close();
      return file;
    },
    close,
  };
}

/** Measures the time in which the page does not answer, which a person would feel as a stutter. */
interface Pauses {
  /** The longest delay beyond the beat itself, in whole ms; undefined before the first measurement. */
  readonly longestMs: ReadonlySignal<number | undefined>;
  /** Watches until the function it returns is called. */
  start(): () => void;
}

const BEAT_MS = 20;

function watchPauses(): Pauses {
  const longestMs = signal<number | undefined>(undefined);
  return {
    longestMs,
    start: () => {
      let last = performance.now();
      const beat = (): void => {
        const now = performance.now();
        longestMs.value = Math.max(longestMs.peek() ?? 0, Math.round(now - last - BEAT_MS));
        last = now;
      };
      const timer = setInterval(beat, BEAT_MS);
      return () => clearInterval(timer);
    },
  };
}

/** The scoreboard over two columns: the attempts, and how each ended. */
const breakoutStyles: CSSResult = css`
  :host {
    display: flex;
    flex-direction: column;
    height: 100%;
    container-type: inline-size;
  }
  .board {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.375rem 1rem;
    padding: 0.75rem 1.25rem;
    border-bottom: 1px solid var(--line);
    background: var(--panel);
  }
  .board h1 {
    font-size: 1.25rem;
    font-weight: 650;
    letter-spacing: -0.01em;
  }
  .score {
    flex: 1;
    min-width: 14rem;
  }
  .score strong {
    font-variant-numeric: tabular-nums;
  }
  progress {
    width: 10rem;
    height: 0.625rem;
    accent-color: var(--accent);
  }
  .columns {
    flex: 1;
    min-height: 0;
    display: grid;
    grid-template-columns: clamp(17rem, 32vw, 24rem) minmax(0, 1fr);
    gap: 0.75rem;
    padding: 0.75rem;
  }
  .list,
  article {
    min-height: 0;
    overflow-y: auto;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--panel);
  }
  .list {
    padding: 0.5rem;
  }
  .list h2 {
    padding: 0.5rem 0.75rem 0.25rem;
    color: var(--soft);
    font-weight: 600;
  }
  .list button {
    display: grid;
    grid-template-columns: 1.25rem minmax(0, 1fr) auto;
    gap: 0.625rem;
    width: 100%;
    min-height: 2.25rem;
    padding: 0.25rem 0.75rem;
    text-align: left;
    white-space: normal;
  }
  .list button[aria-current='true'] {
    background: var(--accent-wash);
    font-weight: 650;
  }
  .when {
    color: var(--soft);
    font-weight: 400;
    font-variant-numeric: tabular-nums;
  }
  article {
    display: grid;
    align-content: start;
    gap: 1rem;
    padding: 1.25rem 1.5rem 2rem;
  }
  article > * {
    min-width: 0;
    max-width: 60rem;
  }
  article header {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 1rem;
  }
  article header h2 {
    flex: 1;
    font-size: 1.25rem;
  }
  .headline {
    display: flex;
    align-items: start;
    gap: 0.625rem;
    padding: 0.75rem 1rem;
    border: 1px solid currentcolor;
    border-radius: var(--radius-small);
    font-weight: 650;
  }
  .headline.good {
    background: var(--good-wash);
  }
  .headline.bad {
    background: var(--bad-wash);
  }
  .headline svg {
    margin-top: 0.125rem;
  }
  .headline p {
    color: var(--ink);
    overflow-wrap: anywhere;
  }
  .cost {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr));
    gap: 0.75rem 1.25rem;
  }
  .cost div {
    min-width: 0;
  }
  .cost dt {
    color: var(--soft);
  }
  .cost dd {
    font-size: 1.0625rem;
    font-variant-numeric: tabular-nums;
    overflow-wrap: anywhere;
  }
  pre {
    max-height: 22rem;
  }
  .console {
    max-height: 12rem;
  }
  .spin {
    animation: turn 900ms linear infinite;
  }
  @keyframes turn {
    to {
      transform: rotate(1turn);
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .spin {
      animation: none;
    }
  }
  @container (max-width: 47rem) {
    :host {
      display: block;
    }
    .columns {
      display: block;
      padding: 0;
    }
    .list,
    article {
      border-width: 0 0 1px;
      border-radius: 0;
    }
    .list {
      max-height: 17rem;
    }
    article {
      overflow: visible;
      padding: 1rem 1rem 2rem;
    }
  }
`;

customElements.define('sp-breakout', BreakoutView);
