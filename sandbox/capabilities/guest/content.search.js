/**
 * Sections that hold every word of the query. They are candidates: nothing is proved by them.
 *
 * @param {{ query: string, limit?: number }} args
 * @param {{ sections: { search(query: string, most: number): Promise<{ sections: object[], matches: number }> } }} powers
 */
export default async function ({ query, limit = 10 }, powers) {
  const { sections, matches } = await powers.sections.search(query, limit);
  return { sections, more: matches - sections.length };
}
