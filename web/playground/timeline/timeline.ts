import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { LedgerRecord } from '../../../core/index.ts';
import { describe, isProblem } from '../../records/describe.ts';
import { heldOf } from '../../records/held.ts';
import { outcomeOf, outcomeText, type StepGroup } from '../../records/steps.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { roughly } from '../../texts/amounts.ts';
import { records as recordTexts } from '../../texts/en/records.ts';
import { timeline } from '../../texts/en/timeline.ts';
import { number } from '../../texts/intl.ts';
import { LineWindow } from '../parts/line-window.ts';
import { loading } from '../parts/loading.ts';
import { miniStrip, miniStyles } from '../parts/mini-strip.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { completionsOf, FIELDS, sidesText, soughtIn, suggestionsFor } from './filter.ts';
import { linesOf, type TimelineLine } from './timeline-lines.ts';
import { listStyles, timelineStyles } from './timeline-style.ts';

/** Every record of the run, in the order it was written, grouped by proposal. A filter hides, it never loses. */
export class Timeline extends View {
  static override styles: CSSResult[] = [shared, miniStyles, listStyles, timelineStyles];
  readonly #window = new LineWindow<TimelineLine>({ gap: 28, head: 40, row: 34 }, 600);
  /** The times of the steps are drawn in place of the records. */
  readonly #showsTime: Signal<boolean> = signal(false);
  /** The selection and the filter at the last look: the selected record stays in sight, also when a filter changes. */
  #looked = '';

