import type { ToolContext } from '../../../core/capability/author.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../../core/json/value.ts';
import type { Secrets } from '../models/secrets.ts';
import { addressOf, groupOf, type PathTemplate } from './address.ts';
import { errorOf, readAnswer } from './answer.ts';
import { checkedHeaders, isHeaderValue, secretsIn } from './headers.ts';
import type { OpenApiOperation } from './operation.ts';
import { OperationError } from './operation-error.ts';
import type { OpenApiSettings } from './options.ts';
import type { OperationParameter } from './parameters.ts';
import { bodyOf, type RequestBody } from './request-body.ts';
import { type DeclaredResponses, responseFor } from './responses.ts';
import { type PreparedRequest, send } from './send.ts';
import { simpleText } from './values.ts';

/** Parts of an operation that a call needs. */
export interface OperationPlan {
  readonly operation: OpenApiOperation;
  readonly server: URL;
  readonly path: PathTemplate;
  readonly parameters: readonly OperationParameter[];
  readonly body: RequestBody | undefined;
  readonly responses: DeclaredResponses;
}

/** Carries out a call with arguments that the schema has accepted. Throws `OperationError` for a call without a result. */
export async function call(
  plan: OperationPlan,
  settings: OpenApiSettings,
  args: JsonValue,
  io: ToolContext,
): Promise<JsonObject> {
  // no argument that cannot be sent reaches the function of the program
  const prepared = prepare(plan, args);
  const keyed = await keyedHeaders(plan, settings, io.signal);
  const secrets = secretsIn(keyed);
  try {
    return await answerTo({ ...prepared, secrets: keyed }, plan, settings, { secrets, signal: io.signal });
  } catch (error) {
    // the reason may hold words of the server, such as the address of a redirect or the name of a member
    if (!(error instanceof OperationError)) throw error;
    throw new OperationError(error.name, secrets.hide(error.message), { cause: error.cause });
  }
}

async function answerTo(
  request: PreparedRequest,
  plan: OperationPlan,
  settings: OpenApiSettings,
  { secrets, signal }: { readonly secrets: Secrets; readonly signal: AbortSignal },
): Promise<JsonObject> {
  const { origins } = settings.permitted;
  const response = await send(request, { fetch: settings.fetch, origins, signal });
  const { answerBytes: bytesMax, answerHeaders: headers } = settings;
  const options = { bytesMax, headers, secrets };
  if (!response.ok) throw await errorOf(response, options);
  const { list } = plan.responses;
  if (list.length > 0 && responseFor(list, response.status) === undefined) {
    response.body?.cancel().catch(() => undefined);
    throw new OperationError('answer_refused', `The document does not declare an answer with ${response.status}.`);
  }
  return readAnswer(response, options);
}

function prepare({ operation, server, path, parameters, body, responses }: OperationPlan, args: JsonValue) {
  const url = addressOf(server, path, parameters, args);
  const value = isObject(args) ? member(args, 'body') : undefined;
  const sent = body === undefined || value === undefined ? undefined : bodyOf(body, value);
  const headers = new Map([['accept', responses.accept], ...headersOf(parameters, groupOf(args, 'headers'))]);
  if (sent?.mediaType !== undefined) headers.set('content-type', sent.mediaType);
  const request: Omit<PreparedRequest, 'secrets'> = { method: operation.method, url, headers };
  return sent === undefined ? request : { ...request, body: sent.body };
}

function headersOf(
  parameters: readonly OperationParameter[],
  values: JsonObject,
): readonly (readonly [string, string])[] {
  return parameters
    .filter(({ group }) => group === 'headers')
    .flatMap((parameter) => {
      const value = member(values, parameter.name);
      if (value === undefined || value === null) return [];
      const text = simpleText(value, parameter, (part) => part);
      if (isHeaderValue(text)) return [[parameter.name.toLowerCase(), text] as const];
      const reason = 'a header takes visible characters of ASCII and blanks inside';
      throw new OperationError(
        'argument_refused',
        `The argument ${JSON.stringify(parameter.name)} cannot be sent: ${reason}.`,
      );
    });
}

async function keyedHeaders(
  { operation, server }: OperationPlan,
  { headers }: OpenApiSettings,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  if (headers === undefined) return new Map();
  const { id, method, path } = operation;
  const given = await Promise.resolve({ operation: { id, method, path }, origin: server.origin, signal })
    .then(headers)
    .catch((cause: unknown) => {
      // the program's error may hold the key
      throw new OperationError('headers_failed', 'The program gave no headers for this call.', { cause });
    });
  signal.throwIfAborted();
  return checkedHeaders(given);
}
