import { batch, type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { LedgerRecord } from '../../../core/index.ts';
import type { DifferingMember } from '../../../core/ledger/compare.ts';
import type { RecordTone } from '../../records/describe.ts';
import { groupSteps, outcomeOf, outcomeText } from '../../records/steps.ts';
import { dialogStyles } from '../../style/dialog.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { compare } from '../../texts/en/compare.ts';
import { type ExportBlob, exportBlob, FILE_MAX } from '../files/export-blob.ts';
import type { ComparedPart, ComparedSteps } from '../files/file-work.ts';
import type { FileWatch } from '../files/file-worker.ts';
import { AskedDialog } from '../parts/asked-dialog.ts';
import { compareAsks } from '../parts/dialog-asks.ts';
import { PageError, whyText } from '../parts/page-error.ts';
import { shown } from '../parts/text.ts';
import { runText } from '../run/run-row.ts';

/** Steps that are shown at once, and characters of a value. */
const PAIRS_PAGE = 100;
const VALUE_UNITS = 600;

/** A text in the language of the interface at the moment. */
type Saying = () => unknown;

interface Comparison extends Pick<ComparedPart, 'run' | 'rest'> {
  readonly name: () => string;
  readonly pairs: readonly ComparedPair[];
  readonly own: ExportBlob;
  readonly other: ExportBlob;
}

interface CompareTask {
  readonly share?: number;
  stop(): void;
}

/** The open run beside another run of this device or of a file, step by step. */
export class CompareDialog extends AskedDialog {
  static override get styles(): CSSResult[] {
    return [shared, dialogStyles, compareStyles];
  }
  readonly #found: Signal<Comparison | undefined> = signal(undefined);
  readonly #said: Signal<Saying | undefined> = signal(undefined);
  readonly #shown: Signal<number> = signal(PAIRS_PAGE);
  readonly #showsAll: Signal<boolean> = signal(false);
  readonly #under: Signal<CompareTask | undefined> = signal(undefined);

  protected override isAsked(): boolean {
    return compareAsks.value;
  }

  protected override take(): void {
    compareAsks.value = false;
    this.store.listRuns();
  }

  protected override contents(): TemplateResult {
    const { session, runs } = this.store;
    const texts = compare();
    const others = runs.value.filter(({ run_id }) => run_id !== session.value?.id);
    return html`<dialog aria-labelledby="title" @close=${() => this.#close()}>
      <div class="head">
        <h2 id="title">${texts.title}</h2>
        <button type="button" class="plain" aria-label=${texts.close} @click=${() => this.dialog?.close()}>${icon('close')}</button>
      </div>
      <div class="choice">
        <label>${texts.other}<select id="other" @change=${(event: Event) => void this.#chosen(event)}>
          <option value="">${others.length === 0 ? texts.none : texts.choose}</option>
          ${others.map((row) => html`<option value=${row.run_id}>${shown(runText(row))}</option>`)}
        </select></label>
        <label class="file">${icon('open')}${texts.file}<input type="file" accept=".jsonl,.json,.txt,.html" @change=${(event: Event) => void this.#picked(event)} /></label>
      </div>
      <p role="status">${this.#said.value?.()}</p>
      ${this.#progress()}
      ${this.#found.value === undefined ? html`<p class="soft">${texts.hint}</p>` : this.#result(this.#found.value)}
    </dialog>`;
  }

  #progress(): TemplateResult | string {
    const under = this.#under.value;
    const texts = compare();
    if (under === undefined) return '';
    const { share, stop } = under;
    const bar =
      share === undefined
        ? html`<progress aria-label=${texts.comparing}></progress>`
        : html`<progress aria-label=${texts.comparing} max="1" .value=${share}></progress>`;
    return html`<div class="choice">${bar}<button type="button" id="stop" @click=${stop}>${icon('stop')}${texts.cancel}</button></div>`;
  }

  #result({ name, run, pairs, rest }: Comparison): TemplateResult {
    const texts = compare();
    const turn = (event: Event): void => {
      this.#showsAll.value = (event.target as HTMLInputElement).checked;
      void this.#show();
    };
    const more = (): void => {
      this.#shown.value += PAIRS_PAGE;
      void this.#show();
    };
    return html`<label class="check"><input id="all" type="checkbox" .checked=${this.#showsAll.value} @change=${turn} />${texts.showEqual}</label>
      <div class="result" tabindex="0" role="region" aria-label=${texts.differences}>
        <table>
          <thead><tr><th scope="col">${texts.openRun}</th><th scope="col">${shown(name())}</th></tr></thead>
          ${run.length === 0 ? '' : html`<tbody><tr class="step"><th scope="rowgroup" colspan="2">${texts.theRun}</th></tr>${run.map(member)}</tbody>`}
          ${pairs.map(pairRows)}
        </table>
        ${rest <= 0 ? '' : html`<button type="button" @click=${more}>${texts.more(Math.min(rest, PAIRS_PAGE), rest)}</button>`}
      </div>`;
  }

  async #chosen(event: Event): Promise<void> {
    const { value } = event.target as HTMLSelectElement;
    if (value === '') return;
    const row = this.store.runs.peek().find(({ run_id }) => run_id === value);
    const name = (): string => (row === undefined ? value : runText(row));
    await this.#compare(name, async () => new Blob([await this.store.runtime.ledger.export(value)]));
  }

  async #picked(event: Event): Promise<void> {
    const input = event.target as HTMLInputElement;
    const [file] = input.files ?? [];
    input.value = '';
    if (file === undefined) return;
    await this.#compare(
      () => file.name,
      async () => {
        if (file.size > FILE_MAX) throw new PageError(() => compare().tooLarge(file.size));
        return file;
      },
    );
  }

  /** The other run is a stranger's text: it is read and shown, and no part of it runs. */
  async #compare(name: () => string, read: () => Promise<Blob>): Promise<void> {
    const session = this.store.session.peek();
    if (session === undefined) return void (this.#said.value = () => compare().noRun);
    this.#shown.value = PAIRS_PAGE;
    await this.#attempt(name, async (watch) => {
      const own = session.file ?? exportBlob(await this.store.runtime.ledger.export(session.id));
      const opened = await this.store.files.call('open', [exportBlob(await read())], watch);
      if (opened.kind !== 'run') throw new PageError(() => compare().noRecord);
      await this.#take(name, own, opened.file, watch);
    });
  }

  /** Other pairs of the same comparison. */
  #show(): Promise<void> {
    const found = this.#found.peek();
    if (found === undefined) return Promise.resolve();
    const { name, own, other } = found;
    return this.#attempt(name, (watch) => this.#take(name, own, other, watch));
  }

  async #take(name: () => string, own: ExportBlob, other: ExportBlob, watch: FileWatch): Promise<void> {
    const how = [this.#showsAll.peek(), this.#shown.peek()] as const;
    const part = await this.store.files.call('compare', [own, other, ...how], watch);
    if (part === undefined) throw new PageError(() => compare().noRecord);
    const { same, steps, differing: differ, run, rest } = part;
    batch(() => {
      this.#found.value = { name, own, other, run, rest, pairs: part.pairs.map(comparedPair) };
      this.#said.value = same ? () => compare().same(steps) : () => differing(differ, steps, run.length);
    });
  }

  async #attempt(name: () => string, work: (watch: FileWatch) => Promise<void>): Promise<void> {
    this.#under.peek()?.stop();
    const ending = new AbortController();
    let mine: CompareTask = { stop: () => ending.abort() };
    this.#under.value = mine;
    this.#said.value = () => compare().comparing;
    const onProgress = (share: number): void => {
      if (this.#under.peek() !== mine) return;
      mine = { ...mine, share };
      this.#under.value = mine;
    };
    try {
      await work({ signal: ending.signal, onProgress });
    } catch (error) {
      batch(() => {
        this.#found.value = undefined;
        this.#said.value = ending.signal.aborted
          ? () => compare().cancelled
          : () => html`${shown(compare().failed(name()))}${whyText(error)}`;
      });
    } finally {
      if (this.#under.peek() === mine) this.#under.value = undefined;
    }
  }

  #close(): void {
    this.#under.peek()?.stop();
    batch(() => {
      this.#found.value = undefined;
      this.#said.value = undefined;
      this.#showsAll.value = false;
    });
    const other = this.renderRoot.querySelector<HTMLSelectElement>('#other');
    if (other !== null) other.value = '';
  }
}

