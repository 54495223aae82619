import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, nothing, type TemplateResult } from 'lit';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { corpusView } from '../../texts/en/corpus-view.ts';
import { typed } from '../parts/form-text.ts';
import { PageError, whyText } from '../parts/page-error.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import type { NoticeAction } from './content-copy.ts';
import { SELECTIONS } from './corpus.ts';
import { corpusStyles } from './corpus-style.ts';
import { type Job, secondsLeft, share } from './job.ts';
import { fromFiles, fromHandle, fromPickedFolder } from './sources/folder.ts';
import { type LeftFile, parseList, type Source } from './sources/source.ts';

/** Not every browser has it, and TypeScript's library does not know it yet. */
type Picking = { showDirectoryPicker?: () => Promise<FileSystemDirectoryHandle> };

/**
 * The sources of content (a folder, files, a zip, an address), the selection of files, and the progress of the import.
 */
export class CorpusSources extends View {
  static override styles: CSSResult[] = [
    shared,
    corpusStyles,
    css`
      .source {
        padding: 0.75rem 1rem;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--panel);
      }
      @container (max-width: 30rem) {
        .choices svg {
          display: none;
        }
        .choices button {
          padding-inline: 0.75rem;
        }
      }
      input[type='file'] {
        display: none;
      }
      progress {
        width: 100%;
        accent-color: var(--accent);
      }
      form {
        max-width: 46rem;
      }
      textarea {
        min-height: 6rem;
      }
      .left {
        max-width: 60rem;
        overflow-wrap: anywhere;
      }
      .left ul {
        max-height: 12rem;
        overflow-y: auto;
        margin: 0.25rem 0 0;
      }
    `,
  ];
  /** The last request, kept so that it can be corrected if it failed. */
  #asked: { readonly base: string; readonly paths: readonly string[] } = { base: '', paths: [] };
  /** The unfolded part of the form. */
  readonly #part: Signal<'address' | 'patterns' | undefined> = signal(undefined);

  protected override view(): TemplateResult {
    const { job, said } = this.store.corpus;
    const under = job.value;
    return html`<div class="source stack">
      ${under === undefined ? this.#choices() : this.#progress(under)}
      <p role="status" class=${said.value?.tone ?? ''} ?hidden=${said.value === undefined}>${said.value?.error === undefined ? shown(said.value?.text ?? '') : whyText(said.value.error)}</p>
      ${this.#left(said.value?.left ?? [])}
      ${said.value?.action === undefined ? '' : this.#action(said.value.action)}
    </div>`;
  }

