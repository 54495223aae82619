import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CommandCall, Terminal } from '../../../../workers/node/command/command.ts';
import { make, packageSource, TEMPLATES } from '../../../../workers/node/command/new.ts';

const ROOT = resolve('.');
const OWN = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly version: string;
  readonly files: readonly string[];
  readonly devDependencies: { readonly [name: string]: string };
};

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'sallyport-new-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Made {
  readonly code: number;
  readonly printed: string;
}

/** Runs the command, with the answer that a person gives at the terminal. */
async function made(
  place: string,
  options: CommandCall['options'] = {},
  answer?: string,
  root: string = ROOT,
): Promise<Made> {
  const lines: string[] = [];
  const terminal: Terminal = {
    color: false,
    print: (text) => void lines.push(text),
    printJson: (value) => void lines.push(JSON.stringify(value)),
    complain: () => undefined,
    read: async () => new Uint8Array(),
    ask: answer === undefined ? undefined : async (question) => (lines.push(question), answer),
  };
  const code = await make({ operands: [place], options, json: options['json'] === true, terminal }, root);
  return { code, printed: lines.join('\n') };
}

const read = (place: string, file: string): string => readFileSync(join(place, file), 'utf8');

interface ProjectManifest {
  readonly private: boolean;
  readonly scripts: { readonly start: string };
  readonly dependencies: { readonly [name: string]: string };
  readonly devDependencies?: { readonly [name: string]: string };
}

describe.each(Object.entries(TEMPLATES))('a project of the template %s', (template, { first }) => {
  test('has the files of its example, a manifest, a README of a dozen lines and a .gitignore', async () => {
    const place = join(folder, 'agent');
    const { code, printed } = await made(place, { template });
    expect(code).toBe(0);
    expect(printed).toContain(`cd ${place} && npm install\n  npm start\n`);
    const manifest = JSON.parse(read(place, 'package.json')) as ProjectManifest;
    expect(manifest).toMatchObject({ private: true, scripts: { start: expect.any(String) } });
    const readme = read(place, 'README.md');
    expect(readme.trim().split('\n').length).toBeLessThanOrEqual(12);
    expect(readme).toContain(first[0]);
    expect(existsSync(join(place, first[0]))).toBe(true);
    expect(read(place, '.gitignore').split('\n')).toContain('node_modules/');
  });

  test('has the versions of this repository, and a page for light and dark', async () => {
    await made(folder, { template });
    const { dependencies, devDependencies } = JSON.parse(read(folder, 'package.json')) as ProjectManifest;
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
      if (name !== 'sallyport') expect(version, name).toBe(OWN.devDependencies[name]);
    const page = existsSync(join(folder, 'site')) ? join(folder, 'site') : folder;
    const texts = readdirSync(page).filter((file) => /\.(css|html)$/.test(file));
    expect(texts.map((file) => read(page, file)).join()).toMatch(/color-scheme[^;]*light dark/);
  });

  test('has files that the package holds', () => {
    const packed = OWN.files.filter((file) => file.startsWith('web/examples/'));
    for (const example of Object.keys(TEMPLATES[template]?.files ?? {}))
      expect(packed).toContain(`web/examples/${example.split('/')[0]}`);
  });
});

test('without a template the command asks a person, and takes plain where nobody is asked', async () => {
  const asked = await made(join(folder, 'asked'), {}, ' notes ');
  expect(asked.printed).toMatch(/vite .*\n.*react .*\n.*notes .*\nWhich template\? \(plain\)/);
  expect(existsSync(join(folder, 'asked/site/notes.js'))).toBe(true);
  for (const [place, answer] of [
    ['enter', ''],
    ['pipe', undefined],
  ] as const) {
    await made(join(folder, place), {}, answer);
    expect(existsSync(join(folder, place, 'site/scenario.json'))).toBe(true);
  }
  // A program that reads JSON is no person.
  const { printed } = await made(join(folder, 'json'), { json: true }, 'notes');
  expect(JSON.parse(printed)).toEqual({
    folder: join(folder, 'json'),
    template: 'plain',
    first: 'site/scenario.json',
  });
});

