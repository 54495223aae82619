import type { CopiedSetup } from '../../../../web/playground/copy-code/copied-setup.ts';
import type { CapabilityDefinition } from '../../../../workers/api.ts';

/** A text that ends each kind of literal, comment, attribute and script, and holds characters that cannot be seen. */
export const HOSTILE = `'"\`\${globalThis.pwned=1}\\' */ --> </script><!-- <script>\u2028\u2029\u202e\u0000\u009b\ud800\r\n&amp;{{x}}`;

const ECHO: CapabilityDefinition = {
  name: 'text.echo',
  version: '1.0.0',
  description: HOSTILE.replace('\ud800', ''),
  effect: 'pure',
  args: {
    type: 'object',
    properties: { constructor: { type: 'string' }, 'a b': { type: 'string' } },
    required: ['a b'],
    additionalProperties: false,
  },
  source: `// </script> \`\${1}\`\r\nexport default (args) => ({ said: args['a b'], own: Object.hasOwn(args, 'constructor') });\n`,
};

const TASK = HOSTILE.replace('\ud800', '').replace('\u0000', '');

/** A setup whose every text is hostile: one call that is allowed, one that its grant does not cover, and the end. */
export const HOSTILE_SETUP: CopiedSetup = {
  dialect: 'xct',
  task: TASK,
  capabilities: [ECHO],
  grants: [{ capability: 'text.echo', mode: 'ask', where: { properties: { 'a b': { maxLength: 200 } } } }],
  left: [HOSTILE],
  proposer: {
    kind: 'script',
    script: [
      JSON.stringify({ next_step: { tool: 'text.echo', arguments: { 'a b': TASK }, goal: TASK } }),
      JSON.stringify({ next_step: { tool: 'text.echo', arguments: { 'a b': 'x'.repeat(201) }, goal: 'g' } }),
      HOSTILE.replace('\ud800', ''),
      JSON.stringify({ done: true, message: TASK }),
    ],
  },
  files: {},
  symbols: [],
};
