import type { CapabilityManifest } from '../../core/capability/capability.ts';
import { CALL_LIMITS } from '../../core/limits.ts';
import source from './guest/text.diff.js?raw';
import { type Files, link } from './link.ts';
import { closed, count, list, PATH, TEXT, TEXT_OR_PATH } from './schema.ts';

const SIDE = { ...closed({ path: PATH, text: TEXT }, ['path', 'text']), ...TEXT_OR_PATH };
const LINES = 1200;
const CHANGE = closed({
  op: { enum: ['removed', 'added'] },
  line: count(100_000, 'Counted from 0, in the text the line stands in.'),
  text: { type: 'string' },
});

/** Line by line, the fewest changes. */
export function textDiff(files: Files): CapabilityManifest {
  return {
    name: 'text.diff',
    version: '1.0.0',
    description: 'Compares two texts line by line and lists the lines that were removed and added.',
    args: closed({ before: SIDE, after: SIDE }),
    result: closed({ removed: count(LINES), added: count(LINES), changes: list(CHANGE, LINES) }),
    effect: Object.keys(files).length === 0 ? 'pure' : 'read',
    powers: [],
    limits: CALL_LIMITS,
    source: link(source, files),
  };
}
