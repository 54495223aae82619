import { parseSync, Visitor } from 'oxc-parser';

/** Attributes whose value a person reads or hears. */
const SPOKEN = /\b(?:aria-(?:label|description|valuetext|roledescription)|title|placeholder|alt|label)="([^"]*)"/gu;

/** Names that are the same in every language. */
const NAMES = /Sallyport|Apache-2\.0|Catalytic|FemtoClaw|XCT/gu;

/** Stands for the value of an expression in a template. */
const VALUE = '◊';

/** A word of a language: two letters in a row. */
const WORD = /\p{L}{2}/u;
/** Two words with a space between: a sentence, or a part of one. */
const SENTENCE = /\p{L}{2,}[,;:]? (?:\p{L}|◊)/u;
/** A single word as it stands on a button; names of keys and of events are written the same way. */
const TITLE = /^\p{Lu}\p{Ll}+…?$/u;
const KEYS: ReadonlySet<string> = new Set(['Control', 'End', 'Enter', 'Escape', 'Files', 'Home', 'Infinity']);

/** A declaration of a style sheet, or a value of one. */
const STYLE = /var\(--|\{[\w-]+:/u;
/** An attribute outside of a tag: a part of a template that stands in a tag. */
const ATTRIBUTE = /[\w-]+="[^"]*"/gu;

/** Texts of a view that are not in a table: between the tags of its templates, in spoken attributes, in strings. */
export function literalsIn(file: string, source: string): readonly string[] {
  const { program } = parseSync(file, source);
  const found: string[] = [];
  const skipped = new Set<unknown>();
  new Visitor({
    TaggedTemplateExpression: ({ tag, quasi }) => {
      skipped.add(quasi);
      const name = tag.type === 'Identifier' ? tag.name : '';
      if (name === 'html' || name === 'svg' || name === 'markup') found.push(...inMarkup(joined(quasi)));
    },
    TemplateLiteral: (template) => {
      if (skipped.has(template)) return;
      const text = joined(template);
      if (SENTENCE.test(text.replaceAll(NAMES, ''))) found.push(text);
    },
    ImportDeclaration: ({ source: from }) => void skipped.add(from),
    Literal: (literal) => {
      if (skipped.has(literal) || typeof literal.value !== 'string') return;
      const text = literal.value.replaceAll(NAMES, '');
      if (STYLE.test(text)) return;
      const isText = SENTENCE.test(text) || (TITLE.test(text) && !KEYS.has(text));
      if (isText) found.push(literal.value);
    },
  }).visit(program);
  return found;
}

function joined({ quasis }: { readonly quasis: readonly { readonly value: { readonly raw: string } }[] }): string {
  return quasis.map(({ value }) => value.raw).join(VALUE);
}

function inMarkup(markup: string): readonly string[] {
  const whole = markup.replaceAll(NAMES, '');
  const spoken = [...whole.matchAll(SPOKEN)].map(([, text = '']) => text);
  const between = whole
    .replaceAll(/<[^>]*>/gu, '\n')
    .replaceAll(ATTRIBUTE, '')
    .split('\n');
  return [...spoken, ...between].map((text) => text.trim()).filter((text) => WORD.test(text));
}
