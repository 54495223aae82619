import { afterEach, expect, test } from 'vitest';
import { openAudit } from '../../../../web/playground/audit/audit.ts';
import type { Runtime } from '../../../../workers/api.ts';
import { fromScript } from '../../../../workers/node.ts';
import { openRuntime } from '../../../runtime/shared.ts';
import { localFiles } from '../files/local-files.ts';

let open: Runtime | undefined;
afterEach(() => open?.close());

/** An audit over a ledger with one run. */
async function audited() {
  open = await openRuntime();
  const run = open.start({ dialect: 'xct', task: 'Talk.', model: fromScript([{ done: true, message: 'true' }]) });
  const { head } = await run.result;
  return { id: run.id, head, audit: openAudit(open, localFiles()), text: await open.ledger.export(run.id) };
}

test('the head of the ledger itself is no anchor, and stays beside the anchor that a person gives', async () => {
  const { id, head, audit } = await audited();
  await audit.openRun(id);
  const records = audit.report.value?.records;
  expect([audit.anchorText.value, audit.against.value]).toEqual(['', { stored: { records, head } }]);
  audit.anchorText.value = ` 9:${'a'.repeat(64)} `;
  expect(audit.against.value).toMatchObject({ anchor: ` 9:${'a'.repeat(64)} `, stored: { head } });
});

test('an opened text is compared with the given head alone', async () => {
  const { id, head, audit, text } = await audited();
  await audit.openRun(id);
  await audit.openText('other.run.jsonl', text);
  expect(audit.against.value).toEqual({});
  audit.anchorText.value = '  ';
  expect(audit.against.value).toEqual({});
  audit.anchorText.value = head;
  expect(audit.against.value).toEqual({ anchor: head });
});

test('a text is audited itself, also where a run of this device has its id', async () => {
  const { audit, text } = await audited();
  const falsified = text.replace('true', 'false');
  await audit.openText('falsified.run.jsonl', falsified);
  expect([await audit.text(), audit.name.value]).toEqual([falsified, 'falsified.run.jsonl']);
});
