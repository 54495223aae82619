import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Door, openDoor } from '../../web/index.ts';

const page = new URL('/', location.href).href;

describe('a door with a worker of its own', () => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor({ kind: 'mcp', url: page });
  });
  afterAll(() => door.close());

  test('a door asks its server, and streams the answer', async () => {
    const response = await door.fetch(page);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<');
    expect(door.origin).toBe(location.origin);
  });

  test('a door takes the arguments of fetch', async () => {
    const stop = new AbortController();
    stop.abort(new Error('not now'));
    await expect(door.fetch(new URL(page), { signal: stop.signal })).rejects.toThrow('not now');
    await expect(door.fetch('http://[')).rejects.toBeInstanceOf(TypeError);
    await expect(door.fetch(new Request(page, { method: 'PUT' }))).rejects.toMatchObject({
      code: 'door_refused',
      details: { rule: 'method' },
    });
    await expect(door.fetch('https://api.example/')).rejects.toMatchObject({ details: { rule: 'url' } });
    await expect(door.fetch(page, { headers: { 'x-key': '1' } })).rejects.toMatchObject({
      details: { rule: 'header' },
    });
  });

  test('an aborted request rejects, and the door goes on', async () => {
    const stop = new AbortController();
    const answer = door.fetch(page, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
    expect((await door.fetch(page)).ok).toBe(true);
  });

  test('a closed door ends its requests and takes no more', async () => {
    const other = await openDoor({ kind: 'mcp', url: page });
    const response = await other.fetch(page);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const waiting = other.fetch(page);
    other.close();
    await expect(waiting).rejects.toMatchObject({ code: 'door_closed' });
    await expect(reader.read()).rejects.toMatchObject({ code: 'door_closed' });
    await expect(other.fetch(page)).rejects.toMatchObject({ code: 'door_closed' });
  });
});

test.each([
  ['an unknown kind', { kind: 'ftp', url: page }, 'option_invalid'],
  ['no URL', { kind: 'mcp' }, 'option_invalid'],
  ['a misspelt option', { kind: 'mcp', url: page, header: {} }, 'option_invalid'],
  ['a URL that is not http', { kind: 'mcp', url: 'ftp://api.example' }, 'endpoint_invalid'],
  ['a key over plain http', { kind: 'mcp', url: 'http://api.example', headers: { 'x-key': '1' } }, 'endpoint_invalid'],
])('a door with %s is refused', async (_, options, code) => {
  await expect(openDoor(options as never)).rejects.toMatchObject({ name: 'SallyportError', code });
});
