import type { CapabilityManifest } from '../../core/capability/capability.ts';
import { CALL_LIMITS } from '../../core/limits.ts';
import source from './guest/text.count.js?raw';
import { type Files, link } from './link.ts';
import { closed, count, PATH, TEXT, TEXT_OR_PATH } from './schema.ts';

export function textCount(files: Files): CapabilityManifest {
  return {
    name: 'text.count',
    version: '1.0.0',
    description: 'Counts the characters, words, lines and UTF-8 bytes of a text.',
    args: { ...closed({ path: PATH, text: TEXT }, ['path', 'text']), ...TEXT_OR_PATH },
    result: closed({
      characters: count(1_000_000, 'Unicode code points.'),
      words: count(1_000_000),
      lines: count(1_000_000),
      bytes: count(4_000_000),
    }),
    effect: Object.keys(files).length === 0 ? 'pure' : 'read',
    powers: [],
    limits: { ...CALL_LIMITS, fuel: 4_000_000, bytesOut: 1024 },
    source: link(source, files),
  };
}
