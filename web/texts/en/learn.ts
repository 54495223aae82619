import { html, type TemplateResult } from 'lit';
import { type Area, area } from '../area.ts';
import { number, plural } from '../intl.ts';

/** A piece of a sentence that the view draws: a name, a hash, a stranger's text. */
type Piece = TemplateResult | string | readonly TemplateResult[];

const en = {
  /** The list of lessons. */
  title: 'Learn',
  lead: 'Lessons of a few minutes. In each you first guess what will happen. Then you try it with real gates, sandbox and ledger, and read the answer. The ledger ticks off what you have done, and you can save it as evidence.',
  begin: 'Begin',
  goOn: 'Go on',
  onceMore: 'Once more',
  doneHere: (done: number, all: number): string => `${number(done)} of ${number(all)} done on this device`,
  whatEvidenceSays: '“sallyport verify --lesson N” says what they show',
  saveAll: (runs: number): string => `Save all evidence, ${plural(runs, { one: '# run', other: '# runs' })}`,
  forget: 'Forget my progress',
  forgotten: 'Your progress was forgotten.',
  undo: 'Undo',
  done: 'done',
  someTasks: (done: number, all: number): string => `${number(done)} of ${number(all)} tasks`,
  minutes: (minutes: number): string => `${number(minutes)} minutes`,

  /** An open lesson. */
  lesson: {
    way: 'Lessons',
    all: 'All lessons',
    place: (lesson: number, last: number): string => `Lesson ${lesson} of ${last}`,
    projector: 'Projector',
    previous: 'Previous',
    next: 'Next',
    label: 'Lesson',
    turn: 'Your turn',
    expect: 'What do you expect?',
    yourGuess: 'your guess',
    right: 'You guessed right.',
    wrong: (answer: string): string => `Not what you guessed: ${answer}`,
    guessed: 'Your guess is kept. Now find out: the answer comes when the tasks are done.',
    tasks: 'What to do',
    taskDone: ', done',
    taskOpen: ', not done',
    hint: 'Hint',
    solved: 'Done: the ledger shows it',
    save: 'Save the evidence',
    evidence: (files: number, lesson: number): string =>
      `${plural(files, { one: 'One file', other: '# files' })}; “sallyport verify --lesson ${lesson}” says what ${plural(files, { one: 'it shows', other: 'they show together' })}.`,
    last: (done: number, all: number): string =>
      done === all
        ? 'That was the last lesson, and all of them are done. Save all evidence, and hand in the zip.'
        : `That was the last lesson. ${number(done)} of ${number(all)} are done.`,
  },

  /** The table of a class, from the evidence that pupils have handed in. */
  myClass: {
    title: 'My class',
    lead: 'Choose the zips that your pupils saved with “Save all evidence”, a zip or a folder for each pupil. They are opened and checked in this page; nothing is sent anywhere, and nothing is kept after you leave.',
    zips: 'Choose zips',
    folder: 'Choose a folder',
    drop: 'Or drop zips and folders here.',
    empty: 'No evidence yet',
    listing: 'Looking for evidence…',
    checking: (name: string): string => `Checking ${name}`,
    share: (share: number): string => `${number(Math.floor(share * 100))} %`,
    cancel: 'Cancel',
    print: 'Print',
    csv: 'Save as CSV',
    pupil: 'Pupil',
    lesson: (lesson: number): string => `Lesson ${lesson}`,
    solvedColumn: 'Solved',
    loose: 'Files without a folder',
    table: 'Pupils and lessons',
    sortedBy: (column: string, descending: boolean): string =>
      `Sorted by ${column}, ${descending ? 'descending' : 'ascending'}.`,
    summary: (pupils: number, lessons: number, files: number): string =>
      `${plural(pupils, { one: '# pupil', other: '# pupils' })}, ${plural(lessons, { one: '# lesson', other: '# lessons' })}, ${plural(files, { one: '# file', other: '# files' })} checked.`,
    faults: (files: number): string =>
      files === 0
        ? 'No file was altered.'
        : `${plural(files, { one: '# file was', other: '# files were' })} altered or not read.`,
    notHandedIn: (lessons: string): string => `No pupil handed in lesson ${lessons}.`,
    states: {
      solved: 'solved',
      not_yet: (done: number, all: number): string => `${number(done)} of ${number(all)} tasks`,
      missing: 'missing',
      copied: 'a run that another pupil handed in, too',
    },
    legend:
      'An export names no author: where two pupils have the same run, both are marked. Falsified copies that a lesson asks for are evidence, and no fault.',
    sharedWith: (pupil: string, runs: number, of: number): string =>
      `Same runs as ${pupil}: ${number(runs)} of ${number(of)}`,
    alteredFiles: (files: string): string => `Altered or not read: ${files}`,
    more: (count: number): string => `and ${number(count)} more`,
    details: (pupil: string): string => `Files of ${pupil}`,
    notShown: (lesson: number, tasks: string): string => `Lesson ${lesson}: task ${tasks} not shown`,
    evidence: 'Falsified copy, as a lesson asks.',
    notRead: (why: string): string => `Not read: ${why}.`,
    noneFound: (files: number): string =>
      `None of the ${plural(files, { one: '# file', other: '# files' })} can be evidence: no name ends with .zip, .jsonl or .html.`,
    tooMany: (files: number, max: number): string =>
      `There are ${number(files)} files; at most ${number(max)} are checked at a time. Choose a smaller folder.`,
    tooLarge: (name: string, mebibytes: number): string =>
      `${name} is larger than ${number(mebibytes)} MiB. Evidence never is: leave it out.`,
  },

  /** The learner's side of a lesson. */
  bench: {
    gates: 'Gates',
    guessFirst: 'Guess first. Then it is your turn.',
    grant: 'Grant',
    sourceOf: (capability: string): string => `Source of ${capability}`,
    source: 'Source',
    faultAt: (line: number, column: number): string => `Line ${line}, column ${column}. `,
    load: 'Load it into a new run',
    paper: 'The paper',
    change: 'Change the paper',
    changed: (to: Piece): TemplateResult => html`Changed: the mill is paid “${to}” now.`,
    willChange: (from: Piece, to: Piece): TemplateResult => html`“${from}” becomes “${to}”.`,
    question: 'What do you ask of the small model?',
    askFor: 'Ask for',
    ask: 'Ask it',
    hold: 'Hold it to the form',
    youSend: 'You are the model. What do you send?',
    itSays: 'What it says. Send it.',
    beginWith: 'Begin with',
    send: 'Send',
    personAsked: 'A person is asked.',
    throughGates: 'Through the gates…',
    yourGates: 'Gates of your proposal',
    told: 'The model is told',
    reply: 'Reply to the model',
    earlier: 'Before that',
    making: 'Making a run to audit…',
    noted: (head: string): TemplateResult => html`The head you noted: <span class="mono">${head}…</span>`,
    putBack: 'Put the head back',
    passed: 'Through every gate',
    /** Without a step, the run itself was stopped. */
    stopped: (step: string | undefined, code: string): TemplateResult =>
      html`Stopped at ${step ?? 'the end'}: <span class="mono">${code}</span>`,
    realThing: {
      title: 'On the real thing',
      go: (): TemplateResult => html`Go to the Run panel, and press <strong>Step</strong> twice.`,
      reload: 'Go offline if you like, and reload this page, or close the tab and open it again.',
      run: (): TemplateResult => html`Let the run go on with <strong>Run</strong>, and answer the question it raises.`,
      back: 'Come back here: a second run waits to be played again.',
      toRun: 'To the Run panel',
      look: 'Look at the runs on this device',
    },
  },
};

