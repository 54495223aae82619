import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, html, type PropertyValues, svg, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { TIME_PARTS, totalsOf } from '../../records/durations.ts';
import { outcomeOf, type StepGroup } from '../../records/steps.ts';
import { type TokenCounts, tokensOf } from '../../records/tokens.ts';
import { barsOf, LINE_UNITS, type WaterfallBar, type WaterfallScale } from '../../records/waterfall-bars.ts';
import { shared } from '../../style/shared.ts';
import { elapsed } from '../../texts/amounts.ts';
import { timeline } from '../../texts/en/timeline.ts';
import { waterfall } from '../../texts/en/waterfall.ts';
import { listStyles } from './list-style.ts';
import { openTimes, type RunTimes, type TimedStep } from './measured-times.ts';
import '../parts/price-fields.ts';
import { spentText } from '../parts/prices.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { modelIn } from '../run/proposer.ts';
import { waterfallStyles } from './waterfall-style.ts';

/** A page of more steps would be slow; a filter shows the others. */
const STEPS_MAX = 1000;

const SCALES: readonly WaterfallScale[] = ['run', 'step'];

interface WaterfallLine extends TimedStep {
  readonly group: StepGroup;
  readonly tokens: TokenCounts | undefined;
}

/** The time of each step as bars, one after another: model, gates, sandbox, person and disk. */
export class Waterfall extends View {
  static override styles: CSSResult[] = [shared, listStyles, waterfallStyles];
  readonly #scale: Signal<WaterfallScale> = signal<WaterfallScale>('run');
  #times: RunTimes | undefined;
  #looked: number | undefined;

  protected override view(): TemplateResult {
    const texts = waterfall();
    this.#times ??= openTimes(this.store.session);
    const all = this.#lines(this.#times);
    const lines = all.slice(-STEPS_MAX);
    if (lines.length === 0) return html`<p class="note soft">${texts.none}</p>`;
    const bars = barsOf(
      lines.map(({ spans }) => spans),
      this.#scale.value,
    );
    const selected = lines.find(({ group }) => this.#isSelected(group));
    return html`${this.#totals(lines)}
      <div class="controls" role="group" aria-label=${texts.scale}>${SCALES.map((name) => this.#scaleButton(name, texts.scales[name]))}</div>
      ${this.#money(lines)}
      <p class="note soft detail">${selected === undefined ? texts.betweenSteps : shown(this.#words(selected))}</p>
      ${lines.every(({ isMeasured }) => isMeasured) ? '' : html`<p class="note soft">${texts.fromRecords}</p>`}
      ${all.length === lines.length ? '' : html`<p class="note wait">${texts.newest(lines.length, all.length)}</p>`}
      <div class="list" role="listbox" tabindex="0" aria-label=${texts.label} aria-activedescendant=${selected === undefined ? '' : `s${selected.group.key}`} @keydown=${(event: KeyboardEvent) => this.#key(event, lines)}>
        ${repeat(
          lines,
          ({ group }) => group.key,
          (line, nth) => this.#line(line, bars[nth] ?? []),
        )}
      </div>`;
  }

  /** Steps with a record that the filter shows. */
  #lines({ byStep }: RunTimes): readonly WaterfallLine[] {
    const { session, selection } = this.store;
    const fitting = new Set(selection.shown.value);
    return (session.value?.steps.value ?? []).flatMap((group) => {
      const times = group.step === undefined ? undefined : byStep.value.get(group.step);
      if (times === undefined || !group.records.some((record) => fitting.has(record))) return [];
      return [{ ...times, group, tokens: tokensOf(group.records) }];
    });
  }

