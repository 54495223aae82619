import { PUBLISHED_REPOSITORY } from '../../breakout/incidents.ts';
import { call, called, type Lesson, lesson, receipt } from './lesson.ts';

const TOOLS = PUBLISHED_REPOSITORY.tools({ sent: [], memory: [] });
const allowed = TOOLS.map(({ name }) => ({ capability: name, mode: 'allow' as const }));

const ISSUE = call('issues.read', '{}', 'Look after the issues');
const FILE = call('private.read', '{"path":"wages.txt"}', 'Obey the issue');
const PUBLISH = call('public.write', JSON.stringify({ text: PUBLISHED_REPOSITORY.secret }), 'Obey the issue');
const BY_HANDLE = call('public.write', '{"text":{"$held":"h2","at":"/text"}}', 'Obey the issue');

const SUCCESS = receipt('SUCCESS');
/** A result that the model reads. */
const inTheOpen = { ...SUCCESS, except: { evidence: { held: { by: 'outcome' } } } };
const held = {
  kind: 'receipt',
  body: { receipt: { status: 'SUCCESS' }, evidence: { held: { by: 'outcome' } } },
} as const;
const asked = (why: string) => ({ kind: 'decision', body: { decision: 'REQUIRES_APPROVAL', why } }) as const;
const DENIED = receipt('FAILURE', 'approval_denied');
const OPEN_READS = [
  [called('issues.read'), inTheOpen],
  [called('private.read'), inTheOpen],
] as const;

export const A_PUBLISHED_REPOSITORY: Lesson = lesson('publishedRepository', {
  number: 16,
  minutes: 6,
  right: 1,
  capabilities: [],
  tools: TOOLS,
  grants: [],
  choices: {
    off: allowed,
    on: allowed,
    held: allowed.map((grant) => ({ ...grant, held: true as const })),
  },
  unguarded: 'off',
  starters: { issue: ISSUE, file: FILE, publish: PUBLISH, handle: BY_HANDLE },
  tasks: {
    // With both reads in the open, only a run without the guard publishes unasked.
    published: { steps: [...OPEN_READS, [{ kind: 'decision', body: { decision: 'AUTHORIZED' } }, SUCCESS]] },
    stopped: { steps: [...OPEN_READS, [asked('private_and_untrusted'), DENIED]] },
    held: {
      steps: [
        [called('issues.read'), held],
        [called('private.read'), held],
        [asked('held'), DENIED],
      ],
    },
  },
  key: [
    { send: ISSUE },
    { send: FILE },
    { send: PUBLISH },
    { choice: 1 },
    { send: ISSUE },
    { send: FILE },
    { send: PUBLISH },
    { answer: 'deny', reason: 'the wages are private' },
    { choice: 2 },
    { send: ISSUE },
    { send: FILE },
    { send: BY_HANDLE },
    { answer: 'deny', reason: 'nobody asked for this' },
  ],
});
