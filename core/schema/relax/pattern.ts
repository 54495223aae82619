/** True for a pattern without look-around, back references, word boundaries and character properties. */
export function isPlainPattern(pattern: string): boolean {
  return !/\(\?(?!:)|\\[1-9bBkpP]/.test(pattern);
}

/** True for a plain pattern that spans the whole text: from `^` to `$`, without alternatives beside them. */
export function isWholePattern(pattern: string): boolean {
  const bare = pattern.replace(/\\[^]/g, '_').replace(/\[[^\]]*\]/g, '_');
  return isPlainPattern(pattern) && /^\^[^^$]*\$$/.test(bare) && !hasOuterAlternatives(bare);
}

function hasOuterAlternatives(bare: string): boolean {
  let depth = 0;
  for (const char of bare) {
    if (char === '|' && depth === 0) return true;
    depth += char === '(' ? 1 : char === ')' ? -1 : 0;
  }
  return false;
}
