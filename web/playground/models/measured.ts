import { signal } from '@preact/signals-core';
import type { ModelPort } from '../../../workers/api.ts';
import type { ReadyModel } from './model-choice.ts';

/** The model, its name and place in the language of the moment, and its speed: the tokens of an answer over the time from its first piece to its end. */
export function measured(
  model: ModelPort,
  name: () => string,
  place: () => string,
  examples?: readonly string[],
): ReadyModel {
  const speed = signal<number | undefined>(undefined);
  const propose: ModelPort['propose'] = async (request, { signal: stop, onText }) => {
    let first: number | undefined;
    const answer = await model.propose(request, {
      signal: stop,
      onText: (text) => {
        first ??= performance.now();
        onText?.(text);
      },
    });
    if (first !== undefined && answer.usage !== undefined)
      speed.value = (answer.usage.output * 1000) / Math.max(1, performance.now() - first);
    return answer;
  };
  return {
    model: portOf(model, propose),
    speed,
    ...(examples && { examples }),
    get name() {
      return name();
    },
    get place() {
      return place();
    },
  };
}

/** A port may be an instance of a class, whose members a spread would lose. */
function portOf(model: ModelPort, propose: ModelPort['propose']): ModelPort {
  const { id, provider, name, locality } = model;
  return {
    id,
    ...(provider !== undefined && { provider }),
    ...(name !== undefined && { name }),
    ...(locality !== undefined && { locality }),
    get window() {
      return model.window as NonNullable<ModelPort['window']>;
    },
    propose,
  };
}
