import '../parts/json-text.ts';
import { effect, type Signal, signal, untracked } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { type Allowed, type AllowedRow, type Grant, visibleText } from '../../../core/index.ts';
import type { HeldSource } from '../../../workers/api.ts';
import { stepOf } from '../../records/steps.ts';
import { inFocus } from '../../shared/typing.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { capabilities } from '../../texts/en/capabilities.ts';
import { labelWord } from '../../texts/label-word.ts';
import { MODES, strictestOf } from '../parts/grant-modes.ts';
import { termWords } from '../parts/grant-terms.ts';
import { whyText } from '../parts/page-error.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';

/** Names of a watch that stand in its row; the others are in a list that a person opens. */
const NAMES_MAX = 3;

/** The result of an action, in the language of the interface at the moment. */
interface ActionResult {
  readonly bad: boolean;
  readonly text: () => unknown;
}

/** Everything that is permitted now, why, how often it was used, and how it is taken back. */
class AllowedView extends View {
  static override get styles(): CSSResult[] {
    return [shared, allowedStyles];
  }
  readonly #allowed: Signal<Allowed | undefined> = signal(undefined);
  /** Why the list could not be read. */
  readonly #failed: Signal<{ readonly error: unknown } | undefined> = signal(undefined);
  readonly #said: Signal<ActionResult | undefined> = signal(undefined);
  /** The grant that was taken back last, until the next action here. */
  readonly #takenBack: Signal<Grant | undefined> = signal(undefined);
  /** The source that a person is asked about. */
  readonly #clearing: Signal<string | undefined> = signal(undefined);
  #reads = 0;
  #stop: (() => void) | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    const { catalogue } = this.store;
    void catalogue.refresh();
    // a grant that is given, revoked or answered anywhere in the page
    this.#stop = effect(() => {
      void [catalogue.grants.value, catalogue.standing.value];
      untracked(() => void this.#read());
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
  }

  async #read(): Promise<void> {
    this.#reads += 1;
    const read = this.#reads;
    try {
      const allowed = await this.store.runtime.grants.allowed();
      if (read !== this.#reads) return;
      this.#allowed.value = allowed;
      this.#failed.value = undefined;
    } catch (error) {
      if (read === this.#reads) this.#failed.value = { error };
    }
  }

  protected override view(): TemplateResult {
    const { allowed: texts } = capabilities();
    const allowed = this.#allowed.value;
    const said = this.#said.value;
    return html`<article aria-labelledby="title">
      <h1 id="title">${texts.title}</h1>
      <p>${texts.what}</p>
      ${this.#failed.value === undefined ? '' : this.#trouble(this.#failed.value.error)}
      ${allowed === undefined ? (this.#failed.value === undefined ? html`<p class="soft" role="status">${texts.reading}</p>` : '') : this.#list(allowed)}
      <p class="said ${said?.bad === true ? 'bad' : 'good'}" role="status">${said?.text() ?? ''}</p>
      ${this.#takenBack.value === undefined ? '' : this.#undo(this.#takenBack.value)}
      ${allowed === undefined || allowed.sources.length === 0 ? '' : this.#sources(allowed.sources)}
    </article>`;
  }

  #trouble(error: unknown): TemplateResult {
    const { allowed: texts } = capabilities();
    return html`<p class="bad" role="alert">${texts.failed}${whyText(error)}</p>
      <p><button type="button" id="retry" @click=${() => void this.#read()}>${texts.retry}</button></p>`;
  }

