import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { type IconName, icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { capabilities } from '../../texts/en/capabilities.ts';
import { PARTS, type PartName } from '../link.ts';
import type { Playground } from '../playground.ts';
import '../breakout/breakout-view.ts';
import './catalogue-view.ts';
import { View } from '../parts/view.ts';
import '../workshop/workshop-view.ts';

const ICONS: { readonly [P in PartName]: IconName } = { catalogue: 'list', workshop: 'pen', breakout: 'barrier' };

const SHOWN: { readonly [P in PartName]: (store: Playground) => TemplateResult } = {
  catalogue: (store) => html`<sp-catalogue .store=${store}></sp-catalogue>`,
  workshop: (store) => html`<sp-workshop .store=${store}></sp-workshop>`,
  breakout: (store) => html`<sp-breakout .store=${store}></sp-breakout>`,
};

/** The capabilities that a proposal may name: to look at, to write, and to attack. */
export class Capabilities extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
        container-type: inline-size;
      }
      .parts {
        display: flex;
        gap: 0.25rem;
        padding: 0.375rem 0.75rem 0;
      }
      .parts button[aria-current='true'] {
        color: var(--accent);
        font-weight: 650;
        box-shadow: inset 0 -3px var(--accent);
        border-radius: var(--radius-small) var(--radius-small) 0 0;
      }
      .part {
        flex: 1;
        min-height: 0;
      }
      @container (max-width: 30rem) {
        .parts {
          justify-content: space-between;
          gap: 0;
        }
        .parts button {
          padding-inline: 0.5rem;
        }
        .parts svg {
          display: none;
        }
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { part } = this.store.place;
    return html`<nav class="parts" aria-label=${capabilities().partsLabel}>${PARTS.map((name) => this.#tab(name, part.value === name))}</nav>
      <div class="part">${SHOWN[part.value](this.store)}</div>`;
  }

  #tab(name: PartName, current: boolean): TemplateResult {
    const turn = (): void => {
      this.store.place.part.value = name;
    };
    return html`<button type="button" class="plain" aria-current=${current ? 'true' : 'false'} @click=${turn}>${icon(ICONS[name])}${capabilities().parts[name]}</button>`;
  }
}

customElements.define('sp-capabilities', Capabilities);
