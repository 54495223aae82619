import './bench.ts';
import { type CSSResult, css, html, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { learn } from '../../texts/en/learn.ts';
import { saveFile } from '../parts/save-file.ts';
import { View } from '../parts/view.ts';
import { evidenceName, evidencePieces, saveAllEvidence } from './evidence.ts';
import { LESSONS } from './lessons/index.ts';
import type { Lesson, Task } from './lessons/lesson.ts';
import { type LessonProgress, NOT_BEGUN, type Progress } from './progress.ts';

const LAST = LESSONS.length;

/** A lesson: the guess first, then the tasks, then the reason why it matters. */
export class LessonView extends View {
  static override properties: PropertyDeclarations = {
    progress: { attribute: false },
    lesson: { attribute: false },
  };
  static override get styles(): CSSResult[] {
    return [shared, lessonStyles];
  }
  declare progress: Progress;
  declare lesson: Lesson;

  protected override view(): TemplateResult {
    const { lesson } = this;
    const { lesson: texts } = learn();
    const { themes } = this.store;
    const own = this.progress.lessons.value.get(lesson.number) ?? NOT_BEGUN;
    const solved = own.done.length === lesson.tasks.length;
    return html`<div class="lesson">
      <nav class="way" aria-label=${texts.way}>
        <button type="button" class="plain" @click=${() => this.#go(undefined)}>${icon('list')}${texts.all}</button>
        <span class="soft">${texts.place(lesson.number, LAST)}</span>
        <span class="space"></span>
        <button type="button" class="plain" aria-pressed=${themes.projector.value} @click=${() => themes.project()}>${icon('eye')}${texts.projector}</button>
        <button type="button" class="plain" aria-disabled=${lesson.number === 1} @click=${() => this.#go(lesson.number - 1)}>${texts.previous}</button>
        <button type="button" id="next" class=${solved ? 'primary' : ''} aria-disabled=${lesson.number === LAST} @click=${() => this.#go(lesson.number + 1)}>${texts.next}${icon('chevron')}</button>
      </nav>
      <div class="columns">
        <section class="pane" aria-label=${texts.label}>
          <h1>${lesson.title}</h1>
          <p class="goal">${lesson.goal}</p>
          ${this.#prediction(own)} ${this.#tasks(own)}
          ${solved ? this.#solved(own) : ''}
        </section>
        <section class="pane turn" aria-label=${texts.turn}>
          <sp-bench .store=${this.store} .progress=${this.progress} .lesson=${lesson} .held=${own.predicted === undefined}></sp-bench>
        </section>
      </div>
    </div>`;
  }

  protected override updated(changed: PropertyValues<this>): void {
    super.updated(changed);
    this.store.place.title.value = this.lesson.title;
  }

  #prediction({ predicted, done }: LessonProgress): TemplateResult {
    const { lesson: texts } = learn();
    const { question, answers, right, because } = this.lesson.predict;
    const guessed = predicted !== undefined;
    // the answer comes after the experiment, not in its place
    const told = guessed && done.length === this.lesson.tasks.length;
    return html`<fieldset class="predict">
      <legend>${texts.expect}</legend>
      <p>${question}</p>
      ${answers.map(
        (answer, i) => html`<label class=${told && i === right ? 'right' : ''}>
          <input type="radio" name="predict" value=${i} .checked=${predicted === i} ?disabled=${guessed} @change=${() => this.#guess(i)} />
          <span>${answer}</span>${told && i === right ? icon('check') : ''}${told && i === predicted && i !== right ? html`<span class="soft">${texts.yourGuess}</span>` : ''}
        </label>`,
      )}
      <p role="status">${told ? html`<strong>${predicted === right ? texts.right : texts.wrong(answers[right] ?? '')}</strong> ${because}` : guessed ? texts.guessed : ''}</p>
    </fieldset>`;
  }

  /** Where the page is a single column, the next task is below the fold. */
  #guess(predicted: number): void {
    this.progress.change(this.lesson.number, { predicted });
    void this.#toTurn();
  }

  async #toTurn(): Promise<void> {
    await this.updateComplete;
    const turn = this.renderRoot.querySelector('.turn');
    if (turn !== null && turn.getBoundingClientRect().top > innerHeight * 0.75) turn.scrollIntoView();
  }

  #tasks({ done }: LessonProgress): TemplateResult {
    return html`<section>
      <h2>${learn().lesson.tasks}</h2>
      <ol class="tasks">${this.lesson.tasks.map((task, i) => this.#task(task, done.includes(i)))}</ol>
    </section>`;
  }

  #task({ say, hint }: Task, done: boolean): TemplateResult {
    const { lesson: texts } = learn();
    return html`<li class=${done ? 'done' : ''}>
      <span class="mark">${icon(done ? 'check' : 'dot')}</span>
      <div><p>${say}<span class="unseen">${done ? texts.taskDone : texts.taskOpen}</span></p>${done ? '' : html`<details><summary>${texts.hint}</summary><p class="soft">${hint}</p></details>`}</div>
    </li>`;
  }

  #solved({ evidence }: LessonProgress): TemplateResult {
    const { lesson: texts } = learn();
    const files = Object.values(evidence);
    const save = (): void => files.forEach((file, i) => saveFile(evidenceName(this.lesson.number, i), file));
    return html`<section class="solved" role="status">
      <h2>${icon('seal')}${texts.solved}</h2>
      <p>${this.lesson.why}</p>
      <p class="act"><button type="button" id="evidence" @click=${save}>${icon('download')}${texts.save}</button>
        <span class="soft">${texts.evidence(files.length, this.lesson.number)}</span></p>
      ${this.lesson.number === LAST ? this.#end() : ''}
    </section>`;
  }

  /** The end of the course: a learner hands in the evidence of all lessons. */
  #end(): TemplateResult {
    const { lessons } = this.progress;
    const done = LESSONS.filter(({ number, tasks }) => lessons.value.get(number)?.done.length === tasks.length).length;
    const runs = evidencePieces(lessons.value).length;
    return html`<p class="end">${learn().lesson.last(done, LAST)}</p>
      <p class="act"><button type="button" id="all-evidence" class="primary" @click=${() => void saveAllEvidence(lessons.peek())}>${icon('download')}${learn().saveAll(runs)}</button></p>`;
  }

  #go(number: number | undefined): void {
    if (number !== undefined && (number < 1 || number > LAST)) return;
    this.store.place.lesson.value = number;
  }
}

