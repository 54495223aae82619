import { type ExportFile, finding, parseExport } from '../../core/ledger/export.ts';
import { type Findings, isWhole, type Report, withCheck } from '../../core/ledger/report.ts';
import { ANCHOR, STORED, type VerifyOptions, verifyFile } from '../../core/ledger/verify.ts';
import { assertKinds, COUNT, FLAG, type OptionTypes, optionsOf, SIGNAL, TEXT } from '../../core/option.ts';
import { replay } from '../../core/replay/replay.ts';
import { tapeOf } from '../../core/replay/tape.ts';
import { VALIDATORS } from '../../core/schema/validators.generated.js';
import type { OpenSandboxes } from '../ports.ts';
import { signatureFault } from './checkpoint.ts';
import { type AnswerRequest, makeReplayExecutor, VERIFIER_LIMITS } from './recorded-answers.ts';

export interface CheckOptions extends VerifyOptions {
  /** Public key of the signer of the checkpoint in `anchor`. */
  readonly key?: string;
  /** Also replay the run. */
  readonly replay?: boolean;
  /** Time in ms for all calls of this file; a minute by default. Beyond it, calls are taken as recorded. */
  readonly deadlineMs?: number;
  /** Ends the check between two calls: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

const GIVEN: OptionTypes = { text: ['the text of an export, not its bytes', (value) => typeof value === 'string'] };
const CHECK: OptionTypes = {
  anchor: ANCHOR,
  stored: STORED,
  key: TEXT,
  replay: FLAG,
  deadlineMs: COUNT,
  signal: SIGNAL,
};

/**
 * All six checks of an export. Decisions are evaluated again only for sound records, and calls only after sound
 * decisions, so that each fault is found by the check it belongs to. Rejects only for a missing text or a wrong option
 * (`option_invalid`), never for the content of the text. The limits in a file are not trusted: calls beyond the time or
 * memory of the verifier are taken as recorded, and listed.
 */
export async function checkExport(text: string, given: CheckOptions, open: OpenSandboxes): Promise<Report> {
  assertKinds({ text }, GIVEN, ['text']);
  const options = optionsOf(given, CHECK);
  const { anchor, stored } = options;
  const file = parseExport(text);
  const report = await signedBy(
    verifyFile(file, { ...(anchor !== undefined && { anchor }), ...(stored && { stored }) }),
    options,
  );
  if (!isWhole(report)) return report;
  options.signal?.throwIfAborted();
  const { deadlineMs = VERIFIER_LIMITS.deadlineMs, signal } = options;
  const executor = makeReplayExecutor(open, { ...VERIFIER_LIMITS, deadlineMs }, signal);
  try {
    const decisions = await rerun(file, 'decisions', executor.answer);
    const decided = withCheck(report, 'decisions', decisions);
    if (options.replay !== true || (decisions?.wrong.length ?? 0) > 0) return decided;
    return withCheck(decided, 'replay', await rerun(file, 'replay', executor.answer));
  } finally {
    await executor.close();
  }
}

async function signedBy(report: Report, { anchor, key }: CheckOptions): Promise<Report> {
  const what = key === undefined ? undefined : await signatureFault(anchor, key);
  if (what === undefined) return report;
  return withCheck(report, 'anchor', { count: 1, wrong: [finding(report.records, 'anchor_disagrees', { what })] });
}

async function rerun(
  file: ExportFile,
  way: 'decisions' | 'replay',
  answer: AnswerRequest,
): Promise<Findings | undefined> {
  const running = replay(tapeOf(file), way, VALIDATORS);
  let next = running.next();
  while (next.done !== true) {
    const event = await answer(next.value);
    next = running.next(event);
  }
  return next.value;
}
