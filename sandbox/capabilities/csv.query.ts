import type { CapabilityManifest } from '../../core/capability/capability.ts';
import type { JsonObject } from '../../core/json/value.ts';
import { CALL_LIMITS } from '../../core/limits.ts';
import source from './guest/csv.query.js?raw';
import { type Files, link } from './link.ts';
import { closed, count, list, PATH, TEXT, TEXT_OR_PATH, words } from './schema.ts';

const COLUMN = words(100, 'The name of a column.');
const CELL: JsonObject = { type: 'string' };
const CONDITION = closed({
  column: COLUMN,
  op: { enum: ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'contains', 'starts'] },
  value: {
    description: 'A text compares text, a number compares numbers.',
    anyOf: [
      { type: 'string', maxLength: 200 },
      { type: 'number', minimum: -1e9, maximum: 1e9 },
    ],
  },
});

/** Rows of a CSV table: which, which columns, their sum, in which groups. */
export function csvQuery(files: Files): CapabilityManifest {
  return {
    name: 'csv.query',
    version: '1.0.0',
    description:
      'Counts the rows of a CSV table that meet all conditions; shows chosen columns, adds one up, groups by one.',
    args: {
      ...closed(
        {
          path: PATH,
          text: TEXT,
          where: list(CONDITION, 10),
          select: { ...list(COLUMN, 20), minItems: 1 },
          sum: COLUMN,
          group: COLUMN,
          limit: { type: 'integer', minimum: 1, maximum: 200, description: 'Rows shown; 50 if left out.' },
        },
        ['path', 'text', 'where', 'select', 'sum', 'group', 'limit'],
      ),
      ...TEXT_OR_PATH,
    },
    result: closed(
      {
        matched: count(100_000),
        columns: list(CELL, 20),
        rows: list(list(CELL, 20), 200),
        sum: { type: 'number' },
        groups: list(closed({ value: CELL, rows: count(100_000), sum: { type: 'number' } }, ['sum']), 1000),
      },
      ['columns', 'rows', 'sum', 'groups'],
    ),
    effect: Object.keys(files).length === 0 ? 'pure' : 'read',
    powers: [],
    limits: { ...CALL_LIMITS, bytesOut: 64 << 10 },
    source: link(source, files),
  };
}
