import { defineCapability, fromScript } from 'sallyport';
import 'sallyport/element';

/** The capability that a model may call. Its source runs in the sandbox: it sees its arguments and nothing else. */
const share = defineCapability({
  name: 'bill.share',
  version: '1.0.0',
  description: 'Shares an amount in cents equally; the rest goes to the first person.',
  effect: 'pure',
  args: {
    type: 'object',
    required: ['cents', 'people'],
    additionalProperties: false,
    properties: {
      cents: { type: 'integer', minimum: 0 },
      people: { type: 'integer', minimum: 1, maximum: 100 },
    },
  },
  // A string, because a bundler may rewrite a function's text.
  source: `export default ({ cents, people }) => {
    const each = Math.floor(cents / people);
    return { each, first: cents - each * (people - 1) };
  };`,
});

/** A script in the place of a model. A model on this computer: `await fromEndpoint({ preset: 'ollama', model: 'llama3.2' })`. */
const model = fromScript([
  '{"next_step":{"tool":"bill.share","arguments":{"cents":8460,"people":4,"people":1},"goal":"share"}}',
  { next_step: { tool: 'bill.share', arguments: { cents: 8460, people: 4 }, goal: 'share' } },
  { done: true, message: 'Everybody pays 21.15.' },
]);

Object.assign(document.querySelector('sallyport-run'), {
  capabilities: [share],
  grants: [{ capability: 'bill.share', mode: 'allow', uses: 3 }],
  model,
});
