import { type CSSResult, css, html, type PropertyValues, type TemplateResult } from 'lit';
import { VIEWS, type ViewName } from '../state/link.ts';
import type { ThemeName } from '../state/theme.ts';
import { type IconName, icon } from '../style/icons.ts';
import { shared } from '../style/shared.ts';
import { bringInSight } from '../style/sight.ts';
import { View } from './view.ts';
import './trust.ts';

const NAMES: { readonly [V in ViewName]: string } = {
  learn: 'Learn',
  run: 'Run',
  capabilities: 'Capabilities',
  corpus: 'Corpus',
  audit: 'Audit',
  about: 'About',
};

const THEME_ICONS: { readonly [T in ThemeName]: IconName } = { auto: 'system', light: 'sun', dark: 'moon' };

/** The product's name, where one can go, and what can be trusted about this page. */
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
      nav {
        position: relative;
        display: flex;
        scrollbar-width: none;
        gap: 0.25rem;
        min-width: 0;
        overflow-x: auto;
      }
      nav button[aria-current='page'] {
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
          padding: 0.25rem 0.75rem;
        }
        .bar {
          flex-wrap: wrap;
        }
        nav {
          order: 1;
          flex: 1 0 100%;
          overflow-x: auto;
        }
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { themes, view } = this.store;
    const theme = themes.chosen.value;
    return html`<div class="bar">
      <span class="brand">${icon('arch')}Sallyport</span>
      <nav aria-label="Views" @focusin=${bringInSight}>
              ${VIEWS.map((name) => html`<button type="button" class="plain" aria-current=${view.value === name ? 'page' : 'false'} @click=${() => this.#go(name)}>${NAMES[name]}</button>`)}
            </nav>
      <span class="space"></span>
      <sp-trust .store=${this.store}></sp-trust>
      <button type="button" class="plain icon-only" aria-label="Theme: ${theme}. Change" title="Theme: ${theme}" @click=${() => themes.turn()}>${icon(THEME_ICONS[theme])}</button>
    </div>`;
  }

  /** On a narrow screen the views scroll: the one that is open stays in sight. */
  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const current = this.renderRoot.querySelector<HTMLElement>('nav [aria-current="page"]');
    const nav = current?.parentElement ?? undefined;
    if (nav !== undefined && current !== null)
      nav.scrollLeft = current.offsetLeft - (nav.clientWidth - current.offsetWidth) / 2;
  }

  #go(name: ViewName): void {
    this.store.view.value = name;
  }
}

customElements.define('sp-bar', Bar);
