import { type CSSResult, html, type TemplateResult } from 'lit';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { saveFile } from '../parts/save-file.ts';
import { piecesOf } from './evidence-files.ts';
import { zipOf } from './evidence-zip.ts';
import { learnStyles } from './learn-style.ts';
import { LESSONS } from './lessons/index.ts';
import type { Lesson } from './lessons/lesson.ts';
import { NOT_BEGUN, openProgress, type Progress } from './progress.ts';
import './lesson-view.ts';
import { count } from '../parts/text.ts';
import { View } from '../parts/view.ts';

let opened: Progress | undefined;

function progress(): Progress {
  opened ??= openProgress();
  return opened;
}

/** Thirteen lessons, done with the real thing; the ledger says which are done. */
export class Learn extends View {
  static override styles: CSSResult[] = [shared, learnStyles];

  protected override view(): TemplateResult {
    const lesson = LESSONS.find(({ number }) => number === this.store.place.lesson.value);
    if (lesson !== undefined)
      return html`<sp-lesson .store=${this.store} .progress=${progress()} .lesson=${lesson}></sp-lesson>`;
    const done = LESSONS.filter((each) => this.#tasks(each) === each.tasks.length).length;
    const next = LESSONS.find((each) => this.#tasks(each) < each.tasks.length) ?? LESSONS[0];
    return html`<div class="learn">
      <header>
        <h1>Learn</h1>
        <p>Thirteen lessons of a few minutes. In each you first guess what will happen, then try it with the real gates, the real sandbox and a real ledger, and then read the answer. The ledger ticks off what you have done, and you can save it as evidence.</p>
        <p class="act"><button type="button" class="primary" @click=${() => this.#open(next)}>${icon('play')}${done === 0 ? 'Begin' : done === LESSONS.length ? 'Once more' : 'Go on'}</button>
          <span class="soft" role="status">${done} of ${LESSONS.length} done on this device</span>
          ${this.#keeping()}</p>
      </header>
      <ol>${LESSONS.map((each) => this.#card(each))}</ol>
    </div>`;
  }

  #keeping(): TemplateResult | string {
    const pieces = piecesOf(progress().lessons.value);
    if (pieces.length === 0) return '';
    const save = async (): Promise<void> => saveFile('lessons.evidence.zip', await zipOf(pieces), 'application/zip');
    return html`<span class="space"></span>
      <button type="button" id="evidence" class="plain" title="“sallyport verify --lesson N” says what they show" @click=${() => void save()}>${icon('download')}Save all evidence, ${count(pieces.length, 'run')}</button>
      <button type="button" class="plain" @click=${() => progress().clear()}>Forget my progress</button>`;
  }

  #card(lesson: Lesson): TemplateResult {
    const done = this.#tasks(lesson);
    const all = lesson.tasks.length;
    const state = done === all ? 'done' : done > 0 ? `${done} of ${all} tasks` : `${lesson.minutes} minutes`;
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

customElements.define('sp-learn', Learn);
