/** Nonce of a question about a power: the operation of a message, counted from zero, and the ticket. */
export function powerNonce(step: string, operation: number | undefined, ticket: number): string {
  return operation === undefined ? `${step}:${ticket}` : `${step}/${operation}:${ticket}`;
}

/** Index of the operation; undefined for a step with a single call. */
function operationIn(nonce: string): number | undefined {
  const [, operation] = /\/\d+\/(\d+):\d+$/.exec(nonce) ?? [];
  return operation === undefined ? undefined : Number(operation);
}
