import type { SchemaIssue } from './errors/details.ts';
import { placesOf } from './errors/refuse.ts';

/**
 * Thrown by the function of a tool or of a power, to tell the model why the call has no result. The call ends with
 * `capability_threw`, or the guest gets the error; name and message are recorded, so they must hold no secret. The words
 * of every other error stay with the program: the model reads `host_failed`.
 *
 * @example throw new ToolError('out_of_stock', 'No rye is left. Ask for spelt.');
 */
export class ToolError extends Error {
  override readonly name: string;

  /**
   * @param name word by which a model or guest code knows the kind of failure, for example `out_of_stock`
   * @param message sentence for the model
   */
  constructor(name: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = name;
    Object.defineProperty(this, MARK, { value: true });
  }
}

/** What a schema's own check of a tool's or a power's arguments or result has refused. */
export interface FailedCheck {
  /** `transformed`: the schema would change the arguments, and `run` gets only approved ones. */
  readonly part: 'args' | 'transformed' | 'result';
  /** Empty for `transformed`. */
  readonly issues: readonly SchemaIssue[];
}

/** Thrown around the function of a tool or of a power whose schema has a check of its own. */
export class SchemaCheckError extends ToolError {
  constructor(part: FailedCheck['part'], issues: readonly SchemaIssue[]) {
    super(
      part === 'result' ? 'result_schema' : `args_${part === 'args' ? 'refused' : part}`,
      wordsOfCheck(part, issues),
    );
    Object.defineProperty(this, CHECK, { value: { part, issues } satisfies FailedCheck });
  }
}

function wordsOfCheck(part: FailedCheck['part'], issues: readonly SchemaIssue[]): string {
  if (part === 'transformed') return 'The schema of the arguments changes them.';
  return placesOf(issues);
}

/** The refusal of a schema's own check, if `thrown` is one. */
export function schemaCheckOf(thrown: ToolError): FailedCheck | undefined {
  return (thrown as unknown as { readonly [name: symbol]: FailedCheck | undefined })[CHECK];
}

const CHECK: symbol = Symbol.for('sallyport.SchemaCheckError');

/** Marks the errors of every copy of this package. */
const MARK: symbol = Symbol.for('sallyport.ToolError');

/** True for an error that a program has thrown for the model to read. */
export function isToolError(thrown: unknown): thrown is ToolError {
  return thrown instanceof Error && (thrown as unknown as { readonly [name: symbol]: unknown })[MARK] === true;
}
