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
import { learn } from '../../texts/en/learn.ts';
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
    const texts = learn();
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
          ${this.#keeping()}</p>
      </header>
      <ol>${LESSONS.map((each) => this.#card(each))}</ol>
    </div>`;
  }

  #keeping(): TemplateResult | string {
    const pieces = piecesOf(progress().lessons.value);
    if (progress().mayRestore.value)
      return html`<span class="space"></span>
        <span class="soft">${learn().forgotten}</span>
        <button type="button" id="undo" @click=${() => progress().restore()}>${icon('reply')}${learn().undo}</button>`;
    if (pieces.length === 0) return '';
    const texts = learn();
    const save = async (): Promise<void> => saveFile('lessons.evidence.zip', await zipOf(pieces), 'application/zip');
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

customElements.define('sp-learn', Learn);
