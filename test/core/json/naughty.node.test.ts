import { describe, expect, test } from 'vitest';
import { encodeText, type JsonObject, type JsonValue } from '../../../core/index.ts';
import type { Verdict } from '../../../core/protocol/verdict.ts';
import { suiteFiles } from '../../setup/suites.ts';
import { core } from '../validator.ts';
import { definitions } from '../vectors.ts';

const [file] = suiteFiles('naughty-strings')?.filter(({ name }) => name === 'blns.json') ?? [];
const strings = file === undefined ? [] : (JSON.parse(new TextDecoder().decode(file.bytes)) as string[]);
const none = strings.length === 0;
if (none)
  console.warn(
    'The naughty strings are not here: set SALLYPORT_SUITES to the folder that holds them. They do not run.',
  );

const capabilities = definitions('standard');
const validators = {
  femtoclaw: await core({ dialect: 'femtoclaw', capabilities }),
  xct: await core({ dialect: 'xct', capabilities }),
};
const under = (dialect: 'femtoclaw' | 'xct', value: JsonValue | string): Promise<Verdict> =>
  validators[dialect].validate(encodeText(typeof value === 'string' ? value : JSON.stringify(value)));

describe.skipIf(none)('a naughty string', () => {
  test('a naughty string is data in a message, a goal, an argument and the name of an argument', async () => {
    expect(strings.length).toBeGreaterThan(500);
    for (const naughty of strings) {
      const args: JsonObject = JSON.parse(`{"value":0,${JSON.stringify(naughty)}:[0]}`) as JsonObject;
      const step = { tool: 'free', arguments: { ...args, value: naughty }, goal: naughty };
      expect(await under('femtoclaw', { message: { content: naughty } })).toMatchObject({
        kind: 'say',
        content: naughty,
      });
      expect(await under('xct', { next_step: step })).toMatchObject({
        kind: 'call',
        goal: naughty,
        args: step.arguments,
      });
    }
  });

  test('a naughty string is no capability, and the refusal names it unchanged', async () => {
    for (const naughty of strings) {
      expect(await under('femtoclaw', { tool_call: { tool: naughty, args: {} } })).toMatchObject({
        accepted: false,
        code: 'unknown_capability',
        details: { name: naughty },
      });
    }
  });

  test('a naughty string is no proposal by itself, as text or as JSON', async () => {
    for (const naughty of strings) {
      for (const dialect of ['femtoclaw', 'xct'] as const) {
        expect(await under(dialect, naughty)).toMatchObject({ accepted: false });
        expect(await under(dialect, JSON.stringify(naughty))).toMatchObject({ accepted: false, code: 'not_object' });
      }
    }
  });
});
