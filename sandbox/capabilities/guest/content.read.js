/**
 * A window on the content: what is asked for, as the step's budgets allow it, or an error that fails the step.
 *
 * @param {{ ref: string, slice: string }} args
 * @param {{ sections: { expand(ref: string, slice: string): Promise<string> } }} powers
 */
export default async function ({ ref, slice }, powers) {
  return { ref, slice, text: await powers.sections.expand(ref, slice) };
}
