/** The page `selftest.html`: tests the device that opens it, or shows the result in its fragment. */
import { type CSSResult, css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { visibleText } from '../../core/index.ts';
import { loadPart } from '../../workers/load-part.ts';
import { PACKAGE_VERSION } from '../../workers/package-version.ts';
import { shared } from '../style/shared.ts';
import { readSpeechFrom } from '../texts/area.ts';
import { selftest } from '../texts/en/selftest.ts';
import { dateSecond, number } from '../texts/intl.ts';
import { LANGUAGES, type LanguageName, localeOf, preferredLanguage } from '../texts/languages.ts';
import { deviceHere } from './device.ts';
import { AT_ONCE, afterReload, beSecondTab, inSecondTab, PAGE, reloadWith, TAB, takeBefore } from './page-parts.ts';
import { type Act, DeviceTest, tryPart } from './parts.ts';
import {
  type Device,
  FORM,
  formatFragment,
  PART_IDS,
  type PartId,
  type PartResult,
  parseFragment,
  type SelftestResult,
} from './result.ts';
import { textOf } from './text.ts';

type Shown = { readonly [P in PartId]?: PartResult };

const MARKS = { pass: '✓', fail: '✕', not_tried: '–' } as const;
const WAITS: PartResult = { outcome: 'not_tried', ms: 0, reason: 'button' };

class Selftest extends LitElement {
  static override properties = {
    shown: { state: true },
    now: { state: true },
    share: { state: true },
    told: { state: true },
    mode: { state: true },
  };
  static override styles: CSSResult[] = [
    shared,
    css`
      main {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 1.25rem;
        max-width: 48rem;
        margin: 0 auto;
        padding: 2rem 1.25rem 4rem;
      }
      h1 {
        font-size: 1.75rem;
        letter-spacing: -0.02em;
        line-height: 1.25;
      }
      .acts,
      .links {
        display: flex;
        flex-wrap: wrap;
        gap: 0.75rem;
        align-items: center;
      }
      progress {
        width: 100%;
        accent-color: var(--accent);
      }
      li {
        display: grid;
        grid-template-columns: 1.5rem minmax(0, 1fr) auto;
        gap: 0.125rem 0.5rem;
        padding: 0.5rem 0;
        border-top: 1px solid var(--line);
      }
      .more {
        grid-column: 2 / -1;
        color: var(--soft);
        overflow-wrap: anywhere;
      }
      .pass .mark {
        color: var(--good);
      }
      .fail .mark,
      .fail .outcome {
        color: var(--bad);
      }
      .not_tried .mark,
      .not_tried .outcome {
        color: var(--soft);
      }
      pre {
        padding: 0.75rem;
        border: 1px solid var(--line);
        border-radius: var(--radius-small);
        background: var(--panel);
        font: 0.875rem / 1.5 var(--mono);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
    `,
  ];

  declare shown: Shown;
  declare now: PartId | undefined;
  declare share: number;
  declare told: string;
  /** `rest`: nothing was tested yet. `link`: a result that a link brought. `tab`: the second tab of a test; `alone`: no test has opened it. */
  declare mode: 'rest' | 'runs' | 'ended' | 'link' | 'refused' | 'tab' | 'tab alone' | 'tab done';
  #device: Device = { browser: '', version: '', system: '' };
  #at = '';
  #linked: SelftestResult | undefined;
  #controller = new AbortController();

  constructor() {
    super();
    this.shown = {};
    this.share = 0;
    this.told = '';
    this.mode = 'rest';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('hashchange', () => void this.#open());
    void this.#open();
  }

  async #open(): Promise<void> {
    // a link that is opened meanwhile would take the place of the test's own result
    if (this.mode === 'runs') return;
    const found = parseFragment(location.hash);
    if (found !== undefined) {
      this.#linked = found === 'refused' ? undefined : found;
      this.mode = found === 'refused' ? 'refused' : 'link';
      return;
    }
    if (location.hash === TAB) return this.#beTab();
    const before = takeBefore();
    if (before === undefined) return;
    this.#device = before.shown.device;
    this.#at = before.shown.at;
    this.shown = before.shown.parts;
    await this.#run({ reload: afterReload(before) });
  }

  async #beTab(): Promise<void> {
    this.mode = 'tab';
    const alone = (): void => void (this.mode = 'tab alone');
    await beSecondTab(this.#controller.signal, alone).catch((error: unknown) => void (this.told = String(error)));
    this.mode = 'tab done';
  }

  #result(): SelftestResult {
    return { form: FORM, product: PACKAGE_VERSION, at: this.#at, device: this.#device, parts: this.shown };
  }

  async #begin(): Promise<void> {
    // a second click finds no button
    this.mode = 'runs';
    history.replaceState(undefined, '', location.pathname);
    this.#at = `${new Date().toISOString().slice(0, 19)}Z`;
    this.#device = await deviceHere();
    this.shown = { reload: WAITS, tab: WAITS };
    await this.#run(AT_ONCE);
  }

  /** Does these parts one after the other, and deletes the ledger of the test. */
  async #run(acts: { readonly [P in PartId]?: Act }): Promise<void> {
    this.mode = 'runs';
    this.told = '';
    this.#controller = new AbortController();
    const test = new DeviceTest(PAGE, this.#controller.signal, (share) => void (this.share = share));
    const ids = PART_IDS.filter((id) => acts[id] !== undefined);
    for (const id of ids) {
      this.now = id;
      this.share = 0;
      const isLost = id !== 'start' && this.shown.start?.outcome === 'fail' && id !== 'offline';
      const part = isLost
        ? ({ outcome: 'not_tried', ms: 0, reason: 'not_started' } as const)
        : await tryPart(id, acts[id] as Act, test);
      this.shown = { ...this.shown, [id]: part };
    }
    this.now = undefined;
    const isClean = await test.cleanUp().then(
      () => true,
      () => false,
    );
    this.told = selftest()[isClean ? 'cleaned' : 'notCleaned'];
    this.mode = 'ended';
  }

  async #reload(): Promise<void> {
    const test = new DeviceTest(PAGE, this.#controller.signal);
    await reloadWith(test, this.#result()).catch(async (error: unknown) => {
      this.told = String(error);
      await test.close();
    });
  }

  async #copy(text: string): Promise<void> {
    this.told = await navigator.clipboard.writeText(text).then(
      () => selftest().copied,
      () => selftest().notCopied,
    );
  }

  #link(): string {
    return new URL(`${location.pathname}${formatFragment(this.#result())}`, location.href).href;
  }

  protected override render(): TemplateResult {
    const texts = selftest();
    if (this.mode === 'tab alone')
      return html`<main><h1>${texts.title}</h1><p role="status">${texts.secondTabAlone}</p><p><a href=${location.pathname}>${texts.secondTabLink}</a></p></main>`;
    if (this.mode === 'tab' || this.mode === 'tab done')
      return html`<main><h1>${texts.title}</h1><p role="status">${this.mode === 'tab' ? texts.secondTab : texts.secondTabDone} ${this.told}</p></main>`;
    return html`<main>
      <h1>${texts.title}</h1>
      <p>${texts.lead}</p>
      ${this.#acts()}
      <p role="status">${this.#status()}</p>
      ${this.#linked === undefined ? this.#list(this.shown) : nothing}
      ${this.#linked === undefined ? this.#ending() : this.#fromLink(this.#linked)}
      <p class="links"><a href="./">${texts.playground}</a><a href="docs/browsers.html">${texts.documentation}</a></p>
    </main>`;
  }

  #acts(): TemplateResult {
    const texts = selftest();
    const label = this.mode === 'ended' ? texts.again : this.mode === 'rest' ? texts.begin : texts.testHere;
    if (this.mode !== 'runs')
      return html`<p class="acts"><button type="button" id="begin" class="primary" @click=${() => this.#fresh()}>${label}</button></p>`;
    return html`<p class="acts"><button type="button" id="cancel" @click=${() => this.#controller.abort()}>${texts.cancel}</button></p>
      <progress aria-label=${texts.title} max=${PART_IDS.length} .value=${this.#done()}></progress>`;
  }

  #fresh(): void {
    this.#linked = undefined;
    void this.#begin();
  }

  /** Parts that are over, with the share of the part at work. */
  #done(): number {
    return Object.keys(this.shown).length - 2 + this.share;
  }

  #status(): string {
    const texts = selftest();
    if (this.mode === 'refused') return texts.refusedLink;
    if (this.mode === 'link') return texts.fromLink;
    if (this.mode === 'runs' && this.now !== undefined)
      return `${texts.progress(PART_IDS.indexOf(this.now), PART_IDS.length)}. ${texts.running(texts.parts[this.now])}`;
    if (this.mode !== 'ended') return '';
    const failed = Object.values(this.shown).filter(({ outcome }) => outcome === 'fail').length;
    const isCanceled = Object.values(this.shown).some(({ reason }) => reason === 'canceled');
    return `${isCanceled ? `${texts.reasons.canceled} ` : ''}${texts.ended(failed)} ${this.told}`;
  }

  #list(parts: Shown): TemplateResult | typeof nothing {
    const ids = PART_IDS.filter((id) => parts[id] !== undefined);
    if (ids.length === 0) return nothing;
    return html`<ol>${ids.map((id) => this.#row(id, parts[id] as PartResult))}</ol>`;
  }

  #row(id: PartId, { outcome, ms, reason, said, facts = {} }: PartResult): TemplateResult {
    const texts = selftest();
    const words: { readonly [fact: string]: string } = texts.facts;
    const valueOf = (value: string | number | boolean): string =>
      typeof value === 'number'
        ? number(value)
        : typeof value === 'boolean'
          ? texts[value ? 'yes' : 'no']
          : visibleText(value);
    const told = Object.entries(facts).map(([fact, value]) => `${words[fact]}: ${valueOf(value)}`);
    return html`<li class=${outcome} data-part=${id}>
      <span class="mark" aria-hidden="true">${MARKS[outcome]}</span>
      <span>${texts.parts[id]}</span>
      <span class="outcome">${texts.outcomes[outcome]}${outcome === 'pass' ? `, ${number(ms)} ms` : ''}</span>
      ${reason === undefined ? nothing : html`<span class="more">${texts.reasons[reason]} ${said === undefined ? nothing : html`<span lang="en">${visibleText(said)}</span>`}</span>`}
      ${told.length === 0 ? nothing : html`<span class="more">${told.join(' · ')}</span>`}
    </li>`;
  }

  #ending(): TemplateResult | typeof nothing {
    const texts = selftest();
    if (this.mode !== 'ended') return nothing;
    return html`<p class="acts">
        <button type="button" id="reload" @click=${() => void this.#reload()}>${texts.reload}</button><span>${texts.reloadIs}</span>
      </p>
      <p class="acts">
        <button type="button" id="tab" @click=${() => void this.#run({ tab: inSecondTab })}>${texts.tab}</button><span>${texts.tabIs}</span>
      </p>
      <h2>${texts.asText}</h2>
      <p class="acts">
        <button type="button" id="copy-text" @click=${() => void this.#copy(textOf(this.#result()))}>${texts.copyText}</button>
        <a id="link" href=${this.#link()}>${texts.link}</a>
        <button type="button" id="copy-link" @click=${() => void this.#copy(this.#link())}>${texts.copyLink}</button>
      </p>
      <pre id="text" lang="en" tabindex="0">${textOf(this.#result())}</pre>`;
  }

  #fromLink(result: SelftestResult): TemplateResult {
    const { product, at, device } = result;
    const texts = selftest();
    const words = [device.browser, device.version, device.system].map(visibleText).join(' · ');
    return html`<h2>${texts.result}</h2>
      <p>${words}<br />Sallyport ${visibleText(product)}, ${texts.tested} ${dateSecond(Date.parse(at))}</p>
      ${this.#list(result.parts)}`;
  }
}

customElements.define('sp-selftest', Selftest);

/** The language that the person chose in the playground, or else a language of the browser. */
function languageHere(): LanguageName {
  try {
    const chosen = localStorage.getItem('sallyport.language');
    return LANGUAGES.find((name) => name === chosen) ?? preferredLanguage();
  } catch {
    return preferredLanguage();
  }
}

async function show(): Promise<void> {
  const language = languageHere();
  const own =
    language === 'de' ? await loadPart(() => import('../texts/de/selftest.ts')).catch(() => undefined) : undefined;
  const speech = {
    language: own === undefined ? 'en' : language,
    locale: localeOf(language),
    ...(own && { tables: own }),
  } as const;
  readSpeechFrom(() => speech);
  document.documentElement.lang = speech.language;
  document.title = `${selftest().title} – Sallyport`;
  document.querySelector('#app')?.replaceChildren(document.createElement('sp-selftest'));
}

void show();
