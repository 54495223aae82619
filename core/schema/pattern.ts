/**
 * The grammar of ECMAScript regular expressions with the `u` flag (ES2024, without duplicate names), read by hand: the
 * language of `new RegExp` differs between engines and years, and a verdict must not. Returns why the text is not a
 * pattern, or undefined. Patterns are the attacker's; a single pass, groups at most 64 deep.
 */
export function patternFault(source: string): string | undefined {
  const scan: Scan = {
    text: Array.from(source),
    at: 0,
    groups: 0,
    depth: 0,
    names: new Set(),
    named: [],
    numbered: 0,
    fault: undefined,
  };
  alternatives(scan);
  if (scan.at < scan.text.length) fail(scan, `unexpected ${scan.text[scan.at]}`);
  if (scan.numbered > scan.groups) fail(scan, 'back reference to no group');
  if (scan.named.some((name) => !scan.names.has(name))) fail(scan, 'back reference to no group');
  return scan.fault;
}

/**
 * The pattern as the flag `u` wants it, where it is right without that flag alone and keeps its meaning: a needless
 * escape goes (`\\:`), and a bracket or a `-` that means itself gets one (`{name}`, `[\\w-.]`). Otherwise the same text.
 */
export function withFlagU(source: string): string {
  if (patternFault(source) === undefined) return source;
  let written = '';
  let isClass = false;
  let isAfterSet = false;
  for (let at = 0; at < source.length; ) {
    const rest = source.slice(at);
    const [token, meant]: readonly [string, string] = isClass ? inClass(rest, isAfterSet) : outside(rest);
    isAfterSet = isClass && SET.test(token);
    if (!isClass && token === '[') isClass = true;
    else if (isClass && token === ']') isClass = false;
    written += meant;
    at += token.length;
  }
  return patternFault(written) === undefined ? written : source;
}

/** An escape of a set of characters. */
const SET = /^\\[wWdDsS]$/;

/** The next token outside of a class, and how it is written with the flag `u`. */
function outside(rest: string): readonly [token: string, meant: string] {
  const [counted] = /^\{(?:\d+(?:,\d*)?|,\d+)\}/.exec(rest) ?? [];
  if (counted !== undefined) return [counted, counted];
  const char = rest.charAt(0);
  if (char === '\\') return escaped(rest, '');
  return [char, '{}]'.includes(char) ? `\\${char}` : char];
}

/** The same inside of a class. A `-` beside a set is no range. */
function inClass(rest: string, isAfterSet: boolean): readonly [token: string, meant: string] {
  const char = rest.charAt(0);
  if (char === '\\') return escaped(rest, '-');
  const isItself = char === '-' && rest.charAt(1) !== ']' && (isAfterSet || SET.test(rest.slice(1, 3)));
  return [char, isItself ? '\\-' : char];
}

/** An escape. Of a character that is neither a letter, a digit nor a part of the syntax, it is needless. */
function escaped(rest: string, kept: string): readonly [token: string, meant: string] {
  const token = rest.slice(0, 2);
  const char = token.charAt(1);
  const isNeedless = /^[\x20-\x7e]$/.test(char) && !/[0-9A-Za-z]/.test(char) && !`${SYNTAX}${kept}`.includes(char);
  return [token, isNeedless ? char : token];
}

interface Scan {
  readonly text: readonly string[];
  at: number;
  groups: number;
  depth: number;
  readonly names: Set<string>;
  readonly named: string[];
  numbered: number;
  fault: string | undefined;
}

const DEPTH = 64;
const SYNTAX = '^$\\.*+?()[]{}|/';

function fail(scan: Scan, why: string): void {
  scan.fault ??= `${why} at ${scan.at}`;
  scan.at = scan.text.length;
}

/** True when the next characters are `token`, which is then consumed. */
function eat(scan: Scan, token: string): boolean {
  for (let i = 0; i < token.length; i++) if (scan.text[scan.at + i] !== token[i]) return false;
  scan.at += token.length;
  return true;
}

function take(scan: Scan, test: (char: string) => boolean): string {
  const start = scan.at;
  for (let char = scan.text[scan.at]; char !== undefined && test(char); char = scan.text[scan.at]) scan.at++;
  return scan.text.slice(start, scan.at).join('');
}

const isDigit = (char: string): boolean => char >= '0' && char <= '9' && char.length === 1;
const isHex = (char: string): boolean => /^[0-9a-fA-F]$/.test(char);
const isWord = (char: string): boolean => /^[0-9a-zA-Z_]$/.test(char);

