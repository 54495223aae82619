/**
 * Keeps a new version of a page as a draft. wiki.read gives the published text until a person publishes the draft.
 *
 * @param {{ page: string, text: string, summary: string }} args
 * @param {{ store: { get(key: string): Promise<unknown>, put(key: string, value: unknown): Promise<void> } }} powers
 */
export default async function ({ page, text, summary }, { store }) {
  const before = /** @type {{ draft: number } | null} */ (await store.get(page));
  const draft = (before?.draft ?? 0) + 1;
  await store.put(page, { draft, text, summary });
  return { page, draft, lines: text.split('\n').length };
}
