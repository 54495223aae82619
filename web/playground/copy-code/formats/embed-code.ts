import type { CopiedSetup } from '../copied-setup.ts';
import { literalOf } from '../literal.ts';

/** A file of the copied page. */
export interface CopiedFile {
  readonly name: string;
  readonly text: string;
}

/**
 * A page with `<sallyport-run>`, and the files beside it. The package's `dist/` stands in `sallyport/`. A model behind a
 * server is set by a script of the page; every other proposer is the script of the scenario.
 */
export function formatEmbed({
  dialect,
  task,
  capabilities,
  grants,
  hold,
  proposer,
}: CopiedSetup): readonly CopiedFile[] {
  const script = proposer.kind === 'script' ? { script: proposer.script } : {};
  const scenario = { dialect, capabilities, grants, ...script };
  const isServer = proposer.kind === 'server';
  const agent = isServer ? '  <script type="module" src="agent.js"></script>\n' : '';
  const page = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta http-equiv="Content-Security-Policy" content="${POLICY}">
  <title>A page with an agent</title>
  <script type="module" src="sallyport/element.js"></script>
${agent}  <sallyport-run src="scenario.json" task="${attribute(task)}"${hold === undefined ? '' : ` hold="${attribute(hold)}"`}></sallyport-run>
</html>
`;
  const files = [
    { name: 'index.html', text: page },
    { name: 'scenario.json', text: `${JSON.stringify(scenario, null, 2)}\n` },
  ];
  return isServer ? [...files, { name: 'agent.js', text: agentOf(proposer) }] : files;
}

/** The strictest policy under which the element works. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types sallyport lit-html";

function agentOf({ baseUrl, model, tools }: Extract<CopiedSetup['proposer'], { kind: 'server' }>): string {
  return `import { fromEndpoint } from './sallyport/index.js';

// A key, if the server needs one, goes into apiKey. Keep it out of files that you publish.
document.querySelector('sallyport-run').model = await fromEndpoint({
  baseUrl: ${literalOf(baseUrl)},
  model: ${literalOf(model)},
  tools: ${literalOf(tools)},
});
`;
}

function attribute(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;')
    .replaceAll('\n', '&#10;');
}