  /** The files that an import left out, each with its reason. */
  #left(left: readonly LeftFile[]): TemplateResult | string {
    if (left.length === 0) return '';
    const { sources: texts } = corpusView();
    return html`<details class="left" open><summary>${texts.leftOut(left.length)}</summary>
      <ul>${left.slice(0, LEFT_SHOWN).map(({ path, why }) => html`<li><span class="mono">${shown(path)}</span>: ${shown(why())}</li>`)}</ul>
      ${left.length > LEFT_SHOWN ? html`<p class="soft">${texts.moreLeft(left.length - LEFT_SHOWN)}</p>` : ''}
    </details>`;
  }

  #action({ kind, act }: NoticeAction): TemplateResult {
    const { sources: texts } = corpusView();
    return html`<div class="row"><button type="button" id=${kind} @click=${() => void act()}>${icon(kind === 'replace' || kind === 'notes' ? 'plus' : 'reply')}${texts[kind]}</button></div>`;
  }

  #choices(): TemplateResult {
    const { overview } = this.store.corpus;
    const part = this.#part.value;
    const empty = overview.value?.files === 0;
    const { sources: texts } = corpusView();
    return html`<div class="row choices">
        <button type="button" id="folder" @click=${() => void this.#folder()}>${icon('open')}${texts.folder}</button>
        <button type="button" @click=${() => this.#pick('files')}>${icon('plus')}${texts.files}</button>
        <button type="button" aria-expanded=${part === 'address'} @click=${() => this.#fold('address')}>${icon('link')}${texts.address}</button>
        <button type="button" class=${empty ? 'primary' : ''} @click=${() => void this.#demo()}>${icon('arch')}${texts.demo}</button>
        <button type="button" class="plain" aria-expanded=${part === 'patterns'} @click=${() => this.#fold('patterns')}>${icon('gear')}${texts.patterns}</button>
        <input type="file" id="files" multiple aria-label=${texts.filesField} @change=${this.#onFiles} />
        <input type="file" id="directory" webkitdirectory aria-label=${texts.folderField} @change=${this.#onFolder} />
      </div>
      ${empty ? html`<p class="soft">${texts.drop}</p>` : ''}
      ${part === undefined ? '' : part === 'address' ? this.#form() : this.#patterns()}`;
  }

  #patterns(): TemplateResult {
    const { globs } = this.store.corpus;
    const type = (event: InputEvent): void => {
      globs.value = (event.target as HTMLTextAreaElement).value;
    };
    const { sources: texts } = corpusView();
    const chosen = NAMES.find((name) => SELECTIONS[name] === globs.value);
    const choose = (event: Event): void => {
      const name = (event.target as HTMLSelectElement).value as keyof typeof SELECTIONS | 'own';
      if (name !== 'own') globs.value = SELECTIONS[name];
    };
    const { selections } = texts;
    return html`<label><span>${texts.selection}</span>
        <select id="selection" @change=${choose}>
          ${NAMES.map((name) => html`<option value=${name} ?selected=${name === chosen}>${selections[name]}</option>`)}
          <option value="own" ?selected=${chosen === undefined}>${selections.own}</option>
        </select></label>
      <label><span>${texts.patternsField}</span>
        <textarea id="globs" spellcheck="false" .value=${globs.value} @input=${type}></textarea></label>
      <p class="soft">${texts.patternsHint()}</p>`;
  }

  #form(): TemplateResult {
    const { base, paths } = this.#asked;
    const { sources: texts } = corpusView();
    return html`<form class="stack" @submit=${this.#onAddress}>
      <label><span>${texts.base}</span><input id="base" name="base" required placeholder="https://example.org/docs/" .value=${base} /></label>
      <label><span>${texts.paths}</span><textarea id="paths" name="paths" required spellcheck="false" .value=${paths.join('\n')}></textarea></label>
      <div class="row"><button type="submit">${icon('download')}${texts.fetch}</button><span class="soft">${texts.reach}</span></div>
    </form>`;
  }

  #progress(job: Job): TemplateResult {
    const done = share(job);
    const left = secondsLeft(job);
    const { sources: texts } = corpusView();
    const adding = texts.adding(job.name);
    return html`<p><strong>${adding}</strong></p>
      <progress aria-label=${adding} max="1" value=${done ?? nothing}></progress>
      <div class="row"><span>${phaseText(job)}</span><span class="soft">${left === undefined ? '' : texts.left(left)}</span>
        <button type="button" id="cancel" ?disabled=${job.phase === 'storing'} @click=${() => this.store.corpus.cancel()}>${icon('stop')}${texts.cancel}</button></div>`;
  }

  #fold(part: 'address' | 'patterns'): void {
    this.#part.value = this.#part.value === part ? undefined : part;
  }

  #pick(id: 'files' | 'directory'): void {
    this.renderRoot.querySelector<HTMLInputElement>(`input#${id}`)?.click();
  }

  /**
   * The browser's folder picker, where there is one: it reads file by file, without listing the whole folder at once.
   */
  async #folder(): Promise<void> {
    const { showDirectoryPicker } = globalThis as Picking;
    if (showDirectoryPicker === undefined) return this.#pick('directory');
    const folder = await showDirectoryPicker().catch(() => undefined);
    if (folder !== undefined) await this.#take(fromHandle(folder));
  }

  async #demo(): Promise<void> {
    const { scenario, corpus } = this.store;
    const files = Object.entries(scenario.files);
    const list = async () =>
      files.map(([path, text]) => {
        const bytes = new TextEncoder().encode(text);
        return { path, size: bytes.length, read: async () => bytes };
      });
    const source: Source = {
      get name() {
        return corpusView().sources.papers;
      },
      list,
    };
    await this.#take(source, true);
    if (corpus.said.value?.tone === 'good') await corpus.addPapers(scenario);
  }

  readonly #onFiles = (event: Event): void => {
    const files = taken(event);
    if (files.length === 0) return;
    const { source, picked } = fromFiles(files);
    void this.#take(source, picked);
  };

  readonly #onFolder = (event: Event): void => {
    const files = taken(event);
    if (files.length > 0) void this.#take(fromPickedFolder(files));
  };

  readonly #onAddress = (event: SubmitEvent): void => {
    event.preventDefault();
    void this.#fetch(new FormData(event.target as HTMLFormElement));
  };

  async #fetch(data: FormData): Promise<void> {
    const [base, paths] = [typed(data, 'base'), parseList(typed(data, 'paths'))];
    if (!URL.canParse(base, document.baseURI)) return;
    this.#asked = { base, paths };
    await this.#take(fromAddress(base, paths), true);
    if (this.store.corpus.said.value?.tone === 'good') this.#part.value = undefined;
  }

  #take(source: Source, picked = false): Promise<void> {
    return this.store.corpus.load(source, picked);
  }
}

const NAMES = Object.keys(SELECTIONS) as readonly (keyof typeof SELECTIONS)[];

/** Files that were left out, shown by name; more of them are counted. */
const LEFT_SHOWN = 50;

/** How far an import has come. */
function phaseText({ phase, files, bytes, total }: Job): string {
  const { sources: texts } = corpusView();
  if (phase === 'listing') return texts.listing;
  if (phase === 'storing') return texts.storing(files);
  return total === undefined ? texts.indexing(files, bytes) : texts.indexingOf(files, total.files, bytes);
}

/** The files of an input, which is then ready for the same ones again. */
function taken(event: Event): readonly File[] {
  const input = event.target as HTMLInputElement;
  const files = [...(input.files ?? [])];
  input.value = '';
  return files;
}

/**
 * Files below an address, by the list of their paths. The page fetches them; the page's policy decides which addresses
 * it can reach. Requests carry no cookies and no referrer.
 */
function fromAddress(base: string, paths: readonly string[]): Source {
  const root = new URL(base.endsWith('/') ? base : `${base}/`, document.baseURI);
  const list = async () => paths.map((path) => ({ path, read: (signal: AbortSignal) => fetched(root, path, signal) }));
  return { name: root.href, list };
}

async function fetched(root: URL, path: string, signal: AbortSignal): Promise<Uint8Array> {
  const url = new URL(path.split('/').map(encodeURIComponent).join('/'), root);
  // `..` in a list must not lead anywhere else
  if (!url.href.startsWith(root.href)) throw new PageError(() => corpusView().sources.outside);
  const response = await fetch(url, { signal, credentials: 'omit', referrerPolicy: 'no-referrer', redirect: 'error' });
  if (!response.ok) throw new PageError(() => corpusView().sources.answered(response.status));
  return new Uint8Array(await response.arrayBuffer());
}

customElements.define('sp-corpus-sources', CorpusSources);
