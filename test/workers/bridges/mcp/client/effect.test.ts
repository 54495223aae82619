import { expect, it } from 'vitest';
import type { Effect } from '../../../../../core/index.ts';
import type { McpTool } from '../../../../../workers/bridges/mcp/client/api.ts';
import { effectOf } from '../../../../../workers/bridges/mcp/client/declarations.ts';

const EFFECTS: readonly Effect[] = ['pure', 'read', 'write', 'egress'];
const FLAGS = [undefined, false, true];

/** Every combination of hints. */
const TOOLS: readonly McpTool[] = FLAGS.flatMap((readOnlyHint) =>
  FLAGS.flatMap((destructiveHint) =>
    FLAGS.map((openWorldHint) => ({
      name: 't',
      inputSchema: {},
      annotations: JSON.parse(JSON.stringify({ readOnlyHint, destructiveHint, openWorldHint })) as object,
    })),
  ),
);

it('a hint makes an effect stricter and never looser', () => {
  for (const tool of TOOLS)
    for (const given of EFFECTS)
      expect(EFFECTS.indexOf(effectOf(tool, given, false))).toBeGreaterThanOrEqual(EFFECTS.indexOf(given));
});

it.each([
  [{}, 'read', 'read'],
  [{ readOnlyHint: true }, 'write', 'write'],
  [{ readOnlyHint: false }, 'read', 'write'],
  [{ destructiveHint: true }, 'pure', 'write'],
  [{ destructiveHint: true }, 'egress', 'egress'],
  [{ openWorldHint: true, readOnlyHint: true }, 'read', 'egress'],
  [{ openWorldHint: false, destructiveHint: false }, 'read', 'read'],
] as const)('a tool with %j that the program calls %s is %s', (annotations, given, effect) => {
  expect(effectOf({ name: 't', inputSchema: {}, annotations }, given, false)).toBe(effect);
});

it.each([
  [{ readOnlyHint: true }, 'egress', 'read'],
  [{ readOnlyHint: true, openWorldHint: true }, 'read', 'egress'],
  [{ readOnlyHint: false, openWorldHint: false }, 'egress', 'write'],
  [{ readOnlyHint: false }, 'read', 'egress'],
  [{ destructiveHint: true }, 'read', 'write'],
  [{}, 'read', 'read'],
] as const)('a tool with trusted hints %j that the program calls %s is %s', (annotations, given, effect) => {
  expect(effectOf({ name: 't', inputSchema: {}, annotations }, given, true)).toBe(effect);
});
