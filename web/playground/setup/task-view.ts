import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, nothing, type TemplateResult } from 'lit';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { setup } from '../../texts/en/setup.ts';
import { galleryAsks } from '../parts/dialog-asks.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { goesOn, tasksOf } from '../run/tasks.ts';

/** Examples in sight; the others are in a list that a person opens. */
const EXAMPLES_SHOWN = 3;

/**
 * The tasks of the run, and the one field for the next task. The task begins a run, or goes on with a conversation that
 * was completed.
 */
class TaskView extends View {
  static override get styles(): CSSResult[] {
    return [shared, taskStyles];
  }
  /** The text in the field; undefined where the field shows the task of the next run. */
  readonly #typed: Signal<string | undefined> = signal(undefined);

  protected override view(): TemplateResult {
    const { session, mayChangeDialect, nextTask } = this.store;
    const own = session.value;
    const told = tasksOf(own);
    const mayChange = mayChangeDialect.value;
    // before its first step a model is asked in the field, which has the task
    const isInField = mayChange && this.#asksModel() && own?.run !== undefined && own.view.value?.end === undefined;
    // a run that is only read has the task of its own records
    const [task = own?.run === undefined && own !== undefined ? '' : nextTask.value, ...further] = told;
    const texts = setup();
    return html`<h2 id="title">${texts.task}</h2>
      ${isInField ? '' : html`<p>${task === '' ? html`<span class="soft">${texts.taskNotHere}</span>` : shown(task)}</p>`}
      ${further.map((text) => html`<p class="further"><span class="soft">${texts.then}</span> ${shown(text)}</p>`)}
      ${mayChange ? this.#field(isInField) : ''}
      <button type="button" class="plain start" id="gallery" @click=${() => void ((galleryAsks.value = true))}>${icon('arch')}${texts.otherScenario}</button>`;
  }

