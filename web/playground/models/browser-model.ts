import { type ReadonlySignal, signal } from '@preact/signals-core';
import { fromPromptApi, type PromptApiPort, type PromptAvailability } from '../../models.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { models } from '../../texts/en/models.ts';
import { measured } from './measured.ts';
import type { ModelChoice } from './model-choice.ts';

/** The model of the browser: whether it is there, and its download. */
export interface BrowserModelState {
  /** Undefined until the browser has answered. */
  readonly availability: ReadonlySignal<PromptAvailability | undefined>;
  /** Share of the download or of the start that is done, from 0 to 1; undefined where none is under way. */
  readonly share: ReadonlySignal<number | undefined>;
  readonly trouble: ReadonlySignal<string | undefined>;
  look(): Promise<void>;
  /** Downloads the model where that is needed, and makes it ready. The browser wants a click before it. */
  prepare(): Promise<void>;
  cancel(): void;
}

export function openBrowserModel(choice: ModelChoice, loaded: () => void): BrowserModelState {
  const availability = signal<PromptAvailability | undefined>(undefined);
  const share = signal<number | undefined>(undefined);
  const trouble = signal<string | undefined>(undefined);
  let port: PromptApiPort | undefined;
  let stop: AbortController | undefined;

  const prepare = async (): Promise<void> => {
    if (share.peek() !== undefined) return;
    const mine = new AbortController();
    stop = mine;
    trouble.value = undefined;
    share.value = 0;
    try {
      port ??= fromPromptApi();
      await port.prepare({ signal: mine.signal, onProgress: (done) => void (share.value = done) });
      choice.opened.value = {
        ...choice.opened.peek(),
        browser: measured(
          port,
          () => models().names.browser,
          () => models().places.browser,
        ),
      };
      loaded();
    } catch (error) {
      if (!mine.signal.aborted) trouble.value = sentenceOf(error);
    } finally {
      share.value = undefined;
      await look();
    }
  };

  const look = async (): Promise<void> => {
    port ??= fromPromptApi();
    availability.value = await port.availability().catch(() => 'unavailable' as const);
  };

  return { availability, share, trouble, look, prepare, cancel: () => stop?.abort() };
}
