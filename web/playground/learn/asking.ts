import { type Signal, signal } from '@preact/signals-core';
import type { ModelPort, ModelRequest } from '../../../workers/api.ts';
import { type DraftUndo, openDraftUndo } from '../parts/draft-undo.ts';
import { storedText } from '../parts/local-storage.ts';
import type { Lesson } from './lessons/lesson.ts';

/** Opens the small model, held to the form of a proposal or not. */
export type OpenSmallModel = (held: boolean) => Promise<ModelPort & { close?(): void }>;

/** The small model of a lesson: the learner gives it an order, and it says a proposal. */
export interface Asking {
  readonly order: Signal<string>;
  /** Keeps a typed order that a starter has replaced. */
  readonly orderUndo: DraftUndo;
  readonly held: Signal<boolean>;
  /** Calls `say` with all that the model has said so far, while it says it. */
  ask(request: ModelRequest, say: (text: string) => void): Promise<void>;
  close(): void;
}

export function openAsking(lesson: Lesson, open: OpenSmallModel): Asking {
  const first = lesson.starters[0]?.text ?? '';
  const order = storedText(`sallyport.lesson.${lesson.number}.order`, first);
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
    orderUndo: openDraftUndo(order, first),
    ask: async (request, say) => {
      const model = await modelFor(held.peek());
      let said = '';
      say(said);
      const onText = (text: string): void => {
        said += text;
        say(said);
      };
      const asked = { ...request, messages: [{ role: 'user', kind: 'task', content: order.peek() }] as const };
      const { text } = await model.propose(asked, { signal: closing.signal, onText });
      say(typeof text === 'string' ? text : new TextDecoder().decode(text));
    },
    close: () => {
      closing.abort();
      for (const model of models.values()) model.then((open) => open.close?.()).catch(() => undefined);
    },
  };
}