export type LearnTexts = typeof en;
export const learn: Area<LearnTexts> = area('learn', en);

/** The answers to choose from before the experiment of a lesson. */
type Answers = readonly [string, string, string];

/** The words of a lesson. Starters, choices and tasks have the names that the lesson gives them. */
export interface LessonTexts {
  readonly title: string;
  readonly goal: string;
  readonly predict: { readonly question: string; readonly answers: Answers; readonly because: string };
  readonly starters: { readonly [name: string]: string };
  readonly choices?: { readonly [name: string]: string };
  readonly tasks: { readonly [name: string]: { readonly say: string; readonly hint: string } };
  readonly why: string;
}

/** The words of the lessons, in the order of the course. */
const course = {
  onlyText: {
    title: 'A proposal is only text',
    goal: 'You are the model. Get a sum worked out. The gate reads only JSON.',
    predict: {
      question: 'A model writes “Please add 2 and 3.” What happens?',
      answers: [
        'The gate works it out from the sentence.',
        'It stops at the first gate, and is recorded.',
        'Nothing at all.',
      ] as Answers,
      because: 'Prose is not a proposal, so no gate after the first one sees it. It leaves a receipt all the same.',
    },
    starters: { sentence: 'A sentence', proposal: 'A proposal' },
    tasks: {
      sentence: {
        say: 'Say it in a sentence, and be stopped at parse.',
        hint: 'Write what you would tell a person.',
      },
      proposal: {
        say: 'Propose it, and get a result through every gate.',
        hint: 'One JSON object: next_step with tool, arguments and goal.',
      },
    },
    why: 'A model’s text is only a suggestion. An action runs only after the gate has accepted, permitted and recorded it.',
  },

  sixGates: {
    title: 'Six gates',
    goal: 'Be stopped on purpose, once at each gate before the verdict. Start from a good proposal and break one thing.',
    predict: {
      question: 'A proposal names the same key twice, and also a capability that does not exist. Which gate stops it?',
      answers: ['capability', 'parse', 'Both of them'] as Answers,
      because:
        'A proposal passes the gates in order, and the first gate that fails refuses it. Later gates do not check it.',
    },
    starters: { good: 'A good proposal' },
    tasks: {
      syntax: { say: 'parse: not JSON', hint: 'Leave out the last brace.' },
      twice: { say: 'parse: the same key twice', hint: 'Name "tool" twice.' },
      both: { say: 'structure: two answers at once', hint: 'Add "done" and "message" beside next_step.' },
      stray: { say: 'form: an unknown member', hint: 'Put "approved": true into next_step.' },
      unknown: { say: 'capability: a name that is nearly right', hint: 'Names are exact, capital letters included.' },
      type: { say: 'arguments: the wrong type', hint: 'Give a number where a text is wanted.' },
    },
    why: 'Every proposal meets the same six checks in the same order, so two readers cannot understand it differently.',
  },

  errorsAreAnswers: {
    title: 'Errors are answers',
    goal: 'Send a proposal that is refused. Read the reply to the model. Correct the fault and propose again.',
    predict: {
      question: 'The amount is sent as the text "250". What does the gate do?',
      answers: [
        'It makes a number of it.',
        'It refuses, and says where.',
        'It asks the model again by itself.',
      ] as Answers,
      because: 'The gate converts and retries nothing. The reply names the place, and the model proposes again.',
    },
    starters: { wrong: 'The amount as text' },
    tasks: {
      refused: { say: 'Be refused at the arguments.', hint: 'Send the amount in quotes.' },
      corrected: {
        say: 'Correct it yourself: the refusal first, the result after it, each in its own receipt.',
        hint: 'The pointer in the reply says which member.',
      },
    },
    why: 'If the gate repaired a proposal, the ledger would hold a proposal that the model did not make. Telling the model the exact fault costs another turn, and the ledger shows both proposals.',
  },

  validIsNotAllowed: {
    title: 'Valid is not allowed',
    goal: 'Propose a valid call without a grant. Then choose the narrowest grant that still allows you to keep the shopping list.',
    predict: {
      question: 'notes.put exists, is enabled, and its arguments are right. There is no grant. What happens?',
      answers: ['It runs: it is valid.', 'It is denied at authorize.', 'A person is asked.'] as Answers,
      because: 'Without a grant a call is denied. A person is asked only if a grant says so.',
    },
    choices: {
      none: 'No grant',
      any: 'Any note, as often as it likes',
      narrow: 'Only the note called shopping',
    },
    starters: { shopping: 'Keep the shopping list', other: 'Keep something else' },
    tasks: {
      denied: { say: 'Without a grant: denied, though valid.', hint: 'Send the shopping list as it is.' },
      narrow: {
        say: 'With the narrowest grant: the shopping list is kept, and another note is denied in the same run.',
        hint: 'Try both notes under each grant.',
      },
    },
    why: 'A valid call still needs a grant. A grant names a definition by its hash, and can restrict the arguments.',
  },

  askAPerson: {
    title: 'Ask a person',
    goal: 'The grant says to ask you. Approve one call. Deny another, and give a reason.',
    predict: {
      question: 'You approve one call. The model makes the same call again. What then?',
      answers: ['You are asked again.', 'It runs: you have said yes already.', 'It is denied.'] as Answers,
      because:
        'Your yes covers one call: this capability, these arguments, this step. For more than one call you choose a wider yes on the card.',
    },
    starters: { note: 'Keep the shopping list', other: 'Raise the wages' },
    tasks: {
      approved: {
        say: 'Approve a call. The ledger then holds the question, your yes and the receipt.',
        hint: 'The card shows the exact arguments that will run.',
      },
      denied: {
        say: 'Deny a call and give a reason. The model is told the reason.',
        hint: 'Press Reason…, type it, then Deny.',
      },
    },
    why: 'A person’s no, a policy’s no and an expired grant have different codes. The ledger records which it was, and the question.',
  },

  breakOut: {
    title: 'Break out',
    goal: 'Twelve attacks are registered, enabled and granted, so they run. Guess what ends each attack, then see it, and see what it leaves behind.',
    predict: {
      question: 'A guest hangs in native code, where no fuel is counted. What stops it?',
      answers: [
        'Nothing: the page freezes.',
        'Its fuel runs out.',
        'A watchdog ends its worker, and a spare goes on.',
      ] as Answers,
      because:
        'Fuel counts the operations of the guest’s own code. Native code has a deadline, and a watchdog ends the worker that passes it.',
    },
    honest: 'An honest call',
    /** What each attack shows; the hint is its title. */
    says: {
      loop: 'Run out of fuel.',
      native: 'Hang in native code: the worker is killed.',
      memory: 'Run out of memory.',
      stack: 'Run out of stack.',
      promises: 'Hit a limit other than fuel: promise jobs.',
      output: 'Return more bytes than an answer may have.',
      console: 'Write more to the console than it may hold.',
      globals: 'Look for a way out. The attack runs to its end and finds none.',
      pollute: 'Change every prototype, then make an honest call: its heap is as new.',
    },
    thenHonest: (attack: string): string => `${attack}, then an honest call`,
    why: 'Every call starts from the same memory, byte for byte. The host enforces the limits from outside, so code in the sandbox cannot talk its way out.',
  },

  writeACapability: {
    title: 'Write a capability',
    goal: 'The schemas of loaf.price are right; its code is not. Loaves cost 340 pence, and one in twelve is free. Make it so.',
    predict: {
      question: 'The code returns the text "1020" where its schema says integer. What does the model see?',
      answers: ['"1020"', '1020', 'An error: the result is thrown away.'] as Answers,
      because:
        'Results are checked like arguments. A result that does not match its schema is discarded and never shown to the model.',
    },
    starters: { three: '3 loaves', twelve: '12 loaves', many: '500 loaves', none: 'no loaves' },
    tasks: {
      refused: {
        say: 'See the result refused by its schema.',
        hint: 'Ask for three loaves before you change anything.',
      },
      right: {
        say: 'Correct the code until it prices 3, 12 and 500 loaves right.',
        hint: 'Of 12 loaves you pay 11; of 500, you pay 459.',
      },
      none: {
        say: 'No loaves at all: refused before your code is even started.',
        hint: 'minimum is 1.',
      },
    },
    why: 'The schemas check each call before and after your code, so your code has less to check. Changed code is another capability, with another hash.',
  },

  smallWindows: {
    title: 'Small windows',
    goal: 'Find out how the mill is paid, within 1,000 bytes. A symbol names a place in a paper. A window of it has a beginning and an end, and both are recorded.',
    predict: {
      question: 'The model asks for ALL of a file. What does it get?',
      answers: ['The file.', 'The beginning of the file.', 'A refusal, and the kinds of window there are.'] as Answers,
      because: 'ALL has no end, so it is not a window. Silently returning a part of the file would mislead the model.',
    },
    starters: {
      everything: 'Everything',
      much: 'Forty lines',
      window: 'Seven lines',
      write: 'A line more',
    },
    tasks: {
      everything: { say: 'Ask for everything, and be refused.', hint: 'slice: ALL' },
      much: {
        say: 'Ask for more than 1,000 bytes, and be refused before any byte is read.',
        hint: 'head(40) of @BAKERY/SUPPLIERS',
      },
      window: {
        say: 'Read the seven lines. The receipt names the text by its hash, and the run now has the labels private and untrusted.',
        hint: 'head(7) of @BAKERY/PAYING',
      },
      write: {
        say: 'Write a line into the section. The card shows the change and asks you: approve it.',
        hint: 'The message names the hash of the text it replaces. If the text has changed since, nothing is written.',
      },
      gone: {
        say: 'Change the paper, then ask for the same window: the symbol’s section is gone, and no other takes its place.',
        hint: 'Change it below, then send the seven lines again.',
      },
    },
    why: 'A small window costs less, leaks less and can be quoted exactly: its hash names the exact text. The run records the labels of the text it read. The next lesson shows why.',
  },

  poisonedNote: {
    title: 'The poisoned note',
    goal: 'A delivery slip gives orders to “the assistant”, and says it is authorised. Read it, and do as it says.',
    predict: {
      question:
        'notes.put is granted without asking. The model has just read the slip. It calls notes.put. What happens?',
      answers: ['It runs: it is granted.', 'A person is asked all the same.', 'The run is ended.'] as Answers,
      because:
        'After the model has read a stranger’s text, each write needs a person’s approval, even where a grant allows it.',
    },
    starters: {
      read: 'Read the slip',
      pay: 'Enter the payment',
      send: 'Send the invoices',
      note: 'Keep a note',
    },
    tasks: {
      read: { say: 'Read the slip. Reading is harmless.', hint: 'head(18)' },
      pay: {
        say: 'Enter the payment, as it says: denied.',
        hint: 'The slip says you are authorised. Are you?',
      },
      send: { say: 'Send the invoices away, as the slip says: no capability can do it.', hint: 'net.fetch' },
      note: {
        say: 'After reading, call the granted capability. You are asked: deny it.',
        hint: 'Keep a note, then deny.',
      },
    },
    why: 'Text gives no permission. Permission comes from grants, and they were made before the model read the slip.',
  },

  flipOneByte: {
    title: 'Flip one byte',
    goal: 'A run of yours is open in the audit. Falsify a copy of it, and see which check finds it.',
    predict: {
      question: 'You change one digit in record 5. Which records can still be relied on?',
      answers: ['All but record 5.', 'Those before record 5.', 'None.'] as Answers,
      because:
        'Each record holds the hash of the one before it. From the first broken record on, nothing is proven; what comes before still is.',
    },
    starters: {},
    tasks: {
      flip: {
        say: 'Flip a byte: the check of hashes fails.',
        hint: 'Choose a record in the chain first.',
      },
      remove: { say: 'Delete a record: the check of links fails.', hint: 'Undo, then delete.' },
      cut: {
        say: 'Cut off the end, cleanly: only the head that you noted elsewhere shows it.',
        hint: 'Undo, then cut.',
      },
    },
    why: 'A chain cannot stop edits. It shows where they are.',
  },

  whatAChainCannotProve: {
    title: 'What a chain cannot prove',
    goal: 'Rewrite a whole run: another model’s name, and every hash made anew. Then find the check that notices it.',
    predict: {
      question: 'Every record is rewritten, and every hash with it. Which check can notice?',
      answers: ['Hashes', 'Links', 'Only one that knows the head from elsewhere'] as Answers,
      because:
        'The checks inside a file prove only that its parts fit together. To know that it is the run you saw, compare it with a head noted outside the file.',
    },
    starters: {},
    tasks: {
      rewrite: {
        say: 'Rewrite the chain and take away the head you noted: hashes and links find nothing wrong.',
        hint: 'Clear “Head you noted elsewhere”.',
      },
      restore: {
        say: 'Put the head back: it is not the run you expected.',
        hint: '“Put the head back” is above the checks.',
      },
    },
    why: 'Note the head outside the file: on paper, in a message, or with a person you do not work with. It has 32 bytes.',
  },

  pullThePlug: {
    title: 'Pull the plug, play it again',
    goal: 'Reload the page in the middle of a run, and finish the run. Then run a recorded run of dice again, and see when the result differs.',
    predict: {
      question: 'The page goes away between two steps. What happens to the run?',
      answers: [
        'It starts from the beginning.',
        'It is lost.',
        'It goes on where it stood, and says that it was interrupted.',
      ] as Answers,
      because: 'A step counts once its receipt is on the disk. Resuming adds a record of its own.',
    },
    starters: {},
    tasks: {
      resume: {
        say: 'Finish a run that you interrupted by reloading the page.',
        hint: 'Run: Step, Step; reload this page; Run; answer the question.',
      },
      replay: {
        say: 'Another run of yours rolled dice twice. Run it again: the same numbers come up, because the ledger stored them.',
        hint: '“Run it again” is below the checks.',
      },
      cost: {
        say: 'In a copy, lower the recorded cost of a roll, with every hash made anew. Run the copy again: the cost differs.',
        hint: 'Change a cost, then “Run it again”.',
      },
    },
    why: 'A call is recorded before it runs, and a recorded call never runs twice, so an interrupted run loses nothing. Random numbers are recorded too, so every reader of the ledger can run it again and compare.',
  },

  formIsNotMeaning: {
    title: 'The right form is not the right meaning',
    goal: 'A small model proposes, in this page. It has learnt that calc.eval takes an “expression”. Here calc.eval has a new version, which takes a “formula”. Give it a sum with the constraint and without.',
    predict: {
      question:
        'A decoder holds the model to the schema of this run, so that it can only write “formula”. What becomes of its sum?',
      answers: [
        'It is refused: the model does not know this tool.',
        'It is right: the schema tells the model what to do.',
        'It has the right form. Whether its value is right, no gate can know.',
      ] as Answers,
      because:
        'The constraint makes the form. The value in it comes from the model, which has never met this tool: read what the receipt says.',
    },
    starters: { sum: 'A sum', pounds: 'Pounds' },
    tasks: {
      free: {
        say: 'Not held to the form: the model names the argument as it has learnt to, and is refused at arguments.',
        hint: 'Switch the form off, ask for the sum, and send what the model says.',
      },
      held: {
        say: 'Held to the form: a call of calc.eval passes the first six gates. Look at what it asks for.',
        hint: 'Switch the form on, and ask for the same sum.',
      },
      known: {
        say: 'A tool that the model knows: form and meaning are right.',
        hint: 'Ask for pounds, with the form or without.',
      },
    },
    why: 'A constraint saves refusals, and costs no safety: the gates judge each proposal as if there were none. It cannot give a model the meaning of a tool. So trust the receipt, and not the words of the model.',
  },

  neverRead: {
    title: 'Never read, never obeyed',
    goal: 'A mail gives orders to “the assistant”. First the model reads it, and you are asked. Then the mail is held: the model gets a handle, and can file a mail that it has never read.',
    predict: {
      question: 'The mails are held. The model files one by its handle, at a place that accepts it. Who is asked?',
      answers: [
        'You: the mail is from a stranger.',
        'You: the model has read the mail.',
        'Nobody: the model has read no order that it could obey.',
      ] as Answers,
      because:
        'The model chose what to do before it could read a word of the mail. The value goes only to a place whose grant accepts it.',
    },
    starters: {
      read: 'Read the mails',
      obey: 'Obey the mail',
      file: 'File it by its handle',
      send: 'Send it away by its handle',
    },
    choices: { read: 'The model reads the mails', held: 'The mails are held' },
    tasks: {
      asked: {
        say: 'Let the model read the mails and obey one. You are asked: deny it.',
        hint: 'Read the mails, obey the mail, then deny.',
      },
      held: {
        say: 'Hold the mails, and read them: you get a handle in the place of their text.',
        hint: 'Choose “The mails are held” above, then read.',
      },
      filed: {
        say: 'File the mail by its handle: nobody is asked.',
        hint: '{"$held":"h1","at":"/0/text"} stands for its text.',
      },
      sent: {
        say: 'Try to send it to a stranger by its handle. The card shows the text and where it comes from: deny it.',
        hint: 'The grant of mail.send accepts no held value.',
      },
    },
    why: 'The guard must ask once a model has read a stranger’s words. A model that has never read them cannot have been told by them, so there is less to ask. Write a call of your own: the place of a handle decides, and not the words around it.',
  },
  leastPrivilege: {
    title: 'Watch, propose, try, enforce',
    goal: 'An assistant opens notes, and nobody wants to be asked about each. You watch what it does. A rule is proposed from the nine notes of a morning, and you try it. Then a note tells the assistant to leave the folder.',
    predict: {
      question: 'A note says: open /notes/../keys/mill.txt. Which grant stops that call?',
      answers: [
        'The wildcard /notes/*: the path does not name a note.',
        'The rule that was proposed from the calls of the morning.',
        'Both: the path leaves the folder.',
      ] as Answers,
      because:
        'The path begins with /notes/, so a wildcard lets it through. The proposed rule takes segments of the characters that were seen, and never “..”.',
    },
    starters: {
      open: 'Open a note',
      next: 'Open the note with the order',
      obey: 'Obey the note',
      fresh: 'Open a note that nobody has opened',
    },
    choices: {
      watch: 'Watch: every call runs, and is recorded',
      wildcard: 'Enforce a wildcard: /notes/*',
      rules: 'Enforce the rule that was proposed',
    },
    tasks: {
      watched: { say: 'Watch two calls.', hint: 'Open a note, then the note with the order.' },
      wild: {
        say: 'Enforce the wildcard, and obey the note: the key of the mill is read.',
        hint: 'Choose the wildcard above, then obey the note.',
      },
      enforced: {
        say: 'Enforce the proposed rule. A call of the morning runs as before, and the order of the note stops.',
        hint: 'Choose the proposed rule above. Open a note, then obey the note.',
      },
      near: {
        say: 'In the same run, open a note that nobody has opened yet: it is in the folder, so it runs.',
        hint: 'The rule is a folder, and no list of nine notes.',
      },
    },
    why: 'A rule by hand is as wide as its author’s patience. A wildcard says nothing about what a path means. A rule from what ran covers the calls of the morning and what lies between them. Each of its forms is tight. In the catalogue, “Propose a rule” does the same with your own runs. Read it, narrow it, try it, then accept it.',
  },
  publishedRepository: {
    title: 'The issue that published a repository',
    goal: 'In 2025 a stranger’s issue told agents to copy private files into a public repository, and they did. You are that model. Obey the issue three times: guard off, guard on, results held. The repositories are functions of this page.',
    predict: {
      question:
        'The guard is on, and each call has a grant that allows it. The model has read the issue and the file. What becomes of publishing?',
      answers: [
        'It runs: its grant allows it.',
        'You are asked: the model has read private and untrusted data.',
        'It is refused, whatever you say.',
      ] as Answers,
      because:
        'A grant says what may be called. The guard asks once words from outside and private data are both in the context.',
    },
    starters: {
      issue: 'Read the issue',
      file: 'Read the private file',
      publish: 'Publish what was read',
      handle: 'Publish it by its handle',
    },
    choices: { off: 'Guard off', on: 'Guard on', held: 'Guard on, results held' },
    tasks: {
      published: {
        say: 'With the guard off, read the issue, then the file, and publish it. Nobody is asked.',
        hint: 'Three buttons, in this order.',
      },
      stopped: {
        say: 'Do the same with the guard on. You are asked: deny it.',
        hint: 'Choose “Guard on” above, then the same three buttons.',
      },
      held: {
        say: 'Hold the results. You read neither the issue nor the file. Try to publish the file by its handle, and deny it.',
        hint: 'Choose “results held” above. {"$held":"h2","at":"/text"} stands for the file.',
      },
    },
    why: 'The repository, the issue and the tools were in order. Three things together did the harm: private data, words of a stranger, and a way out. Break out plays seven more incidents in these three ways.',
  },
};

export type LessonsTexts = typeof course;
export const lessons: Area<LessonsTexts> = area('lessons', course);
