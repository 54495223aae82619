import type { ModelRequest } from '../../../workers/api.ts';
import type { OpenRuntime } from '../lab/lab.ts';

/** Opens runtimes, and hears what their runs ask their models. */
export function hearRequests(open: OpenRuntime): {
  readonly open: OpenRuntime;
  /** The newest request; waits for the first. */
  request(): Promise<ModelRequest>;
} {
  let newest: ModelRequest | undefined;
  let tell: ((request: ModelRequest) => void)[] = [];
  const hear = (request: ModelRequest): void => {
    newest = request;
    for (const each of tell.splice(0)) each(request);
  };
  return {
    request: () => (newest ? Promise.resolve(newest) : new Promise((resolve) => (tell = [...tell, resolve]))),
    open: async (options) => {
      newest = undefined;
      const runtime = await open(options);
      return {
        ...runtime,
        start: ({ model, ...rest }) =>
          runtime.start({
            ...rest,
            model: { ...model, propose: (request, io) => (hear(request), model.propose(request, io)) },
          }),
      };
    },
  };
}
