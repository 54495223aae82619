import { encodeText } from '../../core/index.ts';
import type { ContentSource } from '../../workers/api.ts';

const WORDS = 'the gate port ledger proof grant slice bread oven flour night lists and of to under receipt'.split(' ');

/** Markdown of about `bytes` bytes, the same on every machine: files of 2 to 7 KB, a heading every 400 bytes or so. */
export function markdownCorpus(bytes: number): readonly ContentSource[] {
  return [...markdownFiles(bytes, 4_500)];
}

/**
 * The same text in files of another size. Each file is made when it is requested, as from a folder, and none is held.
 */
export function* markdownFiles(bytes: number, fileBytes: number): Generator<ContentSource> {
  const random = lehmer(7);
  for (let [made, count] = [0, 0]; made < bytes; count++) {
    const text = document(random, fileBytes * (0.5 + random()), count);
    yield { path: `docs/${count % 97}/${count}.md`, bytes: encodeText(text) };
    made += text.length;
  }
}

function document(random: () => number, length: number, number: number): string {
  const lines = [`# Document ${number}`, ''];
  for (let size = 20, section = 0; size < length; section++) {
    lines.push(`${'#'.repeat(2 + (section % 3))} Part ${section}`, '');
    for (let line = 0; line < 5; line++) {
      const words = Array.from({ length: 11 }, () => WORDS[Math.floor(random() * WORDS.length)]);
      lines.push(line === 3 ? `- ${words.join(' ')}` : words.join(' '));
      size += (lines.at(-1)?.length ?? 0) + 1;
    }
    lines.push('');
    size += 14;
  }
  return `${lines.join('\n')}\n`;
}

/** Park and Miller's generator: random enough for this corpus, and the same on every machine. */
function lehmer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
}
