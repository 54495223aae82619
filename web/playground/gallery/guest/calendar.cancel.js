/**
 * Keeps an event as cancelled.
 *
 * @param {{ id: string }} args
 * @param {{ store: { put(key: string, value: unknown): Promise<void> } }} powers
 */
export default async function ({ id }, { store }) {
  await store.put(id, 'cancelled');
  return { id, state: 'cancelled' };
}
