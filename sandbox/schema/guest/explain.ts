/** The thrown value, for the host: `[name, message, stack]`, cut to size. */
export function explain(thrown: unknown): string {
  const { name, message } = thrown instanceof Error ? thrown : { name: 'Error', message: 'not an error' };
  return JSON.stringify([name.slice(0, 100), message.slice(0, 500), '']);
}
