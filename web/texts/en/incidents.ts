import { html, type TemplateResult } from 'lit';
import { type Area, area } from '../area.ts';

const en = {
  group: 'What has happened: incidents as scripts',
  stage:
    'The mailbox, the repository and the places outside are functions of this page, and nothing leaves it. The script does what the attacker wants in each way. The person says no to each question.',
  source: 'Source',
  noSource: 'A kind of incident. No single report is named here.',
  playAll: 'Play it in three ways',
  playAgain: 'Play it again',
  ways: { off: 'Guard off', on: 'Guard on', held: 'Values held' },
  setups: {
    off: 'Each granted call runs.',
    on: 'What the model has read decides which calls need a person.',
    held: 'The model gets handles in the place of results.',
  },
  believes: {
    messages: 'The program takes the yes from the messages of its client.',
    names: 'The program grants the changed tool again, because it knows the name.',
  },
  out: (place: unknown): TemplateResult => html`The secret has reached: ${place}.`,
  kept: 'The secret has reached no place outside.',
  read: 'The model has read the order of the attacker.',
  unread: 'The model has not read the order of the attacker.',
  steps: 'What the receipts say',
  ran: 'ran',
  ranHeld: 'ran, result held',
  stopped: (code: string): string => `stopped: ${code}`,
  arrived: 'What arrived outside',
  nothing: 'nothing',
  verified: 'The ledger verifies.',
  broken: 'The ledger does not verify.',
  face: {
    notPlayed: 'not played',
    underWay: 'under way',
    asExpected: 'played',
    leaked: 'the secret got out although it was guarded',
  },
  /** `what`: what happened, in two sentences of our own. `lesson`: what stops it here. */
  incidents: {
    forgedApproval: {
      title: 'An approval that nobody gave',
      what: 'A server rebuilt approvals from the messages that its client sent. A client invented a call and the person’s yes, and the tool ran.',
      lesson: 'An answer counts only for a question that the ledger holds, for that very call, once.',
    },
    publishedRepository: {
      title: 'An issue that published a private repository',
      what: 'An agent was told to look after the issues of a public repository. A stranger’s issue told it to copy a private one into a public one, and it did.',
      lesson: 'After words of strangers and private data, each call that sends data out needs a person.',
    },
    changedDefinition: {
      title: 'A tool that changed after its approval',
      what: 'A person approved a tool once. Later the tool had the same name and did something else, and nobody was asked again.',
      lesson: 'A grant holds the hash of a definition. A changed tool has no grant.',
    },
    stolenToken: {
      title: 'A token turned against its own gateway',
      what: 'An agent could read the configuration of the gateway that watched it. It took the token from there and called the gateway itself, beside the rules.',
      lesson: 'The token is private data, so the call that carries it needs a person. Better: no tool can read it.',
    },
    poisonedDescription: {
      title: 'A description that gives orders',
      what: 'A tool that adds numbers had a second sentence in its description, for models alone. It told them to read a key and to pass it along.',
      lesson: 'A description can lead a model. The guard judges the call that follows, and not the reason for it.',
    },
    forgedPageCall: {
      title: 'A page that called another page’s tool',
      what: 'A page told a browser’s agent to call a tool of another page. The agent did so with the rights of its user, and gave the result to the first page.',
      lesson: 'Tools of each origin have their own names and grants. What one returned does not reach another unasked.',
    },
    picture: {
      title: 'A picture that carried data away',
      what: 'A mail told an assistant to end its answer with a picture. The chat loaded the picture, and its address carried private words to a stranger.',
      lesson: 'Showing such a text sends data out, so say so in the effect. A handle inside of a text stays a handle.',
    },
    poisonedMemory: {
      title: 'A memory poisoned for the next run',
      what: 'A page told an assistant to remember an order. A later conversation read that memory, obeyed it, and gave private words away.',
      lesson:
        'Writing after words of strangers needs a person. What a run remembers is labelled again when it is read.',
    },
  },
};

export type IncidentTexts = typeof en;
export const incidents: Area<IncidentTexts> = area('incidents', en);
