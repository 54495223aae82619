import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { RunRow } from '../../../workers/api.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { records } from '../../texts/en/records.ts';
import { setup } from '../../texts/en/setup.ts';
import { dateTime } from '../../texts/intl.ts';
import { compareAsks } from '../compare/compare-open.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { keepAsks } from '../storage/storage-dialog-open.ts';

/** The runs on this device. Opening a run shows it and never continues it. */
export class Runs extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      li button {
        display: grid;
        grid-template-columns: 1fr auto;
        width: 100%;
        margin-top: 0.25rem;
        gap: 0 0.75rem;
        text-align: left;
        justify-content: stretch;
      }
      .file {
        display: flex;
        margin-top: 0.25rem;
        border-style: dashed;
      }
      .keep {
        margin-top: 0.25rem;
      }
      .task {
        grid-column: 1 / -1;
        display: -webkit-box;
        overflow: hidden;
        -webkit-box-orient: vertical;
        -webkit-line-clamp: 2;
        overflow-wrap: anywhere;
      }
      .which {
        justify-self: start;
      }
    `,
  ];

  /** Tasks are read from the ledgers only while the list is open. */
  readonly #isOpen: Signal<boolean> = signal(false);

  protected override view(): TemplateResult {
    const { runs, session } = this.store;
    const { runs: texts } = setup();
    const open = session.value?.id;
    const earlier = runs.value.filter((row) => row.run_id !== open);
    return html`<details @toggle=${(event: Event) => this.#list(event)}>
      <summary>${texts.earlier(earlier.length)}</summary>
      ${earlier.length === 0 ? html`<p class="soft">${texts.none}</p>` : ''}
      <ul>${this.#isOpen.value ? earlier.map((row) => this.#row(row)) : ''}</ul>
      <label class="file">${icon('open')}${texts.read}<input type="file" accept=".jsonl,.json,text/plain" @change=${(event: Event) => this.#open(event)} /></label>
      ${open === undefined ? '' : html`<button type="button" id="compare" class="plain keep" @click=${() => void ((compareAsks.value = true))}>${icon('column')}${texts.compare}</button>`}
      <button type="button" class="plain keep" @click=${() => void ((keepAsks.value = true))}>${icon('disk')}${texts.keep}</button>
    </details>`;
  }

  /** Runs that other tabs have begun or left since. */
  #list(event: Event): void {
    this.#isOpen.value = (event.target as HTMLDetailsElement).open;
    if (this.#isOpen.peek()) this.store.listRuns();
  }

  #open(event: Event): void {
    const input = event.target as HTMLInputElement;
    const [file] = input.files ?? [];
    if (file !== undefined) this.store.openFile(file);
    input.value = '';
  }

  #state({ elsewhere, foreign, sealed, ended }: RunRow): string {
    const { runs: texts } = setup();
    if (elsewhere) return texts.inOtherTab;
    if (foreign) return texts.fromBackup;
    if (!sealed) return texts.open;
    return ended === undefined ? texts.sealed : records().ends[ended];
  }

  #row(row: RunRow): TemplateResult {
    const at = dateTime(row.at);
    return html`<li>
      <button type="button" class="plain" @click=${() => void this.store.openRun(row.run_id)}>
        <span class="task">${shown(clipped(this.store.tasks.of(row.run_id) ?? '…'))}</span>
        <span class="soft which">${at}</span><span class="soft">${this.#state(row)}</span>
        <span class="soft which">${row.dialect}</span><span class="soft">${setup().runs.records(row.records)}</span>
      </button>
    </li>`;
  }
}

/** As much of a task as tells runs apart. */
function clipped(task: string): string {
  return task.length <= TASK_UNITS ? task : `${task.slice(0, TASK_UNITS)}…`;
}

const TASK_UNITS = 160;

customElements.define('sp-runs', Runs);
