/**
 * An oracle for RFC 8259 that shares no code with core. It reads character by character, keeps a stack of open
 * brackets, and lists for each state the characters that may follow. It finds where a text stops being the beginning of
 * a JSON text.
 */
type State = (c: string) => State | undefined;

const BLANK = /[ \n\r\t]/;
const DIGIT = /[0-9]/;
const HEX = /[0-9a-fA-F]/;

/**
 * Offset of the first character with which no JSON text continues; the length when the text is cut off; -1 for JSON.
 */
export function firstFault(text: string): number {
  const open: ('[' | '{')[] = [];
  let complete = false;

  const value: State = (c) => (BLANK.test(c) ? value : valueAt(c));
  const item: State = (c) => (BLANK.test(c) ? item : c === ']' ? close() : valueAt(c));
  const name: State = (c) => (BLANK.test(c) ? name : c === '"' ? string(colon) : undefined);
  const firstName: State = (c) => (BLANK.test(c) ? firstName : c === '}' ? close() : name(c));
  const colon: State = (c) => (BLANK.test(c) ? colon : c === ':' ? value : undefined);
  const after: State = (c) => {
    if (BLANK.test(c)) return after;
    const bracket = open.at(-1);
    if (c === ',') return bracket === '[' ? value : bracket === '{' ? name : undefined;
    return (c === ']' && bracket === '[') || (c === '}' && bracket === '{') ? close() : undefined;
  };

  function close(): State {
    open.pop();
    return ended();
  }
  function ended(): State {
    complete = open.length === 0;
    return after;
  }
  function valueAt(c: string): State | undefined {
    if (c === '"') return string(() => undefined, true);
    if (c === '[' || c === '{') {
      open.push(c);
      return c === '[' ? item : firstName;
    }
    if (c === '-') return (next) => (next === '0' ? zero() : /[1-9]/.test(next) ? digits() : undefined);
    if (c === '0') return zero();
    if (/[1-9]/.test(c)) return digits();
    const word = ['true', 'false', 'null'].find((one) => one[0] === c);
    return word === undefined ? undefined : rest(word, 1);
  }
  function rest(word: string, at: number): State {
    return (c) => (c !== word[at] ? undefined : at + 1 === word.length ? ended() : rest(word, at + 1));
  }
  function string(then: State, isValue = false): State {
    const inside: State = (c) => {
      if (c === '"') return isValue ? ended() : then;
      if (c === '\\') return escape;
      return c < ' ' ? undefined : inside;
    };
    const hex =
      (left: number): State =>
      (c) =>
        !HEX.test(c) ? undefined : left === 1 ? inside : hex(left - 1);
    const escape: State = (c) => (c === 'u' ? hex(4) : '"\\/bfnrt'.includes(c) ? inside : undefined);
    return inside;
  }
  /** A number is complete at every state after which another token may follow. */
  function numberThen(more: (c: string) => State | undefined): State {
    complete = open.length === 0;
    return (c) => {
      const next = more(c);
      if (next === undefined) return ended()(c);
      return next;
    };
  }
  const halfway = (state: State): State => {
    complete = false;
    return state;
  };
  const exponent = (): State => {
    const first: State = (c) => (DIGIT.test(c) ? power() : undefined);
    return halfway((c) => (c === '+' || c === '-' ? first : first(c)));
  };
  const power = (): State => numberThen((c) => (DIGIT.test(c) ? power() : undefined));
  const fraction = (): State =>
    numberThen((c) => (DIGIT.test(c) ? fraction() : /[eE]/.test(c) ? exponent() : undefined));
  const point = (): State => halfway((c) => (DIGIT.test(c) ? fraction() : undefined));
  const tail = (c: string): State | undefined => (c === '.' ? point() : /[eE]/.test(c) ? exponent() : undefined);
  function zero(): State {
    return numberThen(tail);
  }
  function digits(): State {
    return numberThen((c) => (DIGIT.test(c) ? digits() : tail(c)));
  }

  let state: State = value;
  for (let at = 0; at < text.length; at++) {
    const next = state(text[at] as string);
    if (next === undefined) return at;
    state = next;
  }
  return complete ? -1 : text.length;
}
