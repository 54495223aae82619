import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { onGone } from '../../../workers/load-part.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { parts } from '../../texts/en/parts.ts';
import { shell } from '../../texts/en/shell.ts';
import { View } from '../parts/view.ts';
import type { Playground } from '../playground.ts';
import { offline, useUpdate } from './offline.ts';

/** A file of this page is gone, because its site has another build. */
const isGone: Signal<boolean> = signal(false);
onGone(() => void (isGone.value = true));

/** A run of this page is under way: another build is another program, and does not take over in its middle. */
export function runIsLive({ session }: Playground): boolean {
  const view = session.value?.view.value;
  return view !== undefined && view.end === undefined && view.steps > 0;
}

/** Tells of a newer build of the site, once, with a button. The person chooses the moment. */
class Newer extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      button {
        margin-left: 0.5rem;
        min-height: 1.75rem;
        padding: 0 0.5rem;
      }
    `,
  ];
  readonly #isDismissed: Signal<boolean> = signal(false);
  readonly #isLive: ReadonlySignal<boolean> = computed(() => runIsLive(this.store));

  protected override view(): TemplateResult {
    return html`<span role="status">${this.#told()}</span>`;
  }

  #told(): TemplateResult | string {
    if (isGone.value) {
      return html`${shell().older}<button type="button" id="reload" @click=${() => location.reload()}>${parts().reload}</button>`;
    }
    const state = offline.value;
    if (this.#isDismissed.value || (state !== 'update' && state !== 'others')) return '';
    const { files, updateWaits, useUpdate: use } = shell().trust;
    const live = this.#isLive.value;
    return html`${live ? updateWaits : files[state]}
      ${live ? '' : html`<button type="button" id="use" @click=${useUpdate}>${use}</button>`}
      <button type="button" class="plain" aria-label=${shell().status.dismiss} @click=${() => void ((this.#isDismissed.value = true))}>${icon('close')}</button>`;
  }
}

customElements.define('sp-newer', Newer);
