import { type CSSResult, html, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { learn } from '../../texts/en/learn.ts';
import { saveFile } from '../parts/save-file.ts';
import type { Lesson, Task } from './lessons/lesson.ts';
import type { LessonProgress, Progress } from './progress.ts';
import { NOT_BEGUN } from './progress.ts';
import './bench.ts';
import { View } from '../parts/view.ts';
import { lessonStyles } from './lesson-style.ts';

const LAST = 13;

/** A lesson: the guess first, then the tasks, then the reason why it matters. */
export class LessonView extends View {
  static override properties: PropertyDeclarations = {
    progress: { attribute: false },
    lesson: { attribute: false },
  };
  static override styles: CSSResult[] = [shared, lessonStyles];
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
    const save = (): void =>
      files.forEach((file, i) => saveFile(`lesson-${this.lesson.number}${i === 0 ? '' : `.${i + 1}`}.run.jsonl`, file));
    return html`<section class="solved" role="status">
      <h2>${icon('seal')}${texts.solved}</h2>
      <p>${this.lesson.why}</p>
      <p class="act"><button type="button" id="evidence" @click=${save}>${icon('download')}${texts.save}</button>
        <span class="soft">${texts.evidence(files.length, this.lesson.number)}</span></p>
    </section>`;
  }

  #go(number: number | undefined): void {
    if (number !== undefined && (number < 1 || number > LAST)) return;
    this.store.place.lesson.value = number;
  }
}

customElements.define('sp-lesson', LessonView);
