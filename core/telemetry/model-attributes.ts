import type { Attributes } from './otlp-attributes.ts';

/**
 * Attributes of the model, by the names that its adapter gives; the kind in its id stands for a provider that is not
 * named. Undefined for a session, in which a caller proposes.
 */
export function modelAttributes(told: {
  readonly model?: string;
  readonly caller?: true;
  readonly provider?: string;
  readonly model_name?: string;
}): Attributes | undefined {
  const { model, caller, provider = model?.split(':')[0], model_name: name = model } = told;
  if (caller) return undefined;
  return {
    ...(provider !== undefined && { 'gen_ai.provider.name': provider }),
    ...(name !== undefined && { 'gen_ai.request.model': name }),
    ...serverOf(model),
  };
}

/** Address and port of the server that an adapter's id names, as in `openai-compatible:https://api.example/model`. */
function serverOf(model: string | undefined): Attributes {
  const [, scheme, host, port] = /^[a-z-]+:(https?):\/\/(\[[^\]]+\]|[^/:]+)(?::(\d+))?(?:\/|$)/.exec(model ?? '') ?? [];
  if (host === undefined) return {};
  return { 'server.address': host, 'server.port': Number(port ?? (scheme === 'https' ? 443 : 80)) };
}
