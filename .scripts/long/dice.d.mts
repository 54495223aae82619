/** Numbers from 0 to below 1, the same ones for the same seed: mulberry32. */
export function dice(seed: number): () => number;
