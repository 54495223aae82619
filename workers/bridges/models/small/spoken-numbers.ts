/** Numbers that a person writes in another way than a call does. */

const WORDS: { readonly [word: string]: string } = {
  zero: '0',
  one: '1',
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  ten: '10',
  eleven: '11',
  twelve: '12',
  fifteen: '15',
  twenty: '20',
  thirty: '30',
  forty: '40',
  fifty: '50',
  sixty: '60',
  ninety: '90',
};

const WORD = new RegExp(`\\b(?:${Object.keys(WORDS).join('|')})\\b`, 'gi');
/** One day, week or month, and one line at an end of a file. */
const ONCE = /\ba (?:day|week|month)\b|\b(?:first|last|top|final|bottom|opening|closing) line\b/gi;
const THOUSANDS = /(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])/g;

/** The numbers that a task tells in words or with commas, as a call writes them: `two` is 2, `1,200` is 1200. */
export function spokenNumbers(task: string): readonly string[] {
  return [
    ...(task.match(WORD) ?? []).map((word) => WORDS[word.toLowerCase()] as string),
    ...(task.match(ONCE) ?? []).map(() => '1'),
    ...(task.match(THOUSANDS) ?? []).map((number) => number.replaceAll(',', '')),
  ];
}
