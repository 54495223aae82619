/** Proposals as a text: each stands between lines of three dashes, byte for byte. */
const BETWEEN = '\n---\n';

export function formatScript(script: readonly string[]): string {
  return script.join(BETWEEN);
}

export function parseScript(text: string): readonly string[] {
  return text.split(BETWEEN).filter((proposal) => proposal.trim() !== '');
}