function differing(differ: number, steps: number, members: number): string {
  return `${compare().differ(differ, steps)}${members === 0 ? '' : compare().differingMembers(members)}`;
}

function pairRows({ a, b, isDifferent, differences }: ComparedPair): TemplateResult {
  return html`<tbody>
    <tr class="step ${isDifferent ? 'differs' : ''}">${stepCell(a)}${stepCell(b)}</tr>
    ${differences.map(member)}
  </tbody>`;
}

function stepCell(step: ComparedStep | undefined): TemplateResult {
  if (step === undefined) return html`<td class="only">${compare().noStep}</td>`;
  return html`<td><strong>${step.step}</strong> ${shown(step.title)} <span class=${step.tone}>${step.outcome}</span></td>`;
}

function member({ path, a, b, absent = [] }: DifferingMember): TemplateResult {
  return html`<tr><th scope="row" colspan="2" class="path mono">${shown(path)}</th></tr>
    <tr>${valueCell(a, absent.includes('a'))}${valueCell(b, absent.includes('b'))}</tr>`;
}

function valueCell(value: string | undefined, isAbsent: boolean): TemplateResult {
  if (value === undefined) return html`<td class="only">${compare().noValue}</td>`;
  if (isAbsent)
    return html`<td class="value" dir="auto">${compare().leftOut} <span class="soft mono">${shown(value)}</span></td>`;
  const cut = value.length > VALUE_UNITS;
  return html`<td class="value mono" dir="auto">${shown(cut ? value.slice(0, VALUE_UNITS) : value)}${cut ? html`<span class="soft">… ${compare().characters(value.length)}</span>` : ''}</td>`;
}

