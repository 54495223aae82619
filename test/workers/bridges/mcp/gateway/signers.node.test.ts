import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenQuestion, Runtime } from '../../../../../workers/api.ts';
import { ConfigFile } from '../../../../../workers/bridges/mcp/gateway/config-file.ts';
import { Questions } from '../../../../../workers/bridges/mcp/gateway/questions.ts';
import { GatewaySigners } from '../../../../../workers/bridges/mcp/gateway/signers.ts';
import { ServedTools } from '../../../../../workers/bridges/mcp/server/tools.ts';
import { makePasskey, ORIGIN, type Passkey } from '../../../../authenticator.ts';
import { openRuntime } from '../../../../runtime/shared.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-signers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let ada: Passkey;
let bob: Passkey;
let further: Passkey;
beforeAll(async () => {
  [ada, bob, further] = [await makePasskey(), await makePasskey(), await makePasskey('EdDSA')];
});

const signer = (name: string, { key }: Passkey) => ({ name, key, origin: ORIGIN });

async function opened() {
  const path = join(folder, `${crypto.randomUUID()}.json`);
  const by = [signer('Ada', ada), signer('Bob', bob)];
  const value = {
    mcpServers: {},
    grants: [
      { tool: 'files.write', mode: 'ask', signed: { by, of: 2 } },
      { tool: 'files.read', mode: 'allow' },
      { tool: 'files.move', mode: 'ask', signed: { by: [signer('Bob', bob)] } },
    ],
  };
  writeFileSync(path, JSON.stringify(value, null, 2));
  const config = new ConfigFile({ path, isNamed: true, environment: {}, say: () => undefined });
  config.load();
  const runtime = await openRuntime({ approve: () => new Promise(() => undefined) });
  const { openSession } = runtime;
  const questions = new Questions(
    () => undefined,
    () => undefined,
  );
  void questions.read(runtime);
  runtime.openSession = (options) => {
    const session = openSession(options);
    questions.follow(session);
    return session;
  };
  let changes = 0;
  const changed = async () => void changes++;
  const signers = new GatewaySigners({ config, runtime: Promise.resolve(runtime), changed });
  const asked = async (): Promise<OpenQuestion> => {
    await expect.poll(() => questions.open().length).toBe(1);
    return questions.open()[0]?.question as OpenQuestion;
  };
  const signs = (by: Passkey, { digest, capability_hash }: OpenQuestion) =>
    by.sign({ digest, definition: capability_hash, answer: 'once' });
  const written = () => JSON.parse(readFileSync(path, 'utf8')).grants as { tool: string; signed?: { by: object[] } }[];
  const of = (tool: string) => written().find((each) => each.tool === tool)?.signed?.by;
  return { path, config, runtime, questions, signers, asked, signs, of, written, changes: () => changes };
}

test('a further passkey is added by a yes that a present one of the same person signs', async () => {
  const { runtime, questions, signers, asked, signs, of, written, changes } = await opened();
  const before = written().length;
  expect(await signers.add(signer('Ada', further))).toMatchObject({ isDone: true });
  const question = await asked();
  expect(JSON.parse(question.args)).toEqual(signer('Ada', further));
  // neither a click, nor the new passkey, nor another person
  for (const wrong of [undefined, await signs(further, question), await signs(bob, question)])
    await expect(questions.answer(question.digest, 'once', wrong && { signed: wrong })).rejects.toMatchObject({
      code: expect.stringMatching(/^assertion_/),
    });
  expect(await signers.add(signer('Bob', further))).toMatchObject({ isDone: false });
  expect(changes()).toBe(0);
  await questions.answer(question.digest, 'once', { signed: await signs(ada, question) });
  await expect.poll(changes).toBe(1);
  expect(of('files.write')).toEqual([signer('Ada', ada), signer('Bob', bob), signer('Ada', further)]);
  expect(of('files.move')).toEqual([signer('Bob', bob)]);
  expect(written()).toHaveLength(before);
  expect(await signers.add(signer('Ada', further))).toMatchObject({ isDone: false });
  // the ledger has the signature, and it is checked again
  const [run] = await runtime.runs();
  const report = await runtime.ledger.verify(run?.run_id ?? '');
  expect(report.ok).toBe(true);
  await runtime.close();
});

test('a first passkey, a stranger and a passkey of another page are refused without a question', async () => {
  const { runtime, questions, signers, of } = await opened();
  const refused = [
    signer('Eve', further),
    { ...signer('Ada', further), origin: 'http://localhost:1' },
    { ...signer('Ada', further), key: 'x' },
    signer('Ada', ada),
  ];
  for (const each of refused) expect(await signers.add(each)).toMatchObject({ isDone: false });
  expect(questions.open()).toEqual([]);
  expect(of('files.write')).toHaveLength(2);
  await runtime.close();
});

test('a passkey that was taken out of the file meanwhile adds none', async () => {
  const { path, config, runtime, questions, signers, asked, signs, of } = await opened();
  await signers.add(signer('Ada', further));
  const question = await asked();
  const value = JSON.parse(readFileSync(path, 'utf8'));
  value.grants[0].signed = { by: [signer('Bob', bob)] };
  writeFileSync(path, JSON.stringify(value));
  config.load();
  await questions.answer(question.digest, 'once', { signed: await signs(ada, question) });
  await expect.poll(() => questions.open()).toEqual([]);
  expect(of('files.write')).toEqual([signer('Bob', bob)]);
  await runtime.close();
});

test('no host is offered the tool', async () => {
  const { runtime, signers, questions, asked } = await opened();
  await signers.add(signer('Ada', further));
  const names = (await (runtime as Runtime).capabilities.list()).map(({ name }) => name);
  expect(names).toContain('sallyport.add_passkey');
  expect((await new ServedTools(runtime, undefined).rows()).map(({ name }) => name)).toEqual([]);
  const question = await asked();
  await questions.answer(question.digest, 'deny');
  await expect.poll(() => questions.open()).toEqual([]);
  await runtime.close();
});
