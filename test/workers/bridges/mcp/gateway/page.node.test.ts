import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { allowedSections } from '../../../../../workers/bridges/mcp/gateway/allowed-html.ts';
import { heldPart } from '../../../../../workers/bridges/mcp/gateway/held-html.ts';
import { type ActResult, GatewayPage, KEY_HEADER } from '../../../../../workers/bridges/mcp/gateway/page.ts';
import { type ShownQuestion, sectionsOf, shown } from '../../../../../workers/bridges/mcp/gateway/page-html.ts';

const EMPTY = {
  questions: [],
  changes: [],
  effects: [],
  tools: [],
  runs: [],
  servers: [],
  config: '/c.json',
  ledger: '/l',
};
const SEEN = { definition: 'e'.repeat(64), revision: 3 };
const INSTEAD = { args: '{}', digest: 'e' };
const acts: unknown[] = [];
const done: ActResult = { isDone: true, message: 'done' };

const PARTS: ConstructorParameters<typeof GatewayPage>[0] = {
  script: '',
  sections: () => sectionsOf(EMPTY),
  answer: async (...given) => (acts.push(given), done),
  edit: async (...given) => (acts.push(given), { id: 'e', html: '<article></article>', instead: INSTEAD }),
  accept: async (...given) => (acts.push(given), done),
  takeBack: async (...given) => (acts.push(given), done),
  allowed: async () => ({ note: 'none', grants: [], sources: [] }),
  held: async () => '',
  undo: async (...given) => (acts.push(given), done),
  rule: async (ask) => (acts.push(ask), { status: 202, value: { share: 0.5 } }),
  watch: async (...given) => (acts.push(given), done),
  passkey: async (...given) => (acts.push(given), done),
};

let page: GatewayPage;
beforeEach(async () => {
  acts.length = 0;
  page = new GatewayPage(PARTS);
  await page.open();
});
afterEach(() => page.close());

/** A port that nobody has just now. */
async function newPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Answered {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A request with any headers, which `fetch` would not send. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET', body = ''): Promise<Answered> {
  const { port, host } = new URL(page.origin);
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, method, headers: { host, ...headers } }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Opens the page as a browser does, and returns the headers of its tab. */
async function enter(): Promise<Record<string, string>> {
  const { body, headers } = await ask(newPath());
  const [cookie = ''] = String(headers['set-cookie']).split(';');
  return { cookie, [KEY_HEADER]: /name="key" content="([^"]+)"/.exec(body)?.[1] ?? '' };
}
const origin = () => page.origin;
const newPath = () => page.newAddress().slice(page.origin.length);
const answer = (headers: Record<string, string>) =>
  ask(
    '/answer',
    { 'content-type': 'application/json', ...headers },
    'POST',
    JSON.stringify({ digest: 'd', answer: 'once', ...SEEN }),
  );

