const call = (tool, args) => ({ next_step: { tool, arguments: args, goal: 'answer' } });

/**
 * A script in the place of a model, for one question. It searches the notes for the words of the question that have four
 * letters or more, the longest first, reads the first note that it finds, and answers with its text.
 */
export function standIn(question) {
  const words = (question.match(/[\p{L}\p{N}]{4,}/gu) ?? []).sort((a, b) => b.length - a.length).slice(0, 5);

  function proposalAfter({ kind, content }) {
    const { sections = [], text } = kind === 'observation' ? (JSON.parse(content).result ?? {}) : {};
    if (text !== undefined) return { done: true, message: text };
    const [section] = sections;
    if (section !== undefined) {
      const lines = section.line_end - section.line_start;
      return call('corpus.read', { ref: section.section_id, slice: `head(${lines})` });
    }
    const query = words.shift();
    if (query !== undefined) return call('corpus.search', { query });
    return { done: true, message: 'No note has a word of the question.' };
  }

  return {
    id: 'stand-in',
    locality: { kind: 'local' },
    propose: async ({ messages }) => ({ text: JSON.stringify(proposalAfter(messages.at(-1))) }),
  };
}
