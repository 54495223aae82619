// Ranks the sections of the documentation for a query. Everything here is text.

/** @typedef {{href: string, title: string, heading: string, text: string}} Section */
/** @typedef {{text: string, isHit: boolean}} Piece */

/** Pages that name many things and explain few. */
const LISTS = /^(?:changelog|conformance|exports|records)\./;
/** Characters of an excerpt before and behind its first hit. */
const [BEFORE, BEHIND] = [40, 120];

/**
 * Sections that have all words of the query, the best first, each with an excerpt.
 * @param {readonly Section[]} sections
 * @param {string} query
 * @returns {{section: Section, excerpt: Piece[]}[]}
 */
export function ranked(sections, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ section }) => ({ section, excerpt: excerptOf(section.text, words) }));
}

/**
 * A word of a heading says most, then the words in their order, then the title of the page, then a part of a word of
 * the heading, then the text. A list of names says less than the page that explains them, and its exact name more than
 * a page that only mentions it.
 * @param {Section} section
 * @param {readonly string[]} words
 */
function scoreOf({ href, title, heading, text }, words) {
  const [head, page, body] = [heading, title, text].map((part) => part.toLowerCase());
  const scores = words.map((word) => {
    if (isWord(head, word)) return 20;
    if (isWord(page, word)) return 6;
    if (head.includes(word)) return 4;
    return isWord(body, word) ? 2 : body.includes(word) || page.includes(word) ? 1 : 0;
  });
  if (scores.includes(0)) return 0;
  const phrase = words.join(' ');
  const inOrder = words.length === 1 ? 0 : head.includes(phrase) ? 20 : body.includes(phrase) ? 8 : 0;
  const whole = head === phrase ? 5 : 0;
  return (scores.reduce((sum, score) => sum + score) + inOrder + whole) / (LISTS.test(href) ? 4 : 1);
}

/** @param {string} text @param {string} word */
function isWord(text, word) {
  return text.split(/[^\p{L}\p{N}_]+/u).includes(word);
}

/**
 * The place of the text where the query is found, in pieces; without a hit in the text, its beginning.
 * @param {string} text
 * @param {readonly string[]} words
 * @returns {Piece[]}
 */
function excerptOf(text, words) {
  const lower = text.toLowerCase();
  const phrase = lower.indexOf(words.join(' '));
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const hit = phrase >= 0 ? phrase : Math.min(...places);
  const from = hit > BEFORE && hit !== Number.POSITIVE_INFINITY ? text.indexOf(' ', hit - BEFORE) + 1 : 0;
  const cut = text.slice(from, from + BEFORE + BEHIND);
  const isCut = from + cut.length < text.length;
  const shown = isCut ? cut.slice(0, cut.lastIndexOf(' ')) : cut;
  return pieces(`${from > 0 ? '… ' : ''}${shown}${isCut ? ' …' : ''}`, words);
}

/**
 * A text cut at each word of the query.
 * @param {string} text
 * @param {readonly string[]} words
 * @returns {Piece[]}
 */
function pieces(text, words) {
  const any = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return text
    .split(new RegExp(`(${any})`, 'i'))
    .map((piece, at) => ({ text: piece, isHit: at % 2 === 1 }))
    .filter(({ text: piece }) => piece !== '');
}
