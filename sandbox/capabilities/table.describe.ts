import type { CapabilityManifest } from '../../core/capability/capability.ts';
import { CALL_LIMITS } from '../../core/limits.ts';
import source from './guest/table.describe.js?raw';
import { type Files, link } from './link.ts';
import { closed, count, list, PATH, TEXT, TEXT_OR_PATH } from './schema.ts';

const COLUMN = closed(
  {
    name: { type: 'string' },
    kind: { enum: ['number', 'date', 'text', 'empty'] },
    empty: count(100_000),
    distinct: count(100_000),
    least: { type: 'string' },
    most: { type: 'string' },
  },
  ['least', 'most'],
);

/** Description of a CSV table, for use before a query for rows. */
export function tableDescribe(files: Files): CapabilityManifest {
  return {
    name: 'table.describe',
    version: '1.0.0',
    description: 'Describes a CSV table column by column: what kind of value, how many differ, the least and the most.',
    args: { ...closed({ path: PATH, text: TEXT }, ['path', 'text']), ...TEXT_OR_PATH },
    result: closed({ rows: count(100_000), columns: list(COLUMN, 1000) }),
    effect: Object.keys(files).length === 0 ? 'pure' : 'read',
    powers: [],
    limits: CALL_LIMITS,
    source: link(source, files),
  };
}
