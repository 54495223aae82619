import { effect, type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { CODES, type Code, canonicalText, SallyportError } from '../../../core/index.ts';
import type { Run, UndoPreview, UndoTarget } from '../../../workers/api.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { remedies } from '../../texts/en/remedies.ts';
import { takeBack as texts } from '../../texts/en/take-back.ts';
import { withGist, withoutAdvice } from '../../texts/recorded.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { find, replyOf } from '../run/reply.ts';
import type { RunSession } from '../run/session.ts';
import {
  choiceOf,
  placeOf,
  type RangeChoice,
  revertedBy,
  stayingIn,
  storyOf,
  targetOf,
  type UndoneCallEnd,
} from './undo-story.ts';

const styles: CSSResult = css`
  section,
  .plan {
    display: grid;
    gap: 0.75rem;
    grid-template-columns: minmax(0, 1fr);
    justify-items: start;
  }
  fieldset {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1.25rem;
    margin: 0;
    padding: 0;
    border: 0;
  }
  legend {
    padding: 0;
    color: var(--soft);
  }
  label {
    display: inline-flex;
    align-items: center;
    gap: 0.5rem;
    min-height: 2.5rem;
  }
  input {
    flex: none;
    width: 1.125rem;
    height: 1.125rem;
    min-height: 0;
    margin: 0;
    accent-color: var(--accent);
  }
  ol,
  ul {
    display: grid;
    gap: 0.375rem;
    width: 100%;
  }
  li {
    padding-left: 0.875rem;
    border-left: 3px solid var(--line);
    overflow-wrap: anywhere;
  }
  li.bad {
    border-color: var(--bad);
  }
  li.good {
    border-color: var(--good);
  }
  code {
    font-family: var(--mono);
  }
  .args {
    display: block;
    color: var(--soft);
    font-size: 0.8125rem;
  }
  @media print {
    button,
    fieldset {
      display: none;
    }
  }
`;

/** What is known of an undo before it begins: undefined while it is read. */
type Read = { readonly plan: UndoPreview } | { readonly error: unknown } | undefined;

/** The step that a person looks at, and what would be taken back. */
interface Looked {
  readonly run: string;
  readonly step: number;
  readonly range: RangeChoice;
  readonly read: Read;
  readonly isBeginning?: true;
}

/** Longest arguments that a line of the plan shows; the step has them whole. */
const ARGS_MAX = 200;

/** Takes back the calls of a step, or of all steps from it on: first a plan in words, then a run of its own that asks. */
class TakeBack extends View {
  static override styles: CSSResult[] = [shared, styles];
  readonly #looked: Signal<Looked | undefined> = signal(undefined);

  protected override view(): TemplateResult {
    const session = this.store.session.value;
    const step = this.store.selection.group.value?.step;
    if (session === undefined || step === undefined) return html``;
    const looked = this.#looked.value;
    const own = looked?.run === session.id && looked.step === step ? looked : undefined;
    const turn = (): void => {
      if (own === undefined) void this.#look(session.id, step, 'step');
      else this.#looked.value = undefined;
    };
    return html`<section>
      <h3>${texts().title}</h3>
      <button type="button" id="take-back" aria-expanded=${own !== undefined} @click=${turn}>${icon('reply')}${texts().ask}</button>
      ${own === undefined ? '' : this.#opened(own)}
    </section>`;
  }

  #opened({ run, step, range, read, isBeginning }: Looked): TemplateResult {
    const { ranges } = texts();
    const choice = (name: RangeChoice): TemplateResult =>
      html`<label><input type="radio" name="range" value=${name} .checked=${live(range === name)} ?disabled=${isBeginning} @change=${() => void this.#look(run, step, name)} />${ranges[name](step)}</label>`;
    return html`<fieldset><legend>${ranges.label}</legend>${choice('step')}${choice('from')}</fieldset>
      <div class="plan" role="status">${read === undefined ? texts().reading : 'plan' in read ? this.#plan(read.plan) : this.#failed(read.error)}</div>
      ${read !== undefined && 'plan' in read ? this.#act(read.plan, targetOf(run, step, range), isBeginning) : ''}`;
  }

  #plan(plan: UndoPreview): TemplateResult {
    const { calls, barriers, before } = plan;
    const isEmpty = calls.length === 0 && barriers.length === 0 && before.length === 0;
    return html`
      ${
        barriers.length === 0
          ? ''
          : html`<p class="bad">${icon('barrier')} ${texts().impossible}</p>
        <ul>${barriers.map((each) => html`<li class="bad">${placeOf(each)}, ${tool(each.capability)}: ${texts().reasons[each.reason]}.</li>`)}</ul>`
      }
      ${
        calls.length === 0
          ? ''
          : html`<p>${texts().would(calls.length)}</p>
        <ol>${calls.map((each) => html`<li>${placeOf(each)}, ${tool(each.capability)}, ${texts().by(tool(revertedBy(each)))}<code class="args">${shown(short(canonicalText(each.args)))}</code></li>`)}</ol>`
      }
      ${before.length === 0 ? '' : html`<ul>${before.map((each) => html`<li class="good">${placeOf(each)}, ${tool(each.capability)}: ${texts().before}. ${this.#runLink(each.run_id)}</li>`)}</ul>`}
      ${isEmpty ? html`<p>${texts().nothing}</p>` : ''}
      ${stayingIn(plan).map((sentence) => html`<p class="wait">${sentence}</p>`)}
    `;
  }

  #act(plan: UndoPreview, target: UndoTarget, isBeginning = false): TemplateResult | string {
    const choice = choiceOf(plan);
    if (choice === 'none') return '';
    const word = isBeginning ? texts().beginning : texts()[choice];
    return html`<p class="soft">${texts().own}</p>
      <button type="button" class="primary" id="undo" aria-disabled=${isBeginning} @click=${() => isBeginning || void this.#begin(target)}>${word}</button>`;
  }

  /** An undo that had been made, or is under way, is named by its refusal. */
  #failed(error: unknown): TemplateResult {
    const { code, details } = error instanceof SallyportError ? error : {};
    const advice = code !== undefined && Object.hasOwn(CODES, code) ? remedies()[code as Code] : '';
    const sentence = sentenceOf(error);
    const why = withGist(
      shown(withoutAdvice(sentence, code === undefined ? '' : (CODES[code as Code]?.todo ?? ''))),
      advice,
    );
    const other = details?.['run_id'];
    const isOther = (code === 'undo_done' || code === 'undo_open') && typeof other === 'string';
    return html`<p class="bad">${icon('barrier')} ${texts().failed(why)}</p>${isOther ? this.#runLink(other) : ''}`;
  }

  #runLink(id: string): TemplateResult {
    return html`<button type="button" @click=${() => void this.store.follow({ view: 'run', run: id })}>${icon('link')}${texts().openRun(id.slice(0, 8))}</button>`;
  }

  /** A plan that arrives after another step or range was chosen is dropped. */
  async #look(run: string, step: number, range: RangeChoice): Promise<void> {
    const looked: Looked = { run, step, range, read: undefined };
    this.#looked.value = looked;
    const read = await this.store.runtime.undoPlan(targetOf(run, step, range)).then(
      (plan) => ({ plan }),
      (error: unknown) => ({ error }),
    );
    if (this.#looked.peek() === looked) this.#looked.value = { ...looked, read };
  }

  /** The undo is the open run from its first record on; a fault before that is told here. */
  async #begin(target: UndoTarget): Promise<void> {
    const before = this.#looked.peek();
    if (before === undefined) return;
    this.#looked.value = { ...before, isBeginning: true };
    let hasBegun = false;
    const attend = (run: Run): void => {
      const leave = run.watch(({ records }) => {
        if (records === 0) return;
        leave();
        hasBegun = true;
        this.#looked.value = undefined;
        const { parentNode } = this;
        this.store.attend(run);
        parentNode?.dispatchEvent(new Event('sp-settled', { bubbles: true, composed: true }));
      });
    };
    try {
      await this.store.runtime.undo({ ...target, questions: 'wait', onRun: attend });
    } catch (error) {
      if (hasBegun) this.store.trouble.value = texts().broke(sentenceOf(error));
      else this.#looked.value = { ...before, read: { error } };
    }
  }
}

