import { effect } from '@preact/signals-core';
import { type CSSResult, html, type TemplateResult } from 'lit';
import { outcomeOf } from '../../records/steps.ts';
import { type IconName, icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import type { ViewName } from '../link.ts';
import { codeAsks, compareAsks, galleryAsks, keepAsks, ruleAsks } from '../parts/dialog-asks.ts';
import type { ColumnName, Playground } from '../playground.ts';
import { stepThen } from '../run/at-record.ts';
import { appStyles } from './app-style.ts';
import { bindingFor, CHORD, type Face } from './key-bindings.ts';
import '../run/run-bar.ts';
import '../approval/approval.ts';
import './bar.ts';
import type { Help } from './help.ts';
import '../inspector/inspector.ts';
import { late, loading } from '../parts/loading.ts';
import type { RunBar } from '../run/run-bar.ts';
import type { SendDialog } from '../send/send-dialog.ts';
import type { ArchivedRun } from '../storage/storage-dialog.ts';
import type { Palette } from './palette.ts';
import '../run/run-bar.ts';
import '../setup/setup.ts';
import './splitter.ts';
import './status-line.ts';
import '../parts/gate-strip.ts';
import '../timeline/timeline.ts';
import { loadPart } from '../../../workers/load-part.ts';
import { inFocus, isTyping } from '../../shared/typing.ts';
import { shell } from '../../texts/en/shell.ts';
import { View } from '../parts/view.ts';

const COLUMN_TABS: readonly { readonly name: ColumnName; readonly icon: IconName }[] = [
  { name: 'setup', icon: 'pen' },
  { name: 'timeline', icon: 'list' },
  { name: 'inspector', icon: 'receipt' },
];

/** The views that take the whole page, each loaded with its first visit; any other name shows the run. */
const WHOLE: { readonly [V in ViewName]?: (store: Playground) => TemplateResult } = {
  learn: (store) => html`<sp-learn .store=${store}>${loading('learn', () => import('../learn/learn.ts'))}</sp-learn>`,
  capabilities: (store) =>
    html`<sp-capabilities .store=${store}>${loading('capabilities', () => import('../capabilities/capabilities.ts'))}</sp-capabilities>`,
  corpus: (store) =>
    html`<sp-corpus .store=${store}>${loading('corpus', () => import('../corpus/corpus-view.ts'))}</sp-corpus>`,
  audit: (store) =>
    html`<sp-audit .store=${store}>${loading('audit', () => import('../audit/audit-view.ts'))}</sp-audit>`,
  about: (store) => html`<sp-about .store=${store}>${loading('about', () => import('./about.ts'))}</sp-about>`,
};

/** The page: header, gate strip, three columns that become two or a single column, and the keys. */
export class App extends View {
  static override styles: CSSResult[] = [shared, appStyles];

  protected override view(): TemplateResult {
    const { column } = this.store;
    return html`
      <div class="frame" data-column=${column.value} @sp-help=${() => this.#ask('sp-help')} @sp-settled=${() => this.#primary()} @sp-into=${() => this.#face.focusInspector()} @sp-export=${() => this.#export()} @sp-send=${(event: CustomEvent<'page' | null>) => this.#send('audit', event.detail ?? undefined)}>
        <header class="top"><sp-bar .store=${this.store}></sp-bar>${this.#named()}</header>
        ${this.#main()}
        <footer><sp-status .store=${this.store}></sp-status></footer>
        <nav class="columns" aria-label=${shell().columnsLabel} ?hidden=${this.store.view.value !== 'run'}>${COLUMN_TABS.map(({ name, icon: picture }) => html`<button type="button" class="plain" aria-current=${column.value === name ? 'true' : 'false'} @click=${() => this.#turn(name)}>${icon(picture)}${shell().columns[name]}</button>`)}</nav>
      </div>
      <sp-abort .store=${this.store} @sp-settled=${() => this.#primary()}></sp-abort>
      <sp-help .store=${this.store}></sp-help>
      <sp-palette .store=${this.store}></sp-palette>
      <sp-send .store=${this.store}></sp-send>
      ${this.#endpoint()}
      ${this.#keep()}
      ${this.#compare()}
      ${this.#gallery()}
      ${this.#code()}
      ${this.#rule()}
    `;
  }

  /** Loaded with its first use: most visitors never name a model of their own. */
  #endpoint(): TemplateResult | string {
    if (!this.store.endpoint.asks.value && customElements.get('sp-endpoint') === undefined) return '';
    this.#late(() => import('../endpoint/endpoint-dialog.ts'));
    return html`<sp-endpoint .store=${this.store} @sp-settled=${() => this.#primary()}></sp-endpoint>`;
  }

  #keep(): TemplateResult | string {
    if (!keepAsks.value && customElements.get('sp-keep') === undefined) return '';
    this.#late(() => import('../storage/storage-dialog-view.ts'));
    return html`<sp-keep .store=${this.store} @sp-archive=${(event: CustomEvent<ArchivedRun>) => this.#send(event.detail, 'save')}></sp-keep>`;
  }

  #compare(): TemplateResult | string {
    if (!compareAsks.value && customElements.get('sp-compare-runs') === undefined) return '';
    this.#late(() => import('../compare/compare-dialog.ts'));
    return html`<sp-compare-runs .store=${this.store}></sp-compare-runs>`;
  }

  #gallery(): TemplateResult | string {
    if (!galleryAsks.value && customElements.get('sp-gallery') === undefined) return '';
    this.#late(() => import('../gallery/gallery-dialog.ts'));
    return html`<sp-gallery .store=${this.store} @sp-settled=${() => this.#primary()}></sp-gallery>`;
  }

  #code(): TemplateResult | string {
    if (codeAsks.value === undefined && customElements.get('sp-code-copy') === undefined) return '';
    this.#late(() => import('../copy-code/code-dialog.ts'));
    return html`<sp-code-copy .store=${this.store}></sp-code-copy>`;
  }

  #rule(): TemplateResult | string {
    if (ruleAsks.value === undefined && customElements.get('sp-rule-ask') === undefined) return '';
    this.#late(() => import('../rules/rule-ask.ts'));
    return html`<sp-rule-ask .store=${this.store}></sp-rule-ask>`;
  }

  /** Loaded with the first visit. Without its code the page is used without a guide. */
  #guide(): TemplateResult | string {
    if (this.store.guide.value === undefined) return '';
    loadPart(() => import('../guide/guide.ts')).catch(() => void (this.store.guide.value = undefined));
    return html`<sp-guide .store=${this.store}></sp-guide>`;
  }

  /** A scenario that a link named. Its code is loaded with the first such link. */
  #named(): TemplateResult | string {
    const { view, place } = this.store;
    if (view.value !== 'run' || place.scenario.value === undefined) return '';
    return html`<sp-named .store=${this.store}>${loading('named', () => import('../gallery/named-scenario.ts'))}</sp-named>`;
  }

  #main(): TemplateResult {
    const whole = WHOLE[this.store.view.value];
    if (whole === undefined) return this.#run();
    // Whole pages begin with operations of the runtime.
    const isOpen = this.store.info.value !== undefined;
    return html`<main class="whole">${isOpen ? whole(this.store) : html`<p role="status">${this.store.status.value.sentence}</p>`}</main>`;
  }

  #run(): TemplateResult {
    const texts = shell();
    return html`<main class="run-view">
      <div class="run">
        <sp-runbar .store=${this.store}></sp-runbar>
        ${this.#strip()}
      </div>
      ${this.#guide()}
      <div class="left" id="left">
        <sp-approval class="card" .store=${this.store} hidden></sp-approval>
        <sp-consent class="card" .store=${this.store} hidden></sp-consent>
        <section class="setup" aria-label=${texts.setup}><sp-setup .store=${this.store}></sp-setup></section>
      </div>
      <sp-splitter edge="left" aria-controls="left" aria-label=${texts.setupWidth}></sp-splitter>
      <section class="timeline" aria-label=${texts.ledger}><sp-timeline .store=${this.store}></sp-timeline></section>
      <sp-splitter edge="right" aria-controls="right" aria-label=${texts.recordWidth}></sp-splitter>
      <section class="inspector" id="right" aria-label=${texts.record}><sp-inspector .store=${this.store}></sp-inspector></section>
    </main>`;
  }

  #strip(): TemplateResult {
    const { session, selection } = this.store;
    const texts = shell();
    const records = session.value?.records.value ?? [];
    const seq = selection.seq.value;
    const group = stepThen(session.value?.steps.value ?? [], seq);
    const past =
      seq === undefined || seq >= records.length - 1 ? '' : html`<span class="soft">${texts.atRecord(seq)}</span>`;
    if (group === undefined) {
      return html`<div class="strip"><p><span class="soft">${texts.tenGates}</span> ${past}</p><sp-strip label=${texts.gates}></sp-strip></div>`;
    }
    const outcome = outcomeOf(group);
    const { chip } = outcome;
    return html`<div class="strip">
      <p><strong>${texts.step(group.step ?? 0)}</strong> <span class=${group.named ? 'mono' : ''}>${group.title}</span> <span class="outcome ${outcome.tone}">${outcome.word} ${outcome.place}</span> ${chip === undefined ? '' : html`<span class="badge">${icon(chip.kind === 'held' ? 'lock' : 'reply')}${chip.word}</span>`} ${past}</p>
      <sp-strip .gates=${group.gates} label=${texts.gatesOfStep(group.step ?? 0)}></sp-strip>
    </div>`;
  }

  #turn(name: ColumnName): void {
    this.store.column.value = name;
  }

  #primary(): void {
    // a question takes the focus
    if (this.store.status.peek().icon !== 'hand' && !isTyping(inFocus()))
      this.renderRoot.querySelector<RunBar>('sp-runbar')?.focusPrimary();
  }

  /** Loaded with the first look at the keys, and the first command. */
  #ask(name: 'sp-help' | 'sp-palette'): void {
    const dialog = this.renderRoot.querySelector<Help | Palette>(name);
    // at once from then on: the next key may be for it already
    if (customElements.get(name) !== undefined) return dialog?.open(this.#face);
    this.#late(name === 'sp-help' ? () => import('./help.ts') : () => import('./palette.ts'), async () => {
      await dialog?.updateComplete;
      dialog?.open(this.#face);
    });
  }

  #export(): void {
    if (this.store.view.peek() === 'audit') this.#send('audit');
    else this.#send('run', 'save');
  }

  /** Loaded with the first export: a person sees what it discloses. */
  #send(of: 'audit' | 'run' | ArchivedRun, focus?: 'page' | 'save'): void {
    late(
      this.store.trouble,
      () => import('../send/send-dialog.ts'),
      ({ archivedRun, auditedRun, openedRun }) => {
        const source = of === 'audit' ? auditedRun(this.store) : of === 'run' ? openedRun(this.store) : archivedRun(of);
        if (source !== undefined) void this.renderRoot.querySelector<SendDialog>('sp-send')?.open(source, focus);
      },
    );
  }

  #late(load: () => Promise<unknown>, then?: () => Promise<void>): void {
    late(this.store.trouble, load, then);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('keydown', this.#onKey);
    // asked for here, and not while drawing: then every step would draw the whole page again
    effect(() => {
      if (this.store.session.value?.view.value?.consent !== undefined)
        this.#late(() => import('../approval/consent.ts'));
    });
    void this.updateComplete.then(() => requestAnimationFrame(() => this.#primary()));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('keydown', this.#onKey);
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || this.#open() || event.isComposing || event.altKey) return;
    const typing = isTyping(event.composedPath()[0]);
    const after = this.#chord;
    this.#chord = undefined;
    const press = {
      key: event.key,
      modified: event.ctrlKey || event.metaKey,
      typing,
      after,
      lettersOff: this.store.lettersOff.value,
      inRun: this.store.view.value === 'run',
    };
    const binding = bindingFor(press);
    if (binding === undefined && event.key === CHORD && !press.modified && !typing && !press.lettersOff)
      this.#chord = CHORD;
    if (binding === undefined) return;
    event.preventDefault();
    binding.act(this.#face);
  };
  /** The first key of a chord, until the next key. */
  #chord: string | undefined;

  /** While a dialog or a popover is open, its own keys rule. */
  #open(): boolean {
    const bar = this.renderRoot.querySelector('sp-bar')?.shadowRoot;
    const dialogs = this.renderRoot.querySelectorAll(
      'sp-abort, sp-help, sp-palette, sp-endpoint, sp-keep, sp-compare-runs, sp-gallery, sp-code-copy',
    );
    const roots = [...[...dialogs].map((dialog) => dialog.shadowRoot), bar, bar?.querySelector('sp-trust')?.shadowRoot];
    return roots.some((root) => (root?.querySelector('dialog[open], :popover-open') ?? null) !== null);
  }

  get #face(): Face {
    const inside = (host: string, wanted: string): HTMLElement | null | undefined =>
      this.renderRoot.querySelector(host)?.shadowRoot?.querySelector<HTMLElement>(wanted);
    return {
      store: this.store,
      focusFilter: () => inside('sp-timeline', '#filter')?.focus(),
      focusQuestion: () => (inside('sp-approval', '#deny') ?? inside('sp-consent', '#deny'))?.focus(),
      focusInspector: () => inside('sp-inspector', '[aria-selected="true"]')?.focus(),
      openHelp: () => this.#ask('sp-help'),
      openPalette: () => this.#ask('sp-palette'),
      exportRun: () => this.#export(),
    };
  }
}

customElements.define('sp-app', App);
