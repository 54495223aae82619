import { chromium, expect, test } from '@playwright/test';
import { findHeadless } from '../../.scripts/browsers.mjs';
import { makePasskey, type Passkey } from '../../test/authenticator.ts';
import { ExampleServer, type OwnPool, type Person } from './example-server.ts';

let installed: ExampleServer | { readonly reason: string };

test.beforeAll(async () => {
  test.setTimeout(600_000);
  installed = await ExampleServer.install();
});
test.afterAll(async () => {
  if ('remove' in installed) await installed.remove();
});

/** Starts the example. Skips the test where there is no PostgreSQL. */
async function start(signers?: (origin: string) => object): Promise<ExampleServer> {
  test.setTimeout(600_000);
  test.skip('reason' in installed, 'reason' in installed ? installed.reason : '');
  if ('reason' in installed) throw new Error(installed.reason);
  await installed.start(signers);
  return installed;
}

interface Question {
  readonly digest: string;
  readonly capability_hash: string;
}

/** Starts a run, and resolves once it waits for a person. */
async function startToQuestion(server: ExampleServer, person?: Person): Promise<Question & { run_id: string }> {
  const { run_id } = (await server.ask('/runs', { task: 'Ship rye' }, person)) as { readonly run_id: string };
  let asked: Question | null = null;
  await expect(async () => {
    asked = (await server.ask(`/runs/${run_id}/question`, undefined, person)) as Question | null;
    expect(asked).not.toBeNull();
  }).toPass({ timeout: 120_000 });
  return { ...(asked as unknown as Question), run_id };
}

/** Items that were shipped. */
async function shipments(pool: OwnPool): Promise<readonly unknown[]> {
  return (await pool.query('select item from shipment')).rows.map(({ item }) => item);
}

const ENDED = { timeout: 240_000 };

test('a run on a server survives its processes, waits for a person, and ships once', async () => {
  const server = await start();
  expect(await server.ask('/runs')).toEqual([]);
  const { run_id } = (await server.ask('/runs', { task: 'Ship rye' })) as { readonly run_id: string };
  server.killWorkers();
  const question = () => server.ask(`/runs/${run_id}/question`) as Promise<Question | null>;
  await expect.poll(question, { timeout: 120_000 }).toMatchObject({ capability: 'order.ship', args: '{"item":"rye"}' });
  server.killWorkers();
  await expect(async () => {
    const asked = await question();
    if (asked !== null) await server.ask(`/runs/${run_id}/answer`, { digest: asked.digest, approved: true });
    expect(await server.ask('/runs')).toEqual([expect.objectContaining({ run_id, ended: 'completed' })]);
  }).toPass(ENDED);
  await server.end();
  const pool = server.newPool();
  expect(await shipments(pool)).toEqual(['rye']);
  await pool.end();
  expect((await server.ledger(run_id)).report).toMatchObject({ ok: true, problems: [] });
});

/** The effect of a run that has begun: its row of the shipment waits for a lock. */
interface BegunEffect {
  /** Process that writes the run. */
  readonly writer: number;
  /** Answer of the server to the person, or undefined where its process died. */
  readonly answered: Promise<Response | undefined>;
  /** Ends the connection of the effect, so that its row is never made. */
  stop(): Promise<void>;
  /** Lets the effect go on, where the database is still there. */
  free(): Promise<void>;
}

/** Says yes to a run, and resolves once the intent is in the ledger and the effect has begun. */
async function beginEffect(server: ExampleServer, pool: OwnPool): Promise<BegunEffect & { readonly run_id: string }> {
  const { run_id, digest } = await startToQuestion(server);
  const lock = await pool.connect();
  lock.on('error', () => undefined);
  await lock.query('begin');
  await lock.query('lock table shipment in exclusive mode');
  const answered = server.fetch(`/runs/${run_id}/answer`, { digest, approved: true }).catch(() => undefined);
  // The connection of the effect has its process in its name.
  const waiting = `select pid, application_name as name from pg_stat_activity
    where query like 'insert into shipment%' and wait_event = 'relation'`;
  const found = async () => (await pool.query(waiting)).rows;
  await expect.poll(found, { timeout: 60_000 }).toHaveLength(1);
  const [row] = await found();
  return {
    run_id,
    answered,
    writer: Number(String(row?.['name']).split(' ')[1]),
    stop: async () => void (await pool.query(`select pg_terminate_backend(${String(row?.['pid'])})`)),
    async free() {
      await lock.query('commit').catch(() => undefined);
      lock.release(true);
    },
  };
}

const completed = (run_id: string) => [expect.objectContaining({ run_id, sealed: true, ended: 'completed' })];

