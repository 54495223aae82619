interface Difference {
  readonly end: string;
  /** The value of a good outcome; `*` where only its order or words differ. */
  readonly text?: string;
  readonly isSound?: false;
  readonly why: string;
}

const CRASH = { end: 'corrupt', isSound: false } as const;
const WORDS = 'its errors have other names';

/** Programs that end otherwise in quickjs-ng, with the reason. A program that is not named has the same outcome. */
export const OUTCOMES: { readonly [program: string]: Difference } = {
  'hostile: toJSON huge string': {
    end: 'bytes_out',
    why: 'it needs less memory for a long text, so that another limit is first',
  },
  'hostile: typed array with() over a buffer that shrinks meanwhile (bellard/quickjs #492)': {
    end: 'ok',
    text: '16',
    why: 'it has the fix: ours copies the old length',
  },
  'hostile: Iterator.concat re-entered (quickjs-ng #1368)': { ...CRASH, why: 'the fix came after its build' },
  'hostile: Error.prepareStackTrace and a stack that is a getter': {
    end: 'fuel',
    why: 'it calls Error.prepareStackTrace, which ours does not have',
  },
  'hostile: proxies of proxies': {
    end: 'ok',
    text: 'true',
    why: 'it follows a chain of proxies in a loop, ours by recursion',
  },
  'break out: globals': { end: 'ok', text: '*', why: 'its globals have another order' },
  'fix: QuickJS 7cfddd0': { end: 'ok', text: '"TypeError"', why: WORDS },
  'fix: QuickJS 1dbba8a (#467)': { end: 'ok', text: '"ReferenceError"', why: WORDS },
  'fix: QuickJS 841dd03 (#492), quickjs-ng e6e4e76': {
    end: 'ok',
    text: '2',
    why: 'it has the fix: ours copies the old length',
  },
  'fix: quickjs-ng #1368': { ...CRASH, why: 'the fix came after its build' },
  'fix: quickjs-ng 3973106 (#1400, CVE-2026-37630)': { ...CRASH, why: 'the fix came after its build' },
  'fix: quickjs-ng 1b0b660 (#1430), da49a37, d98ff10 (#1562)': { ...CRASH, why: 'the fix came after its build' },
  'fix: quickjs-ng ee13c7f (#1571)': { end: 'ok', text: 'false', why: 'the fix came after its build' },
  'fix: quickjs-ng c2f37ec': { end: 'memory', why: 'its memory runs out in another place: ours traps there' },
};

const PLACES = 'the engine keeps other places of calls and members, and names them otherwise';
const FUEL = 'the table has the fuel or the hash of the engine of the product';

/** Tests of the product that fail on quickjs-ng, with the reason. A test that is not named passes. */
export const TESTS: { readonly [name: string]: string } = {
  'a check image has the recorded hash in every engine': FUEL,
  'a guest that floods its console does nothing more, and has used the same fuel in every engine': FUEL,
  'the place where a limit stopped the guest is given as a loop, the same in each call': PLACES,
  'the place where a limit stopped the guest is given as an expression, the same in each call': PLACES,
  'the place where a limit stopped the guest is given as an array, the same in each call': PLACES,
  'the place where a limit stopped the guest is given as a function, the same in each call': PLACES,
  'the place where a limit stopped the guest is given as no line, in an async function, the same in each call': PLACES,
  'a traced call gives the place in an async function where a limit stopped it': PLACES,
  'a source with a syntax error is refused with the position of the error': PLACES,
  'an error has its line in a getter of the result': PLACES,
  'a parked call takes fewer than 24 pages': 'its objects lie further apart: 29 pages',
  'a realm has exactly the listed intrinsics': 'it has further members of listed objects',
};
