import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The row of the documentation for each feature, and the tests that hold it. */
const HELD: { readonly [feature: string]: readonly string[] } = {
  'tools, in pages': [
    'gives its tools of all pages, with their schemas, under its origin',
    'that is %s is taken as far as it was read, and told',
  ],
  '`tools/list_changed`': [
    'whose list changes tells the runtime, in the newer version of the protocol',
    'that changes replaces the changed tool, whose grant ends',
  ],
  'annotations of a tool': ['a hint makes an effect stricter and never looser'],
  'structured content': ['a call has a receipt, checked arguments and results, and a replay needs no server'],
  'text, images, sounds, embedded resources, links': [
    'a call has a receipt, checked arguments and results, and a replay needs no server',
  ],
  '`isError`': ['a call has a receipt, checked arguments and results, and a replay needs no server'],
  'the whole answer, with annotations and `_meta`': [
    'a call has a receipt, checked arguments and results, and a replay needs no server',
  ],
  progress: ['tells the progress of a call, and cancels it'],
  cancellation: [
    'a call that is aborted is cancelled at the server, and its late answer is ignored',
    'a call over its time ends with deadline_exceeded and is cancelled at the server',
  ],
  logging: ['a flood of notifications becomes few notices and few lists'],
  'resources and their templates': ['reads resources and prompts as data under grants'],
  'subscriptions to resources': ['a server is asked for no more than its parts that are used'],
  prompts: ['reads resources and prompts as data under grants'],
  'completion of arguments': ['a server is asked for no more than its parts that are used'],
  '`instructions`': ['instructions are shown to the program and to no model'],
  sampling: ['requests of a server for sampling, roots, elicitation, tasks and others are refused, and told'],
  roots: ['requests of a server for sampling, roots, elicitation, tasks and others are refused, and told'],
  'elicitation, in form and by address': [
    'requests of a server for sampling, roots, elicitation, tasks and others are refused, and told',
    'fails the call of a server that asks for input all the same',
  ],
  tasks: ['requests of a server for sampling, roots, elicitation, tasks and others are refused, and told'],
  '`ping`': ['requests of a server for sampling, roots, elicitation, tasks and others are refused, and told'],
  'other requests of a server': [
    'requests of a server for sampling, roots, elicitation, tasks and others are refused, and told',
  ],
  'other notifications of a server': ['a flood of notifications becomes few notices and few lists'],
  'invisible characters in names, titles, descriptions and schemas': [
    'that is poisoned gives the tools that can be taken, with what is hidden made visible',
  ],
};

const PAGE = readFileSync('web/docs/mcp-servers.md', 'utf8');
const TESTS = ['effect.test', 'from-mcp.node.test', 'hostile.node.test', 'http.node.test']
  .map((name) => readFileSync(`test/workers/bridges/mcp/client/${name}.ts`, 'utf8'))
  .join('\n');

it('the documentation has a row for each feature of the protocol, and each row is held by a test', () => {
  const [, table = ''] = PAGE.split('| feature | what becomes of it |\n');
  const rows = [...table.matchAll(/^\| (.+?) \| (\w+): .+ \|$/gm)];
  expect(rows.map(([, feature]) => feature)).toEqual(Object.keys(HELD));
  for (const title of Object.values(HELD).flat())
    expect(TESTS).toContain(`it('${title}'`.replace("it('that is %s", "('that is %s"));
});

it('the documentation names the variables that a child gets', async () => {
  const { PLATFORM_VARIABLES } = await import('../../../../../workers/bridges/mcp/client/stdio.ts');
  for (const name of PLATFORM_VARIABLES) expect(PAGE).toContain(`\`${name}\``);
});