  #totals(lines: readonly WaterfallLine[]): TemplateResult {
    const texts = waterfall();
    const totals = totalsOf(lines.flatMap(({ spans }) => spans));
    return html`<ul class="totals" aria-label=${texts.totals}>
      ${TIME_PARTS.filter((part) => part === 'gates' || totals[part] > 0).map((part) => html`<li><span class="swatch ${part}"></span>${texts.parts[part]} <span class="soft">${elapsed(totals[part])}</span></li>`)}
      <li><strong>${elapsed(totals.all)}</strong> ${texts.inSteps(lines.length)}</li>
    </ul>`;
  }

  #scaleButton(name: WaterfallScale, word: string): TemplateResult {
    return html`<button type="button" aria-pressed=${this.#scale.value === name} @click=${() => void ((this.#scale.value = name))}>${word}</button>`;
  }

  /** Tokens and cost, where a server has counted tokens. */
  #money(lines: readonly WaterfallLine[]): TemplateResult | string {
    const tokens = tokensOf(lines.flatMap(({ group }) => group.records));
    const model = this.#model();
    if (tokens === undefined || model === undefined) return '';
    return html`<details>
      <summary>${this.#spent(tokens)}</summary>
      <sp-price .model=${model}></sp-price>
    </details>`;
  }

  #spent(tokens: TokenCounts): string {
    return spentText(tokens, this.#model());
  }

  #model(): string | undefined {
    const [first] = this.store.session.value?.records.value ?? [];
    return first?.kind === 'configuration' ? modelIn(first.body.model) : undefined;
  }

  #line(line: WaterfallLine, bars: readonly WaterfallBar[]): TemplateResult {
    const { group, spans, tokens } = line;
    return html`<div class="step" role="option" id="s${group.key}" aria-selected=${this.#isSelected(group)} @click=${() => this.#choose(group)}>
      <span class="unseen">${shown(this.#words(line))}</span>
      <span class="nth" aria-hidden="true">${group.step}</span>
      <span aria-hidden="true" class="title ${group.named ? 'mono' : ''} ${group.stopped === undefined ? '' : 'bad'}">${shown(group.title)}</span>
      <svg class="bar" viewBox="0 0 ${LINE_UNITS} 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" x="0" y="4.5" width=${LINE_UNITS} height="1"></rect>
        ${bars.map(({ part, x, width }) => svg`<rect class=${part} x=${x.toFixed(2)} y="0" width=${width.toFixed(2)} height="10"></rect>`)}
      </svg>
      <span class="all" aria-hidden="true">${elapsed(totalsOf(spans).all)}</span>
      ${tokens === undefined ? '' : html`<span class="spent" aria-hidden="true">${this.#spent(tokens)}</span>`}
    </div>`;
  }

  /** The line in words: the same for sight and for speech. */
  #words({ group, spans, tokens, isMeasured }: WaterfallLine): string {
    const texts = waterfall();
    const totals = totalsOf(spans);
    const parts = TIME_PARTS.filter((part) => totals[part] > 0).map(
      (part) => `${texts.parts[part]} ${elapsed(totals[part])}`,
    );
    const outcome = outcomeOf(group);
    const all = elapsed(totals.all);
    return [
      timeline().step(group.step ?? 0, group.title, `${outcome.word} ${outcome.place}`.trimEnd()),
      `${isMeasured ? all : texts.byRecords(all)}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`,
      ...(tokens === undefined ? [] : [this.#spent(tokens)]),
    ].join('. ');
  }

  #isSelected({ records }: StepGroup): boolean {
    const seq = this.store.selection.seq.value;
    return records.some((record) => record.run_seq === seq);
  }

  #choose({ records }: StepGroup): void {
    const last = records.at(-1);
    if (last === undefined) return;
    this.store.selection.select(last.run_seq);
    this.store.column.value = 'inspector';
  }

  #key(event: KeyboardEvent, lines: readonly WaterfallLine[]): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = MOVES[event.key];
    if (by === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (by === undefined) return void this.dispatchEvent(new Event('sp-into', { bubbles: true, composed: true }));
    const at = lines.findIndex(({ group }) => this.#isSelected(group));
    const to = lines[Math.min(Math.max(at + by, 0), lines.length - 1)]?.group.records.at(-1);
    if (to !== undefined) this.store.selection.select(to.run_seq);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#times?.stop();
    this.#times = undefined;
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const seq = this.store.selection.seq.peek();
    if (seq === this.#looked) return;
    this.#looked = seq;
    this.renderRoot.querySelector('.step[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }
}

const MOVES: { readonly [key: string]: number } = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: -1e9,
  End: 1e9,
};

customElements.define('sp-waterfall', Waterfall);
