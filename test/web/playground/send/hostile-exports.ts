import { canonicalize, type JsonValue, parseExport } from '../../../../core/index.ts';

/** A text that ends every element and attribute it may stand in, and has a script, an image and a link. */
export const SCRIPT = `</pre></style></title></script><script>globalThis.pwned=1</script><img src=/pwned onerror="globalThis.pwned=1">"'\`&<a href=https://collect.example>`;

/** An export with the script at a place that its form allows. */
export interface HostileExport {
  /** Such as `configuration /model`, or `log /files/#/path`; a name of a member ends in `~`. */
  readonly place: string;
  readonly text: string;
}

type Path = readonly (string | number)[];

/**
 * Each string and each name of a member in turn becomes the script, where the file still reads as it did: the first of
 * each place in each kind of line.
 */
export function* hostileExports(jsonl: string): Generator<HostileExport> {
  const tried = new Set<string>();
  const lines = jsonl.split('\n');
  for (const [nth, line] of lines.entries())
    for (const [path, isName] of placesIn(line)) {
      const place = `${kindOf(line)} /${path.slice(1).map(nameOf).join('/')}${isName ? '~' : ''}`;
      if (tried.has(place)) continue;
      tried.add(place);
      const text = hostileLine(line, path, isName);
      if (text !== undefined) yield { place, text: lines.with(nth, text).join('\n') };
    }
}

function kindOf(line: string): string {
  const { kind = 'payload' } = JSON.parse(line) as { readonly kind?: string };
  return kind;
}

function nameOf(part: string | number): string {
  return typeof part === 'number' ? '#' : part;
}

/** The script at each of these places at once. */
export function hostileEverywhere(jsonl: string): string {
  return jsonl
    .split('\n')
    .map((line) => {
      let made = line;
      // a place that the form allows alone may not be allowed beside the others
      for (const [path, isName] of placesIn(line)) made = hostileLine(made, path, isName) ?? made;
      return made;
    })
    .join('\n');
}

function placesIn(line: string): readonly (readonly [Path, boolean])[] {
  return line === '' ? [] : placesOf(JSON.parse(line) as JsonValue, []);
}

function placesOf(value: JsonValue, path: Path): readonly (readonly [Path, boolean])[] {
  if (typeof value === 'string') return [[path, false]];
  if (typeof value !== 'object' || value === null) return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = [...path, isList ? Number(name) : name];
    const own = [[inner, true]] as const;
    return [...placesOf(member as JsonValue, inner), ...(isList ? [] : own)];
  });
}

/** The line with the script there; undefined where it would not be read as a line of its kind. */
function hostileLine(line: string, path: Path, isName: boolean): string | undefined {
  const text = canonicalize(replaced(JSON.parse(line) as JsonValue, path, isName));
  return text.ok && isRead(text.value) ? text.value : undefined;
}

function replaced(value: JsonValue, path: Path, isName: boolean): JsonValue {
  const [name, ...rest] = path;
  if (name === undefined) return SCRIPT;
  if (Array.isArray(value)) return value.with(Number(name), replaced(value[Number(name)] as JsonValue, rest, isName));
  const { [name]: inner = null, ...others } = value as { readonly [name: string]: JsonValue };
  if (isName && rest.length === 0) return { ...others, [SCRIPT]: inner };
  return { ...others, [name]: replaced(inner, rest, isName) };
}

function isRead(line: string): boolean {
  const { records, payloads } = parseExport(`\n${line}\n`);
  return payloads.size > 0 || records.some((each) => each !== undefined);
}
