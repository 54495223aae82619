import { visibleLine } from '../../../core/text/visible.ts';
import type { Called, Runtime, Session } from '../../api.ts';
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

/** Gives the sessions of a runtime the limits of the configuration, and a reason where a changed definition is refused. */
export function hookSessions(runtime: Runtime, hooks: SessionHooks): void {
  const { openSession } = runtime;
  runtime.openSession = (options = {}) => {
    const session = openSession({ ...options, limits: { ...hooks.limits(), ...options.limits } });
    hooks.opened(session);
    const call: Session['call'] = async (name, args, how) =>
      explained(await session.call(name, args, how), name, hooks);
    return { ...session, call };
  };
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
