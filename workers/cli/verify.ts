import { checkExport } from '../check.ts';
import { openSandboxes } from '../node/platform.ts';
import type { Call, Command } from './command.ts';
import { anchorIn, openExport } from './open.ts';
import { exitOf, printReport } from './print.ts';

const ANCHOR: Command['options'] = {
  anchor: { value: 'COUNT:HEAD', help: 'What was noted of the run elsewhere.' },
  checkpoint: { value: 'FILE', help: 'Or a checkpoint of the log that the run is in.' },
  key: { value: 'KEY', help: 'Whose signature the checkpoint must carry.' },
};

export const verify: Command = {
  name: 'verify',
  summary: 'Checks an exported run: form, hashes, links, anchor and decisions.',
  operands: '[FILE]',
  options: ANCHOR,
  examples: [
    'sallyport verify run.jsonl',
    'sallyport verify run.jsonl --anchor 21:9f2c…    # is it the run I expect?',
    'curl -s https://example.com/run.jsonl | sallyport verify --json',
  ],
  run: (call) => check(call, false),
};

export const replay: Command = {
  name: 'replay',
  summary: 'Runs an exported run again and says where it comes out otherwise, beside all that verify checks.',
  operands: '[FILE]',
  options: ANCHOR,
  examples: [
    'sallyport replay run.jsonl        # its calls are made again, in sandboxes without network or files',
    'sallyport replay run.jsonl --json | jq .checks[5]',
  ],
  run: (call) => check(call, true),
};

async function check(call: Call, replay: boolean): Promise<number> {
  const text = await openExport(call);
  const report = await checkExport(text, { ...(await anchorIn(call, text)), replay }, openSandboxes);
  if (call.json) call.terminal.printJson(report);
  else printReport(report, call.terminal);
  return exitOf(report);
}