describe('the page of the gateway', () => {
  test('the token opens a session a single time', async () => {
    const path = newPath();
    expect((await ask(path)).headers['set-cookie']).toEqual([
      expect.stringMatching(/; HttpOnly; SameSite=Strict; Path=\/$/),
    ]);
    expect((await ask(path)).status).toBe(403);
    expect(newPath()).not.toBe(path);
  });

  test('an address opens the page for ten minutes', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const [first, second] = [newPath(), newPath()];
    vi.setSystemTime(Date.now() + 599_000);
    expect((await ask(first)).status).toBe(200);
    vi.setSystemTime(Date.now() + 2_000);
    expect((await ask(second)).status).toBe(403);
    vi.useRealTimers();
  });

  test('a link that is followed from another page opens nothing before a click', async () => {
    const path = newPath();
    const followed = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const { status, body, headers } = await ask(path, followed);
    expect([status, headers['set-cookie']]).toEqual([200, undefined]);
    expect(body).toContain('<button type="button">Open the page</button>');
    expect(body).not.toMatch(/name="key"|token/);
    for (const wrong of [
      { ...followed, 'sec-fetch-dest': 'iframe' },
      { ...followed, 'sec-fetch-mode': 'no-cors' },
      { ...followed, origin: 'https://evil.example' },
      { ...followed, host: 'evil.example' },
    ])
      expect((await ask(path, wrong)).status).toBe(421);
    expect((await ask('/', followed)).status).toBe(421);
    expect((await ask(path, { ...followed, 'sec-fetch-site': 'same-origin' })).headers['set-cookie']).toBeDefined();
  });

  test('guesses of the token are refused, and the token still opens the page', async () => {
    const { search } = new URL(page.newAddress());
    const guesses = ['', '?token=', `${search}x`, search.slice(0, -1), `?token=${'A'.repeat(43)}`];
    for (const guess of guesses) expect((await ask(`/${guess}`)).status).toBe(403);
    expect((await enter())[KEY_HEADER]).toHaveLength(43);
  });

  test('a name that resolves to this machine is refused (DNS rebinding)', async () => {
    const tab = await enter();
    const { port } = new URL(page.origin);
    for (const host of [`evil.example:${port}`, 'evil.example', `localhost:${port}`, '127.0.0.1', '127.0.0.1:1'])
      expect((await answer({ ...tab, host })).status).toBe(421);
    expect(acts).toEqual([]);
  });

  test('a page of another origin cannot answer (CSRF)', async () => {
    const tab = await enter();
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://127.0.0.1:1` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ])
      expect((await answer({ ...tab, ...headers })).status).toBe(421);
    // a form sends no header of our own, and no JSON
    expect((await answer({ cookie: tab['cookie'] ?? '' })).status).toBe(403);
    expect((await answer({ ...tab, 'content-type': 'text/plain' })).status).toBe(400);
    expect(acts).toEqual([]);
  });

  test('the cookie alone, which other ports of this machine get too, opens no state and answers nothing', async () => {
    const { cookie = '' } = await enter();
    const other = await enter();
    expect((await ask('/state?since=0', { cookie })).status).toBe(403);
    expect((await ask('/state?since=0', { cookie, [KEY_HEADER]: other[KEY_HEADER] ?? '' })).status).toBe(403);
    expect((await ask('/', { cookie })).body).not.toContain('name="key"');
  });

  test('a tab that has entered answers, and a body that is too long or no answer is refused', async () => {
    const tab = { ...(await enter()), origin: origin() };
    expect(await answer(tab)).toMatchObject({ status: 200, body: '{"message":"done"}' });
    const json = { ...tab, 'content-type': 'application/json' };
    const bodies = [
      JSON.stringify({ digest: 'd', answer: 'yes', ...SEEN }),
      '{"digest":"d","answer":"once"}',
      '{"digest":"d","answer":"once","definition":"e","revision":"3"}',
      '{"digest":"d","digest":"e","answer":"once"}',
      '[]',
      '{',
      ' '.repeat(5000),
    ];
    for (const body of bodies) expect((await ask('/answer', json, 'POST', body)).status).toBe(400);
    expect(acts).toEqual([['d', 'once', SEEN, {}]]);
  });

  test('a waiting tab gets the next state when it changes', async () => {
    const tab = await enter();
    const { version } = JSON.parse((await ask('/state?since=0', tab)).body) as { version: number };
    const next = ask(`/state?since=${version}`, tab);
    await expect.poll(() => page.isWatched).toBe(true);
    page.changed();
    expect(JSON.parse((await next).body)).toMatchObject({ version: version + 1, title: 'Sallyport' });
  });

  test('every answer has the strict policy, and no answer names an external resource or an inline script', async () => {
    const tab = await enter();
    for (const path of ['/', '/page.css', '/page.js', '/state?since=0', '/nowhere']) {
      const { headers, body } = await ask(path, tab);
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; /);
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      expect(body).not.toMatch(/https?:\/\/|<script>|<style>| style=| on\w+=/);
    }
  });
});

