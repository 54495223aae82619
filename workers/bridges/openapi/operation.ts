import { isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../../core/json/value.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
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
