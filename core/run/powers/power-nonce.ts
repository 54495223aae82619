/** Nonce of a question about a power: the operation of a message, counted from zero, and the ticket. */
export function powerNonce(step: string, operation: number | undefined, ticket: number): string {
  return operation === undefined ? `${step}:${ticket}` : `${step}/${operation}:${ticket}`;
}
