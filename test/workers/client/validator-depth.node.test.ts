import { expect, test } from 'vitest';
import { createValidator } from '../../../workers/node.ts';

const LIST = { $ref: '#/$defs/list' };
const CAPABILITIES = [
  { name: 'free', version: '1.0.0', description: 'Takes anything.', args: { type: 'object' } },
  {
    ...{ name: 'lists', version: '1.0.0', description: 'Takes lists of lists.' },
    args: { type: 'object', properties: { d: LIST }, $defs: { list: { type: 'array', items: LIST } } },
  },
];
const DEPTHS = [60, 125, 126, 127, 130, 300, 490, 990, 1_500];

test.each([500, 1_000, 100_000])('a depth limit of %i yields a verdict at every depth', async (depth) => {
  const validator = await createValidator({ dialect: 'femtoclaw', limits: { depth }, capabilities: CAPABILITIES });
  for (const { name } of CAPABILITIES) {
    for (const nested of DEPTHS) {
      const text = `{"tool_call":{"tool":"${name}","args":{"d":${'['.repeat(nested)}${']'.repeat(nested)}}}}`;
      const verdict = await validator.validate(new TextEncoder().encode(text));
      const codes = nested + 3 > Math.min(depth, 1_000) ? ['limit_depth'] : ['accepted', 'schema_memory'];
      expect(codes, `${name} at ${nested}`).toContain(verdict.accepted ? 'accepted' : verdict.code);
    }
  }
  await validator.close();
});
