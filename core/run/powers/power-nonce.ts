/** Of a question about a power: which operation of a message asked it, counted from zero, and with which ticket. */
export function powerNonce(step: string, operation: number | undefined, ticket: number): string {
  return operation === undefined ? `${step}:${ticket}` : `${step}/${operation}:${ticket}`;
}

/** Ledgers did not always tell: then it is undefined, as it is for the call of a step. */
export function operationIn(nonce: string): number | undefined {
  const [, operation] = /\/\d+\/(\d+):\d+$/.exec(nonce) ?? [];
  return operation === undefined ? undefined : Number(operation);
}
