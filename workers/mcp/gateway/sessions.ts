import { visibleLine } from '../../../core/text/visible.ts';
import type { Called, Runtime, Session, SessionOptions } from '../../api.ts';
import { predecessorOf } from '../server/stale-sessions.ts';
import type { GatewayConfiguration } from './config-types.ts';
import type { GatewayTool } from './tools.ts';

export interface SessionHooks {
  readonly limits: () => GatewayConfiguration['limits'];
  readonly find: (name: string) => GatewayTool | undefined;
  /** Called with each session when it opens. */
  readonly opened: (session: Session) => void;
  /** A page is served, on which a person accepts a changed definition. */
  readonly hasPage: boolean;
}

/** What the sessions of a client have used together. */
interface Spent {
  steps: number;
  /** ms since epoch of the first session. */
  readonly since: number;
}

/**
 * Gives the sessions of a runtime the limits of the configuration, and a reason where a changed definition is refused. A
 * session that follows another of its client has what that session has left of its steps and its time.
 */
export function hookSessions(runtime: Runtime, hooks: SessionHooks): void {
  const { openSession } = runtime;
  const spentBy = new WeakMap<object, Spent>();
  runtime.openSession = (options = {}) => {
    const before = predecessorOf(options);
    const spent = (before && spentBy.get(before.run)) ?? { steps: 0, since: Date.now() };
    const limits = leftOf({ ...hooks.limits(), ...options.limits }, spent);
    const session = openSession({ ...options, limits });
    spentBy.set(session.run, spent);
    hooks.opened(session);
    const call: Session['call'] = async (name, args, how) => {
      spent.steps += 1;
      return explained(await session.call(name, args, how), name, hooks);
    };
    return { ...session, call };
  };
}

/** Throws where nothing is left: another session would be more than the configuration permits. */
function leftOf(
  given: NonNullable<SessionOptions['limits']>,
  { steps, since }: Spent,
): NonNullable<SessionOptions['limits']> {
  const left = {
    ...(given.steps !== undefined && { steps: given.steps - steps }),
    ...(given.wallMs !== undefined && { wallMs: given.wallMs - (Date.now() - since) }),
  };
  const ended = Object.entries(left).find(([, value]) => value <= 0);
  if (ended !== undefined) throw new Error(`The limit ${ended[0]} of the configuration is used up.`);
  return { ...given, ...left };
}

/**
 * A denial whose cause is the changed definition says so. The ledger has the denial by the grant. A model reads this, so
 * it names the page and not its address: whoever has the address can accept.
 */
function explained(called: Called, name: string, { find, hasPage }: SessionHooks): Called {
  if (called.ok || called.refusal.code !== 'grant_denied' || find(name)?.changed === undefined) return called;
  const todo = hasPage
    ? 'A person has to compare the definitions and accept the new one on the page of sallyport mcp.'
    : 'A person has to start sallyport mcp with its page, and accept the change there.';
  const message = `The server changed the definition of ${visibleLine(name)} after it was pinned, so it is not called. ${todo}`;
  return { ...called, refusal: { ...called.refusal, message } };
}
