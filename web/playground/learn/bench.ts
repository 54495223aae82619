import '../approval/approval.ts';
import '../audit/audit-view.ts';
import '../parts/code-field.ts';
import '../parts/json-text.ts';
import '../parts/gate-strip.ts';
import { effect } from '@preact/signals-core';
import {
  type CSSResult,
  css,
  html,
  nothing,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit';
import { live } from 'lit/directives/live.js';
import workerUrl from '../../../workers/bridges/models/small/worker.ts?worker&url';
import { loadPart } from '../../../workers/load-part.ts';
import { openRuntime } from '../../index.ts';
import type { SmallModelData } from '../../models.ts';
import { gatesOf } from '../../records/gates.ts';
import { icon } from '../../style/icons.ts';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import { learn } from '../../texts/en/learn.ts';
import { shell } from '../../texts/en/shell.ts';
import { inEnglish } from '../../texts/recorded.ts';
import type { AskedSession } from '../approval/approval.ts';
import type { Lab, Trial } from '../lab/lab.ts';
import { consoleLines, told } from '../lab/trial.ts';
import { fetchWeights } from '../models/small-weights.ts';
import type { DraftUndo } from '../parts/draft-undo.ts';
import { miniStrip, miniStyles } from '../parts/mini-strip.ts';
import { bringsBack, replacedStyles, replacedText } from '../parts/replaced-text.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import type { Playground } from '../playground.ts';
import type { Choice, Lesson } from './lessons/lesson.ts';
import type { OpenSmallModel } from './open-lesson.ts';
import { type OpenLesson, openLesson } from './open-lesson.ts';
import type { Progress } from './progress.ts';

/** The page of an open lesson: the learner is the model, or the auditor, with a run of the lesson's own. */
export class Bench extends View {
  static override properties: PropertyDeclarations = {
    progress: { attribute: false },
    lesson: { attribute: false },
    held: { attribute: false },
  };
  static override get styles(): CSSResult[] {
    return [shared, quoted, miniStyles, replacedStyles, benchStyles];
  }
  declare progress: Progress;
  declare lesson: Lesson;
  /** The task starts after the guess. */
  declare held: boolean;
  #opened: OpenLesson | undefined;
  #stop: (() => void) | undefined;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('lesson') && this.#opened !== undefined) return;
    this.#opened?.close();
    const { home, audit, runtime } = this.store;
    const { files, capabilities: catalogue } = home;
    const facts = {
      open: openRuntime,
      catalogue,
      progress: this.progress,
      audit,
      runtime,
      files,
      small: openSmallModel,
    };
    this.#opened = openLesson(this.lesson, facts);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
    this.#opened?.close();
    this.#opened = undefined;
  }

  protected override view(): TemplateResult {
    const { bench: texts } = learn();
    const opened = this.#opened;
    if (opened === undefined) return html``;
    if (this.held)
      return html`<div class="held"><sp-strip label=${texts.gates}></sp-strip><p class="soft">${icon('hand')}${texts.guessFirst}</p></div>`;
    if (this.lesson.place === 'audit') return this.#audit(opened);
    if (this.lesson.place === 'page') return this.#page(opened);
    return html`${this.#choices(opened)} ${this.#source(opened)} ${this.#paper(opened)} ${this.#question(opened.lab.value)} ${this.#asking(opened)} ${this.#composer(opened)} ${this.#trials(opened)}`;
  }

  #choices({ choice, choose }: OpenLesson): TemplateResult {
    const { choices } = this.lesson;
    if (choices === undefined) return html``;
    const one = ({ word }: Choice, i: number) =>
      html`<label><input type="radio" name="grant" value=${i} .checked=${choice.value === i} @change=${() => choose(i)} />${word}</label>`;
    return html`<fieldset class="grants"><legend>${learn().bench.grant}</legend>${choices.map(one)}</fieldset>`;
  }

  #source({ source, restart, busy, fault }: OpenLesson): TemplateResult {
    if (this.lesson.writes !== true) return html``;
    const write = (event: CustomEvent<string>): void => {
      source.value = event.detail;
    };
    const { bench: texts } = learn();
    const wrong = fault.value;
    return html`<section class="write"><h2>${texts.sourceOf(this.lesson.own?.[0]?.name ?? '')}</h2>
      <sp-code id="source" language="javascript" label=${texts.source} .text=${source.value} .marks=${wrong === undefined ? [] : [wrong]} @sp-text=${write}></sp-code>
      ${wrong === undefined ? '' : html`<p class="bad" role="alert">${wrong.line === undefined ? '' : texts.faultAt(wrong.line, wrong.column ?? 1)}<span lang=${wrong.lang ?? nothing}>${shown(wrong.message)}</span></p>`}
      <button type="button" id="load" aria-disabled=${busy.value} @click=${() => void restart()}>${icon('step')}${texts.load}</button></section>`;
  }

  /** The paper of this lesson, and a button that changes it behind the model's back. */
  #paper({ rewritten, rewrite, busy }: OpenLesson): TemplateResult {
    const { paper } = this.lesson;
    if (paper === undefined) return html``;
    const { bench: texts } = learn();
    const { from, to } = paper.change;
    const was = this.store.home.files[paper.path] ?? '';
    const text = rewritten.value ? was.replace(from, to) : was;
    return html`<section class="paper"><details>
        <summary><span class="mono">${paper.path}</span> <span class="soft">· ${Object.keys(paper.symbols).join(', ')}</span></summary>
        <pre tabindex="0" role="region" lang="en" aria-label=${texts.paper}>${text}</pre>
      </details>
      <p class="act"><button type="button" id="rewrite" aria-disabled=${busy.value || rewritten.value} @click=${() => void (rewritten.value || rewrite())}>${icon('pen')}${texts.change}</button>
        <span class="soft" role="status">${rewritten.value ? texts.changed(inEnglish(to)) : texts.willChange(inEnglish(from), inEnglish(to))}</span></p>
    </section>`;
  }

  /** The very card of the Run panel, over the lesson's run. */
  #question(lab: Lab | undefined): TemplateResult {
    const pending = lab?.view.value.pending;
    if (lab === undefined || pending === undefined) return html``;
    const session: AskedSession = { view: lab.view, records: lab.records };
    const store = Object.create(this.store, {
      session: { value: { value: session, peek: () => session } },
      answer: { value: this.#opened?.answer },
      runtime: { value: lab.runtime },
    }) as Playground;
    return html`<sp-approval .store=${store}></sp-approval>`;
  }

  /** The order to the small model, and the switch of its constraint. */
  #asking({ asking, ask, busy }: OpenLesson): TemplateResult {
    if (asking === undefined) return html``;
    const { bench: texts } = learn();
    const { order, orderUndo, held } = asking;
    const type = (event: Event): void => {
      order.value = (event.target as HTMLInputElement).value;
    };
    const hold = (event: Event): void => {
      held.value = (event.target as HTMLInputElement).checked;
    };
    const submit = (event: Event): void => {
      event.preventDefault();
      void ask();
    };
    return html`<form class="asking" @submit=${submit}>
      <h2><label for="order">${texts.question}</label></h2>
      <div class="starters" role="group" aria-label=${texts.askFor}>${this.lesson.starters.map(({ word, text }) => html`<button type="button" @click=${() => orderUndo.put(text)}>${word}</button>`)}</div>
      <input id="order" autocomplete="off" maxlength="200" .value=${live(order.value)} @input=${type} @keydown=${(event: KeyboardEvent) => this.#undoKey(event, orderUndo)} />
      ${replacedText(orderUndo, () => this.#undo(orderUndo, '#order'))}
      <p class="act"><button id="ask" aria-disabled=${busy.value}>${icon('play')}${texts.ask}</button>
        <label><input id="held" type="checkbox" role="switch" .checked=${live(held.value)} @change=${hold} />${texts.hold}</label></p>
    </form>`;
  }

  #composer({ draft, draftUndo, busy, send, trouble, lab, asking }: OpenLesson): TemplateResult {
    const type = (event: Event): void => {
      const field = event.target as HTMLTextAreaElement;
      draft.value = field.value;
      delete field.dataset.sent;
    };
    const key = (event: KeyboardEvent): void => {
      this.#undoKey(event, draftUndo);
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      (event.target as HTMLElement).dataset.sent = '';
      void send();
    };
    const { bench: texts } = learn();
    const { keys } = shell();
    const isPending = lab.value?.view.value.pending !== undefined;
    return html`<section>
      <h2><label for="draft">${asking === undefined ? texts.youSend : texts.itSays}</label></h2>
      ${asking === undefined ? html`<div class="starters" role="group" aria-label=${texts.beginWith}>${this.lesson.starters.map(({ word, text }) => html`<button type="button" @click=${() => draftUndo.put(text)}>${word}</button>`)}</div>` : ''}
      <textarea id="draft" spellcheck="false" autocapitalize="off" .value=${live(draft.value)} @input=${type} @keydown=${key}></textarea>
      ${replacedText(draftUndo, () => this.#undo(draftUndo, '#draft'))}
      <p class="act"><button type="button" id="send" class="primary" aria-disabled=${busy.value} @click=${() => void send()}>${icon('inbox')}${texts.send}</button>
        <span class="soft keyed"><kbd>${keys.Control}</kbd> <kbd>${keys.Enter}</kbd></span>
        <span role="status">${busy.value ? (isPending ? texts.personAsked : texts.throughGates) : ''}</span></p>
      ${trouble.value === undefined ? '' : html`<p class="bad" role="alert">${shown(trouble.value)}</p>`}
    </section>`;
  }

  /** Brings a replaced text back into its field. */
  #undo(undo: DraftUndo, field: string): void {
    undo.undo();
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>(field)?.focus());
  }

  #undoKey(event: KeyboardEvent, undo: DraftUndo): void {
    if (!bringsBack(event, undo)) return;
    event.preventDefault();
    undo.undo();
  }

  #trials({ trials }: OpenLesson): TemplateResult {
    const { bench: texts } = learn();
    const [last, ...earlier] = trials.value.toReversed();
    if (last === undefined) return html``;
    return html`<section class="last" role="status">
        <h2>${outcome(last)}</h2>
        <sp-strip .gates=${gatesOf(last.records)} label=${texts.yourGates}></sp-strip>
        ${consoleLines(last)}
        <h3>${texts.told}</h3>
        <sp-json .text=${last.reply} pretty label=${texts.reply}></sp-json>
      </section>
      ${earlier.length === 0 ? '' : html`<section><h3>${texts.earlier}</h3><ol class="earlier">${earlier.map((trial) => html`<li>${miniStrip(gatesOf(trial.records))}<span>${outcome(trial)}</span></li>`)}</ol></section>`}`;
  }

  #audit({ anchor, busy, trouble }: OpenLesson): TemplateResult {
    const { bench: texts } = learn();
    if (busy.value || anchor.value === '')
      return html`<p class="soft held" role="status">${trouble.value ?? texts.making}</p>`;
    const { audit } = this.store;
    const put = (): void => {
      audit.anchorText.value = anchor.value;
    };
    if (this.lesson.place === 'page') return html`<sp-audit .store=${this.store}></sp-audit>`;
    return html`<p class="act noted"><span>${texts.noted(anchor.value.slice(0, 18))}</span><button type="button" id="restore" @click=${put}>${texts.putBack}</button></p>
      <sp-audit .store=${this.store}></sp-audit>`;
  }

  #page(opened: OpenLesson): TemplateResult {
    const { realThing: texts } = learn().bench;
    const { look, busy, anchor } = opened;
    const go = (): void => {
      this.store.view.value = 'run';
    };
    const done = this.progress.lessons.value.get(this.lesson.number)?.done.includes(0) ?? false;
    if (done && (busy.value || anchor.value !== '')) return this.#audit(opened);
    return html`<section>
      <h2>${texts.title}</h2>
      <ol class="todo">
        <li>${texts.go()}</li>
        <li>${texts.reload}</li>
        <li>${texts.run()}</li>
        <li>${texts.back}</li>
      </ol>
      <p class="act"><button type="button" class="primary" id="go" @click=${go}>${icon('run')}${texts.toRun}</button>
        <button type="button" id="look" aria-disabled=${busy.value} @click=${() => void look()}>${icon('search')}${texts.look}</button></p>
    </section>`;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#stop = effect(() => this.#arrive());
  }

  /** A lesson on the page's own runs checks again when a new run arrives. */
  #arrive(): void {
    if (this.store.runs.value.length > 0 && this.#opened?.lesson.place === 'page') void this.#opened.look();
  }
}

