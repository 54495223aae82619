import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { Isolation } from '../../../core/index.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { shell } from '../../texts/en/shell.ts';
import { inEnglish } from '../../texts/recorded.ts';
import { keepAsks } from '../parts/dialog-asks.ts';
import { View } from '../parts/view.ts';
import { storageText } from '../storage/storage-text.ts';
import { runIsLive } from './newer.ts';
import { type OfflineState, offline, useUpdate } from './offline.ts';
import { type NetworkAttempt, tryToLeave } from './traffic.ts';

const TONES: { readonly [I in Isolation]: string } = {
  locked: 'good',
  development: 'wait',
  unlocked: 'bad',
  node: 'wait',
};

/** The claims about this page, with their evidence, and a button that tries to break them. */
export class Trust extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        container-type: normal;
      }
      .meter {
        padding: 0.25rem 0.75rem;
        white-space: nowrap;
      }
      [popover] {
        inset: 4rem 1rem auto auto;
        width: min(30rem, calc(100vw - 2rem));
        max-height: calc(100dvh - 6rem);
        margin: 0;
        padding: 1.25rem;
        overflow: auto;
        border: 1px solid var(--edge);
        border-radius: var(--radius);
        background: var(--panel);
        color: var(--ink);
        box-shadow: var(--lift);
      }
      h2 {
        margin: 1rem 0 0.375rem;
      }
      h2:first-child {
        margin-top: 0;
      }
      li {
        display: flex;
        align-items: baseline;
        gap: 0.5rem;
        padding: 0.125rem 0;
        overflow-wrap: anywhere;
      }
      li svg {
        align-self: center;
      }
      button.try {
        margin-top: 0.75rem;
      }
      .more {
        white-space: nowrap;
      }
      @container (max-width: 54rem) {
        .claim {
          position: absolute;
          width: 1px;
          height: 1px;
          overflow: hidden;
          clip-path: inset(50%);
        }
        .meter {
          min-width: 2.5rem;
          padding: 0.25rem;
        }
      }
      @container (max-width: 72rem) {
        .more {
          display: none;
        }
      }
    `,
  ];
  readonly #isLive: ReadonlySignal<boolean> = computed(() => runIsLive(this.store));
  readonly #attempts: Signal<readonly NetworkAttempt[] | 'trying' | undefined> = signal(undefined);

  protected override view(): TemplateResult {
    const { info, traffic } = this.store;
    const known = info.value;
    const texts = shell().trust;
    const claim = known === undefined ? texts.starting : texts.isolation[known.isolation];
    const tone = known === undefined ? 'wait' : TONES[known.isolation];
    const requests = traffic.requests.value;
    const away = requests.filter((url) => !isOwn(url));
    return html`<button type="button" class="plain meter" popovertarget="facts">
        <span class=${tone}>${icon(tone === 'good' ? 'lock' : 'shield')}</span><span class="claim">${claim.short}</span>
        ${known?.store.kind === 'memory' ? html`<span class="wait more">${texts.memoryOnly}</span>` : ''}
        <span class="more ${away.length === 0 ? 'soft' : 'wait'}">${texts.elsewhere(away.length)}</span>
      </button>
      <div id="facts" popover role="dialog" aria-label=${texts.title}>
        <h2>${texts.kernel}</h2>
        <p>${claim.long}</p>
        <ul>${(known?.probes ?? []).map((probe) => this.#line(probe.blocked, probeWord(probe.name), probe.blocked ? texts.blocked : texts.notBlocked))}</ul>
        <h2>${texts.thisPage}</h2>
        <p>${texts.traffic(away.length, requests.length - away.length)}${requests.length === 0 ? '.' : ':'}</p>
        <ul>${requests.slice(-10).map((url) => html`<li class="mono">${isOwn(url) ? url.slice(location.origin.length) : url}</li>`)}</ul>
        ${this.#results()}
        <button type="button" class="try" @click=${() => void this.#try()}>${icon('shield')}${texts.test}</button>
        <h2>${texts.storage}</h2>
        <p>${known === undefined ? texts.starting.long : storageText(known.store)}</p>
        <button type="button" class="try" popovertarget="facts" @click=${() => void ((keepAsks.value = true))}>${icon('disk')}${texts.kept}</button>
        <h2>${texts.offline}</h2>
        ${this.#offline(offline.value)}
      </div>`;
  }

  #line(good: boolean, name: TemplateResult | string, evidence: string): TemplateResult {
    return html`<li><span class=${good ? 'good' : 'bad'}>${icon(good ? 'check' : 'cross')}</span><span>${name}: ${evidence}</span></li>`;
  }

  #results(): TemplateResult {
    const attempts = this.#attempts.value;
    if (attempts === undefined) return html`<p role="status"></p>`;
    if (attempts === 'trying') return html`<p role="status">${shell().trust.trying}</p>`;
    return html`<ul role="status">${attempts.map((each) => this.#line(each.blocked, each.name, each.evidence))}</ul>`;
  }

  /** Another build is another program: it does not take over in the middle of a run. */
  #offline(state: OfflineState): TemplateResult {
    const { files, updateWaits, useUpdate: use } = shell().trust;
    const live = this.#isLive.value;
    if (state !== 'update' && state !== 'others') return html`<p data-offline=${state}>${files[state]}</p>`;
    return html`<p data-offline=${state} role="status">${live ? updateWaits : files[state]}</p>
      <button type="button" class="try" ?disabled=${live} @click=${useUpdate}>${use}</button>`;
  }

  async #try(): Promise<void> {
    this.#attempts.value = 'trying';
    this.#attempts.value = await tryToLeave();
  }
}

/** A later kernel may try further ways out. */
function probeWord(name: string): TemplateResult | string {
  const { probes }: { readonly probes: { readonly [name: string]: string } } = shell().trust;
  return (Object.hasOwn(probes, name) ? probes[name] : undefined) ?? inEnglish(name);
}

/** A part of the page that was not needed until now. */
function isOwn(url: string): boolean {
  return url.startsWith(`${location.origin}/`);
}

customElements.define('sp-trust', Trust);
