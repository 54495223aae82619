import { call, called, type Lesson, receipt } from './lesson.ts';

const read = (slice: string) =>
  call('corpus.read', `{"path":"notes/suppliers.md","slice":"${slice}"}`, 'Read what counts as paid');

export const SMALL_WINDOWS: Lesson = {
  number: 8,
  title: 'Small windows',
  minutes: 5,
  goal: 'Find out how the mill is paid without reading the whole file. A window has a beginning and an end, and both are recorded.',
  predict: {
    question: 'The model asks for ALL of a file. What does it get?',
    answers: ['The file.', 'The beginning of the file.', 'A refusal, and the kinds of window there are.'],
    right: 2,
    because: 'ALL has no end, so it is not a window. What is cut off silently would be a different lie.',
  },
  capabilities: ['corpus.search', 'corpus.read'],
  grants: [
    { capability: 'corpus.search', mode: 'allow' },
    { capability: 'corpus.read', mode: 'allow' },
  ],
  starters: [
    { word: 'Search', text: call('corpus.search', '{"query":"pay marlow mill"}', 'Find the place') },
    { word: 'Everything', text: read('ALL') },
    { word: 'Seven lines', text: read('lines[11:18]') },
  ],
  tasks: [
    {
      say: 'Ask for everything, and be refused.',
      hint: 'slice: ALL',
      steps: [[called('corpus.read'), receipt('FAILURE', 'capability_threw')]],
    },
    {
      say: 'Search: places to look, not texts.',
      hint: 'corpus.search',
      steps: [[called('corpus.search'), receipt('SUCCESS')]],
    },
    {
      say: 'Read a few lines, and see in the receipt what the run has read since: it is private, and a stranger’s.',
      hint: 'lines[11:18]',
      steps: [
        [
          called('corpus.read'),
          { kind: 'receipt', body: { receipt: { status: 'SUCCESS' }, evidence: { labels: ['private', 'untrusted'] } } },
        ],
      ],
    },
  ],
  why: 'A small window costs less, leaks less and can be quoted exactly. What was read is remembered: the next lesson shows what for.',
  key: [
    { send: read('ALL') },
    { send: call('corpus.search', '{"query":"pay marlow mill"}', 'Find the place') },
    { send: read('lines[11:18]') },
  ],
};
