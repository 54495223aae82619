import '../parts/price-fields.ts';
import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type PropertyValues, svg, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { StampedEvent } from '../../../core/index.ts';
import type { Run } from '../../../workers/api.ts';
import { recordedTimes, StepClock, TIME_PARTS, type TimeSpans, totalsOf } from '../../records/durations.ts';
import { outcomeText, type StepGroup } from '../../records/steps.ts';
import { type TokenCounts, tokensOf } from '../../records/tokens.ts';
import { barsOf, LINE_UNITS, type WaterfallBar, type WaterfallScale } from '../../records/waterfall-bars.ts';
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

/** A page of more steps would be slow; a filter shows the others. */
const STEPS_MAX = 1000;

const SCALES: readonly WaterfallScale[] = ['run', 'step'];

interface WaterfallLine extends TimedStep {
  readonly group: StepGroup;
  readonly tokens: TokenCounts | undefined;
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
        grid-template-columns: 2.25rem minmax(4rem, 11rem) minmax(0, 1fr) 4.75rem;
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
      @container (max-width: 26rem) {
        .step {
          grid-template-columns: 1.75rem minmax(0, 1fr) 4.75rem;
        }
        svg.bar {
          grid-row: 2;
          grid-column: 2 / -1;
        }
      }
      @media (forced-colors: active) {
        .swatch,
        svg.bar {
          forced-color-adjust: none;
        }
      }
      @media print {
        .controls,
        details {
          display: none;
        }
      }
    `,
  ];
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