function alternatives(scan: Scan): void {
  do {
    while (scan.at < scan.text.length && scan.text[scan.at] !== '|' && scan.text[scan.at] !== ')') term(scan);
  } while (eat(scan, '|'));
}

function term(scan: Scan): void {
  if (eat(scan, '^') || eat(scan, '$') || eat(scan, '\\b') || eat(scan, '\\B')) return;
  for (const look of ['(?=', '(?!', '(?<=', '(?<!']) if (eat(scan, look)) return group(scan);
  atom(scan);
  quantifier(scan);
}

function group(scan: Scan): void {
  if (++scan.depth > DEPTH) return fail(scan, 'groups nested too deeply');
  alternatives(scan);
  scan.depth--;
  if (!eat(scan, ')')) fail(scan, 'group not closed');
}

function atom(scan: Scan): void {
  if (eat(scan, '(?:')) return group(scan);
  if (eat(scan, '(?<')) return namedGroup(scan);
  if (eat(scan, '(?')) return fail(scan, 'unknown group');
  if (eat(scan, '(')) {
    scan.groups++;
    return group(scan);
  }
  if (eat(scan, '[')) return characterClass(scan);
  if (eat(scan, '\\')) return escape(scan);
  const char = scan.text[scan.at];
  if (char === undefined || '*+?{}]'.includes(char)) return fail(scan, 'nothing to repeat or unescaped bracket');
  scan.at++;
}

function namedGroup(scan: Scan): void {
  const name = groupName(scan);
  if (scan.names.has(name)) return fail(scan, 'group name used twice');
  scan.names.add(name);
  scan.groups++;
  group(scan);
}

/** Names in ASCII only: the letters of other scripts depend on the engine's Unicode version. */
function groupName(scan: Scan): string {
  const name = take(scan, (char) => isWord(char) || char === '$');
  if (name === '' || isDigit(name.charAt(0)) || !eat(scan, '>')) fail(scan, 'bad group name');
  return name;
}

function quantifier(scan: Scan): void {
  if (eat(scan, '{')) range(scan);
  else if (!eat(scan, '*') && !eat(scan, '+') && !eat(scan, '?')) return;
  eat(scan, '?');
}

function range(scan: Scan): void {
  const low = take(scan, isDigit);
  const high = eat(scan, ',') ? take(scan, isDigit) : low;
  if (low === '' || !eat(scan, '}')) return fail(scan, 'bad repeat count');
  if (high !== '' && Number(low) > Number(high)) fail(scan, 'repeat counts out of order');
}

function escape(scan: Scan): void {
  if (eat(scan, 'k<')) {
    scan.named.push(groupName(scan));
    return;
  }
  const char = scan.text[scan.at] ?? '';
  if (isDigit(char) && char !== '0') {
    scan.numbered = Math.max(scan.numbered, Number(take(scan, isDigit)));
    return;
  }
  classEscape(scan);
}

/**
 * Reads an escape after its backslash, in and outside of a class; returns the code point, or undefined for a set such
 * as `\d`.
 */
function classEscape(scan: Scan): number | undefined {
  const char = scan.text[scan.at++] ?? '';
  if (char !== '' && 'dDsSwW'.includes(char)) return undefined;
  if (char === 'p' || char === 'P') return property(scan);
  const control = 'tnvfr'.indexOf(char);
  if (char !== '' && control >= 0) return [9, 10, 11, 12, 13][control];
  if (char === '0') return isDigit(scan.text[scan.at] ?? '') ? bad(scan) : 0;
  if (char === 'c') return /^[a-zA-Z]$/.test(scan.text[scan.at] ?? '') ? code(scan.text[scan.at++]) % 32 : bad(scan);
  if (char === 'x') return hex(scan, 2);
  if (char === 'u') return unicode(scan);
  return char !== '' && SYNTAX.includes(char) ? code(char) : bad(scan);
}

function bad(scan: Scan): undefined {
  fail(scan, 'bad escape');
}

function code(char: string | undefined): number {
  return char?.codePointAt(0) ?? 0;
}

function hex(scan: Scan, length: number): number | undefined {
  const digits = scan.text.slice(scan.at, scan.at + length);
  if (digits.length < length || !digits.every(isHex)) return bad(scan);
  scan.at += length;
  return Number.parseInt(digits.join(''), 16);
}

