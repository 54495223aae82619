import './draft-view.ts';
import './review.ts';
import './share.ts';
import './tryout.ts';
import { effect, type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { openRuntime } from '../../index.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { workshop as texts } from '../../texts/en/workshop.ts';
import type { LinkedPlace } from '../lab/stopped.ts';
import { saveFile } from '../parts/save-file.ts';
import { shortHash, shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { proposeAsScript } from '../run/proposal.ts';
import { BLANK, bumped, draftOf, parseScript } from './draft.ts';
import type { DraftView } from './draft-view.ts';
import type { Share } from './share.ts';
import { openWorkshop, type Workshop } from './workshop.ts';

let opened: Workshop | undefined;

/** A single draft for the page: it survives a change of view. */
function workshop(): Workshop {
  opened ??= openWorkshop(openRuntime);
  return opened;
}

/** Writes a capability: source, schemas and limits, tried in a sandbox before the capability is registered. */
export class WorkshopView extends View {
  static override get styles(): CSSResult[] {
    return [shared, workshopStyles];
  }
  /** What the last action said, in the language of the moment. */
  readonly #said: Signal<() => TemplateResult | string> = signal(() => '');
  #stop: (() => void) | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.addEventListener('keydown', this.#onKey);
    this.#stop = effect(() => this.#takeCopy());
    // while a stranger's link is reviewed, no lab is started
    if (this.store.place.shared.value === undefined) void workshop().prepare();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
    workshop().rest();
  }

  #takeCopy(): void {
    const { copied } = this.store.place;
    if (copied.value === undefined) return;
    workshop().open(draftOf(copied.value));
    copied.value = undefined;
  }

  protected override view(): TemplateResult {
    const { shared: packed } = this.store.place;
    if (packed.value !== undefined)
      return html`<sp-review .store=${this.store} .workshop=${workshop()} .packed=${packed.value}></sp-review>`;
    return html`${this.#bar()}
      <div class="columns" @sp-place=${(event: CustomEvent<LinkedPlace>) => this.#goTo(event.detail)}>
        <section class="pane" aria-label=${texts().draft}><sp-draft .workshop=${workshop()}></sp-draft></section>
        <section class="pane" aria-label=${texts().tryout.title}><sp-tryout .workshop=${workshop()}></sp-tryout></section>
      </div>
      <sp-share .workshop=${workshop()}></sp-share>`;
  }

  #bar(): TemplateResult {
    const { bar } = texts();
    const { draft, reading, changed, replaced } = workshop();
    const { name, version } = draft.value;
    const read = reading.value;
    return html`<header class="bar">
      <h1><span class="mono">${shown(name)}</span> <span class="soft">${shown(version)}</span></h1>
      <span role="status">${this.#badge()}</span>
      <span class="space"></span>
      <select aria-label=${bar.startFrom} @change=${(event: Event) => this.#start(event)}>
        <option value="">${bar.startFromOption}</option>
        <option value="+">${bar.greeting}</option>
        ${this.store.scenario.capabilities.map((each) => html`<option value=${each.name}>${each.name}</option>`)}
      </select>
      ${changed.value ? html`<button type="button" @click=${() => workshop().revert()}>${bar.revert}</button>` : ''}
      ${replaced.value === undefined ? '' : html`<button type="button" @click=${() => workshop().bringBack()}>${icon('reply')}${bar.bringBack(shown(replaced.value.name))}</button>`}
      <button type="button" id="share" class="plain" @click=${() => this.#share()}>${icon('link')}${bar.share}</button>
      <button type="button" class="plain" @click=${() => this.#save()}>${icon('download')}${bar.save}</button>
      <button type="button" id="rehearse" aria-disabled=${!read.ok} @click=${() => void this.#run()}>${icon('run')}${bar.run}</button>
      <button type="button" id="add" aria-disabled=${!read.ok} @click=${() => void this.#add()}>${icon('key')}${bar.add}</button>
      <div class="hash"><p>${this.#hash()}</p>
        ${changed.value && bumped(version) !== version ? html`<button type="button" class="plain" id="bump" @click=${() => this.#bump()}>${bar.rename(shown(bumped(version)))}</button>` : ''}
        <span role="status">${this.#said.value()}</span></div>
    </header>`;
  }

  #hash(): TemplateResult {
    const { bar } = texts();
    const { reading, changed, hashBefore } = workshop();
    const read = reading.value;
    if (!read.ok) return html`${bar.noHash}`;
    const before = changed.value ? hashBefore.value : undefined;
    return bar.hash(shortHash(read.hash), before === undefined ? undefined : shortHash(before));
  }

  #badge(): TemplateResult {
    const { bar } = texts();
    const { problems, loaded, reading } = workshop();
    const wrong = problems.value.length;
    if (wrong > 0) return html`<span class="badge bad">${icon('cross')}${bar.problems(wrong)}</span>`;
    if (loaded.value) return html`<span class="badge good">${icon('check')}${bar.loaded}</span>`;
    return html`<span class="badge">${icon('gear')}${reading.value.ok ? bar.notLoaded : bar.notRead}</span>`;
  }

  #start(event: Event): void {
    const field = event.target as HTMLSelectElement;
    const found = this.store.scenario.capabilities.find(({ name }) => name === field.value);
    if (field.value !== '') workshop().open(found === undefined ? BLANK : draftOf(found));
    field.value = '';
    void workshop().prepare();
  }

  #bump(): void {
    const { draft } = workshop();
    workshop().edit({ version: bumped(draft.value.version) });
  }

  /** The save key saves the draft. */
  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.#save();
  };

  #share(): void {
    void this.renderRoot.querySelector<Share>('sp-share')?.open();
  }

  #save(): void {
    const read = workshop().reading.value;
    if (!read.ok) this.#said.value = () => texts().bar.saveProblems;
    else
      saveFile(`${read.definition.name}.capability.json`, JSON.stringify(read.definition, null, 2), 'application/json');
  }

  async #register(grants = false): Promise<boolean> {
    const read = workshop().reading.value;
    if (!read.ok) return false;
    const { name } = read.definition;
    try {
      const { catalogue } = this.store;
      const same = catalogue.rows.peek()?.find((row) => row.name === name);
      if (same?.hash !== read.hash) await catalogue.add(read.definition);
      if (grants) await catalogue.grantFirst(name);
      this.store.place.capability.value = name;
      return true;
    } catch (error) {
      this.#said.value = () => html`<span lang="en">${shown(sentenceOf(error))}</span>`;
      return false;
    }
  }

  #goTo({ goes, line, column }: LinkedPlace): void {
    if (goes) this.renderRoot.querySelector<DraftView>('sp-draft')?.goTo(line, column);
  }

  /** Into the catalogue, with a grant that asks a person before each call. The grant can be changed there. */
  async #add(): Promise<void> {
    if (!(await this.#register(true))) return;
    this.store.place.part.value = 'catalogue';
  }

  /** Starts a run of the page's own, kept in its ledger, with the tried proposals as its script. */
  async #run(): Promise<void> {
    if (!(await this.#register())) return;
    const { draft, args, script, mode } = workshop();
    const proposals = mode.peek() === 'script' ? parseScript(script.peek()) : [];
    proposeAsScript(this.store, draft.peek().name, args.peek(), proposals);
  }
}

/** The draft on the left, trying it on the right; below each other where there is no room. */
const workshopStyles: CSSResult = css`
  :host {
    display: flex;
    flex-direction: column;
    height: 100%;
    container-type: inline-size;
  }
  .bar {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 0.75rem;
    padding: 0.75rem 1.25rem;
    border-bottom: 1px solid var(--line);
    background: var(--panel);
  }
  .bar h1 {
    font-size: 1.25rem;
    font-weight: 650;
    overflow-wrap: anywhere;
  }
  .bar .space {
    flex: 1;
  }
  .bar select {
    width: auto;
    max-width: 12rem;
  }
  .hash {
    flex: 1 0 100%;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0 0.5rem;
    min-height: 2.25rem;
    color: var(--soft);
    overflow-wrap: anywhere;
  }
  .hash button {
    min-height: 2.25rem;
    padding: 0.125rem 0.5rem;
    color: var(--accent);
  }
  .columns {
    flex: 1;
    min-height: 0;
    display: grid;
    grid-template-columns: minmax(0, 3fr) minmax(0, 2fr);
    gap: 0.75rem;
    padding: 0.75rem;
  }
  .pane {
    min-height: 0;
    overflow-y: auto;
    padding: 1rem 1.25rem 2rem;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--panel);
  }
  @container (max-width: 60rem) {
    :host {
      display: block;
      overflow-y: auto;
    }
    .columns {
      display: block;
      padding: 0;
    }
    .pane {
      overflow: visible;
      border-width: 0 0 1px;
      border-radius: 0;
    }
  }
`;

customElements.define('sp-workshop', WorkshopView);