  /** A model proposes, and it can be asked now. */
  #asksModel(): boolean {
    const { chosen, models } = this.store;
    return chosen.value === 'model' && models.ready.value !== undefined;
  }

  #field(isAlone: boolean): TemplateResult {
    const mayGoOn = goesOn(this.store.session.value);
    const texts = setup();
    if (!mayGoOn && !this.#asksModel())
      return html`<details class="change"><summary>${texts.otherTask}</summary><label>${texts.modelIsAsked}${this.#text('')}</label></details>`;
    return html`<form @submit=${(event: Event) => this.#submit(event, mayGoOn)}>
      ${isAlone ? '' : html`<label for="task"><h3>${texts.otherTask}</h3></label>`}
      ${this.#examples(mayGoOn)}
      ${this.#text(mayGoOn ? (this.#known()[1] ?? texts.goOnExample) : '', isAlone)}
      <div class="actions">${this.#actions(mayGoOn)}</div>
      <p class="soft" id="task-hint">${mayGoOn ? texts.sameRun : texts.askHint}</p>
    </form>`;
  }

  /** The field. The title names it where it has no label of its own. */
  #text(example: string, isAlone = false): TemplateResult {
    const isEmptied = example !== '';
    const text = this.#typed.value ?? (isEmptied ? '' : this.store.nextTask.value);
    // a program may have filled the field without an event of input
    const leave = ({ target }: Event): void => {
      const { value } = target as HTMLTextAreaElement;
      if (value !== text) this.#type(value);
      whenReleased(() => this.#settle());
    };
    return html`<textarea id="task" rows="3" aria-labelledby=${isAlone ? 'title' : nothing} placeholder=${example} .value=${text} @input=${(event: Event) => this.#type((event.target as HTMLTextAreaElement).value)} @change=${leave} @blur=${leave}></textarea>`;
  }

  /** Both buttons take the text: a model is asked in a run of its own, a conversation goes on in its run. */
  #actions(mayGoOn: boolean): TemplateResult {
    const { ask, goOn, inNewRun } = setup();
    const begin = (): void => this.#begin();
    const asks = this.#asksModel();
    if (!mayGoOn) return html`<button type="submit" id="ask" class="primary">${icon('run')}${ask}</button>`;
    return html`<button type="submit" id="go-on">${icon('reply')}${goOn}</button>
      <button type="button" id=${asks ? 'ask' : 'begin'} class="plain" @click=${begin}>${icon(asks ? 'run' : 'plus')}${inNewRun}</button>`;
  }

  /** Tasks that the model knows, where it knows only some. */
  #known(): readonly string[] {
    const { chosen, models } = this.store;
    return (chosen.value === 'model' && models.ready.value?.examples) || [];
  }

  #examples(mayGoOn: boolean): TemplateResult | string {
    const examples = this.#known();
    if (examples.length === 0) return '';
    const texts = setup();
    const list = (some: readonly string[]): TemplateResult =>
      html`<div class="examples">${some.map((task) => html`<button type="button" lang="en" @click=${() => this.#take(task)}>${task}</button>`)}</div>`;
    // after a first answer its words need the room
    if (mayGoOn) return html`<details class="change"><summary>${texts.itKnows}</summary>${list(examples)}</details>`;
    const rest = examples.slice(EXAMPLES_SHOWN);
    return html`<p class="soft">${texts.itKnows}</p>${list(examples.slice(0, EXAMPLES_SHOWN))}
      <details class="change"><summary>${texts.moreExamples(rest.length)}</summary>${list(rest)}</details>`;
  }

  #take(task: string): void {
    this.#type(task);
    this.renderRoot.querySelector<HTMLElement>('[type=submit]')?.focus();
  }

  /** The next run has the task as soon as it is typed, but not a conversation that may go on. */
  #type(text: string): void {
    this.#typed.value = text;
    const { session, edits, setup: chosen, nextTask } = this.store;
    const task = text.trim();
    if (!goesOn(session.peek())) edits.hold({ ...chosen.peek(), task: task === '' ? nextTask.peek() : task });
  }

  /** A field may hand over its text without a change event, when a program has filled it. */
  #settle(): void {
    const { session, edits, nextTask } = this.store;
    const typed = this.#typed.peek()?.trim();
    if (typed === undefined || goesOn(session.peek())) return;
    if (typed !== nextTask.peek()) edits.settle();
    this.#typed.value = undefined;
  }

  #submit(event: Event, mayGoOn: boolean): void {
    event.preventDefault();
    if (!mayGoOn) return this.#begin();
    const task = this.#typed.peek()?.trim() ?? '';
    this.#typed.value = undefined;
    if (task !== '') this.store.say(task);
  }

  /** A run of its own with the task: a model begins at once, and another proposer waits for the first step. */
  #begin(): void {
    const { setup: chosen, edits, nextTask, ask, arrange, startRun } = this.store;
    const task = this.#typed.peek()?.trim() || nextTask.peek();
    this.#typed.value = undefined;
    edits.drop();
    if (this.#asksModel()) return ask(task);
    arrange({ ...chosen.peek(), task });
    startRun();
  }
}

/**
 * Calls `act` at once, or after the click under way: a change of the page must not move a button from under a pointer.
 */
export function whenReleased(act: () => void): void {
  if (isDown) release.push(act);
  else act();
}

let isDown = false;
const release: (() => void)[] = [];

function lift(): void {
  isDown = false;
  // the click of this press comes after its release, and its target must still be in place
  setTimeout(() => release.splice(0).forEach((act) => act()));
}

if (typeof addEventListener === 'function') {
  addEventListener('pointerdown', () => void (isDown = true), { capture: true });
  for (const name of ['pointerup', 'pointercancel']) addEventListener(name, lift, { capture: true });
}

const taskStyles: CSSResult = css`
  h2 {
    margin-bottom: 0.375rem;
  }
  .start {
    margin: 0.25rem 0 0 -0.875rem;
    white-space: normal;
    text-align: left;
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
  form {
    display: grid;
    gap: 0.375rem;
  }
  p + form {
    margin-top: 0.75rem;
  }
  textarea {
    min-height: 4.5rem;
    font-family: inherit;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
  }
  .examples {
    display: flex;
    flex-wrap: wrap;
    gap: 0.375rem;
  }
  details .examples {
    margin-top: 0.375rem;
  }
  .examples button {
    min-height: 2rem;
    padding: 0.25rem 0.625rem;
    white-space: normal;
    text-align: start;
  }
  @media (pointer: coarse) {
    .examples button {
      min-height: 2.75rem;
    }
  }
`;

customElements.define('sp-task', TaskView);
