import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

interface Element {
  readonly type: string;
  readonly id?: string;
  readonly attributes: { readonly label?: string; readonly value?: string };
}
interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly Element[];
}

const FOLDER = '.github/ISSUE_TEMPLATE';
const read = (file: string) => readFileSync(file, 'utf8');
const forms = ['bug.yml', 'feature.yml'];

test('the templates for reports are a bug, a feature and a pointer for security', () => {
  expect(readdirSync(FOLDER).sort()).toEqual(['bug.yml', 'config.yml', 'feature.yml', 'security.md']);
  expect(parse(read(`${FOLDER}/config.yml`))).toEqual({ blank_issues_enabled: false });
});

describe.each(forms)('the form %s', (file) => {
  const form = parse(read(`${FOLDER}/${file}`)) as Form;

  test('a form has a name, a description and a body of known elements', () => {
    expect(form).toMatchObject({ name: expect.any(String) as string, description: expect.any(String) as string });
    const known = ['checkboxes', 'dropdown', 'input', 'markdown', 'textarea'];
    expect(form.body.map(({ type }) => type).filter((type) => !known.includes(type))).toEqual([]);
  });

  test('a form has for each field an id of its own and a label', () => {
    const fields = form.body.filter(({ type }) => type !== 'markdown');
    expect(fields.length).toBeGreaterThan(2);
    expect(fields.filter(({ attributes }) => !attributes.label)).toEqual([]);
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
    expect(fields.filter(({ id = '' }) => !/^[\w-]+$/.test(id))).toEqual([]);
  });
});

test('the pointer for security sends reports away from issues, to the private form', () => {
  const [, head = '', body = ''] = read(`${FOLDER}/security.md`).split(/^---$/m);
  expect(parse(head)).toMatchObject({ name: 'Security', about: expect.stringContaining('in private') as string });
  expect(body).toContain('*Report a vulnerability*');
  expect(body).toContain('`.github/SECURITY.md`');
});

test('every path and script that a text for contributors names exists', () => {
  const files = ['CODE_OF_CONDUCT.md', 'CONTRIBUTING.md', 'PULL_REQUEST_TEMPLATE.md', 'SECURITY.md'];
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
  for (const file of files) {
    const text = read(join('.github', file));
    const links = [...text.matchAll(/\]\(([^):#]+)(?:#[\w-]+)?\)/g)].map(([, path = '']) => join('.github', path));
    const paths = [...text.matchAll(/`((?:\.github|core|test|web)\/[\w./-]+)`/g)].map(([, path = '']) => path);
    expect(
      [...links, ...paths].filter((path) => !existsSync(path)),
      file,
    ).toEqual([]);
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => script);
    expect(
      named.filter((script) => !(script in scripts)),
      file,
    ).toEqual([]);
  }
});
