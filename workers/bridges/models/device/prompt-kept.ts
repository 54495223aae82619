import type { ModelMessage } from '../../../api.ts';
import type { HeardSession } from './prompt-session.ts';
import type { PromptMessage } from './prompt-types.ts';

/** A request as sessions hear it: a session begins with the instructions. */
export interface PromptConversation {
  readonly instructions: string;
  readonly said: readonly PromptMessage[];
  /** The newest task, which stays where the window is too small for all. */
  readonly task: PromptMessage | undefined;
}

export function conversationOf(messages: readonly ModelMessage[]): PromptConversation {
  const ofSystem = messages.filter(({ role }) => role === 'system');
  const others = messages.filter(({ role }) => role !== 'system');
  const said = others.map(({ role, content }): PromptMessage => ({ role: role as PromptMessage['role'], content }));
  const task = said[others.findLastIndex(({ kind }) => kind === 'task')];
  return { instructions: ofSystem.map(({ content }) => content).join('\n\n'), said, task };
}

/** Sessions that are kept: two runs may share the model. */
const KEPT_MAX = 2;

/** Sessions of earlier requests, the newest first. */
export class KeptSessions {
  #kept: readonly HeardSession[] = [];

  /** The session that has heard the longest beginning of this request. The caller owns it from then on. */
  take(conversation: PromptConversation): HeardSession | undefined {
    const begun = this.#kept.filter((each) => hasHeardBeginning(each, conversation));
    const longest = begun.toSorted((one, two) => two.heard.length - one.heard.length)[0];
    this.#kept = this.#kept.filter((each) => each !== longest);
    return longest;
  }

  keep(session: HeardSession): void {
    const all = [session, ...this.#kept];
    this.#kept = all.slice(0, KEPT_MAX);
    for (const each of all.slice(KEPT_MAX)) each.session.destroy();
  }

  close(): void {
    for (const { session } of this.#kept) session.destroy();
    this.#kept = [];
  }
}

function hasHeardBeginning(session: HeardSession, { instructions, said }: PromptConversation): boolean {
  const { heard } = session;
  const isSame = ({ role, content }: PromptMessage, at: number): boolean =>
    said[at]?.role === role && said[at].content === content;
  return session.instructions === instructions && heard.length < said.length && heard.every(isSame);
}
