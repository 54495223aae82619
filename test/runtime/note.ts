/** A capability with an effect, and proposals for it. */
export const NOTE = {
  name: 'note.put',
  version: '1.0.0',
  description: 'Keeps a note.',
  args: { type: 'object', required: ['text'], additionalProperties: false, properties: { text: { type: 'string' } } },
  effect: 'write',
  source: 'export default ({ text }) => ({ kept: text });',
} as const;

export function put(text: string): object {
  return { next_step: { tool: 'note.put', arguments: { text }, goal: 'keep' } };
}

export const done: object = { done: true, message: 'kept' };
