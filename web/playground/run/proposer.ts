import { type ReadonlySignal, signal } from '@preact/signals-core';
import { SallyportError } from '../../../core/index.ts';
import type { ModelMessage, ModelPort, ModelRequest } from '../../../workers/api.ts';
import { cancellable } from '../../shared/cancellable.ts';
import { HOME } from '../scenario.ts';

type Answer = Awaited<ReturnType<ModelPort['propose']>>;

export const PROPOSERS = ['script', 'you', 'model'] as const;
export type ProposerName = (typeof PROPOSERS)[number];

/** The proposers of the playground behind a single port: a run asks it, and the selected proposer answers. */
export interface ProposerChoice {
  readonly port: ModelPort;
  readonly chosen: ReadonlySignal<ProposerName>;
  /** The model with which this run began, if it began with one. */
  readonly elsewhere: ModelPort | undefined;
  /** Id of the model that the run's first record names; that model may not be open here. */
  readonly recorded: string | undefined;
  /** True while a run waits for a person to send a proposal. */
  readonly asked: ReadonlySignal<boolean>;
  /** The model's partial answer to the current request. */
  readonly saying: ReadonlySignal<string | undefined>;
  /** The script's next proposal; undefined at its end. */
  readonly next: ReadonlySignal<string | undefined>;
  readonly position: ReadonlySignal<number>;
  /** The origin of the script; undefined for the scenario's own. */
  readonly origin: string | undefined;
  /** The proposals of the script. */
  readonly script: readonly string[];
  /** The messages of each request to the model; known only for runs made in this tab. */
  readonly contexts: ReadonlySignal<readonly (readonly ModelMessage[])[]>;
  choose(name: ProposerName): void;
  /** Sends a proposal of the person; it waits until the run asks for it. */
  send(text: string): void;
  /** Ends the request to the model; the run waits, and can ask again. */
  cancel(): void;
}

interface ProposerOptions {
  readonly script: readonly string[];
  readonly chosen: ProposerName;
  /** The number of the script's proposals that were already made. */
  readonly from?: number;
  /** The model that the run may use; its first record names it. */
  readonly elsewhere?: ModelPort | undefined;
  /** Id of the model that the run's first record names, where that is not `elsewhere`. */
  readonly recorded?: string;
  /** The id of the scenario; the run's first record names it. */
  readonly scenario?: string;
  /** The origin of the script, if it is not the scenario's. */
  readonly origin?: string;
}

/** Makes the port for a run. The person may take over at any step, and hand back. */
export function openProposer({
  script,
  chosen: first,
  from = 0,
  elsewhere,
  recorded = elsewhere?.id,
  origin,
  scenario,
}: ProposerOptions): ProposerChoice {
  const chosen = signal(first);
  const person = openPerson();
  const asking = elsewhere && cancellable(elsewhere);
  const saying = signal<string | undefined>(undefined);
  const position = signal(from);
  const next = signal(script[from]);
  const contexts = signal<readonly (readonly ModelMessage[])[]>([]);

  function fromScript(): string {
    const text = script[position.value];
    if (text === undefined) throw new SallyportError('model_exhausted', 'The script has no more proposals.', {});
    position.value += 1;
    next.value = script[position.value];
    return text;
  }

  async function fromElsewhere(request: ModelRequest, abort: AbortSignal): Promise<Answer> {
    if (asking === undefined) throw new SallyportError('model_failed', 'This run has no model.', {});
    saying.value = '';
    try {
      const onText = (text: string): void => {
        saying.value = `${saying.value ?? ''}${text}`;
      };
      return await asking.port.propose(request, { signal: abort, onText });
    } finally {
      saying.value = undefined;
    }
  }

  async function answer(request: ModelRequest, abort: AbortSignal): Promise<Answer> {
    while (chosen.value === 'you' || person.hasText()) {
      const text = await person.ask(abort);
      if (text !== undefined) return { text };
    }
    return chosen.value === 'script' ? { text: fromScript() } : fromElsewhere(request, abort);
  }

  return {
    chosen,
    elsewhere,
    recorded,
    asked: person.asked,
    saying,
    next,
    position,
    origin,
    script,
    contexts,
    choose: (wanted) => {
      chosen.value = wanted;
      if (wanted !== 'you') person.dismiss();
    },
    send: person.send,
    cancel: () => asking?.cancel(),
    port: {
      id: idOf(elsewhere, origin, scenario),
      ...(elsewhere?.provider !== undefined && { provider: elsewhere.provider }),
      ...(elsewhere?.name !== undefined && { name: elsewhere.name }),
      locality: elsewhere?.locality ?? { kind: 'local' },
      ...(elsewhere?.window !== undefined && { window: elsewhere.window }),
      propose: async (request, io) => {
        contexts.value = [...contexts.value, request.messages];
        return answer(request, io.signal);
      },
    },
  };
}

/** The person as a proposer: a sent text answers the request that waits, or the next request. */
interface PersonModel {
  readonly asked: ReadonlySignal<boolean>;
  /** A text was sent before the run asked for it. */
  hasText(): boolean;
  /** Undefined where another proposer was selected meanwhile. */
  ask(abort: AbortSignal): Promise<string | undefined>;
  send(text: string): void;
  /** Ends the request that waits, because another proposer was selected. */
  dismiss(): void;
}

function openPerson(): PersonModel {
  const asked = signal(false);
  const waiting: { text?: string; take?: (text: string | undefined) => void } = {};

  const wait = (abort: AbortSignal): Promise<string | undefined> => {
    asked.value = true;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        asked.value = false;
        delete waiting.take;
      };
      waiting.take = (text) => (settle(), resolve(text));
      abort.addEventListener('abort', () => (settle(), reject(abort.reason as Error)), { once: true });
    });
  };

  return {
    asked,
    hasText: () => waiting.text !== undefined,
    ask: (abort) => {
      const early = waiting.text;
      delete waiting.text;
      return early === undefined ? wait(abort) : Promise.resolve(early);
    },
    send: (text) => (waiting.take === undefined ? void (waiting.text = text) : waiting.take(text)),
    dismiss: () => waiting.take?.(undefined),
  };
}

/** Stands before the place a script is from, where that is not the scenario. */
export const ORIGIN = '; ';

function idOf(elsewhere: ModelPort | undefined, origin: string | undefined, scenario = HOME): string {
  const who = elsewhere === undefined ? 'script or person' : `${elsewhere.id}, script or person`;
  const where = scenario === HOME ? 'playground' : `playground, ${scenario}`;
  return `${where}: ${who}${origin === undefined ? '' : `${ORIGIN}${origin}`}`;
}

/** The id of the model behind the third proposer, by the model that a run's first record names. */
export function modelIn(recorded: string): string {
  return /^playground(?:, [a-z]{1,40})?: (.+), script or person(?:; .*)?$/su.exec(recorded)?.[1] ?? recorded;
}

/** The scenario of a run by the id of its model; undefined for the scenario that is there from the beginning. */
export function scenarioIn(model: string): string | undefined {
  return /^playground, ([a-z]{1,40}): /u.exec(model)?.[1];
}
