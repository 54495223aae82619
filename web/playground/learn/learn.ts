import './lesson-view.ts';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { learn } from '../../texts/en/learn.ts';
import { loading } from '../parts/loading.ts';
import { View } from '../parts/view.ts';
import { evidencePieces, saveAllEvidence } from './evidence.ts';
import { LESSONS } from './lessons/index.ts';
import type { Lesson } from './lessons/lesson.ts';
import { NOT_BEGUN, openProgress, type Progress } from './progress.ts';

let opened: Progress | undefined;

function progress(): Progress {
  opened ??= openProgress();
  return opened;
}

/** Lessons, done with the real thing; the ledger says which are done. */
export class Learn extends View {
  static override get styles(): CSSResult[] {
    return [shared, learnStyles];
  }

  protected override view(): TemplateResult {
    const texts = learn();
    const { isClass } = this.store.place;
    if (isClass.value)
      return html`<sp-class .store=${this.store}>${loading('class', () => import('./class/class-view.ts'))}</sp-class>`;
    const lesson = LESSONS.find(({ number }) => number === this.store.place.lesson.value);
    if (lesson !== undefined)
      return html`<sp-lesson .store=${this.store} .progress=${progress()} .lesson=${lesson}></sp-lesson>`;
    const done = LESSONS.filter((each) => this.#tasks(each) === each.tasks.length).length;
    const next = LESSONS.find((each) => this.#tasks(each) < each.tasks.length) ?? LESSONS[0];
    return html`<div class="learn">
      <header>
        <h1>${texts.title}</h1>
        <p>${texts.lead}</p>
        <p class="act"><button type="button" class="primary" @click=${() => this.#open(next)}>${icon('play')}${done === 0 ? texts.begin : done === LESSONS.length ? texts.onceMore : texts.goOn}</button>
          <span class="soft" role="status">${texts.doneHere(done, LESSONS.length)}</span>
          <button type="button" class="plain" id="class" @click=${() => void ((isClass.value = true))}>${icon('column')}${texts.myClass.title}</button>
          ${this.#keeping()}</p>
      </header>
      <ol>${LESSONS.map((each) => this.#card(each))}</ol>
    </div>`;
  }

  #keeping(): TemplateResult | string {
    const pieces = evidencePieces(progress().lessons.value);
    if (progress().mayRestore.value)
      return html`<span class="space"></span>
        <span class="soft">${learn().forgotten}</span>
        <button type="button" id="undo" @click=${() => progress().restore()}>${icon('reply')}${learn().undo}</button>`;
    if (pieces.length === 0) return '';
    const texts = learn();
    const save = (): Promise<void> => saveAllEvidence(progress().lessons.peek());
    return html`<span class="space"></span>
      <button type="button" id="evidence" class="plain" title=${texts.whatEvidenceSays} @click=${() => void save()}>${icon('download')}${texts.saveAll(pieces.length)}</button>
      <button type="button" class="plain" @click=${() => progress().clear()}>${texts.forget}</button>`;
  }

  #card(lesson: Lesson): TemplateResult {
    const texts = learn();
    const done = this.#tasks(lesson);
    const all = lesson.tasks.length;
    const state = done === all ? texts.done : done > 0 ? texts.someTasks(done, all) : texts.minutes(lesson.minutes);
    return html`<li><button type="button" class=${done === all ? 'done' : ''} @click=${() => this.#open(lesson)}>
      <span class="number">${done === all ? icon('check') : lesson.number}</span>
      <span class="what"><strong>${lesson.title}</strong><span class="goal">${firstSentence(lesson.goal)}</span><span class="soft">${state}</span></span>
    </button></li>`;
  }

  #tasks({ number }: Lesson): number {
    return (progress().lessons.value.get(number) ?? NOT_BEGUN).done.length;
  }

  #open(lesson: Lesson | undefined): void {
    this.store.place.lesson.value = lesson?.number;
  }
}

/** A card shows the goal, not the instructions. */
function firstSentence(text: string): string {
  return /^.*?[.:](?= |$)/u.exec(text)?.[0].replace(/:$/u, '.') ?? text;
}

const learnStyles: CSSResult = css`
  :host {
    height: 100%;
    overflow-y: auto;
    container-type: inline-size;
  }
  .learn {
    max-width: 68rem;
    margin: 0 auto;
    padding: 2rem 1.25rem 3rem;
  }
  header {
    display: grid;
    gap: 0.75rem;
    margin-bottom: 1.75rem;
  }
  header > p:not(.act) {
    max-width: 46rem;
  }
  .space {
    flex: 1;
  }
  h1 {
    font-size: 1.75rem;
    font-weight: 700;
    letter-spacing: -0.02em;
  }
  .act {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 1rem;
  }
  ol {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(19rem, 100%), 1fr));
    gap: 0.75rem;
  }
  li button {
    align-items: start;
    justify-content: start;
    gap: 1rem;
    width: 100%;
    height: 100%;
    padding: 0.875rem 1rem;
    border-color: var(--line);
    border-radius: var(--radius);
    background: var(--panel);
    text-align: left;
    white-space: normal;
  }
  .number {
    flex: none;
    display: grid;
    place-items: center;
    width: 2.5rem;
    height: 2.5rem;
    border: 2px solid var(--edge);
    border-radius: 50%;
    font-weight: 700;
    font-variant-numeric: tabular-nums;
  }
  .done .number {
    border-color: var(--good);
    background: var(--good-wash);
    color: var(--good);
  }
  .what {
    display: grid;
    gap: 0.125rem;
  }
  .goal {
    margin-bottom: 0.25rem;
  }
  @media print {
    :host {
      height: auto;
      overflow: visible;
    }
  }
`;

customElements.define('sp-learn', Learn);