/** A step of a run in a few words, in the language of the interface at the moment. */
interface ComparedStep {
  readonly step: number;
  readonly title: string;
  readonly outcome: string;
  readonly tone: RecordTone;
}

/** A line of the comparison: a step of each run, or of a single run. */
interface ComparedPair {
  readonly a: ComparedStep | undefined;
  readonly b: ComparedStep | undefined;
  readonly isDifferent: boolean;
  readonly differences: readonly DifferingMember[];
}

function comparedPair({ a, b, isDifferent, differences }: ComparedSteps): ComparedPair {
  return { a: comparedStep(a), b: comparedStep(b), isDifferent, differences };
}

function comparedStep(records: readonly LedgerRecord[] = []): ComparedStep | undefined {
  const [group] = groupSteps(records);
  if (group?.step === undefined) return undefined;
  return {
    step: group.step,
    tone: outcomeOf(group).tone,
    get title() {
      return groupSteps(records)[0]?.title ?? '';
    },
    get outcome() {
      return outcomeText(group);
    },
  };
}

const compareStyles: CSSResult = css`
  dialog[open] {
    display: flex;
    flex-direction: column;
    gap: 0.75rem;
    width: min(70rem, calc(100vw - 2rem));
  }
  .head {
    margin: 0;
  }
  .choice {
    display: flex;
    flex-wrap: wrap;
    align-items: end;
    gap: 0.5rem;
  }
  .choice label:first-of-type {
    flex: 1;
    min-width: 12rem;
  }
  .check {
    display: flex;
    align-items: center;
    gap: 0.5rem;
  }
  .check input {
    flex: none;
    width: 1.25rem;
    min-height: 1.25rem;
  }
  .result {
    overflow: auto;
    min-height: 0;
  }
  table {
    width: 100%;
    border-collapse: collapse;
    table-layout: fixed;
  }
  th,
  td {
    padding: 0.375rem 0.75rem 0.375rem 0;
    text-align: left;
    vertical-align: top;
    font-weight: 400;
    overflow-wrap: anywhere;
  }
  thead th {
    font-weight: 650;
  }
  .step th,
  .step td {
    border-top: 1px solid var(--line);
  }
  .path {
    padding-bottom: 0;
    color: var(--soft);
  }
  .value {
    white-space: pre-wrap;
  }
  .only {
    color: var(--soft);
  }
`;

customElements.define('sp-compare-runs', CompareDialog);