  #list({ rows, since, isCut }: Allowed): TemplateResult {
    const { allowed: texts } = capabilities();
    const unused = rows.filter(({ isUnused }) => isUnused).length;
    return html`<p class="soft">${since === undefined ? texts.noUses : texts.since(since, isCut === true)}${unused === 0 ? '' : ` ${texts.unusedOf(unused)}`}</p>
      ${
        rows.length === 0
          ? html`<p class="none">${icon('barrier')}<span>${texts.none}</span></p>`
          : html`<ul aria-label=${texts.label}>${rows.map((row, nth) => this.#row(row, nth))}</ul>`
      }`;
  }

  #row(row: AllowedRow, nth: number): TemplateResult {
    const { grants, names, by, isUnused, uses, last, runCount } = row;
    const { allowed: texts, grants: terms } = capabilities();
    const face = MODES[strictestOf(grants) ?? 'ask'];
    const [grant] = grants;
    const limits = grant === undefined ? [] : termWords(grant);
    const exactly = grant?.args_hash === undefined ? [] : [terms.exactly];
    const take = (): void => void this.#takeBack(row, nth);
    return html`<li>
      <div class="what">
        <p class="names"><span class=${face.tone}>${icon(face.icon)}</span>${names.slice(0, NAMES_MAX).map((name) => html`${this.#name(name)} `)}
          ${names.length > NAMES_MAX ? html`<span class="soft">${texts.more(names.length - NAMES_MAX)}</span>` : ''}
          <strong>${face.word}</strong>
          ${isUnused ? html`<span class="badge wait">${texts.unused}</span>` : ''}</p>
        <p>${texts.by[by]}${this.#question(row)}${[...limits, ...exactly].map((term) => html` <span class="soft">· ${term}</span>`)}</p>
        <p class="soft">${last === undefined ? texts.never : texts.used(uses, runCount, last)}</p>
        ${this.#more(row)}
      </div>
      <button type="button" class="back" aria-label=${`${texts.takeBack}: ${visibleText(names.join(', '))}`} @click=${take}>${texts.takeBack}</button>
    </li>`;
  }

  /** A capability of the catalogue is opened there. A power has no page. */
  #name(name: string): TemplateResult {
    const { catalogue, place } = this.store;
    if (catalogue.rows.value?.some((row) => row.name === name) !== true)
      return html`<span class="mono">${shown(name)}</span>`;
    const open = (): void => {
      place.capability.value = name;
      place.part.value = 'catalogue';
    };
    return html`<button type="button" class="plain link mono" @click=${open}>${shown(name)}</button>`;
  }

  #question({ question, grants: [grant] }: AllowedRow): TemplateResult | string {
    const { allowed: texts } = capabilities();
    const run = question?.run_id ?? grant?.run;
    if (run === undefined) return '';
    return html`: <button type="button" class="plain link" @click=${() => void this.#open(run, question?.step)}>${texts.question(run.slice(0, 8), question?.step)}</button>`;
  }

  /** Long lists of a row, for a person who asks: the names of a watch, the runs, the schema of the arguments. */
  #more({ names, runs, runCount, grants: [grant] }: AllowedRow): TemplateResult | string {
    const { allowed: texts, grants: terms } = capabilities();
    const where = grant?.where;
    const isMany = names.length > NAMES_MAX;
    if (runs.length === 0 && where === undefined && !isMany) return '';
    return html`<details><summary>${runs.length === 0 ? texts.details : texts.runs(runCount)}</summary>
      ${isMany ? html`<p>${names.slice(NAMES_MAX).map((name) => html`${this.#name(name)} `)}</p>` : ''}
      ${runs.length === 0 ? '' : html`<p>${runs.map((run) => html`<button type="button" class="plain link mono" aria-label=${texts.openRun(run.slice(0, 8))} @click=${() => void this.#open(run)}>${run.slice(0, 8)}</button> `)}${runCount > runs.length ? html`<span class="soft">${texts.newest(runs.length)}</span>` : ''}</p>`}
      ${where === undefined ? '' : html`<sp-json .text=${JSON.stringify(where)} label=${terms.whereSchema}></sp-json>`}
    </details>`;
  }

  /** Shows a run, at the first record of a step. */
  async #open(run: string, step?: number): Promise<void> {
    const { store } = this;
    if (store.session.peek()?.id !== run) await store.openRun(run);
    const session = store.session.peek();
    // it is not on this device any more, and the page says so
    if (session?.id !== run) return;
    const record = step === undefined ? undefined : session.records.peek().find((each) => stepOf(each) === step);
    store.view.value = 'run';
    store.column.value = 'timeline';
    if (record !== undefined) store.selection.select(record.run_seq);
  }

  async #takeBack({ id, grants, by }: AllowedRow, nth: number): Promise<void> {
    const isGone = await this.#do(
      () => capabilities().allowed.takenBack,
      () => this.store.catalogue.revoke(id),
    );
    if (!isGone) return;
    // A standing answer belongs to its question, and a watch that goes on would have another end.
    this.#takenBack.value = by === 'answer' || by === 'watch' ? undefined : grants[0];
    await this.#refocus(nth);
  }

  /** The pressed button has gone: the focus goes to the button at its place, or the last one, or the way to undo it. */
  async #refocus(nth: number): Promise<void> {
    await this.#read();
    await this.updateComplete;
    if (inFocus() !== document.body) return;
    const left = this.renderRoot.querySelectorAll<HTMLElement>('.back');
    const next = left[Math.min(nth, left.length - 1)] ?? this.renderRoot.querySelector<HTMLElement>('#undo');
    next?.focus();
  }

  #undo(grant: Grant): TemplateResult {
    const again = async (): Promise<void> => {
      const isGiven = await this.#do(
        () => capabilities().allowed.givenAgain,
        () => this.store.catalogue.giveAgain(grant),
      );
      if (isGiven) await this.#refocus(Number.POSITIVE_INFINITY);
    };
    return html`<p><button type="button" id="undo" @click=${() => void again()}>${icon('reply')}${capabilities().allowed.giveAgain(grant.capability)}</button></p>`;
  }

  #sources(sources: readonly HeldSource[]): TemplateResult {
    const { sources: texts } = capabilities().allowed;
    return html`<section id="sources"><h2>${texts.title}</h2>
      <p class="soft">${texts.what}</p>
      <ul aria-label=${texts.title}>${sources.map((source) => this.#source(source))}</ul>
    </section>`;
  }

  #source({ source, labels, held }: HeldSource): TemplateResult {
    const { sources: texts } = capabilities().allowed;
    const asked = this.#clearing.value === source;
    const word = asked ? texts.clearNow : texts.clear;
    const press = (): void => {
      this.#clearing.value = asked ? undefined : source;
      if (asked) void this.#clear(source);
    };
    return html`<li>
      <div class="what">
        <p class="names"><bdi class="mono">${shown(source)}</bdi>${labels.map((label) => html`<span class="badge label">${icon(label === 'private' ? 'lock' : 'eye')}${labelWord(label)}</span>`)}</p>
        ${held ? html`<p class="soft">${texts.store}</p>` : ''}
      </div>
      <button type="button" class="clear" aria-label=${`${word}: ${visibleText(source)}`} @click=${press}>${word}</button>
    </li>`;
  }

  async #clear(source: string): Promise<void> {
    const isGone = await this.#do(
      () => capabilities().allowed.sources.cleared,
      () => this.store.runtime.held.clear(source),
    );
    if (!isGone) return;
    await this.#read();
    await this.updateComplete;
    if (inFocus() === document.body) this.renderRoot.querySelector<HTMLElement>('.clear, .back')?.focus();
  }

  async #do(done: () => string, act: () => Promise<void>): Promise<boolean> {
    this.#takenBack.value = undefined;
    try {
      await act();
      this.#said.value = { bad: false, text: done };
      return true;
    } catch (error) {
      this.#said.value = { bad: true, text: () => html`${capabilities().allowed.notDone}${whyText(error)}` };
      return false;
    }
  }
}

