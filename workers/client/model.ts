import type { AnswerFacts } from '../../core/ledger/kinds/step.ts';
import type { ModelError } from '../../core/model-error.ts';
import {
  assertKinds,
  BYTES,
  CALLBACK,
  COUNT,
  each,
  OBJECT,
  type OptionTypes,
  POSITIVE,
  TEXT,
} from '../../core/option.ts';
import { SallyportError } from '../../core/sallyport-error.ts';
import type { ModelPort, OpeningLength, StartOptions } from '../api.ts';
import { lazyAbort } from '../async.ts';
import type { ModelTerms } from '../kernel/api.ts';
import type { ModelAnswer, Proposer } from '../ports.ts';
import { thrownError } from '../thrown.ts';
import { warn } from './warn.ts';

const MODEL: OptionTypes = { ...each(['id', 'provider', 'name'], TEXT), propose: CALLBACK, window: OBJECT };
const WINDOW: OptionTypes = { contextBytes: POSITIVE, maxTokens: POSITIVE };

/** Throws `option_invalid` where the value is not a model. */
export function assertModel(model: ModelPort): void {
  assertKinds(model, MODEL, ['id', 'propose'], 'model');
  if (model.window !== undefined) assertKinds(model.window, WINDOW, ['contextBytes'], 'model.window');
}

/** Facts about a model that the kernel needs: its remote origin, if it leaves this device, its window and its opening. */
export function termsOf(
  { locality, window, provider, name }: ModelPort,
  { opening }: { readonly opening?: OpeningLength | undefined },
): ModelTerms {
  const names = { ...(provider !== undefined && { provider }), ...(name !== undefined && { model_name: name }) };
  const remote = locality?.kind === 'local' ? {} : { remote: locality?.origin ?? 'unknown' };
  return { ...remote, ...(window && { window: { ...window } }), ...(opening && { opening }), names };
}

type Answer = Partial<Awaited<ReturnType<ModelPort['propose']>>>;

/** A model as the kernel sees it: every answer is a value, cancelled by a call instead of a signal. */
export function proposerOf(model: ModelPort, onText?: StartOptions['onText']): Proposer {
  let aborting = lazyAbort();
  let forwarder = textForwarder(0, undefined);
  return {
    async propose(request, step) {
      const own = lazyAbort();
      aborting = own;
      const mine = textForwarder(step, onText);
      forwarder = mine;
      try {
        const io = {
          get signal() {
            return own.signal;
          },
          onText: mine.tell,
        };
        const answer = Object(await model.propose(request, io)) as Answer;
        const { text } = answer;
        const said = typeof text === 'string' ? text : copyOf(text);
        mine.end(text);
        return { text: said, ...goalIn(answer), ...dataIn(answer), ...factsOf(answer) };
      } catch (error) {
        mine.end();
        return failureOf(error);
      }
    },
    cancel: () => {
      aborting.abort();
      forwarder.end();
    },
  };
}

/** Copies the answer's bytes, because the adapter could write to them between their hash and their decoding. */
function copyOf(bytes: unknown): Uint8Array {
  if (!ArrayBuffer.isView(bytes) || !BYTES[1](bytes))
    throw new TypeError('propose() did not resolve to {text}, a string or bytes');
  return new Uint8Array(bytes as Uint8Array);
}

/** UTF-16 units of the text beside a call that are kept. */
const GOAL_MAX: number = 16 << 10;

function goalIn({ goal }: Answer): { readonly goal?: string } {
  return typeof goal === 'string' && goal !== '' ? { goal: goal.slice(0, GOAL_MAX).toWellFormed() } : {};
}

/** UTF-16 units of the data of a model's server: as many as a proposal may have bytes. */
const DATA_MAX: number = 1 << 20;

/** Half of the data would be refused by its server, so longer data is left out. */
function dataIn({ providerData: data }: Answer): { readonly providerData?: string } {
  return typeof data === 'string' && data.length <= DATA_MAX && data.isWellFormed() ? { providerData: data } : {};
}

/** Facts beside the text of a stranger's adapter, checked by type. Other members are not recorded. */
function factsOf({ usage, finish }: Answer): AnswerFacts {
  const { input, output } = Object(usage) as Partial<NonNullable<Answer['usage']>>;
  return {
    ...(COUNT[1](input) && COUNT[1](output) && { usage: { input: input as number, output: output as number } }),
    ...((finish === 'stop' || finish === 'length' || finish === 'other') && { finish }),
  };
}

/** UTF-16 units of a failure text from a model or its server. */
const SAID_MAX = 2048;
const bounded = (text: unknown): string => String(text).slice(0, SAID_MAX).toWellFormed();

/** Recognises an error by its members, not by its class: an adapter may bring its own copy of this package. */
function failureOf(error: unknown): ModelAnswer {
  const { name, message } = thrownError(error);
  const described = { name: bounded(name), message: bounded(message) };
  const exhausted = name === 'model_exhausted' || (error instanceof SallyportError && error.code === 'model_exhausted');
  if (exhausted) return { failed: 'model_exhausted', error: described };
  const { retryable, afterMs, said } = Object(error) as Partial<ModelError>;
  return {
    failed: 'model_failed',
    error: described,
    ...(retryable === true && { retryable }),
    ...(COUNT[1](afterMs) && { afterMs: afterMs as number }),
    ...(typeof said === 'string' && { said: bounded(said) }),
  };
}

/**
 * Passes text on as it arrives, until the answer is complete. Passes the whole answer of a model that does not stream.
 */
function textForwarder(step: number, onText: StartOptions['onText']) {
  let told = 0;
  let over = false;
  const tell = (text: string): void => {
    if (over || onText === undefined || typeof text !== 'string' || text === '') return;
    told += text.length;
    try {
      onText(text, step);
    } catch (error) {
      // A mistake of the calling program does not end the run.
      warn('sallyport: onText threw', error);
    }
  };
  const end = (text?: unknown): void => {
    if (told === 0 && typeof text === 'string') tell(text);
    over = true;
  };
  return { tell, end };
}
