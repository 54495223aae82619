import { type CSSResult, css, html, type PropertyDeclarations, type TemplateResult } from 'lit';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import { parts } from '../../texts/en/parts.ts';
import { indent, lex, type Token } from './json-lexer.ts';
import { SignalView } from './signal-view.ts';
import { shown } from './text.ts';

/** Above this a text is shown plain: colours would cost more than they tell. */
const COLOURED_MAX = 32_768;
const SHOWN_MAX = 262_144;

/** A stranger's JSON, exact or re-indented, with the place a refusal points at marked. */
export class JsonText extends SignalView {
  static override properties: PropertyDeclarations = {
    text: { attribute: false },
    pointer: { attribute: false },
    pretty: { type: Boolean },
    label: {},
    whole: { type: Boolean },
  };
  static override styles: CSSResult[] = [
    shared,
    quoted,
    css`
      pre {
        max-height: var(--json-height, 24rem);
      }
      /* A right-to-left string must not reorder the text beside it. */
      .name,
      .string {
        unicode-bidi: isolate;
      }
      .plain {
        unicode-bidi: bidi-override;
      }
      .name {
        color: var(--accent);
      }
      .number,
      .word {
        color: var(--wait);
      }
      .mark {
        color: var(--soft);
      }
      .other {
        color: var(--bad);
      }
      mark {
        padding: 0.0625rem 0.125rem;
        border-bottom: 2px solid var(--bad);
        border-radius: 3px 3px 0 0;
        background: var(--bad-wash);
        color: inherit;
      }
      .hidden {
        padding: 0 0.1875rem;
        background: var(--bad-wash);
      }
    `,
  ];
  declare text: string;
  declare pointer: string | undefined;
  declare pretty: boolean;
  declare label: string;
  /** The whole text is shown, however long: a question shows all of its text. */
  declare whole: boolean;

  protected override view(): TemplateResult {
    const text = this.text ?? '';
    const cut = !this.whole && text.length > SHOWN_MAX;
    const shownText = cut ? text.slice(0, SHOWN_MAX) : text;
    const plain = text.length > COLOURED_MAX ? 'plain' : '';
    return html`<pre tabindex="0" role="region" class=${plain} dir="ltr" aria-label=${this.label ?? parts().json.text}>${this.#body(shownText)}</pre>
      ${cut ? html`<p class="soft">${parts().json.firstCharacters(SHOWN_MAX, text.length)}</p>` : ''}`;
  }

  #body(text: string): unknown {
    // Prose stays as it came: line breaks or colours would change how the sent text looks.
    if (text.length > COLOURED_MAX || !/^\s*[{["]/u.test(text)) return shown(text);
    const tokens = lex(text);
    return (this.pretty ? indent(tokens) : tokens).map((token) => this.#token(token));
  }

  #token(token: Token): unknown {
    if (token.kind === 'space') return shown(token.text);
    const body = html`<span class=${token.kind}>${shown(token.text)}</span>`;
    return this.#marked(token) ? html`<mark>${body}</mark>` : body;
  }

  /** The empty pointer names the whole text, so no token is singled out. */
  #marked(token: Token): boolean {
    const at = this.pointer;
    return at !== undefined && at !== '' && (token.pointer === at || token.pointer.startsWith(`${at}/`));
  }
}

customElements.define('sp-json', JsonText);
