import type { Runtime, Session } from '../../../api.ts';
import type { GatewayConfiguration } from './config-types.ts';

export interface SessionHooks {
  readonly limits: () => GatewayConfiguration['limits'];
  /** Called with each session when it opens. */
  readonly opened: (session: Session) => void;
}

/** Gives the sessions of a runtime the limits of the configuration. */
export function hookSessions(runtime: Runtime, hooks: SessionHooks): void {
  const { openSession } = runtime;
  runtime.openSession = (options = {}) => {
    const session = openSession({ ...options, limits: { ...hooks.limits(), ...options.limits } });
    hooks.opened(session);
    return session;
  };
}
