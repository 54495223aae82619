/** One field and what ends it. Every branch is decided by one character, so a hostile text cannot make it backtrack. */
const FIELD = /(?:"([^"]*(?:""[^"]*)*)"|([^",\n]*))(,|\n|$)/y;

/**
 * Reads RFC 4180 text with a header line. Refuses what it would otherwise have to guess at.
 *
 * @param {string} text
 *
 * @returns {{ columns: string[], rows: string[][] }}
 */
export function parseCsv(text) {
  const [columns = [], ...rows] = records(text.replaceAll('\r\n', '\n').replace(/\n$/, ''));
  const twice = columns.find((name, at) => columns.indexOf(name) !== at);
  if (twice !== undefined) throw new SyntaxError(`Two columns are called ${JSON.stringify(twice)}.`);
  const ragged = rows.findIndex((row) => row.length !== columns.length);
  if (ragged === -1) return { columns, rows };
  throw new SyntaxError(`Row ${ragged + 1} has ${rows[ragged]?.length} fields, the header has ${columns.length}.`);
}

/** @param {string} text */
function records(text) {
  const all = [];
  let record = [];
  for (FIELD.lastIndex = 0; ; ) {
    const match = FIELD.exec(text);
    if (match === null) throw new SyntaxError(`Not CSV: a quote is out of place in line ${all.length + 1}.`);
    record.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',') continue;
    all.push(record);
    if (match[3] === '') return all;
    record = [];
  }
}

/**
 * @param {readonly string[]} columns
 *
 * @param {string} name
 */
export function columnAt(columns, name) {
  const at = columns.indexOf(name);
  if (at === -1) throw new RangeError(`No column ${JSON.stringify(name)}. The columns are: ${columns.join(', ')}.`);
  return at;
}
