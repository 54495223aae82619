import { type ReadonlySignal, signal } from '@preact/signals-core';
import { SallyportError } from '../../core/index.ts';
import type { ModelMessage, ModelPort } from '../../workers/api.ts';

export type ProposerName = 'script' | 'you';

/** The proposers of the playground behind one port: a run asks it, and whoever is chosen answers. */
export interface Proposer {
  readonly port: ModelPort;
  readonly chosen: ReadonlySignal<ProposerName>;
  /** True while a run waits for a person to send something. */
  readonly asked: ReadonlySignal<boolean>;
  /** The script's next proposal, or nothing when it is told. */
  readonly next: ReadonlySignal<string | undefined>;
  readonly position: ReadonlySignal<number>;
  /** What the model was shown, request by request; known only for runs made in this tab. */
  readonly contexts: ReadonlySignal<readonly (readonly ModelMessage[])[]>;
  choose(name: ProposerName): void;
  /** Hands over one proposal of the person's; it waits where nobody has asked yet. */
  send(text: string): void;
}

/** Makes the port for one run, from this place of the script on. The person may take over at any step, and hand back. */
export function openProposer(script: readonly string[], name: ProposerName, from = 0): Proposer {
  const chosen = signal(name);
  const asked = signal(false);
  const position = signal(from);
  const next = signal(script[from]);
  const contexts = signal<readonly (readonly ModelMessage[])[]>([]);
  const waiting: { text?: string; take?: (text: string) => void } = {};

  function fromScript(): string {
    const text = script[position.value];
    if (text === undefined) throw new SallyportError('model_exhausted', 'The script has no more proposals.', {});
    position.value += 1;
    next.value = script[position.value];
    return text;
  }

  function fromPerson(signalled: AbortSignal): Promise<string> {
    const early = waiting.text;
    delete waiting.text;
    if (early !== undefined) return Promise.resolve(early);
    asked.value = true;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        asked.value = false;
        delete waiting.take;
      };
      waiting.take = (text) => (settle(), resolve(text));
      signalled.addEventListener('abort', () => (settle(), reject(signalled.reason as Error)), { once: true });
    });
  }

  return {
    chosen,
    asked,
    next,
    position,
    contexts,
    choose: (wanted) => {
      chosen.value = wanted;
      if (wanted === 'script' && waiting.take !== undefined) waiting.take(fromScript());
    },
    send: (text) => (waiting.take === undefined ? void (waiting.text = text) : waiting.take(text)),
    port: {
      id: 'playground: script or person',
      locality: { kind: 'local' },
      propose: async (request, io) => {
        contexts.value = [...contexts.value, request.messages];
        const text =
          chosen.value === 'script' && waiting.text === undefined ? fromScript() : await fromPerson(io.signal);
        return { text };
      },
    },
  };
}
