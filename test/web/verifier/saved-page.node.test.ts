import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { CODES } from '../../../core/index.ts';
import { auditView } from '../../../web/texts/en/audit-view.ts';
import { savedPage } from '../../../web/texts/en/saved-page.ts';
import { type PageWords, pageWords, scriptOfWords } from '../../../web/verifier/page-words.ts';
import { storyOf } from '../../../web/verifier/story.ts';
import { decided, receipt, record, refused } from '../records/sample-records.ts';
import { spoken } from '../texts/spoken.ts';

describe('the words of a saved page', () => {
  it('the words of a page are those of the chosen language alone', () => {
    spoken('en');
    expect(pageWords()).toEqual({
      ...savedPage.english,
      verdicts: auditView.english.verdicts,
      language: 'en',
      gists: {},
    });
    spoken('de');
    const german = pageWords();
    expect(german).toMatchObject({ language: 'de', title: 'Sallyport-Lauf' });
    expect(scriptOfWords(german)).not.toContain(savedPage.english.elsewhere);
    expect(german.gists['record_altered']).toMatch(/^\p{Lu}.*\.$/u);
    expect(Object.keys(CODES)).toEqual(expect.arrayContaining(Object.keys(german.gists)));
  });

  it.each(['en', 'de'] as const)(
    'the statement of the words gives the same words in %s, and cannot end the script',
    (language) => {
      spoken(language);
      const words = { ...pageWords(), title: '</script><!--' };
      const script = scriptOfWords(words);
      expect(script).not.toContain('<');
      const page: { sallyportWords?: PageWords } = {};
      runInNewContext(script, page);
      expect(JSON.parse(JSON.stringify(page.sallyportWords))).toEqual(words);
    },
  );
});

describe('the story of a saved page', () => {
  const nothing = (): undefined => undefined;

  it('the story of a refused proposal names its gate and its code, in both languages', () => {
    const records = refused('parse');
    spoken('en');
    expect(storyOf(savedPage().story, records, nothing).map(({ what }) => what)).toContain(
      'Step 1: refused at the gate parse (json_syntax)',
    );
    spoken('de');
    expect(storyOf(savedPage().story, records, nothing).map(({ what }) => what)).toContain(
      'Schritt 1: abgewiesen bei der Schranke parse (json_syntax)',
    );
  });

  it('the story of an allowed call tells its receipt, and no decision', () => {
    spoken('en');
    const told = storyOf(savedPage().story, [...decided('AUTHORIZED'), receipt(5, 'SUCCESS')], nothing);
    expect(told.at(-1)?.what).toMatch(/^Step 1: SUCCESS$/u);
    expect(told.map(({ what }) => what).join()).not.toContain('AUTHORIZED');
  });

  it('the story tells a salted text without its salt', () => {
    const bytes = new TextEncoder().encode(`${'5'.repeat(64)}Read my letters.`);
    const text = { sha256: 'a'.repeat(64), bytes: bytes.length, salt: 64 } as const;
    spoken('en');
    expect(storyOf(savedPage().story, [record(1, 'task', { text })], () => bytes)[0]?.what).toBe(
      'Task: “Read my letters.”',
    );
  });

  it('the story keeps braces in the words of strangers as they are', () => {
    const bytes = new TextEncoder().encode('{step} {text}');
    const text = { sha256: 'a'.repeat(64), bytes: bytes.length };
    spoken('en');
    expect(storyOf(savedPage().story, [record(1, 'task', { text })], () => bytes)[0]?.what).toBe(
      'Task: “{step} {text}”',
    );
  });

  it('a line tells its time in UTC, and of a stranger’s record a time that no calendar has', () => {
    spoken('en');
    const timesAt = (at: number) => storyOf(savedPage().story, [{ ...receipt(5, 'SUCCESS'), at }], nothing);
    expect(timesAt(Date.UTC(2026, 0, 2, 13, 4, 5)).map(({ time }) => time)).toEqual(['2026-01-02 13:04:05 UTC']);
    expect(timesAt(Number.MAX_SAFE_INTEGER).map(({ time }) => time)).toEqual(['9007199254740991']);
  });
});