/** What a run takes back, and what it has come to, from its ledger; with the way to the run that it takes back. */
class Undone extends View {
  static override styles: CSSResult[] = [shared, styles];

  protected override view(): TemplateResult {
    const session = this.store.session.value;
    const story = session && storyOf(session.records.value);
    if (session === undefined || story === undefined) return html``;
    const { undone } = texts();
    const oldest = story.calls.at(-1)?.call.step;
    return html`<section id="undone">
      <h3>${undone.title}</h3>
      <p>${undone.of(story.run_id.slice(0, 8))}</p>
      <ol>${story.calls.map((each) => this.#call(session, each))}</ol>
      ${story.staying.map((sentence) => html`<p class="wait">${sentence}</p>`)}
      <button type="button" id="original" @click=${() => void this.#open(story.run_id, oldest)}>${icon('link')}${texts().openRun(story.run_id.slice(0, 8))}</button>
    </section>`;
  }

  #call(session: RunSession, { call, by, end }: UndoneCallEnd): TemplateResult {
    const tone = end === 'undone' ? 'good' : end === 'stands' || end === 'untried' || end === 'unknown' ? 'bad' : '';
    const group = end === 'stands' ? session.steps.value.find(({ step }) => step === by) : undefined;
    const why = replyOf(session, group)?.message;
    return html`<li class=${tone}>${placeOf(call)}, ${tool(call.capability)}: ${texts().undone.ends[end]}.${why === undefined ? '' : html` <span lang="en">${shown(why)}</span>`}</li>`;
  }

  /** Opens the run at the receipt of the oldest step that was taken back; the records of a run may still be arriving. */
  async #open(id: string, step: number | undefined): Promise<void> {
    const { follow, session, selection } = this.store;
    await follow({ view: 'run', run: id });
    const leave = effect(() => {
      const own = session.value;
      const receipt =
        own?.id === id
          ? find(
              own.steps.value.find((each) => each.step === step),
              'receipt',
            )
          : undefined;
      if (own?.id === id && receipt === undefined) return;
      queueMicrotask(() => {
        leave();
        if (receipt === undefined) return;
        selection.select(receipt.run_seq);
        selection.follows.value = false;
      });
    });
  }
}

function tool(name: string): TemplateResult {
  return html`<code>${shown(name)}</code>`;
}

function short(text: string): string {
  return text.length <= ARGS_MAX ? text : `${text.slice(0, ARGS_MAX)}…`;
}

customElements.define('sp-take-back', TakeBack);
customElements.define('sp-undone', Undone);
