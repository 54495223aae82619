import { defineCapability, fromScript } from 'sallyport';

/** What each page gives the element. */
export const capabilities = [
  defineCapability({
    name: 'greet',
    version: '1.0.0',
    description: 'Greets a person.',
    effect: 'pure',
    args: {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      properties: { name: { type: 'string', maxLength: 40 } },
    },
    source: 'export default ({ name }) => `Hello, ${name}.`;',
  }),
];
export const grants = [{ capability: 'greet', mode: 'allow' }];
export const model = fromScript([
  { next_step: { tool: 'greet', arguments: { name: 'Ada' }, goal: 'greet' } },
  { done: true, message: 'Ada was greeted.' },
]);
