import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, nothing, type TemplateResult } from 'lit';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { typed } from '../parts/form-text.ts';
import { count } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { corpusStyles } from './corpus-style.ts';
import { type Job, secondsLeft, share } from './job.ts';
import { fromAddress } from './sources/address.ts';
import { fromFiles, fromHandle, fromPickedFolder } from './sources/folder.ts';
import { parseList, type Source } from './sources/source.ts';

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
      <p role="status" class=${said.value?.tone ?? ''} ?hidden=${said.value === undefined}>${said.value?.text ?? ''}</p>
    </div>`;
  }

  #choices(): TemplateResult {
    const { overview } = this.store.corpus;
    const part = this.#part.value;
    const empty = overview.value?.files === 0;
    return html`<div class="row choices">
        <button type="button" id="folder" @click=${() => void this.#folder()}>${icon('open')}Add a folder</button>
        <button type="button" @click=${() => this.#pick('files')}>${icon('plus')}Add files or a zip</button>
        <button type="button" aria-expanded=${part === 'address'} @click=${() => this.#fold('address')}>${icon('link')}From an address</button>
        <button type="button" class=${empty ? 'primary' : ''} @click=${() => void this.#demo()}>${icon('arch')}Add the bakery’s papers</button>
        <button type="button" class="plain" aria-expanded=${part === 'patterns'} @click=${() => this.#fold('patterns')}>${icon('gear')}Patterns</button>
        <input type="file" id="files" multiple aria-label="Files" @change=${this.#onFiles} />
        <input type="file" id="directory" webkitdirectory aria-label="Folder" @change=${this.#onFolder} />
      </div>
      ${empty ? html`<p class="soft">Or drop them anywhere here. Nothing is uploaded: the files go into this browser’s own storage.</p>` : ''}
      ${part === undefined ? '' : part === 'address' ? this.#form() : this.#patterns()}`;
  }

  #patterns(): TemplateResult {
    const { globs } = this.store.corpus;
    const type = (event: InputEvent): void => {
      globs.value = (event.target as HTMLTextAreaElement).value;
    };
    return html`<label><span>Patterns of the files to take from a folder, a zip or an address, each on its own line</span>
        <textarea id="globs" spellcheck="false" .value=${globs.value} @input=${type}></textarea></label>
      <p class="soft"><code>**</code> is zero or more folders, <code>*</code> stays within one; <code>**/*.md</code> is all Markdown. Files that are picked one by one are all taken.</p>`;
  }

  #form(): TemplateResult {
    const { base, paths } = this.#asked;
    return html`<form class="stack" @submit=${this.#onAddress}>
      <label><span>Base address</span><input id="base" name="base" required placeholder="https://example.org/docs/" .value=${base} /></label>
      <label><span>Paths below it, one a line</span><textarea id="paths" name="paths" required spellcheck="false" .value=${paths.join('\n')}></textarea></label>
      <div class="row"><button type="submit">${icon('download')}Fetch them</button><span class="soft">This page may only reach the server it came from.</span></div>
    </form>`;
  }

  #progress(job: Job): TemplateResult {
    const done = share(job);
    const left = secondsLeft(job);
    const words = {
      listing: 'Looking through it…',
      indexing: `${count(job.files, 'file')}${job.total === undefined ? '' : ` of ${job.total.files.toLocaleString()}`}, ${count(job.bytes, 'byte')}`,
      storing: `Storing ${count(job.files, 'file')}…`,
    }[job.phase];
    return html`<p><strong>Adding ${job.name}</strong></p>
      <progress aria-label="Adding ${job.name}" max="1" value=${done ?? nothing}></progress>
      <div class="row"><span>${words}</span><span class="soft">${left === undefined ? '' : `about ${left} s left`}</span>
        <button type="button" id="cancel" ?disabled=${job.phase === 'storing'} @click=${() => this.store.corpus.cancel()}>${icon('stop')}Cancel</button></div>`;
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
    await this.#take({ name: 'The bakery’s papers', list }, true);
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

/** The files of an input, which is then ready for the same ones again. */
function taken(event: Event): readonly File[] {
  const input = event.target as HTMLInputElement;
  const files = [...(input.files ?? [])];
  input.value = '';
  return files;
}

customElements.define('sp-corpus-sources', CorpusSources);
