import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, html, type TemplateResult } from 'lit';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { byteSize } from '../../texts/amounts.ts';
import { models } from '../../texts/en/models.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { deviceModelsOf } from './device-models.ts';
import type { GgufModels, GgufTask } from './gguf-model.ts';
import { hasGpu, threadsHere } from './gguf-model.ts';
import { modelsStyles } from './models-style.ts';

/** The GGUF files of this device: a person picks or drops one, loads it, and removes it. */
export class GgufPanel extends View {
  static override styles: CSSResult[] = [shared, modelsStyles];
  readonly #over: Signal<boolean> = signal(false);
  /** Undefined until the browser has answered. */
  readonly #hasGpu: Signal<boolean | undefined> = signal(undefined);

  get #models(): GgufModels {
    return deviceModelsOf(this.store).gguf;
  }

  protected override view(): TemplateResult {
    const { files, task, trouble, lacksEngine } = this.#models;
    const { gguf: texts } = models();
    if (lacksEngine.value) return html`<p class="soft">${texts.noEngineHere}</p>`;
    return html`
      ${files.value.length === 0 ? '' : html`<ul class="files" aria-label=${texts.label}>${files.value.map((file) => this.#row(file))}</ul>`}
      ${task.value === undefined ? this.#drop() : this.#under(task.value)}
      <p role="status" class="bad">${trouble.value === undefined ? '' : html`${icon('cross')}<span>${shown(trouble.value)}</span>`}</p>
      <p class="soft">${hereText(this.#hasGpu.value)}</p>`;
  }

  protected override firstUpdated(): void {
    void this.#models.look();
    void this.#models.restore();
    void hasGpu().then((has) => void (this.#hasGpu.value = has));
  }

  #row(file: File): TemplateResult {
    const { asked, task, load } = this.#models;
    const busy = task.value !== undefined;
    const { gguf: texts } = models();
    const loaded = this.store.models.opened.value.gguf?.name === file.name;
    return html`<li>
      <span class="name"><span class="mono">${shown(file.name)}</span> <span class="soft">${byteSize(file.size)}</span></span>
      ${loaded ? html`<span class="loaded good">${icon('check')}${texts.loaded}</span>` : html`<button type="button" class="small" aria-disabled=${busy} aria-label=${texts.loadNamed(file.name)} @click=${() => busy || void load(file)}>${icon('play')}${texts.load}</button>`}
      <button type="button" class="small" aria-disabled=${busy} aria-label=${texts.removeNamed(file.name)} @click=${() => busy || this.#ask(file.name)}>${texts.remove}</button>
      ${asked.value === file.name ? this.#question(file) : ''}
    </li>`;
  }

  #question({ name, size }: File): TemplateResult {
    const { gguf: texts } = models();
    return html`<div class="ask" role="group" aria-labelledby="gone">
      <p id="gone">${texts.removeQuestion(html`<span class="mono">${shown(name)}</span>`, byteSize(size))}</p>
      <div class="actions">
        <button type="button" class="small" id="leave" @click=${() => this.#ask(undefined)}>${texts.leave}</button>
        <button type="button" class="small bad" id="remove" @click=${() => void this.#models.remove(name)}>${texts.removeIt}</button>
      </div>
    </div>`;
  }

  #under({ word, share, stop }: GgufTask): TemplateResult {
    return html`<div class="under">
      <span>${shown(word)}…</span>
      <progress aria-label=${word} max="1" .value=${share ?? null}></progress>
      ${stop === undefined ? '' : html`<button type="button" class="small" id="stop" @click=${stop}>${icon('stop')}${models().cancel}</button>`}
    </div>`;
  }

  #drop(): TemplateResult {
    const { gguf: texts } = models();
    return html`<div
      class="drop ${this.#over.value ? 'over' : ''}"
      @dragover=${(event: DragEvent) => this.#hover(event)}
      @dragleave=${() => this.#leave()}
      @drop=${(event: DragEvent) => this.#dropped(event)}
    >
      <label class="file">${icon('open')}${texts.pick}<input type="file" accept=".gguf" @change=${(event: Event) => this.#picked(event)} /></label>
      <span class="soft">${texts.drop}</span>
    </div>`;
  }

  #hover(event: DragEvent): void {
    if (event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    this.#over.value = true;
  }

  #leave(): void {
    this.#over.value = false;
  }

  #dropped(event: DragEvent): void {
    event.preventDefault();
    this.#leave();
    this.#add(event.dataTransfer?.files[0]);
  }

  #picked(event: Event): void {
    const input = event.target as HTMLInputElement;
    this.#add(input.files?.[0]);
    input.value = '';
  }

  #add(file: File | undefined): void {
    if (file !== undefined) void this.#models.add(file);
  }

  #ask(name: string | undefined): void {
    this.#models.asked.value = name;
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>(name === undefined ? '.files button' : '#leave')?.focus(),
    );
  }
}

const THREADS = threadsHere();

/** How the engine computes on this device. */
function hereText(hasWebGpu: boolean | undefined): string {
  const { gguf: texts } = models();
  const sentences = [THREADS === 1 ? texts.oneThread : texts.threads(THREADS)];
  if (hasWebGpu !== undefined) sentences.push(hasWebGpu ? texts.withGpu : texts.withoutGpu);
  return [...sentences, texts.limit].join(' ');
}

customElements.define('sp-gguf', GgufPanel);