const allowedStyles: CSSResult = css`
  :host {
    height: 100%;
    container-type: inline-size;
    overflow-y: auto;
  }
  article {
    display: grid;
    gap: 0.75rem;
    align-content: start;
    max-width: 62rem;
    margin: 0.75rem;
    padding: 1.25rem 1.5rem 2rem;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--panel);
  }
  article > * {
    min-width: 0;
  }
  h1 {
    font-size: 1.25rem;
    font-weight: 650;
  }
  .none {
    display: flex;
    gap: 0.5rem;
    color: var(--soft);
  }
  li {
    display: flex;
    flex-wrap: wrap;
    align-items: flex-start;
    gap: 0.5rem 1rem;
    padding: 0.75rem 0;
    border-top: 1px solid var(--line);
  }
  .what {
    display: grid;
    flex: 1 1 16rem;
    gap: 0.125rem;
    min-width: 0;
    overflow-wrap: anywhere;
  }
  .names {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 0.5rem;
  }
  .names > span:first-child:not(.mono) {
    display: inline-flex;
  }
  .link {
    display: inline;
    min-height: 0;
    padding: 0.125rem 0.25rem;
    color: var(--accent);
    text-align: left;
    text-decoration: underline;
    white-space: normal;
  }
  .names .link {
    font-weight: 650;
  }
  .badge.label {
    border-color: var(--edge);
    font-weight: 400;
  }
  .said:empty {
    display: none;
  }
  summary {
    font-weight: 400;
  }
  details .link {
    padding: 0.375rem 0.5rem;
  }
  #sources {
    margin-top: 0.75rem;
  }
  @media (pointer: coarse) {
    .link {
      padding-block: 0.5rem;
    }
  }
  @container (max-width: 47rem) {
    article {
      margin: 0;
      padding: 1rem;
      border-width: 0 0 1px;
      border-radius: 0;
    }
  }
`;

customElements.define('sp-allowed', AllowedView);
