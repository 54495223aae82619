import { type CSSResult, html, type TemplateResult } from 'lit';
import { openRuntime } from '../../index.ts';
import { gatesOf } from '../../records/gates.ts';
import { type IconName, icon } from '../../style/icons.ts';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import { saveFile } from '../parts/save-file.ts';
import { ATTEMPTS, type AttackVerdict, type BreakoutAttempt } from './attempts.ts';
import { type Breakout, openBreakoutPage } from './breakout.ts';
import { breakoutStyles } from './breakout-style.ts';
import '../parts/json-text.ts';
import '../lab/stopped.ts';
import '../parts/gate-strip.ts';
import { consoleLines, spent, told } from '../lab/trial.ts';
import { count, shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';

const GROUPS: readonly { readonly kind: BreakoutAttempt['kind']; readonly word: string }[] = [
  { kind: 'guest', word: 'Hostile code, in the sandbox' },
  { kind: 'proposal', word: 'Hostile proposals, at the gates' },
];

/** Attacks with one click each: the limit that stopped it, the time, the cost, and the result of the next call. */
export class BreakoutView extends View {
  static override styles: CSSResult[] = [shared, quoted, breakoutStyles];
  #opened: Breakout | undefined;

  get #page(): Breakout {
    this.#opened ??= openBreakoutPage(openRuntime, this.store.scenario.capabilities);
    return this.#opened;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    void this.#opened?.cancel();
    this.#opened = undefined;
  }

  protected override view(): TemplateResult {
    const { selected, results } = this.#page;
    const open = ATTEMPTS.find(({ id }) => id === selected.value) ?? ATTEMPTS[0];
    return html`${this.#board()}
      <div class="columns">
        <nav class="list" aria-label="Attacks">${GROUPS.map(({ kind, word }) => this.#group(kind, word))}</nav>
        ${open === undefined ? '' : this.#detail(open, results.value.get(open.id))}
      </div>`;
  }

  #board(): TemplateResult {
    const { results, progress, current, pauseMs, trouble } = this.#page;
    const tried = [...results.value.values()];
    const left = tried.filter(({ held }) => !held).length;
    const under = progress.value;
    const pause = pauseMs.value;
    return html`<header class="board">
      <h1>Break out</h1>
      <p class="score" role="status"><strong class=${left === 0 ? '' : 'bad'}>${left}</strong> of ${count(tried.length, 'attempt')} left the sandbox${pause === undefined ? '' : html`<span class="soft"> · this page never waited longer than ${pause.toLocaleString()} ms</span>`}
        ${trouble.value === undefined ? '' : html`<span class="bad">${shown(trouble.value)}</span>`}</p>
      ${under === undefined ? '' : html`<label class="soft">${under.done} of ${under.of} <progress max=${under.of} .value=${under.done}></progress></label>`}
      ${tried.length === 0 || current.value !== undefined ? '' : html`<button type="button" @click=${() => void this.#save()}>${icon('download')}Save the ledger</button>`}
      ${
        current.value === undefined
          ? html`<button type="button" id="all" class="primary" @click=${() => void this.#page.run(ATTEMPTS)}>${icon('run')}Run all ${ATTEMPTS.length}</button>`
          : html`<button type="button" id="cancel" @click=${() => void this.#page.cancel()}>${icon('stop')}Cancel</button>`
      }
    </header>`;
  }

  #group(kind: BreakoutAttempt['kind'], word: string): TemplateResult {
    return html`<h2 id=${kind}>${word}</h2>
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
      <span class="when">${verdict === undefined ? '' : `${Math.round(verdict.trial.elapsedMs)} ms`}</span>
    </button></li>`;
  }

  #detail(each: BreakoutAttempt, verdict: AttackVerdict | undefined): TemplateResult {
    const { current } = this.#page;
    const busy = current.value !== undefined;
    return html`<article aria-labelledby="title">
      <header>
        <h2 id="title">${each.title}</h2>
        <button type="button" id="one" aria-disabled=${busy} @click=${() => void (busy || this.#page.run([each]))}>${icon('play')}${verdict === undefined ? 'Try it' : 'Try it again'}</button>
      </header>
      <p>${each.caption}</p>
      <div role="status">${verdict === undefined ? '' : headline(verdict)}</div>
      ${verdict === undefined ? '' : result(verdict)}
      ${
        each.source === undefined
          ? html`<section><h3>The proposal, byte for byte</h3><sp-json .text=${each.text} label="Proposal"></sp-json></section>`
          : html`<section><h3>The guest’s source</h3><pre class="source" tabindex="0" role="region" aria-label="Source">${shown(each.source)}</pre></section>`
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
  if (current) return { icon: 'gear', tone: 'wait', word: 'under way', turning: true };
  if (verdict === undefined) return { icon: 'dot', tone: 'soft', word: 'not tried' };
  return verdict.held
    ? { icon: 'shield', tone: 'good', word: 'held' }
    : { icon: 'cross', tone: 'bad', word: 'not as expected' };
}

/** The reason in the words of the table of codes, as the model was told. */
function headline(verdict: AttackVerdict): TemplateResult {
  const { held, reached, trial, code } = verdict;
  const tone = held ? 'good' : 'bad';
  const mark = icon(held ? 'shield' : 'cross');
  if (reached.length > 0)
    return html`<div class="headline bad">${mark}<p>It reached ${shown(reached.join(', '))}.</p></div>`;
  const said = code === undefined ? 'It ran to its end and reached no forbidden name.' : told(trial);
  return html`<div class="headline ${tone}">${mark}<p>${shown(said)}</p></div>`;
}

function result({ trial, code, step, next }: AttackVerdict): TemplateResult {
  const after = next.receipt.body.evidence.reason === undefined ? 'good' : 'bad';
  return html`<sp-strip .gates=${gatesOf(trial.records)} label="Gates of this attack"></sp-strip>
    <dl class="cost">
      <div><dt>Stopped by</dt><dd class="mono">${code ?? 'not stopped'}</dd></div>
      <div><dt>Where</dt><dd>${step ?? 'nowhere'}</dd></div>
      ${spent(trial)}
      <div><dt>The next call</dt><dd class=${after}>${after === 'good' ? 'went through, on a fresh heap' : 'failed'}, ${Math.round(next.elapsedMs)} ms</dd></div>
    </dl>
    <sp-stopped .step=${trial.step}></sp-stopped>
    ${consoleLines(trial)}
    <section><h3>What the model is told</h3><sp-json .text=${trial.reply} pretty label="Reply to the model"></sp-json></section>`;
}

customElements.define('sp-breakout', BreakoutView);
