import { afterEach, describe, expect, test } from 'vitest';
import type { Runtime } from '../../../workers/api.ts';
import type { McpServing } from '../../../workers/mcp/server/options.ts';
import { HIDDEN, type LawOf, MIXED } from '../../web/approval/laws.ts';
import { codeOf, connected, ERAS, ran, runtimeOf, textOf, YES } from './server-shared.ts';

let runtime: Runtime;
let serving: McpServing;
afterEach(async () => {
  await serving.close();
  await runtime.close();
});

/** What the host is asked about these texts, one call after another. It says yes. */
async function askedAbout(era: (typeof ERAS)[number], texts: readonly string[], approve?: () => Promise<never>) {
  const shown: string[] = [];
  ran.length = 0;
  runtime = await runtimeOf(approve && { approve });
  const ask = ({ message }: { readonly message: string }) => (shown.push(message), YES({ message }));
  const made = await connected(runtime, era, ask, { approve: 'elicit' });
  serving = made.serving;
  const results = [];
  for (const text of texts) results.push(await made.client.callTool({ name: 'note_post', arguments: { text } }));
  return { shown, results };
}

describe.each(ERAS)('the text of an elicitation of $era', (era) => {
  const LAWS: { readonly [L in LawOf<'elicitation'>]: () => Promise<void> } = {
    'a yes to 20,000 characters waits until they were read to their end': async () => {
      const text = 'x '.repeat(10_000);
      const { shown, results } = await askedAbout(era, [text]);
      expect([shown, ran]).toEqual([[], []]);
      expect(codeOf(results[0] as never)).toBe('approval_denied');
      expect(textOf(results[0] as never)).toContain('A form of a host shows 2,000');
    },
    'a word in two alphabets is told': async () => {
      const { shown } = await askedAbout(era, [MIXED, 'baker']);
      expect(shown.map((text) => text.includes('Lookalike letters: 1 word'))).toEqual([true, false]);
    },
    'bidi and zero-width characters are written out': async () => {
      const { shown } = await askedAbout(era, [HIDDEN]);
      expect(shown[0]).toContain('pay \\u202enow\\u200b');
      expect(shown[0]).toContain('Unseen characters: 2.');
    },
    'of two questions, the click answers its own': async () => {
      const { shown, results } = await askedAbout(era, ['one', 'two']);
      expect(shown.map((text) => /"text":"(\w+)"/u.exec(text)?.[1])).toEqual(['one', 'two']);
      expect(results.map((each) => textOf(each as never))).toEqual(['3', '3']);
    },
  };
  test.each(Object.entries(LAWS))('%s', (_law, play) => play());
});

test('arguments that no form shows are asked where the runtime asks', async () => {
  const asked = new Promise<void>((resolve) => {
    void askedAbout(ERAS[0], ['x'.repeat(3000)], () => (resolve(), new Promise<never>(() => undefined)));
  });
  await asked;
});
