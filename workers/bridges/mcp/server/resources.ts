import { ProtocolError, type Server } from '@modelcontextprotocol/server';
import { canonicalText } from '../../../../core/json/canonical.ts';
import { utf8Length } from '../../../../core/json/utf8.ts';
import type { JsonObject } from '../../../../core/json/value.ts';
import type { Runtime } from '../../../api.ts';

const RUNS = 'sallyport://runs';
const JSON_TYPE = 'application/json';
const LINES_TYPE = 'application/jsonl';

const TEMPLATES = [
  { uriTemplate: `${RUNS}/{run}`, name: 'run', description: 'The records of a run.', mimeType: JSON_TYPE },
  {
    uriTemplate: `${RUNS}/{run}/export`,
    name: 'export',
    description: 'A run as a file for sallyport verify and sallyport replay, without secrets.',
    mimeType: LINES_TYPE,
  },
  {
    uriTemplate: `${RUNS}/{run}/receipts/{step}`,
    name: 'receipt',
    description: 'The record that ends a step.',
    mimeType: JSON_TYPE,
  },
] as const;

/** UTF-8 bytes of a resource. A longer export is read from the ledger itself. */
const RESOURCE_BYTES = 16 << 20;

const INVALID_PARAMS = -32_602;

/** Serves the runs of this server's own clients. Runs of other callers may hold data that these clients may not read. */
export function serveResources(server: Server, runtime: Runtime, runs: ReadonlySet<string>): void {
  server.setRequestHandler('resources/list', async () => ({
    resources: [
      { uri: RUNS, name: 'runs', description: 'The runs of this server.', mimeType: JSON_TYPE },
      ...[...runs].map((run) => ({ uri: `${RUNS}/${run}`, name: `run ${run}`, mimeType: JSON_TYPE })),
    ],
  }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: TEMPLATES.map((each) => ({ ...each })),
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const text = await textOf(uri, runtime, runs);
    if (text === undefined) throw new ProtocolError(INVALID_PARAMS, 'There is no such resource.', { uri });
    const used = utf8Length(text);
    if (used > RESOURCE_BYTES)
      throw new ProtocolError(INVALID_PARAMS, `The resource has ${used} bytes, the limit is ${RESOURCE_BYTES}.`, {
        uri,
      });
    const mimeType = uri.endsWith('/export') ? LINES_TYPE : JSON_TYPE;
    return { contents: [{ uri, mimeType, text }] };
  });
}

async function textOf(uri: string, runtime: Runtime, runs: ReadonlySet<string>): Promise<string | undefined> {
  if (uri === RUNS) return canonicalText(await rowsOf(runtime, runs));
  const [, run, part, step] =
    /^sallyport:\/\/runs\/([0-9a-f-]{36})(?:\/(export|receipts)(?:\/([0-9a-f-]{36}))?)?$/.exec(uri) ?? [];
  if (run === undefined || !runs.has(run)) return undefined;
  if (part === undefined) return canonicalText(await runtime.ledger.records(run));
  if (part === 'export') return step === undefined ? runtime.ledger.export(run) : undefined;
  return receiptText(runtime, run, step);
}

async function receiptText(runtime: Runtime, run: string, step: string | undefined): Promise<string | undefined> {
  const records = await runtime.ledger.records(run);
  const found = records.find((record) => record.kind === 'receipt' && record.body.receipt.step_id === step);
  return found && canonicalText(found);
}

async function rowsOf(runtime: Runtime, runs: ReadonlySet<string>): Promise<readonly JsonObject[]> {
  const rows = await runtime.runs();
  return rows
    .filter(({ run_id }) => runs.has(run_id))
    .map(({ run_id, records, head, sealed }) => ({ run_id, records, head, sealed, uri: `${RUNS}/${run_id}` }));
}
