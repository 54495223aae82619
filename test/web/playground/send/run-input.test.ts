import { expect, it } from 'vitest';
import { inputIn } from '../../../../web/playground/send/run-link.ts';

it('a pasted link is a link at every origin, and never an address to ask', () => {
  for (const text of ['https://play.example/#run=1.abc', '#run=1.abc', ' http://127.0.0.1:8/p?q#run=1.abc '])
    expect(inputIn(text)).toEqual({ kind: 'link', packed: '1.abc' });
});

it('an export and a saved page are texts', () => {
  for (const text of ['{"format":"sallyport-export/1"}', ' \n{', '<!doctype html>\n<html>'])
    expect(inputIn(text)).toEqual({ kind: 'text', text });
});

it('an address has a scheme of the web and nothing around it', () => {
  expect(inputIn(' https://files.example/a.jsonl\n')).toMatchObject({
    kind: 'address',
    url: { host: 'files.example' },
  });
  for (const text of [
    '',
    'x',
    'ftp://a/b',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'see https://a.example',
    'http://',
    'data:text/html,x',
  ])
    expect(inputIn(text)).toBe(undefined);
});
