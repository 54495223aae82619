import { expect, test } from 'vitest';
import { CODES, type Code, refuse } from '../../core/errors.ts';
import { defineCapability, definePower } from '../../core/index.ts';
import { type MisuseDetails, misuse } from '../../core/sallyport-error.ts';

/** Text of a stranger: it has a full stop of its own, and may end with the advice of the code. */
const SAID = 'it was written so. Read it.';

const MEMBERS: { readonly [name: string]: unknown } = {
  error: { name: 'Error', message: SAID },
  issues: [{ pointer: '', keyword: 'type', message: SAID }],
  breaches: [],
};
const COUNTED =
  /^(?:limit|used|offset|line|column|line_end|lines|size|matches|asked|expected|found|pid|ticket|at|uses|expires)$/;
const LISTS: { readonly [code: string]: object } = {
  form_none: { got: ['a', 'b', 'c'], expected: ['next_step', 'done'] },
  form_both: { got: ['a', 'b'], expected: [] },
  option_invalid: { known: ['a', 'b'] },
  undo_impossible: { barriers: [{ step: 1, capability: 'a', reason: 'gone' }] },
};

/** Details that the clause of a code reads; each detail that is quoted is this text. */
function detailsFor(code: string, text: string, say: (details: never) => unknown): never {
  const known: { [name: string]: unknown } = { ...MEMBERS, ...LISTS[code] };
  const asked: { [name: string]: unknown } = {};
  const listening = new Proxy(asked, {
    get: (_, name) => (asked[name as string] = known[name as string] ?? (COUNTED.test(name as string) ? 7 : text)),
  });
  say(listening as never);
  return { ...asked } as never;
}

/** The sentence or the punctuation that stands twice in a message. */
function doubled(message: string): string | undefined {
  const stops = /[.!?…]\s*[.!?](?!\w)|\. at /u.exec(message)?.[0];
  if (stops !== undefined) return stops;
  const sentences = message.split(/(?<=[.!?]) /u).map((each) => each.toLowerCase());
  if ((message.match(/at the top level|the top level has/gu) ?? []).length > 1) return 'the top level';
  return sentences.find((each, at) => sentences.indexOf(each) !== at);
}

const CODE_NAMES = Object.keys(CODES) as Code[];

test.each(CODE_NAMES)('the message of %s repeats no sentence at any place and for any quoted text', (code) => {
  const { what, todo } = CODES[code];
  for (const text of ['some words', 'Some words.', 'Really?', `Some words. ${todo}`])
    for (const place of [{}, { pointer: '' }, { pointer: '/a/b' }]) {
      const details = detailsFor(code, text, what);
      // Advice in the middle of a clause is part of a name, not a sentence.
      if (text.endsWith(todo) && what(details).indexOf(text) !== what(details).length - text.length) continue;
      const { message } = refuse(code, details, place).refusal;
      expect(doubled(message), message).toBeUndefined();
    }
});

test.each(CODE_NAMES)('the code %s has advice that ends with a full stop', (code) => {
  expect(CODES[code].todo).toMatch(/^(?!Nothing).+\.$/u);
});

const MISUSES: readonly (keyof MisuseDetails)[] = [
  'engine_unknown',
  'source_syntax',
  'source_threw',
  'source_no_default',
  'source_limit',
  'source_too_long',
  'limits_invalid',
  'name_invalid',
  'image_refused',
  'ticket_unknown',
  'not_waiting',
  'capability_unloaded',
  'sandbox_closed',
  'schemas_unavailable',
  'worker_failed',
  'build_mismatch',
  'build_gone',
  'part_unloaded',
];

test.each(MISUSES)('the misuse %s repeats no sentence', (code) => {
  for (const text of ['some words', 'Some words.'])
    expect(
      doubled(
        misuse(
          code,
          detailsFor(code, text, (details) => misuse(code, details)),
        ).message,
      ),
    ).toBeUndefined();
});

test('the refusal of an unknown form names the given members and the expected forms', () => {
  const { refusal } = refuse(
    'form_none',
    { got: ['tool', 'a', 'b'], expected: ['next_step', 'done'] },
    { pointer: '' },
  );
  expect(refusal.message).toBe(
    'Valid JSON, but not a proposal: the top level has "tool", "a" and "b" instead of next_step or done. Send one of these forms.',
  );
});

const POWER = { version: '1.0.0', description: 'd', effect: 'pure', args: { type: 'object' }, run: () => 1 } as const;

test('an invalid definition of a power is not called a capability', () => {
  expect(() => definePower({ ...POWER, name: 'clock' })).toThrow(
    'Invalid definition: the name clock is taken by the runtime at /name. Correct the definition.',
  );
});

test('the refusal of a capability without args points at /args', () => {
  const { args: _, ...bare } = POWER;
  expect(() => defineCapability({ ...bare, name: 'a' } as never)).toThrow(/at \/args\. /u);
});
