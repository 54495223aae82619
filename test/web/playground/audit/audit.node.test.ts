import { afterEach, expect, test } from 'vitest';
import { openAudit } from '../../../../web/playground/audit/audit.ts';
import type { Runtime } from '../../../../workers/api.ts';
import { fromScript } from '../../../../workers/node.ts';
import { openRuntime } from '../../../runtime/shared.ts';

let open: Runtime | undefined;
afterEach(() => open?.close());

/** An audit over a ledger with one run. */
async function audited() {
  open = await openRuntime();
  const run = open.start({ dialect: 'xct', task: 'Talk.', model: fromScript([{ done: true, message: 'true' }]) });
  const { head } = await run.result;
  return { id: run.id, head, audit: openAudit(open), text: await open.ledger.export(run.id) };
}

test('the head of the ledger itself is no anchor that a person gave', async () => {
  const { id, head, audit } = await audited();
  await audit.openRun(id);
  expect([audit.anchorText.value.endsWith(head), audit.anchorGiven.value]).toEqual([true, '']);
  audit.anchorText.value = ` 9:${'a'.repeat(64)} `;
  expect(audit.anchorGiven.value).toBe(`9:${'a'.repeat(64)}`);
});

test('the anchor of an opened text is the one that is given', async () => {
  const { id, head, audit, text } = await audited();
  await audit.openRun(id);
  await audit.openText('other.run.jsonl', text);
  expect([audit.anchorText.value, audit.anchorGiven.value]).toEqual(['', '']);
  const count = audit.report.value?.records;
  audit.anchorText.value = `${count}:${head}`;
  expect(audit.anchorGiven.value).toBe(`${count}:${head}`);
});

test('a text is audited itself, also where a run of this device has its id', async () => {
  const { audit, text } = await audited();
  const falsified = text.replace('true', 'false');
  await audit.openText('falsified.run.jsonl', falsified);
  expect([audit.text.value, audit.name.value]).toEqual([falsified, 'falsified.run.jsonl']);
});
