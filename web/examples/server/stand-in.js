/** Stands in for a model: it counts an item and ships it. It decides by the messages alone, so any process goes on. */
export function standIn() {
  const proposal = (messages) => {
    const item = messages
      .findLast(({ kind }) => kind === 'task')
      .content.trim()
      .split(/\s+/)
      .at(-1);
    const tool = (name) => ({ next_step: { tool: name, arguments: { item }, goal: name } });
    const last = messages.at(-1);
    if (last.kind === 'task') return tool('order.stock');
    if (last.call?.name === 'order.stock') return tool('order.ship');
    return { done: true, message: last.content.includes('"shipped"') ? `Shipped ${item}.` : `Did not ship ${item}.` };
  };
  return {
    id: 'stand-in',
    locality: { kind: 'local' },
    propose: async ({ messages }) => {
      await new Promise((thought) => setTimeout(thought, 300));
      return { text: JSON.stringify(proposal(messages)) };
    },
  };
}
