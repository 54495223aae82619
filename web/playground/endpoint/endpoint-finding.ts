import type { EndpointTest } from '../../index.ts';
import type { RecordTone } from '../../records/describe.ts';
import { count } from '../parts/text.ts';

/** The result of a test, for a person: the fault, its place, and the remedy. */
export interface EndpointFinding {
  readonly tone: RecordTone;
  readonly text: string;
  /** Models of the server, where the person should choose another model. */
  readonly models?: readonly string[];
  /** A base URL that answers. */
  readonly suggestion?: string;
}

export interface TestedModel {
  readonly origin: string;
  readonly model: string;
  /** Origin of this page: the origin that the server has to allow. */
  readonly page: string;
}

export function findingOf(test: EndpointTest, { origin, model, page }: TestedModel): EndpointFinding {
  switch (test.status) {
    case 'ok':
      return { tone: 'good', text: `${origin} answers, and has ${model}.` };
    case 'unknown_model':
      return {
        tone: 'bad',
        text: `${origin} answers, but has no model ${model}. Choose one it has.`,
        models: test.models,
      };
    case 'unreachable':
      return bad(
        `Nothing answers at ${origin}. Start the server, check the port, and allow this page the local network if the browser asks.`,
      );
    case 'cors':
      return bad(
        `A server answers at ${origin}, but does not let this page read it (CORS). Allow the origin ${page} there. Ollama: OLLAMA_ORIGINS=${page}. LM Studio: Enable CORS. vLLM: --allowed-origins '["${page}"]'.`,
      );
    case 'mixed_content':
      return bad(
        `This page came over https, so the browser lets it ask plain http of this device only (mixed content). Use an https address, or serve the model on localhost.`,
      );
    case 'redirected':
      return bad(`${origin} sends on to another address. A key is never sent along: enter the address it ends at.`);
    case 'timeout':
      return bad(`${origin} took the connection, but did not answer in time. Wait until the server has loaded.`);
    case 'unauthorized':
      return bad(`${origin} refuses the key (HTTP ${test.http}). Enter the key of this server.`);
    case 'wrong_path':
      return wrongPath(test, origin);
    case 'http_error':
      return bad(`${origin} answers with an error (HTTP ${test.http}). Look into the server's log.`);
    case 'not_json':
      return bad(`${origin} answers, but not like a model's server: no list of models. Check the address.`);
    default:
      return bad(`${origin} could not be tested.`);
  }
}

/** The models of a server, for a person who chooses one. */
export function listingOf(test: EndpointTest, place: TestedModel): EndpointFinding {
  if (test.status !== 'ok' && test.status !== 'unknown_model') return findingOf(test, place);
  const { models } = test;
  if (models.length === 0) return bad(`${place.origin} answers, but has no models. Load one there.`);
  return { tone: 'good', text: `${place.origin} has ${count(models.length, 'model')}. Choose one.`, models };
}

function wrongPath(test: Extract<EndpointTest, { status: 'wrong_path' }>, origin: string): EndpointFinding {
  const text = `${origin} has no list of models at this address (HTTP ${test.http}).`;
  if (test.suggestion === undefined) return bad(`${text} Most servers have it under /v1.`);
  return { ...bad(`${text} There is one at ${test.suggestion}.`), suggestion: test.suggestion };
}

function bad(text: string): EndpointFinding {
  return { tone: 'bad', text };
}