function unicode(scan: Scan): number | undefined {
  if (eat(scan, '{')) {
    const point = Number.parseInt(take(scan, isHex), 16);
    return eat(scan, '}') && point <= 0x10ffff ? point : bad(scan);
  }
  const lead = hex(scan, 4);
  if (lead === undefined || lead < 0xd800 || lead > 0xdbff) return lead;
  const back = scan.at;
  const trail = eat(scan, '\\u') && scan.text[scan.at] !== '{' ? peekTrail(scan) : undefined;
  if (trail === undefined) scan.at = back;
  return trail === undefined ? lead : (lead - 0xd800) * 0x400 + (trail - 0xdc00) + 0x10000;
}

function peekTrail(scan: Scan): number | undefined {
  const digits = scan.text.slice(scan.at, scan.at + 4);
  const value = digits.length === 4 && digits.every(isHex) ? Number.parseInt(digits.join(''), 16) : 0;
  if (value < 0xdc00 || value > 0xdfff) return undefined;
  scan.at += 4;
  return value;
}

function property(scan: Scan): undefined {
  const name = eat(scan, '{') ? take(scan, isWord) : '';
  const known = eat(scan, '=')
    ? isValue(name, take(scan, isWord))
    : GENERAL_CATEGORIES.has(name) || BINARY_PROPERTIES.has(name);
  if (!known || !eat(scan, '}')) fail(scan, 'unknown Unicode property');
}

function isValue(name: string, value: string): boolean {
  if (name === 'General_Category' || name === 'gc') return GENERAL_CATEGORIES.has(value);
  return ['Script', 'sc', 'Script_Extensions', 'scx'].includes(name) && SCRIPTS.has(value);
}

function characterClass(scan: Scan): void {
  eat(scan, '^');
  while (scan.at < scan.text.length && scan.text[scan.at] !== ']') classRange(scan);
  if (!eat(scan, ']')) fail(scan, 'class not closed');
}

function classRange(scan: Scan): void {
  const low = classAtom(scan);
  if (scan.text[scan.at] !== '-' || scan.text[scan.at + 1] === ']' || scan.at + 1 >= scan.text.length) return;
  scan.at++;
  const high = classAtom(scan);
  if (low === undefined || high === undefined || low > high) fail(scan, 'bad range');
}

function classAtom(scan: Scan): number | undefined {
  if (!eat(scan, '\\')) return code(scan.text[scan.at++]);
  if (eat(scan, 'b')) return 8;
  return eat(scan, '-') ? 45 : classEscape(scan);
}

/**
 * The names `\p{…}` may use: Unicode 14, which every supported engine knows. Later scripts are refused, so that
 * a pattern means the same everywhere.
 */
const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

const GENERAL_CATEGORIES: ReadonlySet<string> = words(`
  Cased_Letter LC Close_Punctuation Pe Connector_Punctuation Pc Control Cc cntrl Currency_Symbol Sc
  Dash_Punctuation Pd Decimal_Number Nd digit Enclosing_Mark Me Final_Punctuation Pf Format Cf Initial_Punctuation
  Pi Letter L Letter_Number Nl Line_Separator Zl Lowercase_Letter Ll Mark M Combining_Mark Math_Symbol Sm
  Modifier_Letter Lm Modifier_Symbol Sk Nonspacing_Mark Mn Number N Open_Punctuation Ps Other C Other_Letter Lo
  Other_Number No Other_Punctuation Po Other_Symbol So Paragraph_Separator Zp Private_Use Co Punctuation P punct
  Separator Z Space_Separator Zs Spacing_Mark Mc Surrogate Cs Symbol S Titlecase_Letter Lt Unassigned Cn
  Uppercase_Letter Lu
`);

const BINARY_PROPERTIES: ReadonlySet<string> = words(`
  ASCII ASCII_Hex_Digit AHex Alphabetic Alpha Any Assigned Bidi_Control Bidi_C Bidi_Mirrored Bidi_M Case_Ignorable
  CI Cased Changes_When_Casefolded CWCF Changes_When_Casemapped CWCM Changes_When_Lowercased CWL
  Changes_When_NFKC_Casefolded CWKCF Changes_When_Titlecased CWT Changes_When_Uppercased CWU Dash
  Default_Ignorable_Code_Point DI Deprecated Dep Diacritic Dia Emoji Emoji_Component Emoji_Modifier
  Emoji_Modifier_Base Emoji_Presentation Extender Ext Grapheme_Base Gr_Base Grapheme_Extend Gr_Ext Hex_Digit Hex
  IDS_Binary_Operator IDSB IDS_Trinary_Operator IDST ID_Continue IDC ID_Start IDS Ideographic Ideo Join_Control
  Join_C Logical_Order_Exception LOE Lowercase Lower Math Noncharacter_Code_Point NChar Pattern_Syntax Pat_Syn
  Pattern_White_Space Pat_WS Quotation_Mark QMark Radical Regional_Indicator RI Sentence_Terminal STerm
  Soft_Dotted SD Terminal_Punctuation Term Unified_Ideograph UIdeo Uppercase Upper Variation_Selector VS
  White_Space space XID_Continue XIDC XID_Start XIDS Extended_Pictographic EBase EComp EMod EPres ExtPict
`);

