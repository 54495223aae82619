import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { Budgets } from '../../../core/index.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { MODES } from '../parts/grant-modes.ts';
import { count, shown } from '../parts/text.ts';
import { type RunUsage, usedBy } from '../run/at-record.ts';
import { grantsOf } from '../run/run-grants.ts';
import { callerOf } from '../run/session-caller.ts';
import { tasksOf } from '../run/tasks.ts';
import { whenReleased } from './pointer-release.ts';
import './composer.ts';
import './runs.ts';
import { View } from '../parts/view.ts';

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
      .further {
        margin-top: 0.375rem;
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
      .change textarea {
        font-family: inherit;
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
      ${isSession ? '' : this.#task()}
      <section><sp-composer .store=${this.store}></sp-composer></section>
      ${this.#grants()}
      ${this.#meters(isSession)}
      <section><sp-runs .store=${this.store}></sp-runs></section>
    `;
  }

  /** Before a run its task can be changed; its first records hold the task. */
  #task(): TemplateResult {
    const { mayChangeDialect, setup, edits, session, scenario } = this.store;
    const intended = setup.value.task ?? scenario.task;
    const told = tasksOf(session.value);
    // a run that is only read has the task of its own records
    const isRead = session.value !== undefined && session.value.run === undefined;
    const [task = isRead ? '' : intended, ...further] = told;
    const take = (event: Event): void => {
      const text = (event.target as HTMLTextAreaElement).value.trim();
      edits.hold({ ...setup.peek(), task: text === '' ? intended : text });
    };
    const commit = (event: Event): void => {
      take(event);
      whenReleased(() => edits.settle());
    };
    // A field may hand over its text without a change event, when a program has filled it.
    const leave = (event: Event): void => {
      if ((event.target as HTMLTextAreaElement).value.trim() !== intended) commit(event);
    };
    return html`<section>
      <h2>Task</h2>
      <p>${task === '' ? html`<span class="soft">Not on this device.</span>` : shown(task)}</p>
      ${further.map((text) => html`<p class="further"><span class="soft">Then:</span> ${shown(text)}</p>`)}
      ${mayChangeDialect.value ? html`<details class="change"><summary>Another task</summary><label>What the model is asked<textarea id="task" rows="4" .value=${intended} @input=${take} @change=${commit} @blur=${leave}></textarea></label></details>` : ''}
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
        <summary>${count(grants.length, 'grant')} <span class="soft">· everything else is denied</span></summary>
        <ul class="grants">
          ${grants.map(
            ({ capability, mode, uses, where }) => html`<li>
              <span class=${MODES[mode].tone}>${icon(MODES[mode].icon)}</span>
              <span class="mono">${shown(capability)}</span>
              <span class="mode soft">${MODES[mode].word}${uses === undefined ? '' : `, ${uses} uses`}${where === undefined ? '' : ', narrowed'}</span>
            </li>`,
          )}
        </ul>
        <button type="button" class="plain" id="manage" @click=${manage}>${icon('key')}Change what is granted</button>
      </details>
    </section>`;
  }

  #meters(isSession: boolean): TemplateResult {
    const records = this.store.session.value?.records.value ?? [];
    const first = records[0];
    if (first?.kind !== 'configuration') return html``;
    const { limits, budgets, dialect } = first.body;
    const used = usedBy(records, this.store.selection.seq.value);
    return html`<section class="meters">
      <h2>Limits</h2>
      ${this.#meter('Steps', used.steps, limits.steps)} ${this.#meter('Refused in a row', used.refusedInRow, limits.refusalsInRow)}
      ${isSession ? '' : this.#limits(limits)}
    </section>
    ${dialect.startsWith('catalytic') ? this.#budgets(budgets, used.spent) : ''}
    ${this.#labels(used.labels, isSession)}`;
  }

  #limits(limits: { readonly steps: number; readonly refusalsInRow: number }): TemplateResult | string {
    const { mayChangeDialect, setup, edits } = this.store;
    const commit = (): void => whenReleased(() => edits.settle());
    if (!mayChangeDialect.value) return '';
    const take = (name: 'steps' | 'refusalsInRow') => (event: Event) => {
      const n = Math.trunc((event.target as HTMLInputElement).valueAsNumber);
      if (n >= 1 && n !== limits[name]) edits.hold({ ...setup.peek(), limits: { ...setup.peek().limits, [name]: n } });
    };
    return html`<details class="change"><summary>Other limits</summary>
      <label>Steps at most<input type="number" id="limit-steps" min="1" max="1000" .value=${String(limits.steps)} @input=${take('steps')} @change=${commit} /></label>
      <label>Refused in a row at most<input type="number" min="1" max="1000" .value=${String(limits.refusalsInRow)} @input=${take('refusalsInRow')} @change=${commit} /></label>
    </details>`;
  }

  /** Each message has these budgets anew, and may lower them. The shown use is that of the last message. */
  #budgets(budgets: Budgets, spent: RunUsage['spent']): TemplateResult {
    return html`<section class="meters">
      <h2>Budgets <span class="soft">· spent by the last message</span></h2>
      ${this.#meter('Symbols', spent?.symbols ?? 0, budgets.max_symbols)}
      ${this.#meter('Sections', spent?.sections ?? 0, budgets.max_sections)}
      ${this.#meter('Bytes read', spent?.bytes ?? 0, budgets.max_bytes_expanded)}
      ${this.#meter('Expansions', spent?.expands ?? 0, budgets.max_expands_per_step)}
    </section>`;
  }

  #meter(name: string, used: number, limit: number): TemplateResult {
    if (limit === Number.MAX_SAFE_INTEGER)
      return html`<p class="unbounded"><span>${name}</span><span class="soft">${used.toLocaleString()}, no limit</span></p>`;
    const full = used >= limit;
    return html`<label><div><span>${name}</span><span class=${full ? 'bad' : 'soft'}>${used.toLocaleString()} of ${limit.toLocaleString()}${full ? ', full' : ''}</span></div>
      <progress max=${limit} .value=${Math.min(used, limit)}></progress></label>`;
  }

  #labels(labels: readonly string[], isSession: boolean): TemplateResult {
    return html`<section>
      <h2>What the ${isSession ? 'caller' : 'model'} has read</h2>
      ${labels.length === 0 ? html`<p class="soft">No private data and no strangers’ text.</p>` : html`<p class="labels">${labels.map((label) => html`<span class="badge">${icon(label === 'private' ? 'lock' : 'eye')}${label}</span>`)}</p><p class="soft">${labels.map((label) => LABELS[label] ?? '').join(' ')}</p>`}
    </section>`;
  }
}

/** The guard's action for each label. */
const LABELS: { readonly [label: string]: string } = {
  private: 'Private: it is sent to a model outside this device only with your consent.',
  untrusted: 'Untrusted: strangers wrote it, so each write and each sending asks you, even where a grant allows it.',
};

customElements.define('sp-setup', Setup);
