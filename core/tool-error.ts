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

/** Marks the errors of every copy of this package. */
const MARK: symbol = Symbol.for('sallyport.ToolError');

/** True for an error that a program has thrown for the model to read. */
export function isToolError(thrown: unknown): thrown is ToolError {
  return thrown instanceof Error && (thrown as unknown as { readonly [name: symbol]: unknown })[MARK] === true;
}
