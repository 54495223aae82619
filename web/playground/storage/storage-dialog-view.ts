import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { RunRow, StorageStatus } from '../../../workers/api.ts';
import { dialogStyles } from '../../style/dialog.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { byteSize } from '../../texts/amounts.ts';
import { storageDialog } from '../../texts/en/storage-dialog.ts';
import { dateTime } from '../../texts/intl.ts';
import { inEnglish } from '../../texts/recorded.ts';
import { AskedDialog } from '../parts/asked-dialog.ts';
import { keepAsks } from '../parts/dialog-asks.ts';
import { WindowedList } from '../parts/line-window.ts';
import { shown } from '../parts/text.ts';
import { type ListedRun, runFilter, runLines, runRow, runRowStyles, runsWith } from '../run/run-row.ts';
import type { StorageQuestion, StorageTask } from './storage-dialog.ts';
import { openStorageDialog, type StorageDialog } from './storage-dialog.ts';
import { storageText } from './storage-text.ts';

/** The storage of this device, run by run and as a whole, and the actions that export or remove it. */
export class KeepDialog extends AskedDialog {
  static override get styles(): CSSResult[] {
    return [shared, dialogStyles, runRowStyles, keepStyles];
  }
  #keep: StorageDialog | undefined;
  readonly #typed: Signal<string> = signal('');
  readonly #filter: Signal<string> = signal('');
  readonly #chosen: Signal<ReadonlySet<string>> = signal(new Set<string>());
  readonly #rows: WindowedList<ListedRun> = new WindowedList<ListedRun>(this, '.runs', { row: 100 });
  /** An erasure takes the stored values, too. */
  readonly #stores: Signal<boolean> = signal(true);

  get keep(): StorageDialog {
    this.#keep ??= openStorageDialog(this.store);
    return this.#keep;
  }

  protected override isAsked(): boolean {
    return keepAsks.value;
  }

  protected override take(): void {
    keepAsks.value = false;
    void this.keep.refresh();
  }

  protected override contents(): TemplateResult {
    const { question, under, over } = this.keep;
    const texts = storageDialog();
    return html`<dialog aria-labelledby="title" @close=${() => this.#closed()} @cancel=${(event: Event) => this.#cancel(event)}>
      <div class="head">
        <h2 id="title">${texts.title}</h2>
        <button type="button" class="plain" aria-label=${texts.close} @click=${() => this.dialog?.close()}>${icon('close')}</button>
      </div>
      ${this.#said()}
      ${under.value === undefined ? '' : this.#under(under.value)}
      ${over.value ? this.#over() : question.value === undefined ? this.#overview() : this.#ask(question.value)}
    </dialog>`;
  }

