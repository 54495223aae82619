import { type CSSResult, css, html, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { LedgerRecord } from '../../core/index.ts';
import { describe, isProblem } from '../state/describe.ts';
import type { StepGroup } from '../state/steps.ts';
import { outcomeOf } from '../state/steps.ts';
import { icon } from '../style/icons.ts';
import { shared } from '../style/shared.ts';
import { miniStrip, miniStyles } from './strip.ts';
import { timelineStyles } from './timeline-style.ts';
import { View } from './view.ts';

/** From here on groups out of sight are not laid out; below, exact heights are worth more. */
const MANY = 500;

/** Every record of the run, in the order it was written, grouped by proposal. A filter hides, it never loses. */
export class Timeline extends View {
  static override styles: CSSResult[] = [shared, miniStyles, timelineStyles, css``];

  protected override view(): TemplateResult {
    const { selection, session } = this.store;
    const shown = new Set(selection.shown.value.map((record) => record.run_seq));
    const steps = session.value?.steps.value ?? [];
    const all = session.value?.records.value ?? [];
    const groups = steps.filter((group) => group.records.some((record) => shown.has(record.run_seq)));
    return html`
      <header>
        <h2 id="title">Ledger</h2>
        <span class="soft">${shown.size === all.length ? '' : `${shown.size} of `}${all.length.toLocaleString('en')}<span class="unit"> ${all.length === 1 ? 'record' : 'records'}</span></span>
        <span class="space"></span>
        ${this.#problemButtons(all)}
      </header>
      ${this.#filterBox()}
      <div
        class="list ${all.length > MANY ? 'many' : ''}"
        role="listbox"
        tabindex="0"
        aria-labelledby="title"
        aria-activedescendant=${selection.seq.value === undefined ? '' : `r${selection.seq.value}`}
        @keydown=${(event: KeyboardEvent) => this.#key(event)}
      >
        ${repeat(
          groups,
          (group) => group.key,
          (group) => this.#group(group, shown),
        )}
      </div>
      ${all.length === 0 ? html`<p class="empty soft">No records yet. <strong>Step</strong> asks for the first proposal.</p>` : ''}
      ${all.length > 0 && shown.size === 0 ? html`<p class="empty soft">No record fits the filter.</p>` : ''}
    `;
  }

  #problemButtons(all: readonly LedgerRecord[]): TemplateResult {
    const problems = all.filter(isProblem).length;
    if (problems === 0) return html``;
    const go = (direction: 1 | -1) => () => this.store.selection.toProblem(direction);
    return html`<span class="soft">${problems} <span class="unit">${problems === 1 ? 'problem' : 'problems'}</span></span>
      <button type="button" class="plain small up" aria-label="Previous problem" @click=${go(-1)}>${icon('chevron')}</button>
      <button type="button" class="plain small down" aria-label="Next problem" @click=${go(1)}>${icon('chevron')}</button>`;
  }

  #filterBox(): TemplateResult {
    const { filterText, filter } = this.store.selection;
    const input = (event: InputEvent): void => {
      filterText.value = (event.target as HTMLInputElement).value;
    };
    return html`<label class="filter">
        ${icon('search')}<span class="unseen">Filter records</span>
        <input type="search" id="filter" placeholder="type: tool: status: seq: or words" autocomplete="off" spellcheck="false" .value=${filterText.value} @input=${input} />
      </label>
      ${filter.value.unknown.length > 0 ? html`<p class="wait note">No field called ${filter.value.unknown.join(', ')}. Fields are type, tool, status and seq.</p>` : ''}`;
  }

  #group(group: StepGroup, shown: ReadonlySet<number>): TemplateResult {
    const outcome = outcomeOf(group);
    const label =
      group.step === undefined ? group.title : `Step ${group.step}, ${group.title}, ${outcome.word} ${outcome.place}`;
    return html`<div class="group" role="group" aria-label=${label}>
      <div class="head" aria-hidden="true">
        ${group.step === undefined ? html`<span class="soft">${group.title}</span>` : html`<strong>${group.step}</strong><span class="title ${group.named ? 'mono' : ''}">${group.title}</span>${miniStrip(group.gates)}<span class="outcome ${outcome.tone}">${outcome.word} <span class="place">${outcome.place}</span></span>`}
      </div>
      ${group.records.filter((record) => shown.has(record.run_seq)).map((record) => this.#row(record))}
    </div>`;
  }

  #row(record: LedgerRecord): TemplateResult {
    const { seq, pins } = this.store.selection;
    const line = describe(record);
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
      <span class="summary">${line.summary}</span>
      ${pins.value.includes(record.run_seq) ? html`<span class="pin">${icon('pin')}<span class="unseen">pinned</span></span>` : ''}
    </div>`;
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
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    selection.move(by);
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const seq = this.store.selection.seq.peek();
    if (seq === this.#seen) return;
    this.#seen = seq;
    this.renderRoot.querySelector(`#r${seq}`)?.scrollIntoView({ block: 'nearest' });
  }
  #seen: number | undefined;
}

customElements.define('sp-timeline', Timeline);
