import { ModelError, type ModelFailureOptions } from '../../../core/model-error.ts';
import { SallyportError } from '../../../core/sallyport-error.ts';

/** In a page, the browser does not say whether a server is down or refuses the page's origin. */
const UNREACHABLE: string =
  'location' in globalThis
    ? 'The endpoint cannot be reached, or does not let this page ask it.'
    : 'The endpoint cannot be reached.';

/** Messages for an endpoint that yielded no text. They are recorded, so they hold no text of a server. */
const MESSAGES = {
  unreachable: UNREACHABLE as string,
  timeout: 'The endpoint took too long to answer.',
  silent: 'The endpoint fell silent in the middle of its answer.',
  status: 'The endpoint answered with an error.',
  content_type: 'The endpoint answered with something that is neither an event stream nor JSON.',
  not_json: 'The endpoint answered with something that is not JSON.',
  not_utf8: 'The endpoint answered with bytes that are not UTF-8.',
  not_completion: 'The endpoint answered with JSON that is no chat completion.',
  reported: 'The endpoint reported an error in the middle of its answer.',
  cut_off: 'The answer ended before the model had finished.',
  only_reasoning: 'The model wrote its reasoning and no answer behind it.',
  too_long: 'The answer is longer than any proposal may be.',
} as const;

export type EndpointFault = keyof typeof MESSAGES;

/** Faults of a connection or of a busy server: the same request may succeed later. */
const PASSING: ReadonlySet<EndpointFault> = new Set<EndpointFault>([
  'unreachable',
  'timeout',
  'silent',
  'reported',
  'cut_off',
  'only_reasoning',
]);

interface Circumstances extends Partial<Omit<ModelFailureOptions, 'retryable'>> {
  readonly status?: number;
  /** The server blames the model's own text: another answer may be better. */
  readonly isOfModel?: boolean;
  /** How long the endpoint was waited for. */
  readonly seconds?: number;
}

/** The failure for the run; `said` is for the developer only. Headers and causes are left out. */
export function endpointFailure(
  fault: EndpointFault,
  { status, seconds, isOfModel = false, ...told }: Circumstances = {},
): ModelError {
  const text = status === undefined ? (seconds === undefined ? '' : ` (${seconds} s)`) : ` (HTTP ${status})`;
  const retryable = isOfModel || PASSING.has(fault) || (status !== undefined && isPassing(status));
  return new ModelError(
    `${MESSAGES[fault]}${text}`,
    { retryable, ...told },
    { fault, ...(status !== undefined && { status }) },
  );
}

/** True for a status that means too slow, too early, too many requests, or a fault of the server. */
function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** The error for a program that configures the adapter wrongly. */
export function endpointInvalid(what: string): SallyportError {
  return new SallyportError('endpoint_invalid', `Not an endpoint: ${what}.`, { what });
}
