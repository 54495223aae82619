/** Numbers in [0, 1), the same for the same seed: xorshift32, good enough to choose test cases. */
export function randomFrom(seed: number): () => number {
  // Zero would stay zero.
  let state = (seed ^ 0x9e3779b9) | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
