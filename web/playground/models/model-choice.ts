import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { ModelPort } from '../../../workers/api.ts';
import { setup } from '../../texts/en/setup.ts';
import type { ConnectedModel } from '../endpoint/endpoint.ts';
import { storedText } from '../parts/local-storage.ts';

export const MODEL_KINDS = ['small', 'gguf', 'browser', 'server'] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

/** A model that can propose now, in the words by which a person knows it. */
export interface ReadyModel {
  readonly model: ModelPort;
  readonly name: string;
  /** For example "in this page" or the origin of a server. */
  readonly place: string;
  /** Tokens a second of its last answer. */
  readonly speed?: ReadonlySignal<number | undefined>;
  /** Tasks that it knows, for a model that knows only some. */
  readonly examples?: readonly string[];
}

/** The third proposer: the kind of model that was chosen, and the models that are open. */
export interface ModelChoice {
  readonly kind: Signal<ModelKind>;
  /** Models of this device that are open. A model behind a server is in `endpoint.connected`. */
  readonly opened: Signal<{ readonly [K in ModelKind]?: ReadyModel }>;
  /** The model of the chosen kind. */
  readonly ready: ReadonlySignal<ReadyModel | undefined>;
}

export function openModelChoice(connected: ReadonlySignal<ConnectedModel | undefined>): ModelChoice {
  const kind = storedText('sallyport.model', 'small') as Signal<ModelKind>;
  if (!MODEL_KINDS.includes(kind.peek())) kind.value = 'small';
  const opened = signal<{ readonly [K in ModelKind]?: ReadyModel }>({});
  const server = computed(() => {
    const own = connected.value;
    return own && { model: own.model, name: own.name, place: setup().modelAt(own.origin) };
  });
  return {
    kind,
    opened,
    ready: computed(() => (kind.value === 'server' ? server.value : opened.value[kind.value])),
  };
}
