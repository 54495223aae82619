import { ToolError } from '../../../core/tool-error.ts';

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
