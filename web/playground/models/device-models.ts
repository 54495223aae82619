import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import workerUrl from '../../../workers/bridges/models/small/worker.ts?worker&url';
import {
  fromPromptApi,
  openModelWorker,
  type PromptApiPort,
  type PromptAvailability,
  SMALL_MODEL_EXAMPLES,
  type SmallModelData,
  type WorkerModel,
} from '../../models.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { models } from '../../texts/en/models.ts';
import type { Playground } from '../playground.ts';
import { type GgufModels, openGgufModels } from './gguf-model.ts';
import { measured } from './measured.ts';
import type { ModelChoice } from './model-choice.ts';
import { fetchWeights } from './small-weights.ts';

/** The models of this device. They outlive the panels that show them. */
export interface DeviceModels {
  readonly small: SmallModelState;
  readonly gguf: GgufModels;
  readonly browser: BrowserModelState;
}

const known = new WeakMap<Playground, DeviceModels>();

export function deviceModelsOf(store: Playground): DeviceModels {
  const found = known.get(store) ?? open(store);
  known.set(store, found);
  return found;
}

function open(store: Playground): DeviceModels {
  const loaded = (): void => {
    if (store.chosen.peek() === 'model') store.choose('model');
  };
  const gguf = openGgufModels(store.models, loaded);
  void gguf.refresh();
  return { small: openSmallModel(store.models, loaded), gguf, browser: openBrowserModel(store.models, loaded) };
}

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

function openBrowserModel(choice: ModelChoice, loaded: () => void): BrowserModelState {
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

/** The small model of this page: opened with its first choice, in a worker that can ask no server. */
export interface SmallModelState {
  /** Its proposals are held to the form of a proposal. */
  readonly constrained: Signal<boolean>;
  readonly trouble: Signal<string | undefined>;
  /** Opens it, where it is not open with this constraint. */
  open(): Promise<void>;
}

function openSmallModel(choice: ModelChoice, loaded: () => void): SmallModelState {
  const constrained = signal(true);
  const trouble = signal<string | undefined>(undefined);
  let weights: Promise<Uint8Array> | undefined;
  let current: { readonly constrained: boolean; readonly model: Promise<WorkerModel> } | undefined;

  const load = async (isConstrained: boolean): Promise<WorkerModel> => {
    weights ??= fetchWeights();
    const id = isConstrained ? 'small-model' : 'small-model, not held to a form';
    const data: SmallModelData = { weights: await weights, id, constrained: isConstrained };
    return openModelWorker(workerUrl, { data });
  };

  const open = async (): Promise<void> => {
    const wanted = constrained.peek();
    if (current?.constrained === wanted && choice.opened.peek().small !== undefined) return;
    const before = current;
    const mine = { constrained: wanted, model: load(wanted) };
    current = mine;
    trouble.value = undefined;
    try {
      const model = await mine.model;
      if (current !== mine) return model.close();
      choice.opened.value = {
        ...choice.opened.peek(),
        small: measured(
          model,
          () => models().names.small,
          () => models().places.page,
          SMALL_MODEL_EXAMPLES,
        ),
      };
      before?.model.then((old) => old.close()).catch(() => undefined);
      loaded();
    } catch (error) {
      weights = undefined;
      if (current === mine) current = undefined;
      trouble.value = sentenceOf(error);
    }
  };

  return { constrained, trouble, open };
}