const SCRIPTS: ReadonlySet<string> = words(`
  Adlam Adlm Ahom Anatolian_Hieroglyphs Hluw Arabic Arab Armenian Armn Avestan Avst Balinese Bali Bamum Bamu
  Bassa_Vah Bass Batak Batk Bengali Beng Bhaiksuki Bhks Bopomofo Bopo Brahmi Brah Braille Brai Buginese Bugi Buhid
  Buhd Canadian_Aboriginal Cans Carian Cari Caucasian_Albanian Aghb Chakma Cakm Cham Cherokee Cher Common Zyyy
  Coptic Copt Qaac Cuneiform Xsux Cypriot Cprt Cyrillic Cyrl Deseret Dsrt Devanagari Deva Duployan Dupl
  Egyptian_Hieroglyphs Egyp Elbasan Elba Ethiopic Ethi Georgian Geor Glagolitic Glag Gothic Goth Grantha Gran
  Greek Grek Gujarati Gujr Gurmukhi Guru Han Hani Hangul Hang Hanunoo Hano Hatran Hatr Hebrew Hebr Hiragana Hira
  Imperial_Aramaic Armi Inherited Zinh Qaai Inscriptional_Pahlavi Phli Inscriptional_Parthian Prti Javanese Java
  Kaithi Kthi Kannada Knda Katakana Kana Kayah_Li Kali Kharoshthi Khar Khmer Khmr Khojki Khoj Khudawadi Sind Lao
  Laoo Latin Latn Lepcha Lepc Limbu Limb Linear_A Lina Linear_B Linb Lisu Lycian Lyci Lydian Lydi Mahajani Mahj
  Malayalam Mlym Mandaic Mand Manichaean Mani Marchen Marc Masaram_Gondi Gonm Meetei_Mayek Mtei Mende_Kikakui Mend
  Meroitic_Cursive Merc Meroitic_Hieroglyphs Mero Miao Plrd Modi Mongolian Mong Mro Mroo Multani Mult Myanmar Mymr
  Nabataean Nbat New_Tai_Lue Talu Newa Nko Nkoo Nushu Nshu Ogham Ogam Ol_Chiki Olck Old_Hungarian Hung Old_Italic
  Ital Old_North_Arabian Narb Old_Permic Perm Old_Persian Xpeo Old_South_Arabian Sarb Old_Turkic Orkh Oriya Orya
  Osage Osge Osmanya Osma Pahawh_Hmong Hmng Palmyrene Palm Pau_Cin_Hau Pauc Phags_Pa Phag Phoenician Phnx
  Psalter_Pahlavi Phlp Rejang Rjng Runic Runr Samaritan Samr Saurashtra Saur Sharada Shrd Shavian Shaw Siddham
  Sidd SignWriting Sgnw Sinhala Sinh Sora_Sompeng Sora Soyombo Soyo Sundanese Sund Syloti_Nagri Sylo Syriac Syrc
  Tagalog Tglg Tagbanwa Tagb Tai_Le Tale Tai_Tham Lana Tai_Viet Tavt Takri Takr Tamil Taml Tangut Tang Telugu Telu
  Thaana Thaa Thai Tibetan Tibt Tifinagh Tfng Tirhuta Tirh Ugaritic Ugar Vai Vaii Warang_Citi Wara Yi Yiii
  Zanabazar_Square Zanb Dogra Dogr Gunjala_Gondi Gong Hanifi_Rohingya Rohg Makasar Maka Medefaidrin Medf
  Old_Sogdian Sogo Sogdian Sogd Elymaic Elym Nandinagari Nand Nyiakeng_Puachue_Hmong Hmnp Wancho Wcho Chorasmian
  Chrs Diak Dives_Akuru Khitan_Small_Script Kits Yezi Yezidi Cypro_Minoan Cpmn Old_Uyghur Ougr Tangsa Tnsa Toto
  Vithkuqi Vith
`);