  protected override view(): TemplateResult {
    const { selection, session } = this.store;
    const texts = timeline();
    const all = session.value?.records.value ?? [];
    const found = selection.shown.value;
    const fitting = new Set(found === all ? [] : found.map((record) => record.run_seq));
    const isShown = (record: LedgerRecord): boolean => found === all || fitting.has(record.run_seq);
    const lines = linesOf(session.value?.steps.value ?? [], isShown);
    return html`
      <header>
        <h2 id="title">${texts.title}</h2>
        <span class="soft">${found.length === all.length ? texts.records(all.length) : texts.someRecords(found.length, all.length)}</span>
        <span class="space"></span>
        ${this.#problemButtons(all)}
        ${all.length === 0 ? '' : html`<button type="button" id="time" class="plain small" aria-pressed=${this.#showsTime.value} @click=${() => void ((this.#showsTime.value = !this.#showsTime.peek()))}>${texts.time}</button>`}
      </header>
      ${this.#filterBox()}
      ${found.length === 0 ? this.#none(all.length) : ''}
      ${this.#showsTime.value && found.length > 0 ? this.#waterfall() : this.#list(lines)}
      <sp-scrubber .store=${this.store}></sp-scrubber>
    `;
  }

  #waterfall(): TemplateResult {
    return html`<sp-waterfall .store=${this.store}>${loading('waterfall', () => import('./waterfall.ts'))}</sp-waterfall>`;
  }

  #list(lines: readonly TimelineLine[]): TemplateResult {
    const drawn = this.#groups(this.#window.drawn(lines));
    return html`<div
        class="list ${this.#window.isPartial ? 'windowed' : ''}"
        role="listbox"
        tabindex="0"
        aria-labelledby="title"
        aria-activedescendant=${this.#active()}
        @scroll=${() => this.#look()}
        @keydown=${(event: KeyboardEvent) => this.#key(event)}
      >
        ${this.#window.isPartial ? this.#stretched(drawn) : drawn}
      </div>`;
  }

  #stretched(drawn: unknown): TemplateResult {
    return html`<div role="presentation" id="before"></div>
      ${drawn}
      <div role="presentation" id="after"></div>`;
  }

  #none(all: number): TemplateResult {
    const { filter: texts } = timeline();
    if (all === 0) return html`<p class="empty soft">${texts.empty()}</p>`;
    // before all is read, nothing is known to be absent
    if (this.store.selection.reading.value !== undefined) return html``;
    const clear = (): void => {
      this.store.selection.filterText.value = '';
      this.renderRoot.querySelector<HTMLElement>('#filter')?.focus();
    };
    return html`<p class="empty soft" role="status">${texts.none} ${this.#instead()} <button type="button" id="clear" @click=${clear}>${texts.showAll(all)}</button></p>`;
  }

  /** Filters that have matches. */
  #instead(): TemplateResult {
    const { filterText } = this.store.selection;
    const all = this.store.session.value?.records.value ?? [];
    return html`${suggestionsFor(filterText.value, all).map((term) => html`<button type="button" class="plain mono" @click=${() => void ((filterText.value = term))}>${shown(term)}</button> `)}`;
  }

  /** Speech can follow only to an element that is there. */
  #active(): string {
    const seq = this.store.selection.seq.value;
    return seq === undefined ? '' : `r${seq}`;
  }

  #groups(lines: readonly TimelineLine[]): unknown {
    const groups: { group: StepGroup; lines: TimelineLine[] }[] = [];
    for (const line of lines) {
      const last = groups.at(-1);
      if (last?.group === line.group) last.lines.push(line);
      else groups.push({ group: line.group, lines: [line] });
    }
    return repeat(
      groups,
      ({ group }) => group.key,
      ({ group, lines: own }) => this.#group(group, own),
    );
  }

  #problemButtons(all: readonly LedgerRecord[]): TemplateResult {
    const problems = all.filter(isProblem).length;
    if (problems === 0) return html``;
    const texts = timeline();
    const go = (direction: 1 | -1) => () => this.store.selection.toProblem(direction);
    return html`<span class="soft">${texts.problems(problems)}</span>
      <button type="button" class="plain small up" aria-label=${texts.previousProblem} @click=${go(-1)}>${icon('chevron')}</button>
      <button type="button" class="plain small down" aria-label=${texts.nextProblem} @click=${go(1)}>${icon('chevron')}</button>`;
  }

  #filterBox(): TemplateResult {
    const { filterText, filter } = this.store.selection;
    const { filter: texts } = timeline();
    const input = (event: InputEvent): void => {
      filterText.value = (event.target as HTMLInputElement).value;
    };
    return html`<label class="filter">
        ${icon('search')}<span class="unseen">${texts.label}</span>
        <input type="search" id="filter" placeholder=${texts.placeholder} autocomplete="off" spellcheck="false" .value=${filterText.value} @input=${input} />
      </label>
      ${filter.value.unknown.length > 0 ? html`<p class="wait note">${texts.unknown(filter.value.unknown, FIELDS)}</p>` : ''}
      ${this.#completions()}
      <p class="soft note" role="status">${this.#found()}</p>`;
  }

  /** Filters that complete the typed text, with their numbers of records. */
  #completions(): TemplateResult | string {
    const { filterText } = this.store.selection;
    const offered = completionsOf(filterText.value, this.store.session.value?.records.value ?? []);
    if (offered.length === 0) return '';
    const take = (filter: string) => () => {
      filterText.value = filter;
      this.renderRoot.querySelector<HTMLElement>('#filter')?.focus();
    };
    return html`<div class="note offers" role="group" aria-label=${timeline().filter.suggested}>${offered.map(({ filter, count }) => html`<button type="button" class="plain mono" @click=${take(filter)}>${shown(filter)} <span class="soft">${number(count)}</span></button>`)}</div>`;
  }

  /** Number of records with the searched words, by their side, and how far the texts are read. */
  #found(): string {
    const { filter, shown: fitting, reading } = this.store.selection;
    if (soughtIn(filter.value).length === 0) return '';
    const { filter: texts } = timeline();
    const { length } = fitting.value;
    const found = length === 0 ? '' : texts.found(length, sidesText(fitting.value));
    const read = reading.value;
    const all = this.store.session.value?.records.value.length ?? 0;
    return read === undefined ? found : [found, texts.reading(read, all)].filter((part) => part !== '').join('. ');
  }

  #group(group: StepGroup, lines: readonly TimelineLine[]): TemplateResult {
    const label = group.step === undefined ? group.title : timeline().step(group.step, group.title, outcomeText(group));
    return html`<div class="group" role="group" aria-label=${label}>${lines.map((line) => this.#line(line))}</div>`;
  }

  #line(line: TimelineLine): TemplateResult {
    if (line.kind === 'row') return this.#row(line.record, line.group);
    return line.kind === 'head'
      ? this.#head(line.group)
      : html`<div class="gap soft" aria-hidden="true"><span>${timeline().later(roughly(line.ms))}</span></div>`;
  }