test('of several processes only the one that writes a run dies, and a process that lives goes on with it', async () => {
  const server = await start();
  const pool = server.newPool();
  const { run_id, writer, answered, free } = await beginEffect(server, pool);
  const before = server.workers();
  expect(before).toContain(writer);
  server.killWorker(writer);
  await answered;
  await free();
  await expect.poll(() => server.ask('/runs'), ENDED).toEqual(completed(run_id));
  // No other process was started meanwhile.
  expect(server.workers()).toEqual(before);
  server.replace();
  await expect.poll(() => server.workers().filter((pid) => !before.includes(pid)).length).toBe(1);
  await server.end();
  expect(await shipments(pool)).toEqual(['rye']);
  await pool.end();
  expect((await server.ledger(run_id)).report).toMatchObject({ ok: true, problems: [] });
});

test('a process that is asked to end lets its call end, and another goes on with the run', async () => {
  const server = await start();
  const pool = server.newPool();
  const { run_id, writer, answered, free } = await beginEffect(server, pool);
  server.askToEnd(writer);
  await free();
  await answered;
  await expect.poll(() => server.ask('/runs'), ENDED).toEqual(completed(run_id));
  await expect.poll(() => server.workers()).not.toContain(writer);
  await server.end();
  expect(await shipments(pool)).toEqual(['rye']);
  await pool.end();
  const { records, report } = await server.ledger(run_id);
  const reasons = records.flatMap((record) => (record.kind === 'receipt' ? [record.body.evidence.reason?.code] : []));
  expect(reasons.filter((code) => code !== undefined)).toEqual([]);
  expect(report).toMatchObject({ ok: true, problems: [] });
});

test('the database goes away and comes back while the processes live, and one of them goes on with the run', async () => {
  const server = await start();
  const pool = server.newPool();
  const { run_id, answered, free } = await beginEffect(server, pool);
  const before = server.workers();
  await server.crashDatabase();
  await free();
  // Longer than the 15 seconds for which a process waits to write the end of its step.
  await new Promise((later) => setTimeout(later, 18_000));
  await answered;
  await server.startDatabase();
  await expect.poll(() => server.ask('/runs'), ENDED).toEqual(completed(run_id));
  expect(server.workers()).toEqual(before);
  await server.end();
  expect(await shipments(pool)).toEqual([]);
  await pool.end();
  expect((await server.ledger(run_id)).report).toMatchObject({ ok: true, problems: [] });
});

for (const { title, isMade } of [
  { title: 'an effect that happened behind the death of its process', isMade: true },
  { title: 'an effect that never happened', isMade: false },
]) {
  test(`a process that is killed during its effect leaves an unknown effect, which is not made again: ${title}`, async () => {
    const server = await start();
    const pool = server.newPool();
    const { run_id, answered, stop, free } = await beginEffect(server, pool);
    const before = server.workers();
    server.killWorkers();
    await answered;
    // The server of PostgreSQL makes the row although its client is dead, unless its session is ended first.
    if (!isMade) await stop();
    await free();

    await expect.poll(() => server.ask('/runs'), ENDED).toEqual(completed(run_id));
    expect(server.workers().filter((pid) => before.includes(pid))).toEqual([]);
    expect(await server.ask(`/runs/${run_id}/question`)).toBeNull();
    await server.end();
    expect(await shipments(pool)).toEqual(isMade ? ['rye'] : []);
    await pool.end();

    const { records, report } = await server.ledger(run_id);
    expect(report).toMatchObject({ ok: true, problems: [] });
    const intents = records.filter((record) => record.kind === 'intent' && record.body.capability === 'order.ship');
    expect(intents).toHaveLength(1);
    expect(records.filter(({ body }) => 'event' in body && body.event === 'interrupted')).toHaveLength(1);
    const receipts = records.flatMap((record) => (record.kind === 'receipt' ? [record.body] : []));
    const shipped = receipts.filter(({ receipt }) =>
      receipt.actions.some(({ target }) => target.endsWith('order.ship')),
    );
    // The receipt says that the step was cut off, and not that its effect has failed.
    expect(shipped).toMatchObject([{ receipt: { status: 'FAILURE' }, evidence: { reason: { code: 'interrupted' } } }]);
  });
}

