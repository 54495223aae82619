import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { type IconName, icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { shell } from '../../texts/en/shell.ts';
import { language } from '../../texts/language.ts';
import { nameOf, VIEWS, type ViewName } from '../link.ts';
import { View } from '../parts/view.ts';
import { chooseLanguage, LANGUAGE_NAMES, nextLanguage } from './languages.ts';
import type { ThemeName } from './theme.ts';
import './trust.ts';

const ICONS: { readonly [V in ViewName]: IconName } = {
  learn: 'flag',
  run: 'run',
  capabilities: 'key',
  corpus: 'disk',
  audit: 'seal',
  about: 'arch',
};

const THEME_ICONS: { readonly [T in ThemeName]: IconName } = { auto: 'system', light: 'sun', dark: 'moon' };

/** The product's name, the views, and the trust in this page. */
export class Bar extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        container-type: inline-size;
      }
      .bar {
        display: flex;
        align-items: center;
        gap: 0.25rem 1.25rem;
        min-height: 3.25rem;
        padding: 0.25rem 1.25rem;
      }
      .brand {
        display: flex;
        align-items: center;
        gap: 0.5rem;
        font-size: 1.125rem;
        font-weight: 700;
        letter-spacing: -0.015em;
      }
      .brand svg {
        width: 1.625rem;
        height: 1.625rem;
        color: var(--accent);
      }
      #menu,
      .views svg {
        display: none;
      }
      /* A popover where it is a menu; where there is room, it is always open in the line. */
      .views {
        position: static;
        display: flex;
        gap: 0.25rem;
        margin: 0;
        padding: 0;
        border: 0;
        background: none;
        color: inherit;
      }
      .views button[aria-current='page'] {
        background: var(--accent-wash);
        color: var(--accent);
      }
      .space {
        flex: 1;
      }
      sp-trust {
        flex: none;
      }
      .icon-only {
        min-width: 2.5rem;
        padding: 0.375rem;
      }
      @container (max-width: 60rem) {
        .bar {
          gap: 0.25rem 0.5rem;
          padding: 0.25rem 0.75rem;
        }
        .brand span {
          position: absolute;
          width: 1px;
          height: 1px;
          overflow: hidden;
          clip-path: inset(50%);
        }
      }
      @container (max-width: 44rem) {
        #menu {
          display: inline-flex;
          font-weight: 650;
        }
        #menu svg {
          transform: rotate(90deg);
        }
        .views {
          position: fixed;
          inset: 3.5rem 0.5rem auto;
          display: none;
          grid-template-columns: repeat(auto-fit, minmax(8.75rem, 1fr));
          width: auto;
          padding: 0.5rem;
          border: 1px solid var(--edge);
          border-radius: var(--radius);
          background: var(--panel);
          box-shadow: var(--lift);
        }
        .views:popover-open {
          display: grid;
        }
        .views svg {
          display: block;
        }
        .views button {
          justify-content: start;
          min-height: 3rem;
          padding-inline: 0.75rem;
        }
      }
      /* The longest name of a view, the trust, the language and the theme need the whole line of a small phone. */
      @container (max-width: 22rem) {
        .bar {
          gap: 0.25rem;
          padding-inline: 0.5rem;
        }
        .brand svg {
          display: none;
        }
        #menu {
          padding-inline: 0.5rem;
        }
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { themes, view } = this.store;
    const theme = themes.chosen.value;
    const themeName = shell().themes[theme];
    const code = language.value.toUpperCase();
    const languageName = LANGUAGE_NAMES[language.value];
    return html`<div class="bar">
      <span class="brand">${icon('arch')}<span>Sallyport</span></span>
      <nav aria-label=${shell().viewsLabel}>
        <button type="button" id="menu" class="plain" popovertarget="views"><span class="unseen">${shell().viewMenu}</span>${nameOf(view.value)}${icon('chevron')}</button>
        <div id="views" class="views" popover>${VIEWS.map((name) => this.#place(name, view.value === name))}</div>
      </nav>
      <span class="space"></span>
      <sp-trust .store=${this.store}></sp-trust>
      <button type="button" class="plain icon-only" id="language" aria-label=${shell().changeLanguage(code, languageName)} title=${shell().languageIs(languageName)} @click=${() => void chooseLanguage(nextLanguage(language.peek()))}>${code}</button>
      <button type="button" class="plain icon-only" aria-label=${shell().changeTheme(themeName)} title=${shell().theme(themeName)} @click=${() => themes.turn()}>${icon(THEME_ICONS[theme])}</button>
    </div>`;
  }

  #place(name: ViewName, current: boolean): TemplateResult {
    return html`<button type="button" class="plain" aria-current=${current ? 'page' : 'false'} @click=${() => this.#go(name)}>${icon(ICONS[name])}${nameOf(name)}</button>`;
  }

  #go(name: ViewName): void {
    this.store.view.value = name;
    this.#closeMenu();
  }

  #closeMenu(): void {
    this.renderRoot.querySelector<HTMLElement>(':popover-open')?.hidePopover();
  }

  /** The open menu would lie over the bar once the window is wide enough for the views in the line. */
  protected override firstUpdated(): void {
    const menu = this.renderRoot.querySelector('#menu');
    new ResizeObserver(() => menu?.checkVisibility() || this.#closeMenu()).observe(this);
  }
}

customElements.define('sp-bar', Bar);
