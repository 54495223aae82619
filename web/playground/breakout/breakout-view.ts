import { type CSSResult, html, type TemplateResult } from 'lit';
import { openRuntime } from '../../index.ts';
import { gatesOf } from '../../records/gates.ts';
import { type IconName, icon } from '../../style/icons.ts';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import { breakout } from '../../texts/en/breakout.ts';
import { number } from '../../texts/intl.ts';
import { whyText } from '../parts/page-error.ts';
import { saveFile } from '../parts/save-file.ts';
import { ATTEMPTS, type AttackVerdict, type BreakoutAttempt } from './attempts.ts';
import { type Breakout, openBreakoutPage } from './breakout.ts';
import { breakoutStyles } from './breakout-style.ts';
import '../parts/json-text.ts';
import '../lab/stopped.ts';
import '../parts/gate-strip.ts';
import { consoleLines, spent, told } from '../lab/trial.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';

const KINDS = ['guest', 'proposal'] as const satisfies readonly BreakoutAttempt['kind'][];

/** Attacks with one click each: the limit that stopped it, the time, the cost, and the result of the next call. */
export class BreakoutView extends View {
  static override styles: CSSResult[] = [shared, quoted, breakoutStyles];
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
    const { selected, results } = this.#page;
    const open = ATTEMPTS.find(({ id }) => id === selected.value) ?? ATTEMPTS[0];
    return html`${this.#board()}
      <div class="columns">
        <nav class="list" aria-label=${breakout().attacks}>${KINDS.map((kind) => this.#group(kind))}</nav>
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

customElements.define('sp-breakout', BreakoutView);
