import { SallyportError } from '../../core/index.ts';

/** In a page the browser tells nobody whether a server is down or refuses the page's origin. */
const UNREACHABLE: string =
  'location' in globalThis
    ? 'The endpoint cannot be reached, or does not let this page ask it.'
    : 'The endpoint cannot be reached.';

/** Why an endpoint did not yield a text. In words of ours: what the server said could hold the key it was sent. */
const MESSAGES = {
  unreachable: UNREACHABLE as string,
  status: 'The endpoint answered with an error.',
  content_type: 'The endpoint answered with something that is neither an event stream nor JSON.',
  not_json: 'The endpoint answered with something that is not JSON.',
  not_utf8: 'The endpoint answered with bytes that are not UTF-8.',
  not_completion: 'The endpoint answered with JSON that is no chat completion.',
  reported: 'The endpoint reported an error in the middle of its answer.',
  cut_off: 'The answer ended before the model had finished.',
  too_long: 'The answer is longer than any proposal may be.',
} as const;

export type EndpointFault = keyof typeof MESSAGES;

/** The run ends with `model_failed`; nothing is tried again. Server text, headers and causes stay out of it. */
export function endpointFailure(fault: EndpointFault, details: { readonly status?: number } = {}): SallyportError {
  const said = details.status === undefined ? '' : ` (HTTP ${details.status})`;
  return new SallyportError('model_failed', `${MESSAGES[fault]}${said}`, { fault, ...details });
}

/** Misuse of the adapter by the program that configures it. */
export function endpointInvalid(what: string): SallyportError {
  return new SallyportError('endpoint_invalid', `Not an endpoint: ${what}.`, { what });
}
