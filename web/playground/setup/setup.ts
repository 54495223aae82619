import '../corpus/files-switch.ts';
import './composer.ts';
import './task-view.ts';
import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { Budgets } from '../../../core/index.ts';
import type { RunRow } from '../../../workers/api.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { corpus } from '../../texts/en/corpus.ts';
import { setup, setup as texts } from '../../texts/en/setup.ts';
import { labelWord } from '../../texts/label-word.ts';
import { type CodePlace, codeAsks, compareAsks, keepAsks } from '../parts/dialog-asks.ts';
import { MODES } from '../parts/grant-modes.ts';
import { HOLD_CHOICES, type HoldChoice, holdChoice, keepHoldChoice } from '../parts/hold-choice.ts';
import { WindowedList } from '../parts/line-window.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { type RunUsage, usedBy } from '../run/at-record.ts';
import { grantsOf } from '../run/run-grants.ts';
import { type ListedRun, runFilter, runLines, runRow, runRowStyles, runsWith } from '../run/run-row.ts';
import { callerOf } from '../run/session-caller.ts';
import { FILES } from '../scenario.ts';
import { whenReleased } from './task-view.ts';

/** The setup of a run: its task, proposer, grants and limits. */
export class Setup extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      section {
        padding: 1rem 1.25rem;
        border-bottom: 1px solid var(--line);
        overflow-wrap: anywhere;
      }
      section:last-child {
        border-bottom: 0;
      }
      h2 {
        margin-bottom: 0.375rem;
      }
      .grants li {
        display: flex;
        align-items: center;
        gap: 0.625rem;
        min-height: 2rem;
      }
      .grants .mode {
        margin-left: auto;
        white-space: nowrap;
      }
      .meters {
        display: grid;
        gap: 0.625rem;
      }
      .labels {
        display: flex;
        flex-wrap: wrap;
        gap: 0.375rem;
        margin-bottom: 0.375rem;
      }
      .labels .badge {
        border-color: var(--edge);
      }
      .code {
        display: flex;
        flex-wrap: wrap;
        gap: 0.25rem;
        padding-inline: 0.375rem;
      }
      .start {
        margin: 0.25rem 0 0 -0.875rem;
        white-space: normal;
        text-align: left;
      }
      #reach p {
        margin-bottom: 0.375rem;
      }
      #reach #mend {
        margin-bottom: 0.5rem;
      }
      .change {
        margin-top: 0.25rem;
      }
      .change summary {
        color: var(--soft);
        font-weight: 400;
      }
      .change label {
        display: block;
        margin-top: 0.25rem;
      }
      h2 .soft {
        font-weight: 400;
      }
      .meters :is(label > div, .unbounded) {
        display: flex;
        justify-content: space-between;
      }
      progress {
        display: block;
        width: 100%;
        height: 0.5rem;
        accent-color: var(--accent);
      }
    `,
  ];

  protected override view(): TemplateResult {
    const isSession = callerOf(this.store.session.value?.records.value ?? []) !== undefined;
    return html`
      ${isSession ? '' : html`<section><sp-task .store=${this.store}></sp-task></section>`}
      ${isSession ? '' : this.#files()}
      <section><sp-composer .store=${this.store}></sp-composer></section>
      ${this.#grants()}
      ${this.#meters(isSession)}
      ${this.#hold()}
      <section><sp-runs .store=${this.store}></sp-runs></section>
      ${isSession ? '' : this.#code()}
    `;
  }

  /** Before a run: whether it reaches the person's files, and what to do where it does not. */
  #files(): TemplateResult | string {
    const { ownFiles, mayChangeDialect, scenario, view } = this.store;
    const count = ownFiles.count.value;
    const isOfFiles = scenario.id === FILES;
    if (!mayChangeDialect.value || (count === 0 && !isOfFiles)) return '';
    const { own } = corpus();
    const turn = (): void => void (view.value = 'corpus');
    if (count === 0)
      return html`<section><p class="wait">${own.empty}</p><button type="button" id="add-files" @click=${turn}>${icon('plus')}${own.add}</button></section>`;
    if (this.store.chosen.value === 'script')
      return html`<section id="reach"><p>${own.script(count)}</p>${isOfFiles ? '' : html`<button type="button" class="plain start" id="ask-own" @click=${turn}>${icon('reply')}${own.only}</button>`}</section>`;
    const isReached = ownFiles.allowed.value;
    return html`<section id="reach">
      ${isReached ? '' : html`<p class="wait">${own.unreached(count)}</p><button type="button" id="mend" @click=${() => void ownFiles.allow(true)}>${icon('key')}${own.mend}</button>`}
      ${isReached && !isOfFiles ? html`<p>${own.beside(count)}</p><button type="button" class="plain start" id="ask-own" @click=${turn}>${icon('reply')}${own.only}</button>` : ''}
      <sp-files-switch .store=${this.store}></sp-files-switch>
    </section>`;
  }

  /** The grants of this run, from its first record. */
  #grants(): TemplateResult {
    const session = this.store.session.value;
    const grants = grantsOf(session);
    const manage = (): void => {
      this.store.place.part.value = 'catalogue';
      this.store.view.value = 'capabilities';
    };
    return html`<section>
      <details>
        <summary>${texts().grants(grants.length)}</summary>
        <ul class="grants">
          ${grants.map(
            ({ capability, mode, uses, where }) => html`<li>
              <span class=${MODES[mode].tone}>${icon(MODES[mode].icon)}</span>
              <span class="mono">${shown(capability)}</span>
              <span class="mode soft">${MODES[mode].word}${uses === undefined ? '' : `, ${texts().uses(uses)}`}${where === undefined ? '' : `, ${texts().narrowed}`}</span>
            </li>`,
          )}
        </ul>
        <button type="button" class="plain" id="manage" @click=${manage}>${icon('key')}${texts().changeGrants}</button>
      </details>
    </section>`;
  }

  /** The setup of the open run as code, for a program or a page of the person's own. */
  #code(): TemplateResult {
    const ask = (place: CodePlace) => (): void => {
      codeAsks.value = place;
    };
    return html`<section class="code">
      <button type="button" class="plain" id="copy-code" @click=${ask('node')}>${icon('copy')}${texts().copyCode}</button>
      <button type="button" class="plain" id="embed" @click=${ask('embed')}>${icon('column')}${texts().embed}</button>
    </section>`;
  }

  #meters(isSession: boolean): TemplateResult {
    const records = this.store.session.value?.records.value ?? [];
    const first = records[0];
    if (first?.kind !== 'configuration') return html``;
    const { limits, budgets, dialect } = first.body;
    const used = usedBy(records, this.store.selection.seq.value);
    return html`<section class="meters">
      <h2>${texts().limits}</h2>
      ${this.#meter(texts().steps, used.steps, limits.steps)} ${this.#meter(texts().refusedInRow, used.refusedInRow, limits.refusalsInRow)}
      ${isSession ? '' : this.#limits(limits)}
    </section>
    ${dialect.startsWith('catalytic') ? this.#budgets(budgets, used.spent) : ''}
    ${this.#labels(used.labels, isSession)}`;
  }

  /** The kernel is told when it opens, so that a change opens the page anew. A run goes on as it began. */
  #hold(): TemplateResult {
    const { hold: words } = texts();
    const chosen = holdChoice();
    const take = (event: Event): void => {
      keepHoldChoice((event.target as HTMLSelectElement).value as HoldChoice);
      location.reload();
    };
    return html`<section>
      <details class="change"><summary>${words.title(words.choices[chosen])}</summary>
        <label>${words.label}<select id="hold" @change=${take}>
          ${HOLD_CHOICES.map((choice) => html`<option value=${choice} ?selected=${choice === chosen}>${words.choices[choice]}</option>`)}
        </select></label>
        <p class="soft">${words.what}</p>
      </details>
    </section>`;
  }

  #limits(limits: { readonly steps: number; readonly refusalsInRow: number }): TemplateResult | string {
    const { mayChangeDialect, setup, edits } = this.store;
    const commit = (): void => whenReleased(() => edits.settle());
    if (!mayChangeDialect.value) return '';
    const take = (name: 'steps' | 'refusalsInRow') => (event: Event) => {
      const n = Math.trunc((event.target as HTMLInputElement).valueAsNumber);
      if (n >= 1 && n !== limits[name]) edits.hold({ ...setup.peek(), limits: { ...setup.peek().limits, [name]: n } });
    };
    return html`<details class="change"><summary>${texts().otherLimits}</summary>
      <label>${texts().stepsMax}<input type="number" id="limit-steps" min="1" max="1000" .value=${String(limits.steps)} @input=${take('steps')} @change=${commit} /></label>
      <label>${texts().refusedInRowMax}<input type="number" min="1" max="1000" .value=${String(limits.refusalsInRow)} @input=${take('refusalsInRow')} @change=${commit} /></label>
    </details>`;
  }

  /** Each message has these budgets anew, and may lower them. The shown use is that of the last message. */
  #budgets(budgets: Budgets, spent: RunUsage['spent']): TemplateResult {
    return html`<section class="meters">
      <h2>${texts().budgets()}</h2>
      ${this.#meter(texts().symbols, spent?.symbols ?? 0, budgets.max_symbols)}
      ${this.#meter(texts().sections, spent?.sections ?? 0, budgets.max_sections)}
      ${this.#meter(texts().bytesRead, spent?.bytes ?? 0, budgets.max_bytes_expanded)}
      ${this.#meter(texts().expansions, spent?.expands ?? 0, budgets.max_expands_per_step)}
    </section>`;
  }

  #meter(name: string, used: number, limit: number): TemplateResult {
    if (limit === Number.MAX_SAFE_INTEGER)
      return html`<p class="unbounded"><span>${name}</span><span class="soft">${texts().unlimited(used)}</span></p>`;
    const full = used >= limit;
    return html`<label><div><span>${name}</span><span class=${full ? 'bad' : 'soft'}>${texts().usedOf(used, limit)}${full ? `, ${texts().full}` : ''}</span></div>
      <progress max=${limit} .value=${Math.min(used, limit)}></progress></label>`;
  }

  #labels(labels: readonly string[], isSession: boolean): TemplateResult {
    return html`<section>
      <h2>${isSession ? texts().callerHasRead : texts().modelHasRead}</h2>
      ${labels.length === 0 ? html`<p class="soft">${texts().noLabels}</p>` : html`<p class="labels">${labels.map((label) => html`<span class="badge">${icon(label === 'private' ? 'lock' : 'eye')}${labelWord(label)}</span>`)}</p><p class="soft">${labels.map((label) => actionOn(label)).join(' ')}</p>`}
    </section>`;
  }
}

/** The guard's action for a label; a stranger's file may have others. */
function actionOn(label: string): string {
  const actions: { readonly [label: string]: string } = texts().labels;
  return actions[label] ?? '';
}

/** The runs on this device. Opening a run shows it and never continues it. */
class Runs extends View {
  static override styles: CSSResult[] = [
    shared,
    runRowStyles,
    css`
      input[type='search'] {
        width: 100%;
        margin-top: 0.375rem;
      }
      ul {
        max-height: 26rem;
        overflow-y: auto;
      }
      .row {
        height: 6.75rem;
        padding-top: 0.25rem;
      }
      .row button {
        align-items: start;
        width: 100%;
        height: 100%;
      }
      .file {
        display: flex;
        margin-top: 0.25rem;
        border-style: dashed;
      }
      .keep {
        margin-top: 0.25rem;
      }
    `,
  ];

  /** The rows are drawn only while the list is open. */
  readonly #isOpen: Signal<boolean> = signal(false);
  readonly #typed: Signal<string> = signal('');
  readonly #rows: WindowedList<ListedRun> = new WindowedList<ListedRun>(this, 'ul', { row: 100 });

  protected override view(): TemplateResult {
    const { runs, session } = this.store;
    const { runs: texts } = setup();
    const open = session.value?.id;
    const earlier = runs.value.filter((row) => row.run_id !== open);
    return html`<details @toggle=${(event: Event) => this.#toggle(event)}>
      <summary>${texts.earlier(earlier.length)}</summary>
      ${earlier.length === 0 ? html`<p class="soft">${texts.none}</p>` : ''}
      ${this.#isOpen.value ? this.#list(earlier) : html`<ul></ul>`}
      <label class="file">${icon('open')}${texts.read}<input type="file" accept=".jsonl,.json,text/plain" @change=${(event: Event) => this.#open(event)} /></label>
      ${open === undefined ? '' : html`<button type="button" id="compare" class="plain keep" @click=${() => void ((compareAsks.value = true))}>${icon('column')}${texts.compare}</button>`}
      <button type="button" id="keep" class="plain keep" @click=${() => void ((keepAsks.value = true))}>${icon('disk')}${texts.keep}</button>
    </details>`;
  }

  #list(earlier: readonly RunRow[]): TemplateResult {
    const found = runsWith(earlier, this.#typed.value);
    return html`${runFilter(this.#typed, found.length, earlier.length)}
      <ul>${this.#rows.drawn(runLines(found), ({ run }) => this.#row(run))}</ul>`;
  }

  /** Runs that other tabs have begun or left since. */
  #toggle(event: Event): void {
    this.#isOpen.value = (event.target as HTMLDetailsElement).open;
    if (this.#isOpen.peek()) this.store.listRuns();
  }

  #open(event: Event): void {
    const input = event.target as HTMLInputElement;
    const [file] = input.files ?? [];
    if (file !== undefined) this.store.openFile(file);
    input.value = '';
  }

  #row(row: RunRow): TemplateResult {
    return html`<li class="row"><button type="button" class="plain" @click=${() => void this.store.openRun(row.run_id)}>${runRow(row)}</button></li>`;
  }
}

customElements.define('sp-runs', Runs);
customElements.define('sp-setup', Setup);
