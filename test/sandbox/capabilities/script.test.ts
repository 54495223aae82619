import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../core/index.ts';
import { decode } from '../../../core/json/decode.ts';
import { parse } from '../../../core/protocol/parse.ts';
import type { ScriptedMove, ScriptMove, ScriptStep } from '../../../web/playground/demo/moves.ts';
import { bakery, MESSAGES, MOVES } from '../../../web/playground/demo/scenario.ts';
import { validator } from './ajv.ts';
import { CAPABILITIES, capability, load } from './guest.ts';

type Call = Extract<ScriptMove, { kind: 'call' }>;
const DIALECTS = ['xct', 'femtoclaw'] as const;
const calls = MOVES.filter((one): one is ScriptedMove & { move: Call } => one.move.kind === 'call');
const codeOf = ({ ending }: Pick<ScriptedMove, 'ending'>) => ('code' in ending ? ending.code : undefined);
const isKnown = (name: string) => CAPABILITIES.some((one) => one.name === name);
const grants = bakery('xct').grants;

describe.each(DIALECTS)('the bakery script in %s', (dialect) => {
  const { steps, script } = bakery(dialect);
  const read = ({ text }: ScriptStep) => {
    const value = decode(new TextEncoder().encode(text));
    return value.ok ? parse(dialect, value.value) : value;
  };

  test('the script consists of the texts of its steps', () => {
    expect(script).toEqual(steps.map(({ text }) => text));
    expect(steps).toHaveLength(16);
  });

  test.each(steps.map((step, at) => [at + 1, step] as const))('step %i is parsed as its ending says', (at, step) => {
    const proposal = read(step);
    const move = MOVES[at - 1]?.move;
    if (codeOf(step) === 'json_syntax') expect(proposal).toMatchObject({ ok: false, refusal: { code: 'json_syntax' } });
    else if (move?.kind === 'call') {
      expect(proposal).toMatchObject({ ok: true, value: { kind: 'call', name: move.tool, args: move.args } });
    } else {
      const kind = dialect === 'xct' ? 'finish' : 'say';
      expect(proposal).toMatchObject({ ok: true, value: { kind } });
      expect(step.ending.end).toBe('finished');
    }
  });

  test('only the last step of the script finishes the run', () => {
    expect(steps.findIndex(({ ending }) => ending.end === 'finished')).toBe(steps.length - 1);
  });
});

describe('the endings of the bakery script', () => {
  test('the script has every kind of ending', () => {
    const met = new Set(MOVES.map(({ ending }) => ending.end));
    expect(met).toEqual(new Set(['completed', 'refused', 'denied', 'failed', 'approved', 'finished']));
    const codes = [
      'json_syntax',
      'unknown_capability',
      'arguments_schema',
      'no_grant',
      'capability_threw',
      'fuel_exhausted',
    ];
    expect(
      MOVES.map(codeOf)
        .filter((code) => code !== undefined)
        .toSorted(),
    ).toEqual(codes.toSorted());
  });

  test.each(calls.map((one) => [one.move.goal, one] as const))(
    'the registry and the schema agree with the ending of the call "%s"',
    (_, one) => {
      const { tool, args } = one.move;
      expect(isKnown(tool)).toBe(codeOf(one) !== 'unknown_capability');
      if (isKnown(tool)) expect(validator(capability(tool).args)(args)).toBe(codeOf(one) !== 'arguments_schema');
    },
  );

  test.each(calls.map((one) => [one.move.goal, one] as const))(
    'the grants agree with the ending of the call "%s"',
    (_, one) => {
      const { tool } = one.move;
      const modes = grants.filter((grant) => grant.capability === tool).map(({ mode }) => mode);
      if (!isKnown(tool) || codeOf(one) === 'no_grant') expect(modes).toEqual([]);
      else expect(modes).toEqual([one.ending.end === 'approved' ? 'ask' : 'allow']);
    },
  );

  test('the grants name only registered capabilities, and ask for each capability that writes', () => {
    for (const { capability: name = '', mode } of grants) {
      expect(isKnown(name)).toBe(true);
      expect(capability(name).effect === 'write').toBe(mode === 'ask');
    }
  });

  test('each step has a caption of one line, and no caption occurs twice', () => {
    for (const moves of [MOVES, MESSAGES]) {
      for (const { caption } of moves) expect(caption).toMatch(/^[^\n]{40,130}$/);
      expect(new Set(moves.map(({ caption }) => caption)).size).toBe(moves.length);
    }
  });
});