  #head(group: StepGroup): TemplateResult {
    const outcome = outcomeOf(group);
    const { chip } = outcome;
    return html`<div class="head" aria-hidden="true">
      ${group.step === undefined ? html`<span class="soft">${group.title}</span>` : html`<strong>${group.step}</strong><span class="title ${group.named ? 'mono' : ''}">${group.title}</span>${miniStrip(group.gates)}<span class="outcome ${outcome.tone}">${outcome.word} <span class="place">${outcome.place}</span></span>${chip === undefined ? '' : html`<span class="badge chip" title=${chip.word}>${icon(chip.kind === 'held' ? 'lock' : 'reply')}${chip.short}</span>`}`}
    </div>`;
  }

  #row(record: LedgerRecord, group: StepGroup): TemplateResult {
    const { seq, pins } = this.store.selection;
    const line = describe(record);
    const handle = record.kind === 'observation' ? heldOf(group.records)?.handle : undefined;
    const told = handle === undefined ? line.summary : recordTexts().toldHandle(handle);
    return html`<div
      class="row ${line.tone}"
      role="option"
      id="r${record.run_seq}"
      aria-selected=${seq.value === record.run_seq}
      @click=${() => this.#choose(record.run_seq)}
    >
      <span class="seq">${record.run_seq}</span>
      <span class="mark">${icon(line.icon)}</span>
      <span class="word">${line.word}</span>
      <span class="summary">${this.#summary(record, told)}</span>
      ${pins.value.includes(record.run_seq) ? html`<span class="pin">${icon('pin')}<span class="unseen">${timeline().pinned}</span></span>` : ''}
    </div>`;
  }

  /** The place of the searched word, where the summary does not show it. */
  #summary(record: LedgerRecord, summary: string): unknown {
    const found = this.store.selection.excerpt(record);
    return found === undefined
      ? summary
      : html`${shown(found.before)}<mark>${shown(found.hit)}</mark>${shown(found.after)}`;
  }

  #choose(seq: number): void {
    this.store.selection.select(seq);
    this.store.column.value = 'inspector';
  }

  #key(event: KeyboardEvent): void {
    const { selection } = this.store;
    const moves: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: 10,
      PageUp: -10,
      Home: -1e9,
      End: 1e9,
    };
    const by = moves[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (by === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (by === undefined) this.dispatchEvent(new Event('sp-into', { bubbles: true, composed: true }));
    else selection.move(by);
  }

  readonly #look = (): void => {
    const list = this.renderRoot.querySelector('.list');
    if (list !== null) this.#window.look(list);
  };

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('scroll', this.#look, { passive: true });
    addEventListener('resize', this.#look, { passive: true });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('scroll', this.#look);
    removeEventListener('resize', this.#look);
    this.#sizes.disconnect();
    this.#observed = null;
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    if (this.#window.isPartial) this.#place();
    const { seq, filterText } = this.store.selection;
    const looked = `${seq.peek()} ${filterText.peek()}`;
    if (looked !== this.#looked) {
      this.#looked = looked;
      this.#isAwaited = !this.#bring(seq.peek());
    } else if (this.#isAwaited) this.#isAwaited = !this.#bringInList(seq.peek());
    this.#observe();
  }
  /** The selected record has no row yet: after a reload it arrives later than its number. */
  #isAwaited = false;

  #observed: Element | null = null;
  /** Height of the list at the last look, in px. */
  #height = 0;
  readonly #sizes: ResizeObserver = new ResizeObserver(() => this.#stay());

  #observe(): void {
    const list = this.renderRoot.querySelector('.list');
    if (list === null || list !== this.#observed) this.#sizes.disconnect();
    if (list !== null && list !== this.#observed) this.#sizes.observe(list);
    this.#observed = list;
    this.#height = list?.clientHeight ?? 0;
  }

  /** Other panels are drawn later than the list, and take room from it: a selected record that was in sight stays so. */
  #stay(): void {
    const list = this.#observed;
    const row = this.renderRoot.querySelector(`#r${this.store.selection.seq.peek()}`);
    if (list === null || row === null) return;
    const bottom = row.getBoundingClientRect().bottom - list.getBoundingClientRect().top;
    if (bottom <= this.#height) list.scrollTop += Math.max(bottom - list.clientHeight, 0);
    this.#height = list.clientHeight;
  }

  /** Sets the heights of the empty stretches by hand: the page's policy takes no style from an attribute. */
  #place(): void {
    const at = (selector: string) => this.renderRoot.querySelector<HTMLElement>(selector);
    for (const [nth, px] of this.#window.stretches().entries()) {
      const stretch = at(nth === 0 ? '#before' : '#after');
      if (stretch !== null) stretch.style.height = `${px}px`;
    }
    if (this.#window.measure((kind) => at(`.${kind}`)?.getBoundingClientRect().height)) this.requestUpdate();
    this.#look();
  }

  /** False where the list has no row of the record. */
  #bring(seq: number | undefined): boolean {
    const row = this.renderRoot.querySelector(`#r${seq}`);
    if (row === null) return this.#bringInList(seq);
    row.scrollIntoView({ block: 'nearest' });
    return true;
  }

  /** Scrolls the list alone, and not the page: nobody has asked for the record just now. */
  #bringInList(seq: number | undefined): boolean {
    const list = this.renderRoot.querySelector('.list');
    const top = list === null ? undefined : this.#topOf(`r${seq}`, list);
    if (top === undefined || list === null) return false;
    list.scrollTop = top - list.clientHeight / 2;
    this.#look();
    return true;
  }

  /** Distance of a row from the top of the list's content, in px; undefined where the list has no such row. */
  #topOf(key: string, list: Element): number | undefined {
    if (this.#window.isPartial) return this.#window.offsetOf(key);
    const row = list.querySelector(`#${key}`);
    return row === null
      ? undefined
      : row.getBoundingClientRect().top - list.getBoundingClientRect().top + list.scrollTop;
  }
}

/** Below this there is no past worth travelling to. */
const RECORDS_MIN = 3;

/** The run's time, record by record. Looking back changes no state: the run rests or goes on. */
class Scrubber extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        position: var(--scrubber, static);
        bottom: 3.5rem;
        background: var(--panel);
      }
      div {
        display: flex;
        align-items: center;
        gap: 0.75rem;
        min-height: 2.75rem;
        padding: 0.25rem 1rem;
        border-top: 1px solid var(--line);
      }
      input {
        flex: 1;
        min-width: 4rem;
        min-height: 1.75rem;
        padding: 0;
        accent-color: var(--accent);
      }
      span {
        white-space: nowrap;
      }
      button {
        min-height: 2rem;
        padding: 0 0.625rem;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { selection, session } = this.store;
    const last = (session.value?.records.value.length ?? 0) - 1;
    if (last < RECORDS_MIN - 1) return html``;
    const at = selection.seq.value ?? last;
    const go = (event: Event): void => selection.select(Number((event.target as HTMLInputElement).value));
    const { scrubber: texts } = timeline();
    return html`<div>
      <input type="range" aria-label=${texts.label} min="0" max=${last} .value=${String(at)} aria-valuetext=${texts.place(at, last)} @input=${go} />
      ${at === last ? html`<span class="soft">${texts.end}</span>` : html`<span>${texts.of(at, last)}</span><button type="button" id="now" class="plain" @click=${() => selection.select(last)}>${texts.toEnd}</button>`}
    </div>`;
  }
}

customElements.define('sp-timeline', Timeline);
customElements.define('sp-scrubber', Scrubber);
