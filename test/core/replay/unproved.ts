import { table } from '../../../.scripts/vite/reference.ts';

/** A fact of a run that its author can change, with every hash made anew, and no check fails. */
interface Unproved {
  readonly fact: string;
  /** Places of the fact, as the changes name them; a place covers all that is inside it. */
  readonly leaves: readonly string[];
  /** Why the file does not prove it. */
  readonly why: string;
  /** What shows a change. */
  readonly shows: string;
}

/** Before the places of a run whose texts were left out: elsewhere a check finds them. */
export const WITHOUT_TEXTS = 'without texts';

const ANCHOR = 'the anchor';

export const UNPROVED: readonly Unproved[] = [
  {
    fact: 'the name of the model and where it is, its seed, the isolation that the kernel found',
    leaves: ['configuration model', 'configuration remote', 'configuration seed', 'configuration isolation'],
    why: 'no decision reads them, except that a model of another origin asks for consent once private content was read',
    shows: ANCHOR,
  },
  {
    fact: 'the engine, and that heap hashes were asked for, of a run in which no call of guest code ended',
    leaves: ['configuration engine', 'configuration heap_hash'],
    why: 'only a call of guest code depends on them',
    shows: ANCHOR,
  },
  {
    fact: 'the rules of the run: its limits, budgets, capabilities and grants, with their hashes',
    leaves: ['file limits'],
    why: 'other rules can give the same decisions, and the first record is where they stand',
    shows: `${ANCHOR}, or the rules as you keep them, compared by their hashes`,
  },
  {
    fact: 'the words of a task, and how often it was set',
    leaves: ['task text', 'task record (doubled)'],
    why: 'no decision reads them, and no key signs them',
    shows: `${ANCHOR}, or the person who set the task`,
  },
  {
    fact: 'the words of the model or of a host, with all that follows from them: goal, data of its server, message on the wire, counted tokens, reason of the end, and when a server that failed wanted to be asked again',
    leaves: [
      'file model',
      'proposal goal',
      'proposal provider_data',
      'proposal wire',
      'proposal usage',
      'proposal finish',
      'state.model_failed after_ms',
      'state.model_failed reason',
    ],
    why: 'they come from outside; the checks begin with them',
    shows: `${ANCHOR}, or the log of the model’s server`,
  },
  {
    fact: 'the answers of people, of powers and of tools, with all that follows from them, the way of an answer (`via`), and that a tool has sent its request again',
    leaves: [
      'approval.answered via',
      'approval.part via',
      'approval.answered reason',
      'consent.answered via',
      'power.answered answer',
      'receipt evidence.answer',
      'receipt evidence.repeated',
    ],
    why: 'they come from outside; the page says who answered',
    shows: `${ANCHOR}, or a record on the other side`,
  },
  {
    fact: 'the counts that a session takes over from the session before it',
    leaves: ['configuration carried'],
    why: 'they stand in the file of the other session',
    shows: 'the export of the session before',
  },
  {
    fact: 'times, within the records around them, and all of them together; the number of the epoch',
    leaves: ['record at', 'record epoch', 'decision now', 'receipt evidence.powers.now', 'file time'],
    why: 'the clock is the clock of the device; its order is checked, and that no time lies outside of the times around it',
    shows: `a checkpoint that a witness has signed says by when a record was there`,
  },
  {
    fact: 'how a session ended, and its closing message; the message of an abort; that the end was cut off',
    leaves: ['seal state', 'seal message', 'seal record (removed)'],
    why: 'the caller closes a session or gives it up, and no record follows',
    shows: ANCHOR,
  },
  {
    fact: 'that a process ended and another went on, that a model’s server failed, and how often',
    leaves: [
      ...['removed', 'doubled'].flatMap((how) => [
        `state.resumed record (${how})`,
        `state.model_failed record (${how})`,
      ]),
      'state.interrupted record (removed)',
    ],
    why: 'the run goes on in either case',
    shows: ANCHOR,
  },
  {
    fact: 'whether a permission was taken back before or after a message that does not use it',
    leaves: ['revocation record (behind proposal)'],
    why: 'a person takes it back at a time of their own, and the message needs no permission',
    shows: ANCHOR,
  },
  {
    fact: 'notes for a process that goes on after a crash: the heap of a parked call and its labels, the reads of a running call, the symbols of a written file that its message does not name',
    leaves: [
      'parked digest',
      'parked labels',
      'parked record (removed)',
      'parked record (behind approval.answered)',
      'parked record (behind approval.part)',
      'approval.asked record (behind parked)',
      'progress.reads',
      'progress.operation staged',
    ],
    why: 'the receipt of the same call has the outcome, and is checked; the heap is in no file',
    shows: ANCHOR,
  },
  {
    fact: 'the order in which the powers of a call were decided about, and the number of a use, where no record tells it',
    leaves: ['receipt evidence.powers (turned)', 'receipt evidence.powers.ticket (near)'],
    why: 'a use that only reads, or whose arguments were refused, has no record of its own',
    shows: ANCHOR,
  },
  {
    fact: 'of a step whose texts are not in the file: sizes, cost, result, the reply to the model, and whether the call began',
    leaves: [
      'verdict args.bytes',
      'observation payload',
      'receipt evidence.fuel',
      'receipt evidence.image_hash',
      'receipt receipt.actions',
    ].map((leaf) => `${WITHOUT_TEXTS}: ${leaf}`),
    why: 'the checks take it as recorded, and say so',
    shows: `the texts, or ${ANCHOR}`,
  },
  {
    fact: 'messages that were turned away before they became a proposal',
    leaves: ['rejection'],
    why: 'they take no part in the run',
    shows: `${ANCHOR}, or the log of the host`,
  },
  {
    fact: 'the records of the log of a device (`system`)',
    leaves: ['log'],
    why: 'each tells an act of its own, on which no other record depends',
    shows: 'a signed checkpoint of the log',
  },
];

export function unprovedTable(): string {
  return table(
    ['fact', 'why the file does not prove it', 'a change is shown by'],
    UNPROVED.map(({ fact, why, shows }) => [fact, why, shows]),
  );
}
