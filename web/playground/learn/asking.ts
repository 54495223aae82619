import { type Signal, signal } from '@preact/signals-core';
import type { ModelPort, ModelRequest } from '../../../workers/api.ts';
import { storedText } from '../parts/local-storage.ts';
import type { Lesson } from './lessons/lesson.ts';

/** Opens the small model, held to the form of a proposal or not. */
export type OpenSmallModel = (held: boolean) => Promise<ModelPort & { close?(): void }>;

/** The small model of a lesson: the learner gives it an order, and it says a proposal. */
export interface Asking {
  readonly order: Signal<string>;
  readonly held: Signal<boolean>;
  /** Writes what the model says into `said`, while it says it. */
  ask(request: ModelRequest, said: Signal<string>): Promise<void>;
  close(): void;
}

export function openAsking(lesson: Lesson, open: OpenSmallModel): Asking {
  const order = storedText(`sallyport.lesson.${lesson.number}.order`, lesson.starters[0]?.text ?? '');
  const held = signal(true);
  const models = new Map<boolean, ReturnType<OpenSmallModel>>();
  const closing = new AbortController();

  const modelFor = (isHeld: boolean): ReturnType<OpenSmallModel> => {
    const model = models.get(isHeld) ?? open(isHeld);
    models.set(isHeld, model);
    // a model that could not be loaded is loaded anew
    model.catch(() => models.delete(isHeld));
    return model;
  };

  return {
    order,
    held,
    ask: async (request, said) => {
      const model = await modelFor(held.peek());
      said.value = '';
      const onText = (text: string): void => {
        said.value += text;
      };
      const asked = { ...request, messages: [{ role: 'user', kind: 'task', content: order.peek() }] as const };
      const { text } = await model.propose(asked, { signal: closing.signal, onText });
      said.value = typeof text === 'string' ? text : new TextDecoder().decode(text);
    },
    close: () => {
      closing.abort();
      for (const model of models.values()) model.then((open) => open.close?.()).catch(() => undefined);
    },
  };
}