describe('texts of strangers on the page', () => {
  const EVIL = '</pre><script>alert(1)</script><img src=x onerror=alert(1)>"\'&\u202ered\u200b';

  test('a description, arguments and names are text, and what is invisible is visible', () => {
    const question = {
      run_id: EVIL,
      step_id: EVIL,
      capability: EVIL,
      capability_hash: EVIL,
      effect: 'write',
      args: JSON.stringify({ [EVIL]: EVIL }),
      digest: 'd',
      reason: EVIL,
      origin: EVIL,
      carries: [{ pointer: `/${EVIL}`, labels: ['private'], handle: 'h3', sources: [EVIL] }],
    } as const;
    const shownQuestion: ShownQuestion = {
      question,
      since: 0,
      server: EVIL,
      description: EVIL,
      definition: 'e'.repeat(64),
      labels: [],
    };
    const { questions, changes, effects, tools, runs, servers } = sectionsOf({
      questions: [shownQuestion],
      changes: [
        {
          tool: EVIL,
          server: EVIL,
          definition: 'f',
          revision: 4,
          pinned: EVIL,
          effect: 'read',
          changes: [{ pointer: EVIL, before: EVIL }],
        },
      ],
      effects: [{ id: 'a', tool: EVIL, effect: 'read' }],
      tools: [{ tool: EVIL, effect: 'read', recent: 1 }],
      runs: [
        {
          run_id: EVIL,
          records: 1,
          head: EVIL,
          steps: [{ step: 1, tool: EVIL, decision: EVIL, answer: EVIL, status: EVIL, held: EVIL, released: 2 }],
        },
      ],
      servers: [{ name: EVIL, origin: EVIL, status: EVIL }],
      config: EVIL,
      ledger: EVIL,
    });
    const row = {
      id: 'b',
      by: 'always',
      tools: [EVIL],
      mode: 'allow',
      terms: EVIL,
      question: { run_id: EVIL, step: 2 },
      uses: 2,
      last: 1,
      runs: [EVIL],
      runCount: 1,
      canEnd: true,
    } as const;
    const { grants, sources } = allowedSections({
      rows: [row],
      sources: [{ id: 's', source: EVIL, labels: [] }],
      isCut: false,
    });
    const opened = heldPart({
      handle: EVIL,
      step: 1,
      labels: ['private'],
      sources: [EVIL],
      steps: [],
      outcome: { ok: true, value: { [EVIL]: EVIL } },
    });
    const cards = [questions, changes, effects, grants, sources].map(([first]) => first?.html);
    const html = [...cards, runs, servers, opened].join('\n');
    // the button of a tool has the tool's exact name
    expect(tools).not.toMatch(/<script|<img/);
    expect(html).not.toMatch(/<script|<img|[\u202e\u200b]/);
    expect(html).toContain('<mark>\\u202e</mark>red<mark>\\u200b</mark>');
    expect(html).toContain('&lt;script&gt;');
    expect(runs).toContain(', told to the model for 2 bits');
    expect(opened).toMatch(/Unseen characters: \d+\./);
    expect(html).toContain(': private; from step 3, ');
  });

  test('a flood of changes shows no more than a person has in view, and says how many follow', () => {
    const changes = Array.from({ length: 500 }, (_, at) => ({
      tool: `a.t${at}`,
      server: 'a',
      definition: 'f',
      revision: at,
      pinned: 'e',
      effect: 'read',
      changes: [{ pointer: '/description', before: 'x'.repeat(60_000), after: 'y' }],
    }));
    const { changes: cards } = sectionsOf({ ...EMPTY, changes });
    expect(JSON.stringify(cards).length).toBeLessThan(500_000);
    expect(cards.at(-1)?.html).toContain(`${500 - (cards.length - 1)} more are shown after these.`);
  });

  test.each([
    [
      'a long one is cut, and its length is told',
      'x\u200b'.repeat(20_000),
      /x<mark>.*40000 characters: the first 20000 are/,
    ],
    ['a string is text as it stands', '<b>"', /<bdi>&lt;b&gt;&quot;<\/bdi>.*>4 characters\./],
    ['an erased one says so', undefined, /Its bytes were erased/],
  ])('an opened value: %s', (_, value, text) => {
    const row = {
      handle: 'h2',
      step: 2,
      labels: ['private'],
      sources: ['a.read'],
      steps: [1],
    } as const;
    const html = heldPart({ ...row, outcome: { ok: true, value } });
    expect(html).toMatch(text);
    expect(html).toContain('<dt>Labels</dt><dd>private</dd><dt>Sources</dt><dd><code>a.read</code></dd>');
    expect(html.length).toBeLessThan(400_000);
  });

  test('a text keeps its line feeds and all of its characters', () => {
    expect(shown('a\n<b>\t\u{e0041}c')).toBe('a\n&lt;b&gt;<mark>\\u0009</mark><mark>\\u{e0041}</mark>c');
  });
});

