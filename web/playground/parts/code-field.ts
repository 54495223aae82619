import {
  type CSSResult,
  css,
  html,
  LitElement,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit';
import { live } from 'lit/directives/live.js';
import { loadPart } from '../../../workers/load-part.ts';
import { shared } from '../../style/shared.ts';
import type { Editor, EditorMark, Language, mountEditor } from './code-editor.ts';

/** Text that is edited: a plain text field at once, and the code editor in its place as soon as it has been loaded. */
export class CodeField extends LitElement {
  static override properties: PropertyDeclarations = {
    text: { attribute: false },
    marks: { attribute: false },
    language: {},
    label: {},
  };
  static override styles: CSSResult[] = [
    shared,
    css`
      .box {
        height: var(--code-height, 14rem);
        min-height: 5rem;
        overflow: hidden;
        resize: vertical;
        border: 1px solid var(--edge);
        border-radius: var(--radius-small);
        background: var(--raised);
      }
      .box:focus-within {
        outline: 3px solid var(--focus);
        outline-offset: 2px;
      }
      textarea {
        height: 100%;
        border: 0;
        resize: none;
      }
      textarea:focus-visible {
        outline: none;
      }
      .place {
        height: 100%;
      }
    `,
  ];
  declare text: string;
  declare marks: readonly EditorMark[] | undefined;
  declare language: Language;
  declare label: string;
  #editor: Editor | undefined;
  #wanted = false;

  protected override render(): TemplateResult {
    const type = (event: Event): void => this.#changed((event.target as HTMLTextAreaElement).value);
    return html`<div class="box">
      <div class="place"></div>
      <textarea aria-label=${this.label} spellcheck="false" autocapitalize="off" .value=${live(this.text ?? '')} @input=${type}></textarea>
    </div>`;
  }

  protected override firstUpdated(): void {
    this.#wanted = true;
    // offline before it was ever loaded: the text field stays, and does
    void loadPart(() => import('./code-editor.ts'))
      .then((module) => this.#mount(module.mountEditor))
      .catch(() => undefined);
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('text')) this.#editor?.write(this.text);
    if (changed.has('marks')) this.#editor?.mark(this.marks ?? []);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#wanted = false;
    this.#editor?.destroy();
    this.#editor = undefined;
  }

  goTo(line: number, column: number): void {
    if (this.#editor === undefined) this.renderRoot.querySelector('textarea')?.focus();
    else this.#editor.goTo(line, column);
  }

  #mount(mount: typeof mountEditor): void {
    const parent = this.renderRoot.querySelector<HTMLElement>('.place');
    const field = this.renderRoot.querySelector('textarea');
    if (!this.#wanted || parent === null || field === null) return;
    const held = this.shadowRoot?.activeElement === field;
    this.#editor = mount({
      parent,
      root: this.shadowRoot as ShadowRoot,
      text: this.text ?? '',
      language: this.language ?? 'javascript',
      label: this.label,
      changed: (text) => this.#changed(text),
    });
    field.hidden = true;
    this.#editor.mark(this.marks ?? []);
    if (held) this.#editor.focus();
  }

  #changed(text: string): void {
    if (text === this.text) return;
    this.text = text;
    this.dispatchEvent(new CustomEvent('sp-text', { detail: text }));
  }
}

customElements.define('sp-code', CodeField);
