import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { dataFolder, placesFor, prefixOfCommand } from '../../../../../workers/bridges/mcp/gateway/data-folder.ts';

test.each([
  ['npx', ['-y', '@modelcontextprotocol/server-filesystem@2026.8.31', '/notes'], 'filesystem'],
  ['npx', ['@playwright/mcp@latest', '--headless'], 'mcp'],
  ['uvx', ['mcp-server-git', '--repository', '.'], 'git'],
  ['node', ['/opt/server-memory/dist/index.js'], 'memory'],
  ['node', ['C:\\tools\\weather\\build\\index.js'], 'weather'],
  ['/usr/local/bin/github-mcp-server', ['stdio'], 'github'],
  ['docker', ['run', '-i', '--rm', 'mcp/fetch'], 'fetch'],
  ['python3', ['-m', 'notes'], 'notes'],
  ['./server', [], 'server'],
  ['…', [], 'server'],
])('the tools of %s %j get a prefix: %s', (command, args, prefix) => {
  expect(prefixOfCommand(command, args)).toBe(prefix);
});

test('the data folder follows the custom of the platform', () => {
  expect(dataFolder('linux', {}, '/home/a')).toBe(join('/home/a', '.local/share/sallyport'));
  expect(dataFolder('linux', { XDG_DATA_HOME: '/data' }, '/home/a')).toBe(join('/data/sallyport'));
  expect(dataFolder('darwin', {}, '/Users/a')).toBe(join('/Users/a/Library/Application Support/sallyport'));
  expect(dataFolder('win32', { LOCALAPPDATA: '/local' }, '/a')).toBe(join('/local/sallyport'));
});

test('pins and configuration are beside the ledger, a file of SQLite where this Node has it', () => {
  const places = placesFor(undefined, true, '/data');
  expect(places).toEqual({
    ledger: resolve('/data/sallyport-mcp.sqlite'),
    isFile: true,
    pins: resolve('/data/pins.json'),
    config: resolve('/data/sallyport-mcp.json'),
  });
  expect(placesFor(undefined, false, '/data')).toMatchObject({
    ledger: resolve('/data/sallyport-mcp'),
    isFile: false,
    pins: resolve('/data/pins.json'),
  });
  expect(placesFor('/l', true, '/data')).toMatchObject({
    ledger: resolve('/l'),
    isFile: false,
    pins: resolve('/l/pins.json'),
  });
  expect(placesFor('/l/a.sqlite', true, '/data')).toMatchObject({ isFile: true, pins: resolve('/l/pins.json') });
});