  #said(): TemplateResult {
    const said = this.keep.said.value;
    return html`<p role="status" class=${said?.tone ?? ''}>${said === undefined ? '' : html`${icon(said.tone === 'good' ? 'check' : 'cross')}<span>${shown(said.text)}</span>`}</p>`;
  }

  #under({ word, share, stop }: StorageTask): TemplateResult {
    return html`<div class="under">
      <span>${storageDialog().tasks.under(word)}</span>
      ${share === undefined ? '' : html`<progress aria-label=${word} max="1" .value=${share}></progress>`}
      ${stop === undefined ? '' : html`<button type="button" id="stop" @click=${stop}>${icon('stop')}${storageDialog().stop}</button>`}
    </div>`;
  }

  #over(): TemplateResult {
    return html`<button type="button" class="primary" @click=${() => location.reload()}>${storageDialog().beginAnew}</button>`;
  }

  #overview(): TemplateResult {
    const { keep } = this;
    const texts = storageDialog();
    const status = keep.status.value;
    const runs = this.store.runs.value;
    const info = this.store.info.value;
    return html`<p>${info === undefined ? '' : storageText(info.store)}</p>
      <p>${status === undefined ? '' : roomText(status)}
        ${status?.trouble === undefined ? '' : html`<strong class="bad">${inEnglish(status.trouble.message)}</strong>`}
        ${status?.persisted === false ? html`<button type="button" class="small" @click=${() => void keep.persist()}>${texts.keepThis}</button>` : ''}</p>
      <h3>${texts.runs(runs.length)}</h3>
      ${runs.length === 0 ? html`<p class="soft">${texts.noRuns}</p>` : this.#runs(runs)}
      ${this.#stored()}
      ${this.#files()}
      <h3>${texts.everything}</h3>
      <div class="actions">
        <button type="button" @click=${() => void keep.backUp()}>${icon('download')}${texts.saveBackup}</button>
        <label class="file">${icon('open')}${texts.restoreBackup}<input type="file" accept=".backup,.journal,application/octet-stream" @change=${(event: Event) => this.#file(event, (file) => keep.restore(file))} /></label>
        <span class="space"></span>
        <button type="button" class="bad" @click=${() => this.#question({ act: 'delete everything' })}>${texts.deleteEverything}</button>
      </div>
      <div class="actions">
        <button type="button" @click=${() => void keep.check()}>${icon('check')}${texts.checkLog}</button>
        <label class="file">${icon('open')}${texts.checkAgainst}<input type="file" accept=".txt,text/plain" @change=${(event: Event) => this.#file(event, (file) => keep.check(file))} /></label>
      </div>
      <p class="soft">${texts.backupIs}</p>`;
  }

  /** The capabilities that have stored values, and what each has stored. */
  #stored(): TemplateResult | '' {
    const all = this.keep.stored.value;
    const names = [...new Set(all.map(({ capability }) => capability))];
    if (names.length === 0) return '';
    const texts = storageDialog();
    return html`<h3>${texts.stored}</h3>
      <ul class="stored" tabindex="0" aria-label=${texts.stored}>${names.map((capability) => {
        const entries = all.filter((each) => each.capability === capability);
        return html`<li>
          <details><summary><span class="mono">${shown(capability)}</span> <span class="soft">${texts.values(entries.length)}</span></summary>
            <dl>${entries.map(({ key, value }) => html`<dt>${shown(key)}</dt><dd>${shown(JSON.stringify(value))}</dd>`)}</dl>
          </details>
          <button type="button" class="small" aria-label=${texts.forgetStored(capability)} @click=${() => this.#question({ act: 'forget', capability, values: entries.length })}>${texts.forget}</button>
        </li>`;
      })}</ul>`;
  }

  /** Added files, and models: with the runs they are what the used bytes are. */
  #files(): TemplateResult | '' {
    const { value: kept } = this.keep.kept;
    if (kept === undefined) return '';
    const { files: texts } = storageDialog();
    const { added, models, smallModel, page } = kept;
    const line = (name: unknown, bytes: number) => html`<dt>${name}</dt><dd>${byteSize(bytes)}</dd>`;
    return html`<h3>${texts.title}</h3>
      <dl class="files">
        <dt>${texts.added}</dt><dd>${texts.amount(added.files, byteSize(added.bytes))}</dd>
        ${models.map(({ name, bytes }) => line(html`${texts.model} <span class="mono">${shown(name)}</span>`, bytes))}
        ${smallModel === undefined ? '' : line(texts.smallModel, smallModel)}
        ${page === undefined ? '' : line(texts.page, page)}
      </dl>
      ${models.length === 0 && smallModel === undefined ? html`<p class="soft">${texts.noModel}</p>` : ''}`;
  }

  #runs(runs: readonly RunRow[]): TemplateResult {
    const texts = storageDialog();
    const found = runsWith(runs, this.#filter.value);
    const free = found.filter((run) => !this.#isOpen(run));
    const chosen = free.filter(({ run_id }) => this.#chosen.value.has(run_id));
    const all = (event: Event): void => {
      const isOn = (event.target as HTMLInputElement).checked;
      this.#chosen.value = new Set(isOn ? free.map(({ run_id }) => run_id) : []);
    };
    const blocked = chosen.length === 0;
    const ask = (act: 'delete' | 'erase') => () => blocked || this.#askFor(act, chosen);
    return html`<div class="actions">
        <label class="check"><input id="all" type="checkbox" .checked=${!blocked && chosen.length === free.length} .indeterminate=${!blocked && chosen.length < free.length} @change=${all} /><span>${texts.chooseAll(free.length)}</span></label>
        ${runFilter(this.#filter, found.length, runs.length)}
      </div>
      <ul class="runs" tabindex="0" aria-label=${texts.runsLabel}>${this.#rows.drawn(runLines(found), ({ run }) => this.#row(run))}</ul>
      <div class="actions">
        <span class="soft" role="status">${texts.chosen(chosen.length)}</span>
        <button type="button" id="erase-chosen" class="small" aria-disabled=${blocked} @click=${ask('erase')}>${texts.erase}</button>
        <button type="button" id="delete-chosen" class="small" aria-disabled=${blocked} @click=${ask('delete')}>${texts.delete}</button>
      </div>`;
  }

  #isOpen({ run_id }: RunRow): boolean {
    const view = this.store.session.value;
    return view?.id === run_id && view.run !== undefined && view.view.value?.end === undefined;
  }

  #askFor(act: 'delete' | 'erase', runs: readonly RunRow[]): void {
    const ids = new Set(runs.map(({ run_id }) => run_id));
    const values = this.keep.stored.value.filter(({ run_id }) => run_id !== undefined && ids.has(run_id)).length;
    this.#question({ act, runs, values });
  }

  #choose({ run_id }: RunRow, event: Event): void {
    const chosen = new Set(this.#chosen.peek());
    if ((event.target as HTMLInputElement).checked) chosen.add(run_id);
    else chosen.delete(run_id);
    this.#chosen.value = chosen;
  }

  #row(run: RunRow): TemplateResult {
    const at = dateTime(run.at);
    const open = this.#isOpen(run);
    const ask = (act: 'delete' | 'erase') => open || this.#askFor(act, [run]);
    const texts = storageDialog();
    return html`<li class="row">
      <input type="checkbox" aria-label=${texts.choose(nameOf(run))} ?disabled=${open} .checked=${!open && this.#chosen.value.has(run.run_id)} @change=${(event: Event) => this.#choose(run, event)} />
      ${runRow(run, open ? [texts.openHere] : [])}
      <span class="acts">
        <button type="button" class="small" aria-label=${texts.lookAtRun(at)} @click=${() => void this.keep.look(run)}>${texts.look}</button>
        <button type="button" class="small" aria-label=${texts.archiveRun(at)} @click=${() => this.#archive(run)}>${texts.archive}</button>
        <button type="button" class="small" aria-label=${texts.eraseRun(at)} aria-disabled=${open} @click=${() => ask('erase')}>${texts.erase}</button>
        <button type="button" class="small" aria-label=${texts.deleteRun(at)} aria-disabled=${open} @click=${() => ask('delete')}>${texts.delete}</button>
      </span>
    </li>`;
  }

  #archive(run: RunRow): void {
    this.dispatchEvent(
      new CustomEvent('sp-archive', { detail: this.keep.archived(run), bubbles: true, composed: true }),
    );
  }

  #ask(question: StorageQuestion): TemplateResult {
    const { keep } = this;
    const { ask: texts } = storageDialog();
    const words = questionTextOf(question, this.store.runs.value.length);
    const ready = this.#typed.value.trim().toLowerCase() === words.word;
    const first =
      'runs' in question && question.runs.length === 1
        ? html`<button type="button" @click=${() => this.#archive(question.runs[0] as RunRow)}>${icon('download')}${texts.archiveFirst}</button>`
        : question.act === 'forget'
          ? ''
          : html`<button type="button" @click=${() => void keep.backUp()}>${icon('download')}${texts.backUpFirst}</button>`;
    return html`<form class="ask" aria-labelledby="asked" @submit=${(event: Event) => this.#confirm(event, ready)}>
      <h3 id="asked">${shown(words.title)}</h3>
      <dl><dt>${texts.goes}</dt><dd>${words.goes}</dd><dt>${texts.stays}</dt><dd>${words.stays}</dd></dl>
      ${
        question.act === 'erase' && question.values > 0
          ? html`<label class="check"><input id="stored" type="checkbox" .checked=${this.#stores.value} @change=${(event: Event) => this.#setStores(event)} /><span>${texts.storedToo(question.values)}</span></label>`
          : ''
      }
      ${first === '' ? '' : html`<div>${first}</div>`}
      <label><span>${texts.type(words.word)}</span>
        <input id="word" autocomplete="off" autocapitalize="off" spellcheck="false" .value=${this.#typed.value} @input=${(event: Event) => this.#type(event)} />
      </label>
      <div class="actions">
        <button type="button" @click=${() => this.#question(undefined)}>${texts.leave}</button>
        <span class="space"></span>
        <button type="submit" class="danger" aria-disabled=${!ready}>${words.act}</button>
      </div>
    </form>`;
  }

  #setStores(event: Event): void {
    this.#stores.value = (event.target as HTMLInputElement).checked;
  }

  #type(event: Event): void {
    this.#typed.value = (event.target as HTMLInputElement).value;
  }

  #question(question: StorageQuestion | undefined): void {
    this.#typed.value = '';
    this.#stores.value = true;
    this.keep.question.value = question;
    const field = (): HTMLElement | null =>
      this.renderRoot.querySelector(question === undefined ? '.head button' : '#word');
    void this.updateComplete.then(() => field()?.focus());
  }

  #confirm(event: Event, ready: boolean): void {
    event.preventDefault();
    if (ready) void this.keep.confirm(this.#stores.value).then(() => this.#goOn());
  }

  #file(event: Event, act: (file: File) => Promise<void>): void {
    const input = event.target as HTMLInputElement;
    const [file] = input.files ?? [];
    this.#typed.value = '';
    if (file !== undefined) void act(file);
    input.value = '';
  }

  /** Escape goes back a step at a time: from a question to the list, from the list to the page. */
  #cancel(event: Event): void {
    if (this.keep.question.value === undefined) return;
    event.preventDefault();
    this.#question(undefined);
  }

  #closed(): void {
    this.#question(undefined);
    this.#goOn();
  }

  /** Begins anew where the storage was emptied or replaced, and the dialog was closed before or after. */
  #goOn(): void {
    if (this.keep.over.value && this.dialog?.open !== true) location.reload();
  }
}

/** The question before data is removed: the removed data, the remaining data, and the word to type. */
interface QuestionText {
  readonly title: string;
  readonly goes: string;
  readonly stays: string;
  readonly word: string;
  /** On the button that does it. */
  readonly act: string;
}

function questionTextOf(question: StorageQuestion, runs: number): QuestionText {
  const { ask: texts } = storageDialog();
  switch (question.act) {
    case 'delete': {
      const records = question.runs.reduce((sum, run) => sum + run.records, 0);
      return { ...texts.delete, ...titleOf(texts.delete, question.runs), goes: texts.delete.goes(records) };
    }
    case 'erase':
      return { ...texts.erase, ...titleOf(texts.erase, question.runs) };
    case 'forget':
      return {
        ...texts.forget,
        title: texts.forget.title(question.capability),
        goes: texts.forget.goes(question.values),
      };
    case 'replace':
      return { ...texts.replace, title: texts.replace.title(question.name), goes: texts.replace.goes(runs) };
    case 'delete everything':
      return { ...texts.everything, goes: texts.everything.goes(runs) };
  }
}

/** Title and button of a removal, of one run by its name or of several by their number. */
function titleOf(
  texts: {
    readonly title: (run: string) => string;
    readonly titleOfMany: (runs: number) => string;
    readonly act: string;
    readonly actOnMany: (runs: number) => string;
  },
  runs: readonly RunRow[],
): Pick<QuestionText, 'title' | 'act'> {
  const [first] = runs;
  const { length } = runs;
  if (first !== undefined && length === 1) return { title: texts.title(nameOf(first)), act: texts.act };
  return { title: texts.titleOfMany(length), act: texts.actOnMany(length) };
}

/** A run as the list names it. */
export function nameOf({ run_id }: RunRow): string {
  return run_id.slice(0, 8);
}

/** Whether the browser may take it away, and how much room there is. */
function roomText({ persisted, usage, quota }: StorageStatus): string {
  const texts = storageDialog();
  const promise = persisted === true ? texts.promised : texts.mayEvict;
  if (usage === undefined || quota === undefined) return promise;
  return `${promise}${texts.used(byteSize(usage), byteSize(quota))}`;
}

const keepStyles: CSSResult = css`
  dialog {
    width: min(50rem, calc(100vw - 2rem));
  }
  dialog > * + *,
  .ask > * + * {
    margin-top: 0.875rem;
  }
  .head {
    margin-bottom: 0;
  }
  [role='status'] {
    display: flex;
    gap: 0.5rem;
    overflow-wrap: anywhere;
  }
  [role='status']:empty {
    margin: 0;
  }
  .under,
  .actions,
  .acts {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
  }
  .acts {
    flex: none;
    gap: 0.25rem;
  }
  progress {
    flex: 1;
    min-width: 6rem;
    accent-color: var(--accent);
  }
  .space {
    flex: 1;
  }
  .small {
    min-height: 2rem;
    padding: 0.125rem 0.625rem;
  }
  .runs,
  .stored {
    max-height: 16rem;
    overflow: auto;
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
  }
  .row {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr) auto;
    align-items: center;
    gap: 0 0.75rem;
    height: 6.5rem;
    padding: 0 0.75rem;
    border-bottom: 1px solid var(--line);
  }
  .actions .filter {
    flex: 1;
    min-width: 10rem;
    justify-content: stretch;
  }
  .actions .check {
    gap: 0.5rem;
  }
  @media (max-width: 40rem) {
    .row {
      grid-template-columns: auto minmax(0, 1fr);
      height: 11.5rem;
    }
    .row .acts {
      grid-column: 2;
    }
  }
  .stored li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 0.375rem 1rem;
    padding: 0.5rem 0.75rem;
  }
  .stored li + li {
    border-top: 1px solid var(--line);
  }
  .file {
    background: var(--raised);
  }
  dl {
    display: grid;
    grid-template-columns: max-content minmax(0, 1fr);
    gap: 0.5rem 1rem;
  }
  dt {
    font-weight: 650;
  }
  details {
    flex: 1;
    min-width: 0;
  }
  dd {
    overflow-wrap: anywhere;
  }
  .check {
    grid-template-columns: auto 1fr;
    align-items: center;
  }
  label {
    display: grid;
    gap: 0.25rem;
  }
  label:not(.file) {
    justify-content: start;
    white-space: normal;
  }
  .danger {
    color: var(--bad);
    border-color: var(--bad);
    font-weight: 650;
  }
  .danger[aria-disabled='true'] {
    color: var(--soft);
    border-color: var(--line);
  }
`;

customElements.define('sp-keep', KeepDialog);
