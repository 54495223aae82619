import type { EndpointTest } from '../../index.ts';
import type { RecordTone } from '../../records/describe.ts';
import { endpoint } from '../../texts/en/endpoint.ts';

/** The result of a test, for a person: the fault, its place, and the remedy. */
export interface EndpointFinding {
  readonly tone: RecordTone;
  /** The finding in the language of the interface. */
  readonly text?: () => string;
  /** The failure that a library reports; it follows the text. */
  readonly error?: unknown;
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
      return { tone: 'good', text: () => endpoint().ok(origin, model) };
    case 'unknown_model':
      return { ...bad(() => endpoint().unknownModel(origin, model)), models: test.models };
    case 'unreachable':
      return bad(() => endpoint().unreachable(origin));
    case 'cors':
      return bad(() => endpoint().cors(origin, page));
    case 'mixed_content':
      return bad(() => endpoint().mixedContent);
    case 'redirected':
      return bad(() => endpoint().redirected(origin));
    case 'timeout':
      return bad(() => endpoint().timeout(origin));
    case 'unauthorized':
      return bad(() => endpoint().unauthorized(origin, test.http));
    case 'wrong_path':
      return wrongPath(test, origin);
    case 'http_error':
      return bad(() => endpoint().httpError(origin, test.http));
    case 'not_json':
      return bad(() => endpoint().notJson(origin));
    default:
      return bad(() => endpoint().untested(origin));
  }
}

/** The models of a server, for a person who chooses one. */
export function listingOf(test: EndpointTest, place: TestedModel): EndpointFinding {
  if (test.status !== 'ok' && test.status !== 'unknown_model') return findingOf(test, place);
  const { models } = test;
  if (models.length === 0) return bad(() => endpoint().noModels(place.origin));
  return { tone: 'good', text: () => endpoint().models(place.origin, models.length), models };
}

function wrongPath({ http, suggestion }: WrongPath, origin: string): EndpointFinding {
  if (suggestion === undefined) return bad(() => endpoint().wrongPath(origin, http));
  return { ...bad(() => endpoint().otherPath(origin, http, suggestion)), suggestion };
}

type WrongPath = Extract<EndpointTest, { status: 'wrong_path' }>;

function bad(text: () => string): EndpointFinding {
  return { tone: 'bad', text };
}
