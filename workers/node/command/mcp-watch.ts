import { visibleLine } from '../../../core/text/visible.ts';
import { ConfigurationError } from '../../bridges/mcp/gateway/config-file.ts';
import { dataFolder, placesFor } from '../../bridges/mcp/gateway/data-folder.ts';
import { DefinitionPins } from '../../bridges/mcp/gateway/pins.ts';
import { momentText, WatchFile } from '../../bridges/mcp/gateway/watch.ts';
import { type Command, type CommandCall, EXIT, UsageError } from './command.ts';
import { isSqliteThere } from './mcp.ts';

export const mcpWatch: Command = {
  name: 'mcp watch',
  summary: 'Lets calls that no rule is about run for a time, so that rules can be proposed from what ran.',
  operands: '[TIME]',
  options: {
    egress: { help: 'Tools that may send data out run too; absent: they ask.' },
    note: { value: 'TEXT', help: 'Why, for those who read the ledger.' },
    end: { help: 'Ends the watch now.' },
    ledger: { value: 'PLACE', help: 'Place of the ledger, beside which the watch is kept.' },
  },
  examples: [
    'sallyport mcp watch 2h          # for the tools that are pinned now',
    'sallyport mcp watch             # tells whether one is under way',
    'sallyport mcp watch --end',
  ],
  run: watch,
};

async function watch({ operands: [time], options, json, terminal }: CommandCall): Promise<number> {
  const { ledger, note, egress, end } = options;
  if (end === true && time !== undefined) throw new UsageError('--end takes no time');
  const folder = dataFolder(process.platform, process.env);
  const places = placesFor(typeof ledger === 'string' ? ledger : undefined, await isSqliteThere(), folder);
  const file = new WatchFile(places.pins);
  const now = Date.now();
  const say = (text: string): void => (json ? undefined : terminal.print(visibleLine(text)));
  try {
    if (end === true) say((await file.end(now)) ? 'The watch has ended.' : 'No watch is under way.');
    else if (time !== undefined) {
      const pinned = new DefinitionPins(places.pins).definitions();
      if (pinned.length === 0)
        throw new UsageError('No tool is pinned yet, so a watch would let nothing run: start sallyport mcp once');
      const wish = { option: time, ...(egress === true && { egress }), ...(typeof note === 'string' && { note }) };
      const { isNew } = await file.begin(wish, pinned, now);
      if (!isNew) say('A watch is under way already, and its end does not move: --end ends it.');
    }
    const current = file.current(Date.now());
    if (json) terminal.printJson(current ?? null);
    else if (end !== true) say(current === undefined ? 'No watch is under way.' : textOf(current));
    return EXIT.ok;
  } catch (error) {
    if (error instanceof ConfigurationError) throw new UsageError(error.message);
    throw error;
  }
}

function textOf({ until, definitions, egress, note }: NonNullable<ReturnType<WatchFile['current']>>): string {
  const what = egress ? 'also those that send data out' : 'those that may send data out ask as before';
  const why = note === undefined ? '' : ` Note: ${note}`;
  const tools = definitions.length === 1 ? 'one tool' : `${definitions.length} tools`;
  return `Watching ${tools} until ${momentText(until)}; ${what}.${why}`;
}