test('of two people neither sees, spends or answers what is the other’s, and each yes is signed', async () => {
  const [ada, bob] = [await makePasskey(), await makePasskey()];
  const signers = (origin: string): object => ({
    ada: [{ name: 'Ada', key: ada.key, origin }],
    bob: [{ name: 'Bob', key: bob.key, origin }],
  });
  const server = await start(signers);
  const { origin } = server;
  const [own, other] = [await startToQuestion(server, 'ada'), await startToQuestion(server, 'bob')];
  const runsOf = async (person: Person) =>
    ((await server.ask('/runs', undefined, person)) as { readonly run_id: string }[]).map(({ run_id }) => run_id);
  expect([await runsOf('ada'), await runsOf('bob')]).toEqual([[own.run_id], [other.run_id]]);

  // the id of a run is no key to it
  const paths = [`/runs/${own.run_id}/question`, `/runs/${own.run_id}/events`];
  for (const path of paths) {
    const response = await server.fetch(path, undefined, 'bob');
    expect(await response.text()).not.toContain(own.digest);
  }
  const yes = async (by: Passkey, { digest, capability_hash: definition }: Question) => {
    const signed = await by.sign({ digest, definition, answer: 'once' }, { origin, rp: 'localhost' });
    return { digest, approved: true, via: 'gesture', signed };
  };
  const answer = (of: string, body: object, person: Person) => server.fetch(`/runs/${of}/answer`, body, person);
  // bob with his own passkey, with that of ada, without one; ada with that of bob
  for (const [body, person] of [
    [await yes(bob, own), 'bob'],
    [await yes(ada, own), 'bob'],
    [{ digest: own.digest, approved: false }, 'bob'],
    [await yes(bob, own), 'ada'],
    [{ digest: own.digest, approved: true, via: 'gesture' }, 'ada'],
  ] as const)
    await expect(async () => {
      const response = await answer(own.run_id, body, person);
      expect([response.status, await response.text()]).toEqual([
        409,
        expect.stringMatching(person === 'bob' ? /^run_absent$/ : /^assertion_(?:key|missing)$/),
      ]);
    }).toPass({ timeout: 60_000 });
  expect(await server.ask(`/runs/${own.run_id}/question`)).toMatchObject({ digest: own.digest });
  const pool = server.newPool();
  expect(await shipments(pool)).toEqual([]);

  await expect(async () => {
    const response = await answer(own.run_id, await yes(ada, own), 'ada');
    expect(response.status).toBe(200);
  }).toPass({ timeout: 60_000 });
  await expect.poll(() => server.ask('/runs'), ENDED).toEqual(completed(own.run_id));
  expect(await shipments(pool)).toEqual(['rye']);
  // the other question waits as before
  expect(await server.ask(`/runs/${other.run_id}/question`, undefined, 'bob')).toMatchObject({ digest: other.digest });
  await pool.end();
  await server.end();
  const { records, report } = await server.ledger(own.run_id);
  expect(report).toMatchObject({ ok: true, problems: [] });
  expect(JSON.stringify(records)).toContain(Buffer.from(ada.cose).toString('base64url'));
});

test('the page follows a run live, connects again when its process dies, and a person answers there', async () => {
  const server = await start();
  const found = findHeadless('chromium');
  test.skip(found === undefined, 'Chromium was not found');
  const browser = await chromium.launch(found ?? {});
  try {
    const page = await browser.newPage();
    let streams = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/events')) streams++;
    });
    await expect(async () => void (await page.goto(server.page))).toPass({ timeout: 60_000 });
    await page.getByRole('textbox', { name: 'Task' }).fill('Ship rye');
    await page.getByRole('button', { name: 'Start' }).click();
    const records = page.locator('#records li');
    await expect(records.first()).toHaveText(/^configuration/);
    const run_id = await page.locator('#run').textContent();
    server.killWorkers();

    // Another process has the run, and the page hears of it over another connection.
    const yes = page.getByRole('button', { name: 'Approve once' });
    await expect(yes).toBeVisible({ timeout: 120_000 });
    await expect(page.getByRole('heading', { name: 'Approve order.ship?' })).toBeVisible();
    await expect(page.locator('#question pre')).toHaveText('{"item":"rye"}');
    const seen = await records.allTextContents();
    expect(seen.some((text) => /^state (?:resumed|interrupted)/.test(text))).toBe(true);
    // The card of the package takes no click in the half second after it has come.
    await expect(yes).toHaveAttribute('aria-disabled', 'false');
    await yes.click();
    await expect(yes).toBeHidden(ENDED);
    await expect(page.locator('#said')).toHaveText('The answer is in the ledger.', ENDED);
    await expect(records.last()).toHaveText(/^seal .*completed/, ENDED);
    await expect(page.locator('#runs li')).toHaveText([`${run_id} completed`]);

    // The page has each record once, and in order, over at least two connections.
    const shown = await records.allTextContents();
    const { records: written } = await server.ledger(run_id ?? '');
    expect(shown.map((text) => text.split(' ')[0])).toEqual(written.map(({ kind }) => kind));
    expect(shown.slice(0, seen.length)).toEqual(seen);
    expect(streams).toBeGreaterThanOrEqual(2);
  } finally {
    await browser.close();
  }
});
