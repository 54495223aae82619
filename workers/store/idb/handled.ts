/** Marks the failure of a request as handled: the transaction reports the same failure. */
export function handled<T>(request: Promise<T>): Promise<T> {
  request.catch(() => undefined);
  return request;
}
