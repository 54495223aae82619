import { type Area, area } from '../area.ts';
import { plural } from '../intl.ts';

const en = {
  ok: (origin: string, model: string): string => `${origin} answers, and has ${model}.`,
  unknownModel: (origin: string, model: string): string =>
    `${origin} answers, but has no model ${model}. Choose one it has.`,
  unreachable: (origin: string): string =>
    `Nothing answers at ${origin}. Start the server, check the port, and allow this page the local network if the browser asks.`,
  cors: (origin: string, page: string): string =>
    `A server answers at ${origin}, but does not let this page read it (CORS). Allow the origin ${page} there. Ollama: OLLAMA_ORIGINS=${page}. LM Studio: Enable CORS. vLLM: --allowed-origins '["${page}"]'.`,
  mixedContent:
    'This page came over https, so the browser lets it ask plain http of this device only (mixed content). Use an https address, or serve the model on localhost.',
  redirected: (origin: string): string =>
    `${origin} sends on to another address. A key is never sent along: enter the address it ends at.`,
  timeout: (origin: string): string =>
    `${origin} took the connection, but did not answer in time. Wait until the server has loaded.`,
  unauthorized: (origin: string, http: number): string =>
    `${origin} refuses the key (HTTP ${http}). Enter the key of this server.`,
  httpError: (origin: string, http: number, said?: string): string =>
    said === undefined
      ? `${origin} answers with an error (HTTP ${http}). Look into the server's log.`
      : `${origin} answers with an error (HTTP ${http}): “${said}”`,
  notJson: (origin: string): string =>
    `${origin} answers, but not like a model's server: no list of models. Check the address.`,
  untested: (origin: string): string => `${origin} could not be tested.`,
  wrongPath: (origin: string, http: number): string =>
    `${origin} has no list of models at this address (HTTP ${http}). Most servers have it under /v1.`,
  otherPath: (origin: string, http: number, suggestion: string): string =>
    `${origin} has no list of models at this address (HTTP ${http}). There is one at ${suggestion}.`,
  noModels: (origin: string): string => `${origin} answers, but has no models. Load one there.`,
  models: (origin: string, models: number): string =>
    `${origin} has ${plural(models, { one: '# model', other: '# models' })}. Choose one.`,
  /** Before the reason. */
  noAnswer: 'It lists its models, but gives no answer.',
  native: 'It is asked by calls of its own tools.',
  /** Each form of answer that a server can hold its model to. */
  formats: {
    json_schema: 'It keeps to a schema.',
    'openai-strict': 'It keeps to a schema by the rules of OpenAI.',
    json_object: 'It keeps to JSON, but to no schema: expect more refusals.',
    none: 'The server cannot hold the model to a form of answer, so expect many refusals.',
  },
};

export type EndpointTexts = typeof en;
export const endpoint: Area<EndpointTexts> = area('endpoint', en);
