import { verifyExport } from '../../core/index.ts';
import type { Call, Command } from './command.ts';
import { anchorIn, openExport } from './open.ts';
import { exitOf, printReport } from './print.ts';

export const verify: Command = {
  name: 'verify',
  summary: 'Checks an exported run: form, hashes, links and anchor.',
  operands: '[FILE]',
  options: { anchor: { value: 'COUNT:HEAD', help: 'What was noted of the run elsewhere.' } },
  examples: [
    'sallyport verify run.jsonl',
    'sallyport verify run.jsonl --anchor 21:9f2c…    # is it the run I expect?',
    'curl -s https://example.com/run.jsonl | sallyport verify --json',
  ],
  run: verifyFile,
};

async function verifyFile(call: Call): Promise<number> {
  const text = await openExport(call);
  const report = verifyExport(text, anchorIn(call, text));
  if (call.json) call.terminal.print(JSON.stringify(report));
  else printReport(report, call.terminal);
  return exitOf(report);
}