/** The outcome in a few words, and in colour. */
function outcome(trial: Trial): TemplateResult {
  const { bench: texts } = learn();
  const { receipt, evidence } = trial.receipt.body;
  const { reason } = evidence;
  if (reason === undefined)
    return html`<span class=${receipt.status === 'SUCCESS' ? 'good' : ''}>${icon('check')}${texts.passed}</span>`;
  return html`<span class="bad">${icon('barrier')}${texts.stopped(reason.step, reason.code)}</span> <span class="soft" lang="en">${shown(told(trial).slice(0, 200))}</span>`;
}

/** The small model in a locked worker of the page. It is loaded when a learner first asks it. */
const openSmallModel: OpenSmallModel = async (constrained) => {
  const { openModelWorker } = await loadPart(() => import('../../models.ts'));
  const data: SmallModelData = { weights: await fetchWeights(), constrained };
  return openModelWorker(workerUrl, { data });
};

const benchStyles: CSSResult = css`
  :host {
    container-type: inline-size;
  }
  section + section,
  .grants + section,
  .paper + section,
  .paper + sp-approval,
  .grants + sp-approval,
  sp-approval + section {
    margin-top: 1.25rem;
  }
  .held {
    display: grid;
    place-content: center;
    justify-items: center;
    gap: 2rem;
    min-height: min(24rem, 60vh);
    color: var(--soft);
  }
  p.held {
    gap: 0.625rem;
  }
  .held sp-strip {
    width: min(44rem, 100cqi);
  }
  .held p {
    display: flex;
    align-items: center;
    gap: 0.625rem;
    font-size: 1.125rem;
  }
  .asking + section {
    margin-top: 1.25rem;
  }
  .asking .act label {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    min-height: 2.25rem;
    cursor: pointer;
  }
  #held {
    flex: none;
    width: 1.125rem;
    height: 1.125rem;
    min-height: 0;
    margin: 0;
    accent-color: var(--accent);
  }
  /* Its header lines have a padding of their own, for the edge of a page. */
  sp-audit {
    margin-inline: -0.75rem;
  }
  .starters {
    display: flex;
    flex-wrap: wrap;
    gap: 0.375rem;
    margin: 0.5rem 0;
  }
  .starters button {
    min-height: 2.25rem;
  }
  textarea {
    min-height: 7rem;
  }
  .act {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 0.75rem;
    margin-top: 0.625rem;
  }
  .noted {
    justify-content: space-between;
    margin: 0 0 0.75rem;
  }
  .grants {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1.25rem;
    min-width: 0;
    margin: 0;
    padding: 0.5rem 1rem 0.75rem;
    border: 1px solid var(--edge);
    border-radius: var(--radius);
  }
  .grants label {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    min-height: 2rem;
  }
  .grants input {
    width: 1.25rem;
    min-height: 1.25rem;
    margin: 0;
    accent-color: var(--accent);
  }
  .write {
    --code-height: 10rem;
    display: grid;
    gap: 0.5rem;
    justify-items: start;
  }
  .write sp-code {
    width: 100%;
  }
  .last {
    display: grid;
    gap: 0.75rem;
    padding-top: 1.25rem;
    border-top: 1px solid var(--line);
  }
  .last > * {
    min-width: 0;
  }
  .last h2 > span,
  .earlier li > span {
    overflow-wrap: anywhere;
  }
  .last h2 .bad,
  .last h2 .good {
    display: inline-flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.375rem;
  }
  .last h2 .soft {
    font-weight: 400;
  }
  .earlier {
    display: grid;
    gap: 0.5rem;
    margin-top: 0.5rem;
  }
  .earlier li {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    align-items: center;
    gap: 0.75rem;
  }
  .earlier svg {
    vertical-align: text-bottom;
  }
  .todo {
    display: grid;
    gap: 0.5rem;
    margin: 0.5rem 0 0;
    padding-left: 1.5rem;
    list-style: decimal;
  }
  pre {
    max-height: 10rem;
  }
`;

customElements.define('sp-bench', Bench);
