/** The handle of a step: what a model has in the place of a held outcome. */
export function handleOf(step: number): string {
  return `h${step}`;
}