const lessonStyles: CSSResult = css`
  :host {
    height: 100%;
    container-type: inline-size;
  }
  .lesson {
    display: flex;
    flex-direction: column;
    height: 100%;
  }
  .way {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 0.75rem;
    padding: 0.5rem 0.75rem;
    border-bottom: 1px solid var(--line);
    background: var(--panel);
  }
  .space {
    flex: 1;
  }
  .columns {
    flex: 1;
    min-height: 0;
    display: grid;
    grid-template-columns: minmax(0, 2fr) minmax(0, 3fr);
    gap: 0.75rem;
    padding: 0.75rem;
  }
  .pane {
    min-height: 0;
    overflow-y: auto;
    padding: 1.25rem 1.5rem 2rem;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--panel);
  }
  h1 {
    font-size: 1.5rem;
    font-weight: 700;
    letter-spacing: -0.015em;
  }
  .goal {
    margin-top: 0.5rem;
    font-size: 1.0625rem;
  }
  .predict {
    display: grid;
    gap: 0.25rem;
    min-width: 0;
    margin: 1.25rem 0 0;
    padding: 0.875rem 1rem;
    border: 1px solid var(--edge);
    border-radius: var(--radius);
  }
  .predict legend {
    padding: 0 0.375rem;
    font-weight: 650;
  }
  .predict label {
    display: flex;
    align-items: center;
    gap: 0.625rem;
    min-height: 2.25rem;
  }
  .predict input {
    flex: none;
    width: 1.25rem;
    min-height: 1.25rem;
    margin: 0;
    accent-color: var(--accent);
  }
  .predict .right {
    color: var(--good);
    font-weight: 650;
  }
  section > h2 {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    margin: 1.5rem 0 0.5rem;
    font-size: 1.0625rem;
  }
  .tasks {
    display: grid;
    gap: 0.625rem;
  }
  .tasks li {
    display: flex;
    gap: 0.75rem;
  }
  .tasks li div {
    flex: 1;
    min-width: 0;
  }
  .mark {
    flex: none;
    display: grid;
    place-items: center;
    width: 1.625rem;
    height: 1.625rem;
    border: 2px solid var(--edge);
    border-radius: 50%;
    color: var(--soft);
  }
  .mark svg {
    width: 1rem;
    height: 1rem;
  }
  .done .mark {
    border-color: var(--good);
    background: var(--good-wash);
    color: var(--good);
  }
  .tasks summary {
    min-height: 1.75rem;
    padding: 0.125rem 0;
    color: var(--soft);
    font-weight: 400;
  }
  .solved {
    margin-top: 1.5rem;
    padding: 0 1rem 1rem;
    border: 1px solid var(--good);
    border-radius: var(--radius);
    background: var(--good-wash);
  }
  .solved h2 {
    margin: 1rem 0 0.375rem;
    color: var(--good);
  }
  .act {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 0.75rem;
    margin-top: 0.75rem;
  }
  .end {
    margin-top: 1rem;
    padding-top: 0.75rem;
    border-top: 1px solid var(--line);
    font-weight: 650;
  }
  @container (max-width: 56rem) {
    .lesson {
      display: block;
      height: auto;
    }
    .columns {
      display: block;
      padding: 0;
    }
    .turn {
      scroll-margin-top: 40vh;
    }
    .pane {
      overflow: visible;
      padding: 1rem 1rem 1.5rem;
      border-width: 0 0 1px;
      border-radius: 0;
    }
  }
  /* On paper a lesson is a worksheet: the question, and circles to tick. */
  @media print {
    .way,
    .pane + .pane,
    .tasks details,
    .mark svg {
      display: none;
    }
    .lesson,
    .columns {
      display: block;
      height: auto;
      padding: 0;
    }
    .pane {
      padding: 0;
      border: 0;
    }
    .tasks li {
      break-inside: avoid;
      min-height: 4rem;
    }
  }
`;

customElements.define('sp-lesson', LessonView);