test.each([
  ['svelte', 'There is no template "svelte" among plain, vite, react, notes'],
  ['raect', 'There is no template "raect" (did you mean react?) among plain, vite, react, notes'],
  ['Note', 'There is no template "Note" (did you mean notes?) among plain, vite, react, notes'],
  ['constructor', 'There is no template "constructor" among plain, vite, react, notes'],
])('an unknown template %s is refused, and no folder is made', async (template, message) => {
  const place = join(folder, 'agent');
  await expect(made(place, { template })).rejects.toMatchObject({ name: 'UsageError', message });
  expect(existsSync(place)).toBe(false);
});

test('a folder that has a file is left as it is, before a person is asked', async () => {
  writeFileSync(join(folder, 'mine.txt'), 'mine');
  await expect(made(folder, {}, 'notes')).rejects.toMatchObject({
    message: `${folder} is not empty: it has mine.txt, and nothing was written`,
  });
  expect(readdirSync(folder)).toEqual(['mine.txt']);
  await expect(made(join(folder, 'mine.txt'))).rejects.toMatchObject({
    message: `${join(folder, 'mine.txt')} is not a folder`,
  });
});

test('the next command enters a folder whose name has a space', async () => {
  const place = join(folder, 'my agent');
  expect((await made(place)).printed).toContain(`cd "${place}" && npm install`);
});

test('a new repository without files takes a project', async () => {
  mkdirSync(join(folder, '.git'));
  expect((await made(folder)).code).toBe(0);
});

/** Both packages have one version. */
const EXACT = { dependency: '1.2.3', smallModel: '1.2.3' };

describe('a project depends on the package that made it', () => {
  const installed = (resolved?: string): string => {
    const home = join(folder, 'node_modules/sallyport');
    mkdirSync(home, { recursive: true });
    const entry = { version: '1.2.3', ...(resolved !== undefined && { resolved }) };
    const lock = { packages: { 'node_modules/sallyport': entry } };
    writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify(lock));
    return home;
  };

  test.each([
    ['without an address', undefined],
    ['of a registry', 'https://registry.example/sallyport/-/sallyport-1.2.3.tgz'],
  ])('of the exact version, where npm noted a package %s', async (_, resolved) => {
    expect(await packageSource(installed(resolved), '1.2.3')).toEqual(EXACT);
  });

  test('of the exact version, where another client than npm installed it', async () => {
    expect(await packageSource(join(folder, 'node_modules/sallyport'), '1.2.3')).toEqual(EXACT);
  });

  test.each(['https://host.example/sallyport-1.2.3.tgz', 'git+ssh://git@host.example/sallyport.git#0a1b'])(
    'at %s',
    async (resolved) => {
      expect(await packageSource(installed(resolved), '1.2.3')).toEqual({ dependency: resolved });
    },
  );

  test('by a copy of the tarball from which npm installed it', async () => {
    writeFileSync(join(folder, 'sallyport-1.2.3.tgz'), 'tarball');
    const source = await packageSource(installed('file:sallyport-1.2.3.tgz'), '1.2.3');
    expect(source).toEqual({
      dependency: 'file:sallyport-1.2.3.tgz',
      tarball: join(folder, 'sallyport-1.2.3.tgz'),
    });
  });

  test('by its folder, where the tarball is gone or npm did not install it', async () => {
    const home = installed('file:../sallyport-1.2.3.tgz');
    for (const place of [home, ROOT]) {
      const smallModel = `file:${place}/dist/small-model`;
      const source = { dependency: `file:${place}`, isFolder: true, smallModel };
      expect(await packageSource(place, '1.2.3')).toEqual(source);
    }
    await made(join(folder, 'agent'));
    const { dependencies } = JSON.parse(read(join(folder, 'agent'), 'package.json')) as ProjectManifest;
    expect(dependencies['sallyport']).toBe(`file:${ROOT}`);
    expect(read(join(folder, 'agent'), '.npmrc')).toBe('install-links=true\n');
  });
});
