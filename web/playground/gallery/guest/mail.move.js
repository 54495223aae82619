/**
 * Keeps the folder of a mail. A mail that was never moved is in the inbox.
 *
 * @param {{ id: string, folder: string }} args
 * @param {{ store: { get(key: string): Promise<unknown>, put(key: string, value: unknown): Promise<void> } }} powers
 */
export default async function ({ id, folder }, { store }) {
  const from = (await store.get(id)) ?? 'inbox';
  await store.put(id, folder);
  return { id, from, to: folder };
}
