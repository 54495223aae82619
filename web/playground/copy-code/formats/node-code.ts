import type { CopiedProposer, CopiedSetup } from '../copied-setup.ts';
import { literalOf } from '../literal.ts';
import { authorityLines, contentLines, leftLines, startLines } from './agent-parts.ts';

/** A whole program for Node, JavaScript and TypeScript at once. A person at the terminal answers its questions. */
export function formatNodeCode(setup: CopiedSetup): string {
  const { proposer } = setup;
  return `// Copied from the playground of Sallyport. Install it with: npm install sallyport
// Save this as agent.mjs and run: node agent.mjs. As agent.ts it compiles, too.
${leftLines(setup)}import { createInterface } from 'node:readline';
import { ${FROM[proposer.kind]}, openRuntime } from 'sallyport/node';

// The lines that a person types at this terminal.
const terminal = createInterface({ input: process.stdin });
const lines = terminal[Symbol.asyncIterator]();

const runtime = await openRuntime({
${authorityLines(setup)}  // Any line but yes denies.
  approve: async ({ capability, args }) => {
    console.log({ capability, args }, 'Permit it? yes or no');
    const { value } = await lines.next();
    return value === 'yes' ? { approved: true } : { approved: false, reason: 'denied at the terminal' };
  },
${proposer.kind === 'server' ? CONSENT : ''}});
${contentLines(setup)}${modelOf(proposer)}
const run = runtime.start({
${startLines(setup)}});
const end = await run.result;
for (const { kind, body } of await runtime.ledger.records(run.id)) {
  if (kind === 'receipt') console.log(body.receipt.status, body.evidence.reason?.code ?? '');
}
console.log(end.state, end.message ?? '');
await runtime.close();
terminal.close();
`;
}

const FROM: { readonly [K in CopiedProposer['kind']]: string } = {
  script: 'fromScript',
  person: 'fromPerson',
  server: 'fromOpenAI',
};

const CONSENT = `  // Private content leaves this device only with a yes.
  consent: async (request) => {
    console.log(request, 'Send it to the model? yes or no');
    const { value } = await lines.next();
    return value === 'yes';
  },
`;

function modelOf(proposer: CopiedProposer): string {
  if (proposer.kind === 'script') return '';
  if (proposer.kind === 'person') return PERSON;
  const { baseUrl, model, tools } = proposer;
  return `
// A key, if the server needs one, is read from the environment.
const key = process.env['MODEL_KEY'];
const model = fromOpenAI({
  baseUrl: ${literalOf(baseUrl)},
  model: ${literalOf(model)},
  tools: ${literalOf(tools)},
  ...(key === undefined ? {} : { apiKey: key }),
});
`;
}

const PERSON = `
// You are the model: each line is a proposal.
const model = fromPerson();
model.watch(async (waiting) => {
  if (waiting === undefined) return;
  console.log(waiting.messages.at(-1), 'Your proposal:');
  const { value } = await lines.next();
  model.send(value ?? '');
});
`;
