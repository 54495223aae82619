import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { loadPart } from '../../workers/load-part.ts';
import { type LanguageName, languageOf, localeOf, preferredLanguage } from '../texts/languages.ts';
import { DEFAULT_WORDS, type SpokenTexts } from './words.ts';

/** The texts in their language, with the locale of numbers. */
export interface SpokenLanguage extends SpokenTexts {
  readonly language: LanguageName;
  readonly locale: string;
}

/** English comes with the element; each other language is loaded on demand. */
const LOADERS: { readonly [L in LanguageName]: () => Promise<SpokenTexts> } = {
  en: async () => ({ words: DEFAULT_WORDS }),
  de: async () => (await loadPart(() => import('./german.ts'))).GERMAN,
};

/**
 * The language of an element's texts: named by its attribute `lang`, or by that of its nearest ancestor, also outside
 * the shadow root that holds the element. Where none is named, or the element lacks it, the first language of the
 * browser that the element has; English if there is none.
 */
export function languageAt(element: Element): LanguageName {
  return languageOf(langOf(element)) ?? preferredLanguage();
}

function langOf(element: Element): string {
  const named = element.closest('[lang]');
  if (named !== null) return named.getAttribute('lang') ?? '';
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? langOf(root.host) : '';
}

/** Follows the language at an element while the element is in a document. */
export class ElementLanguage implements ReactiveController {
  /** The language whose texts are loaded: it stays as it was while another loads, or if it cannot be loaded. */
  spoken: SpokenLanguage = { language: 'en', locale: localeOf('en'), words: DEFAULT_WORDS };
  /** Resolves when the latest language is loaded, or could not be. Never rejects. */
  settled: Promise<void> = Promise.resolve();
  readonly #host: ReactiveControllerHost & Element;
  readonly #changed: (now: SpokenLanguage, before: SpokenLanguage) => void;
  readonly #observer: MutationObserver;
  #wanted: LanguageName = 'en';

  /** Calls `changed` after each change of `spoken`. */
  constructor(host: ReactiveControllerHost & Element, changed: (now: SpokenLanguage, before: SpokenLanguage) => void) {
    this.#host = host;
    this.#changed = changed;
    this.#observer = new MutationObserver(() => this.#follow());
    host.addController(this);
  }

  hostConnected(): void {
    for (let root: Node = this.#host.getRootNode(); ; root = root.host.getRootNode()) {
      this.#observer.observe(root, { subtree: true, attributeFilter: ['lang'] });
      if (!(root instanceof ShadowRoot)) break;
    }
    this.#follow();
  }

  hostDisconnected(): void {
    this.#observer.disconnect();
  }

  #follow(): void {
    const wanted = languageAt(this.#host);
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    this.settled = this.#speak(wanted);
  }

  /** A later language replaces a language that still loads. */
  async #speak(wanted: LanguageName): Promise<void> {
    const texts = await LOADERS[wanted]().catch(() => undefined);
    if (this.#wanted !== wanted) return;
    if (texts === undefined) {
      // The next change of an attribute, or the next connection, tries again.
      this.#wanted = this.spoken.language;
      return;
    }
    const before = this.spoken;
    this.spoken = { language: wanted, locale: localeOf(wanted), ...texts };
    this.#changed(this.spoken, before);
    this.#host.requestUpdate();
  }
}
