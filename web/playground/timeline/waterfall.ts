import '../parts/price-fields.ts';
import { computed, effect, type ReadonlySignal, type Signal, signal, untracked } from '@preact/signals-core';
import { type CSSResult, css, html, type PropertyValues, svg, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { StampedEvent } from '../../../core/index.ts';
import type { Run } from '../../../workers/api.ts';
import { recordedTimes, StepClock, TIME_PARTS, type TimeSpans, totalsOf } from '../../records/durations.ts';
import { outcomeText, type StepGroup } from '../../records/steps.ts';
import { type TokenCounts, tokensOf } from '../../records/tokens.ts';
import {
  barsOf,
  LINE_UNITS,
  OVERVIEW_UNITS,
  overviewOf,
  type WaterfallBar,
  type WaterfallScale,
} from '../../records/waterfall-bars.ts';
import { shared } from '../../style/shared.ts';
import { elapsed } from '../../texts/amounts.ts';
import { timeline } from '../../texts/en/timeline.ts';
import { waterfall } from '../../texts/en/waterfall.ts';
import { spentText } from '../parts/prices.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { modelIn } from '../run/proposer.ts';
import type { RunSession } from '../run/session.ts';
import { listStyles } from './timeline-style.ts';

/** Lines of the list at most; an overview of all steps chooses which. */
const STEPS_MAX = 200;
/** Columns of the overview. */
const COLUMNS = 240;

const SCALES: readonly WaterfallScale[] = ['run', 'step'];

interface WaterfallLine extends TimedStep {
  readonly group: StepGroup;
}

const counted = new WeakMap<StepGroup, { readonly tokens: TokenCounts | undefined }>();

/** Counted once for each step. */
function tokensIn(group: StepGroup): TokenCounts | undefined {
  const known = counted.get(group) ?? { tokens: tokensOf(group.records) };
  counted.set(group, known);
  return known.tokens;
}

/** The time of each step as bars, one after another: model, gates, sandbox, person and disk. */
class Waterfall extends View {
  static override styles: CSSResult[] = [
    shared,
    listStyles,
    css`
      :host {
        flex: 1;
        display: flex;
        flex-direction: column;
        min-height: 0;
        container-type: inline-size;
      }
      .totals {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.25rem 1rem;
        padding: 0 1rem 0.5rem;
      }
      .totals li {
        display: flex;
        align-items: center;
        gap: 0.375rem;
      }
      .swatch {
        width: 0.75rem;
        height: 0.75rem;
        border-radius: 2px;
      }
      .overview {
        position: relative;
        margin: 0 1rem 0.5rem;
      }
      .overview svg {
        display: block;
        width: 100%;
        height: 3rem;
        border-bottom: 1px solid var(--line);
        cursor: crosshair;
        touch-action: none;
      }
      .brush {
        fill: var(--accent);
        fill-opacity: 0.16;
        stroke: var(--accent);
        vector-effect: non-scaling-stroke;
      }
      .overview input {
        width: 100%;
        min-height: 1.5rem;
        padding: 0;
        accent-color: var(--accent);
      }
      .controls {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.375rem;
        padding: 0 1rem 0.5rem;
      }
      .controls button {
        min-height: 2rem;
        padding: 0.125rem 0.625rem;
      }
      .controls button[aria-pressed='true'] {
        border-color: var(--accent);
        background: var(--accent-wash);
        color: var(--accent);
        font-weight: 650;
      }
      details {
        padding: 0 1rem 0.5rem;
      }
      .list {
        border-top: 1px solid var(--line);
      }
      .step {
        grid-template-columns: minmax(2.25rem, max-content) minmax(4rem, 11rem) minmax(0, 1fr) 5.5rem;
        gap: 0 0.625rem;
        content-visibility: auto;
        contain-intrinsic-height: auto 2.125rem;
      }
      .title {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .title.bad {
        color: var(--bad);
      }
      .all {
        font-variant-numeric: tabular-nums;
        text-align: right;
        white-space: nowrap;
      }
      .spent {
        grid-column: 2 / -1;
        color: var(--soft);
      }
      svg.bar {
        display: block;
        width: 100%;
        height: 0.875rem;
        overflow: visible;
      }
      .bar .track {
        fill: var(--line);
        opacity: 0.5;
      }
      .model {
        fill: var(--accent);
        background: var(--accent);
      }
      .gates {
        fill: var(--ink);
        background: var(--ink);
      }
      .sandbox {
        fill: var(--good);
        background: var(--good);
      }
      .person {
        fill: var(--wait);
        background: var(--wait);
      }
      .disk {
        fill: var(--edge);
        background: var(--edge);
      }
      .detail {
        min-height: 1.5rem;
      }
      /* Too low for the sums and the steps at once: they scroll together. */
      @media (max-height: 50rem) and (min-width: 47.01rem) {
        :host {
          display: block;
          overflow-y: auto;
        }
        .list {
          overflow: visible;
        }
        .totals,
        .controls {
          gap: 0 0.75rem;
          padding-bottom: 0.25rem;
        }
      }
      @container (max-width: 26rem) {
        .step {
          grid-template-columns: 1.75rem minmax(0, 1fr) 5.5rem;
        }
        svg.bar {
          grid-row: 2;
          grid-column: 2 / -1;
        }
      }
      @media (forced-colors: active) {
        .swatch,
        svg.bar,
        .overview svg {
          forced-color-adjust: none;
        }
      }
      @media print {
        .controls,
        .overview,
        details {
          display: none;
        }
      }
    `,
  ];
  readonly #scale: Signal<WaterfallScale> = signal<WaterfallScale>('run');
  /** The first and the last shown step, by their place among all; undefined for the newest. */
  readonly #brush: Signal<readonly [number, number] | undefined> = signal(undefined);
  /** Place at which a pointer began to drag. */
  #dragged: number | undefined;
  #times: RunTimes | undefined;
  #looked: number | undefined;

  protected override view(): TemplateResult {
    const texts = waterfall();
    this.#times ??= openTimes(this.store.session);
    const all = this.#lines(this.#times);
    const [from, to] = this.#window(all.length);
    const lines = all.slice(from, to);
    if (lines.length === 0) return html`<p class="note soft">${texts.none}</p>`;
    const bars = barsOf(
      lines.map(({ spans }) => spans),
      this.#scale.value,
    );
    const selected = lines.find(({ group }) => this.#isSelected(group));
    return html`${this.#totals(all)}
      ${all.length > STEPS_MAX ? this.#overview(all, from, to) : ''}
      <div class="controls" role="group" aria-label=${texts.scale}>${SCALES.map((name) => this.#scaleButton(name, texts.scales[name]))}</div>
      ${this.#money(all)}
      <p class="note soft detail">${selected === undefined ? texts.betweenSteps : shown(this.#words(selected))}</p>
      ${lines.every(({ isMeasured }) => isMeasured) ? '' : html`<p class="note soft">${texts.fromRecords}</p>`}
      <div class="list" role="listbox" tabindex="0" aria-label=${texts.label} aria-activedescendant=${selected === undefined ? '' : `s${selected.group.key}`} @keydown=${(event: KeyboardEvent) => this.#key(event, all)}>
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
    const found = selection.shown.value;
    const fitting = found === session.value?.records.value ? undefined : new Set(found);
    return (session.value?.steps.value ?? []).flatMap((group) => {
      const times = group.step === undefined ? undefined : byStep.value.get(group.step);
      if (times === undefined || (fitting !== undefined && !group.records.some((record) => fitting.has(record))))
        return [];
      return [{ ...times, group }];
    });
  }

  /** The shown part of so many steps: the brushed one, or the newest. */
  #window(count: number): readonly [number, number] {
    const [from, to] = this.#brush.value ?? [count - STEPS_MAX, count];
    const end = Math.min(Math.max(to, from + 1), count);
    return [Math.max(Math.min(from, end - 1), end - STEPS_MAX, 0), end];
  }

  /** All steps as columns, and the shown part, which a drag, a click or the slider moves. */
  #overview(all: readonly WaterfallLine[], from: number, to: number): TemplateResult {
    const texts = waterfall();
    const columns = overviewOf(
      all.map(({ spans }) => spans),
      COLUMNS,
    );
    const unit = LINE_UNITS / all.length;
    const width = LINE_UNITS / columns.length;
    const slide = (event: Event): void => {
      const first = Number((event.target as HTMLInputElement).value) - 1;
      this.#brush.value = [first, first + (to - from)];
    };
    return html`<div class="overview">
      <svg viewBox="0 0 ${LINE_UNITS} ${OVERVIEW_UNITS}" preserveAspectRatio="none" aria-hidden="true"
        @pointerdown=${(event: PointerEvent) => this.#drag(event, all.length, to - from)}
        @pointermove=${(event: PointerEvent) => this.#drag(event, all.length, to - from)}
        @pointerup=${() => void ((this.#dragged = undefined))}
        @pointercancel=${() => void ((this.#dragged = undefined))}>
        ${columns.map(({ parts }, nth) => parts.map(({ part, y, height }) => svg`<rect class=${part} x=${(nth * width).toFixed(2)} y=${y.toFixed(2)} width=${width.toFixed(2)} height=${height.toFixed(2)}></rect>`))}
        <rect class="brush" x=${(from * unit).toFixed(2)} y="0" width=${Math.max((to - from) * unit, 2).toFixed(2)} height=${OVERVIEW_UNITS}></rect>
      </svg>
      <input type="range" aria-label=${texts.firstShown} min="1" max=${Math.max(all.length - (to - from), 0) + 1} .value=${String(from + 1)} aria-valuetext=${texts.shownSteps(from + 1, to, all.length)} @input=${slide} />
      <p class="soft">${texts.shownSteps(from + 1, to, all.length)}</p>
    </div>`;
  }

  /** A drag chooses the steps between its ends; a click moves the shown part there. */
  #drag(event: PointerEvent, count: number, size: number): void {
    const field = event.currentTarget as SVGElement;
    const { left, width } = field.getBoundingClientRect();
    const at = Math.min(Math.max(Math.floor(((event.clientX - left) / width) * count), 0), count - 1);
    if (event.type === 'pointerdown') {
      field.setPointerCapture(event.pointerId);
      this.#dragged = at;
      const first = Math.min(Math.max(at - (size >> 1), 0), count - size);
      this.#brush.value = [first, first + size];
    } else if (this.#dragged !== undefined && this.#dragged !== at) {
      const [first, last] = [Math.min(this.#dragged, at), Math.max(this.#dragged, at)];
      // a longer stretch than the list shows ends where the pointer is
      this.#brush.value = at > this.#dragged ? [first, last + 1] : [first, Math.min(last + 1, first + STEPS_MAX)];
    }
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
    const { group, spans } = line;
    const tokens = tokensIn(group);
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
  #words({ group, spans, isMeasured }: WaterfallLine): string {
    const texts = waterfall();
    const tokens = tokensIn(group);
    const totals = totalsOf(spans);
    const parts = TIME_PARTS.filter((part) => totals[part] > 0).map(
      (part) => `${texts.parts[part]} ${elapsed(totals[part])}`,
    );
    const all = elapsed(totals.all);
    return [
      timeline().step(group.step ?? 0, group.title, outcomeText(group)),
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

  /** A selected step outside of the shown part moves that part. */
  #follow(): void {
    const all = this.#times === undefined ? [] : untracked(() => this.#lines(this.#times as RunTimes));
    const at = all.findIndex(({ group }) => untracked(() => this.#isSelected(group)));
    const [from, to] = untracked(() => this.#window(all.length));
    if (at < 0 || (at >= from && at < to)) return;
    const first = Math.min(Math.max(at - ((to - from) >> 1), 0), all.length - (to - from));
    this.#brush.value = [first, first + (to - from)];
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const seq = this.store.selection.seq.peek();
    if (seq === this.#looked) return;
    this.#looked = seq;
    this.#follow();
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

/** The spans of a step, measured while it ran or told by its records. */
interface TimedStep {
  readonly spans: TimeSpans;
  readonly isMeasured: boolean;
}

/** The times of a run's steps, until `stop` is called. */
interface RunTimes {
  readonly byStep: ReadonlySignal<ReadonlyMap<number, TimedStep>>;
  stop(): void;
}

type Measured = ReadonlyMap<number, TimeSpans>;

/** Drawn at most this often while events arrive, in ms. */
const DRAWN_MS = 100;

/**
 * Steps that ran since the page was opened are measured by telemetry, as far back as the kernel keeps it. The records
 * tell the times of the rest.
 */
function openTimes(session: ReadonlySignal<RunSession | undefined>): RunTimes {
  const measured = signal<Measured>(new Map());
  let reader: AbortController | undefined;
  let of: Run | undefined;
  let endedAt = 0;

  const read = (own: RunSession, run: Run): void => {
    const stopped = new AbortController();
    reader = stopped;
    const show = (times: Measured): void => {
      if (!stopped.signal.aborted) measured.value = times;
    };
    const end = (): void => {
      if (stopped.signal.aborted) return;
      reader = undefined;
      endedAt = own.records.peek().length;
    };
    void follow(run.telemetry({ signal: stopped.signal, held: true }), show).then(end);
  };

  const stop = effect(() => {
    const own = session.value;
    const count = own?.records.value.length ?? 0;
    // A conversation may go on after its end; its telemetry is then read anew.
    if (own?.run === of && (reader !== undefined || count === endedAt)) return;
    reader?.abort();
    if (own?.run !== of) measured.value = new Map();
    of = own?.run;
    if (own !== undefined && of !== undefined) read(own, of);
  });
  const byStep = computed(() => {
    const recorded = recordedTimes(session.value?.steps.value ?? []);
    const own = measured.value;
    return new Map(
      [...recorded].map(([step, spans]) => [step, { spans: own.get(step) ?? spans, isMeasured: own.has(step) }]),
    );
  });
  return {
    byStep,
    stop: () => {
      stop();
      reader?.abort();
    },
  };
}

async function follow(events: AsyncIterable<StampedEvent>, show: (times: Measured) => void): Promise<void> {
  const clock = new StepClock();
  let due: ReturnType<typeof setTimeout> | undefined;
  const showSoon = (): void => {
    due ??= setTimeout(() => {
      due = undefined;
      show(clock.times);
    }, DRAWN_MS);
  };
  try {
    for await (const event of events) {
      clock.take(event);
      showSoon();
    }
  } catch {
    // The records tell the times then.
  }
  clearTimeout(due);
  show(clock.times);
}

customElements.define('sp-waterfall', Waterfall);
