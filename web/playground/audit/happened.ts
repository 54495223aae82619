import { untracked } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { tallyText } from '../../../core/index.ts';
import { shared } from '../../style/shared.ts';
import { elapsed } from '../../texts/amounts.ts';
import { auditView } from '../../texts/en/audit-view.ts';
import { records as recordTexts } from '../../texts/en/records.ts';
import { dateSecond } from '../../texts/intl.ts';
import type { RunSummary } from '../files/export-blob.ts';
import type { FoundPlace } from '../files/find-in-run.ts';
import { subjectText } from '../files/hash-uses.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { type AuditReader, openReader } from './reader.ts';

/** The open run: task, end and time in a few lines, a search, and the panels of Run over its records. */
class HappenedView extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        display: grid;
        gap: 0.75rem;
        min-width: 0;
        container-type: inline-size;
      }
      dl {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: 0.25rem 1rem;
        margin: 0;
      }
      dt {
        color: var(--soft);
      }
      dd {
        margin: 0;
        overflow-wrap: anywhere;
        white-space: pre-wrap;
      }
      .text {
        max-height: 9rem;
        overflow-y: auto;
      }
      label {
        display: grid;
        gap: 0.25rem;
      }
      ul {
        display: grid;
        max-height: 14rem;
        margin: 0;
        padding: 0;
        overflow-y: auto;
        list-style: none;
      }
      li button {
        justify-content: start;
        width: 100%;
        text-align: start;
        white-space: normal;
        overflow-wrap: anywhere;
      }
      .reader {
        display: grid;
        grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
        height: min(44rem, 85vh);
        border: 1px solid var(--line);
        border-radius: var(--radius);
        overflow: hidden;
      }
      .reader > section {
        display: grid;
        min-width: 0;
        min-height: 0;
      }
      .ledger {
        border-inline-end: 1px solid var(--line);
      }
      @container (max-width: 46rem) {
        .reader {
          grid-template-columns: minmax(0, 1fr);
          height: auto;
        }
        .reader > section {
          height: min(32rem, 80vh);
          overflow-y: auto;
        }
        .ledger {
          border-inline-end: 0;
          border-block-end: 1px solid var(--line);
        }
        dl {
          grid-template-columns: minmax(0, 1fr);
          gap: 0;
        }
        dd {
          margin-bottom: 0.5rem;
        }
      }
    `,
  ];
  #reader: AuditReader | undefined;

  protected override view(): TemplateResult {
    const { happened: texts } = auditView();
    const { facts } = this.store.audit;
    // what the reader reads and sets as it begins is not for this view
    this.#reader ??= untracked(() => openReader(this.store));
    const { store } = this.#reader;
    const into = (event: Event): void => {
      event.stopPropagation();
      this.renderRoot.querySelector('sp-inspector')?.shadowRoot?.querySelector<HTMLElement>('#panel')?.focus();
    };
    // on a narrow screen the list is as long as its run, and looks again at what is in sight when the page scrolls
    const scrolled = (): void => void dispatchEvent(new Event('scroll'));
    return html`<h2 id="happened">${texts.title}</h2>
      ${facts.value === undefined ? '' : factLines(facts.value)}
      ${this.#search()}
      <div class="reader" @sp-into=${into}>
        <section class="ledger" aria-label=${texts.ledger} @scroll=${scrolled}><sp-timeline .store=${store}></sp-timeline></section>
        <section class="sides" aria-label=${texts.record}><sp-inspector .store=${store}></sp-inspector></section>
      </div>`;
  }

  #search(): TemplateResult {
    const { sought, found, seq } = this.store.audit;
    const { find: texts } = auditView();
    const input = (event: Event): void => {
      sought.value = (event.target as HTMLInputElement).value;
    };
    const choose = (run_seq: number) => () => {
      seq.value = run_seq;
    };
    const { places = [] } = found.value ?? {};
    return html`<label>${texts.label}
        <input type="search" id="find" spellcheck="false" autocomplete="off" placeholder=${texts.hint} .value=${sought.value} @input=${input} />
      </label>
      <p class="soft" role="status">${this.#told()}</p>
      <ul>${places.map((place) => html`<li><button type="button" class="plain" @click=${choose(place.run_seq)}>${placeText(place)}</button></li>`)}</ul>`;
  }

  #told(): string {
    const { sought, found } = this.store.audit;
    const { find: texts } = auditView();
    if (sought.value.trim() === '') return '';
    if (found.value === undefined) return texts.seeking;
    const { places, count } = found.value;
    if (count === 0) return texts.none;
    return count > places.length ? texts.somePlaces(places.length, count) : texts.places(count);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#reader?.close();
    this.#reader = undefined;
  }
}

/** A stranger's words: they are shown as text alone. */
function placeText(place: FoundPlace): TemplateResult {
  if ('hash' in place) return html`<span class="mono">${place.hash.slice(0, 16)}…</span> ${subjectText(place)}`;
  const { run_seq, kind, before, hit, after } = place;
  return html`<span class="soft">${auditView().find.inRecord(run_seq, kind)}</span> ${shown(before)}<mark>${shown(hit)}</mark>${shown(after)}`;
}

function factLines({
  task,
  model,
  dialect,
  began,
  ended,
  steps,
  records,
  state,
  code,
  message,
  tally,
}: RunSummary): TemplateResult {
  const { happened: texts } = auditView();
  const { ends, tally: words } = recordTexts();
  const end =
    state === undefined ? texts.noEnd : Object.hasOwn(ends, state) ? (ends as Record<string, string>)[state] : state;
  const line = (term: string, what: unknown) => html`<dt>${term}</dt><dd>${what}</dd>`;
  return html`<dl>
    <dt>${texts.task}</dt><dd class="text" dir="auto">${task === undefined ? html`<span class="soft">${texts.noText}</span>` : shown(task)}</dd>
    ${line(texts.outcome, html`<span class=${state === 'completed' ? 'good' : state === undefined ? 'wait' : 'bad'}>${shown(end ?? '')}${code === undefined ? '' : ` (${code})`}</span>`)}
    ${message === undefined ? '' : html`<dt>${texts.said}</dt><dd class="text" dir="auto">${shown(message)}</dd>`}
    ${line(words.title, tallyText(tally, words))}
    ${model === undefined ? '' : line(texts.model, shown(`${model}, ${dialect ?? ''}`))}
    ${began === undefined ? '' : line(texts.time, `${dateSecond(began)}, ${elapsed(Math.max((ended ?? began) - began, 0))}`)}
    ${line(texts.size, texts.steps(steps, records))}
  </dl>`;
}

customElements.define('sp-happened', HappenedView);
