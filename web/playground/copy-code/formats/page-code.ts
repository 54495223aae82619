import type { CopiedProposer, CopiedSetup } from '../copied-setup.ts';
import { literalOf } from '../literal.ts';
import { authorityLines, contentLines, leftLines, startLines } from './agent-parts.ts';

/** A whole module for a page with a bundler, JavaScript and TypeScript at once. The browser's own boxes ask. */
export function formatPageCode(setup: CopiedSetup): string {
  const { proposer } = setup;
  return `// Copied from the playground of Sallyport. Install it with: npm install sallyport
// With Vite, add plugins: [lock()] from 'sallyport/vite', and load this module from your page.
${leftLines(setup)}import { ${FROM[proposer.kind]}, openRuntime } from 'sallyport';

const runtime = await openRuntime({
${authorityLines(setup)}  approve: async ({ capability, args }) =>
    confirm(\`Permit \${capability} with \${args}?\`) ? { approved: true } : { approved: false, reason: 'denied in the page' },
${proposer.kind === 'server' ? "  consent: async () => confirm('Send private content to the model?'),\n" : ''}});
${contentLines(setup)}${modelOf(proposer)}
const run = runtime.start({
${startLines(setup)}});
const end = await run.result;
const told = document.body.appendChild(document.createElement('pre'));
for (const { kind, body } of await runtime.ledger.records(run.id)) {
  if (kind === 'receipt') told.append(\`\${body.receipt.status} \${body.evidence.reason?.code ?? ''}\\n\`);
}
told.append(\`\${end.state} \${end.message ?? ''}\\n\`);
`;
}

const FROM: { readonly [K in CopiedProposer['kind']]: string } = {
  script: 'fromScript',
  person: 'fromPerson',
  server: 'fromEndpoint',
};

function modelOf(proposer: CopiedProposer): string {
  if (proposer.kind === 'script') return '';
  if (proposer.kind === 'person') return PERSON;
  const { baseUrl, model, tools } = proposer;
  return `
// A key, if the server needs one, goes into apiKey. Keep it out of your source.
const model = await fromEndpoint({
  baseUrl: ${literalOf(baseUrl)},
  model: ${literalOf(model)},
  tools: ${literalOf(tools)},
});
`;
}

const PERSON = `
// You are the model: each text is a proposal.
const model = fromPerson();
model.watch((waiting) => {
  if (waiting !== undefined) model.send(prompt('Your proposal') ?? '');
});
`;
