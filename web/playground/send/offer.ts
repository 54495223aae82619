import { parseExport, verdictOf, verifyExport } from '../../../core/index.ts';
import { count } from '../parts/text.ts';
import { DISCLOSURES, type DisclosedParts, type Disclosure, leaveOut } from './disclosure.ts';
import { packRun, RUN_LINK } from './run-link.ts';

/** An export as it would be sent: nothing has left the page. */
export interface SendOffer {
  readonly text: string;
  readonly run_id: string;
  readonly bytes: number;
  /** The packed run; undefined where it is too large for a link. */
  readonly packed: string | undefined;
  /** Size and verdict in sentences. */
  readonly size: string;
  readonly verdict: string;
}

/** Makes the export with the chosen disclosures alone, packs it and verifies it. */
export async function offerOf(
  jsonl: string,
  chosen: ReadonlySet<Disclosure>,
  parts: DisclosedParts,
): Promise<SendOffer> {
  const text = leaveOut(jsonl, chosen);
  const bytes = new Blob([text]).size;
  const packed = bytes > RUN_LINK.bytesMax ? undefined : await packRun(text);
  const fits = packed === undefined || packed.length > RUN_LINK.charactersMax ? undefined : packed;
  const left = DISCLOSURES.filter((each) => !chosen.has(each)).reduce((sum, each) => sum + parts[each].payloads, 0);
  return {
    text,
    run_id: parseExport(text).run_id ?? 'unnamed',
    bytes,
    packed: fits,
    size: sizeText(bytes, packed),
    verdict: `${verdictOf(verifyExport(text))}${left === 0 ? '' : ` ${count(left, 'text')} left out: a check that needs such a text says that it was not made.`}`,
  };
}

function sizeText(bytes: number, packed: string | undefined): string {
  const file = `As a file it has ${count(bytes, 'byte')}.`;
  if (packed === undefined)
    return `Too large for a link: a link holds at most ${count(RUN_LINK.bytesMax, 'byte')}. ${file} Save the file instead.`;
  if (packed.length > RUN_LINK.charactersMax)
    return `Too large for a link: it would have ${count(packed.length, 'character')}, the limit is ${RUN_LINK.charactersMax.toLocaleString()}. ${file} Save the file instead.`;
  return `The link would have ${count(packed.length, 'character')}: ${placesFor(packed.length)}. ${file}`;
}

function placesFor(characters: number): string {
  if (characters <= 2_000) return 'it fits a chat message';
  return characters <= 8_000 ? 'it fits most places' : 'many chats cut it, so a page or a mail is a better place';
}
