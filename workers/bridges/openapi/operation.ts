import { isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../../core/json/value.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { ToolError } from '../../../core/tool-error.ts';
import { type DocumentPlace, invalid, type OpenApiDocument, placeOf, textIn } from './document.ts';

/** An operation as the program's functions see it. Its texts are the document's. */
export interface OpenApiOperation {
  /** The `operationId`, or method and path: `GET /pets/{id}`. */
  readonly id: string;
  /** In upper case. */
  readonly method: string;
  /** As the document writes it. */
  readonly path: string;
}

/** An operation in the document. */
export interface ListedOperation extends OpenApiOperation {
  readonly pointer: string;
  readonly value: JsonObject;
  /** The path item around it, whose parameters and servers it shares. */
  readonly item: DocumentPlace;
}

const METHODS: readonly string[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** The operations in the order of the document. An outcome that is refused stands for a path that cannot be read. */
export function listOperations(document: OpenApiDocument): readonly Outcome<ListedOperation>[] {
  const paths = member(document.root, 'paths');
  if (paths === undefined) return [];
  if (!isObject(paths)) return [invalid('/paths', 'an object is expected here')];
  return Object.entries(paths)
    .filter(([path]) => !path.startsWith('x-'))
    .flatMap(([path, value]) => operationsOf(document, path, value as JsonValue));
}

function operationsOf(document: OpenApiDocument, path: string, value: JsonValue): readonly Outcome<ListedOperation>[] {
  const item = placeOf(document, value, pointerTo('/paths', path));
  if (!item.ok) return [item];
  return METHODS.filter((method) => Object.hasOwn(item.value.value, method)).map((method) => {
    const pointer = pointerTo(item.value.pointer, method);
    const operation = member(item.value.value, method);
    if (!isObject(operation)) return invalid(pointer, 'an object is expected here');
    const id = textIn(operation, 'operationId') || `${method.toUpperCase()} ${path}`;
    return pass({ id, method: method.toUpperCase(), path, pointer, value: operation, item: item.value });
  });
}

/** Reason of a call without a result, which the model reads as the name of the error. */
export type OperationErrorName =
  | 'argument_refused'
  | 'headers_failed'
  | 'key_short'
  | 'unreachable'
  | 'source_closed'
  | 'redirect_refused'
  | 'http_error'
  | 'answer_refused';

/** Error of a call. Its message never holds a value of a header that the program gave. */
export class OperationError extends ToolError {
  declare readonly name: OperationErrorName;

  constructor(name: OperationErrorName, message: string, options?: ErrorOptions) {
    super(name, message, options);
  }
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const MEDIA_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}(?:\\s*;\\s*${TOKEN}=(?:${TOKEN}|"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"))*$`,
);

/** True for a media type that a header can carry, parameters included. */
export function isMediaType(text: string): boolean {
  return text.length <= 200 && MEDIA_TYPE.test(text);
}

/** Type and subtype in lower case. */
export function essence(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}

export function isJson(type: string): boolean {
  return /^(?:application|text)\/(?:[\w.+-]+\+)?json$/.test(essence(type));
}

/** A range that JSON is in: the document leaves the form open, and a call uses JSON. */
export function isRangeOfJson(type: string): boolean {
  return ['*/*', 'application/*'].includes(essence(type));
}

export function isText(type: string): boolean {
  return /^text\/|^application\/(?:[\w.+-]+\+)?(?:xml|yaml|x-yaml|javascript|graphql|x-www-form-urlencoded)$/.test(
    essence(type),
  );
}