describe('a page at a port of its own', () => {
  const parts = { ...PARTS };
  let fixed: GatewayPage | undefined;
  afterEach(() => fixed?.close());

  test('is at localhost, on both addresses of this machine, and answers to that name alone', async () => {
    const port = await newPort();
    fixed = new GatewayPage(parts);
    await fixed.open(port);
    expect(fixed.origin).toBe(`http://localhost:${port}`);
    expect(fixed.newAddress()).toMatch(`http://localhost:${port}/?token=`);
    const statusOf = (host: string, address: string) =>
      new Promise<number | string>((resolve) => {
        const sent = request({ port, host: address, path: '/page.css', headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
        sent.end();
      });
    expect(await statusOf(`localhost:${port}`, '127.0.0.1')).toBe(200);
    expect([200, 'EADDRNOTAVAIL', 'EAFNOSUPPORT']).toContain(await statusOf(`localhost:${port}`, '::1'));
    expect(await statusOf(`127.0.0.1:${port}`, '127.0.0.1')).toBe(421);
  });

  test('that another program has is refused', async () => {
    for (const host of ['127.0.0.1', '::1']) {
      const other = createServer();
      const port = await newPort();
      const isThere = await new Promise<boolean>((resolve) => {
        other.once('error', () => resolve(false)).listen(port, host, () => resolve(true));
      });
      if (!isThere) continue;
      const taken = new GatewayPage(parts);
      await expect(taken.open(port)).rejects.toMatchObject({ code: 'port_taken', details: { port } });
      await taken.close();
      await new Promise((resolve) => other.close(resolve));
    }
  });
});

test('a service worker that a program had at this port before is replaced by one that leaves', async () => {
  const worker = await ask('/sw.js', { 'service-worker': 'script', 'sec-fetch-site': 'same-origin' });
  expect(worker.status).toBe(200);
  expect(worker.body).toContain('registration.unregister()');
  expect((await ask('/sw.js', {})).status).toBe(404);
  expect((await ask('/sw.js', { 'service-worker': 'script', host: 'evil.example' })).status).toBe(421);
});

test('takes a signature with an answer, for this call alone', async () => {
  const headers = { 'content-type': 'application/json', ...(await enter()) };
  const post = (body: object) => ask('/answer', headers, 'POST', JSON.stringify({ digest: 'd', ...SEEN, ...body }));
  const signed = { key: 'k', client_data: 'c', authenticator_data: 'a', signature: 's' };
  expect((await post({ answer: 'once', signed })).status).toBe(200);
  expect(acts).toEqual([['d', 'once', SEEN, { signed }]]);
  expect((await post({ answer: 'always', signed })).status).toBe(400);
  expect((await post({ answer: 'once', signed: 'yes' })).status).toBe(400);
  expect((await ask('/passkey', headers, 'POST', JSON.stringify({ name: 'Ada', key: 'k', origin: 'x' }))).status).toBe(
    200,
  );
  expect(acts[1]).toEqual([{ name: 'Ada', key: 'k', origin: page.origin }]);
});

test('takes an edit, and with a yes to this call the edited one', async () => {
  const tab = await enter();
  const headers = { 'content-type': 'application/json', ...tab };
  const edit = (body: object, more: Record<string, string> = headers) =>
    ask('/edit', more, 'POST', JSON.stringify({ digest: 'd', args: '{}', ...SEEN, ...body }));
  expect(await edit({})).toMatchObject({ status: 200, body: expect.stringContaining('"instead":{"args":"{}"') });
  // as long as a proposal
  expect((await edit({ args: '"'.repeat(1 << 20) })).status).toBe(200);
  for (const body of [{ args: {} }, { digest: 1 }, { revision: '3' }]) expect((await edit(body)).status).toBe(400);
  expect((await edit({}, { ...headers, cookie: '' })).status).toBe(403);
  expect((await edit({}, { ...headers, [KEY_HEADER]: 'k' })).status).toBe(403);
  expect((await edit({}, { ...headers, origin: 'https://evil.example' })).status).toBe(421);
  expect((await edit({}, { ...headers, 'content-type': 'text/plain' })).status).toBe(400);
  expect(acts.splice(0).length).toBe(2);
  const post = (body: object) => ask('/answer', headers, 'POST', JSON.stringify({ digest: 'd', ...SEEN, ...body }));
  expect((await post({ answer: 'once', instead: INSTEAD })).status).toBe(200);
  expect(acts).toEqual([['d', 'once', SEEN, { instead: INSTEAD }]]);
  for (const answer of ['always', 'deny']) expect((await post({ answer, instead: INSTEAD })).status).toBe(400);
  for (const instead of [{ args: {}, digest: 'e' }, { args: '{}' }, 'e', null])
    expect((await post({ answer: 'once', instead })).status).toBe(400);
});