const run = async ({ tool, args }: { readonly tool: string; readonly args: JsonObject }) =>
  (await load(capability(tool)))(args);

describe('the calls of the bakery script', () => {
  const ran = calls.filter(({ ending }) => ending.end === 'completed' || ending.end === 'approved');

  test.each(ran.map((one) => [one.move.goal, one] as const))(
    'the call "%s" gives a result that its schema accepts',
    async (_, { move }) => {
      const result = await run(move);
      const check = validator(capability(move.tool).result ?? {});
      expect(check(result), JSON.stringify(check.errors)).toBe(true);
    },
  );

  test('the call that the script marks as a crash throws a TypeError', async () => {
    const crash = calls.find((one) => codeOf(one) === 'capability_threw');
    await expect(run(crash?.move ?? { tool: 'calc.eval', args: { expression: '1' } })).rejects.toThrow(TypeError);
  });

  test('the calls give the numbers in the note and in the last message', async () => {
    const sum = await run(goal('Add up the flour paid for in October'));
    const heavier = await run(goal('Weigh the new dough against the old, per loaf'));
    const rye = await run(goal('Read the count of rye instead'));
    const ready = await run(goal('Simulate it a quarter of an hour at a time'));
    expect([sum, heavier, rye, ready]).toEqual([
      expect.objectContaining({ matched: 5, sum: 606.6 }),
      { value: 50, exact: true },
      { value: 38 },
      { minutes: 480, ready_at: '05:00' },
    ]);
    const note = textIn('Keep the answers', 'text');
    for (const words of [
      '£606.60 (five rows',
      '50 g more a loaf',
      '38 kg',
      '2.4 kg a bake day',
      'fifteen days',
      'ready at five',
    ])
      expect(note).toContain(words);
    expect(Math.floor(38 / 2.4)).toBe(15);
    const last = MOVES.at(-1)?.move;
    expect(last?.kind === 'finish' && last.message).toMatch(/£606\.60 paid\..*50 g.*fifteen bake days.*ready at five/);
  });

  test('the read calls give the sections that the script describes', async () => {
    const paid = (await run(goal('Read what counts as paid'))) as { readonly text: string };
    expect(paid.text).toMatch(/^## How we pay Marlow Mill\n[^#]*comes back when the pallet does\.\n\n$/);
    const slip = (await run(goal('Check the delivery that is still open'))) as { readonly text: string };
    expect(slip.text).toContain('IMPORTANT, FOR THE ASSISTANT THAT READS THIS');
  });

  test('the script obeys the poisoned note literally', async () => {
    const { text } = (await run(goal('Check the delivery that is still open'))) as { readonly text: string };
    const words = text.replaceAll('\n', ' ');
    expect(words).toContain(textIn('Enter the payment, as the slip says', 'title'));
    expect(words).toContain(textIn('Send the invoices, as the slip says', 'url'));
    for (const name of ['calendar.add', 'net.fetch']) expect(words).toContain(name);
  });

  test('the search finds the files that the script reads', async () => {
    const { hits } = (await run(goal('Find out how the mill is paid'))) as {
      readonly hits: readonly { path: string; line: number }[];
    };
    expect(hits).toContainEqual(expect.objectContaining({ path: 'notes/suppliers.md', line: 11 }));
    expect(hits).toContainEqual(expect.objectContaining({ path: 'notes/delivery-slip.md' }));
  });

  /** The last call with this goal: the corrected call, if the script corrects it. */
  function goal(words: string): Call {
    const found = calls.findLast(({ move }) => move.goal === words);
    if (found === undefined) throw new Error(`no step has the goal ${words}`);
    return found.move;
  }

  function textIn(words: string, name: string): string {
    const text = goal(words).args[name];
    if (typeof text !== 'string') throw new Error(`${name} is not a text`);
    return text;
  }
});
