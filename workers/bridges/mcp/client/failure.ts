import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { SallyportError } from '../../../../core/sallyport-error.ts';
import { ToolError } from '../../../../core/tool-error.ts';
import type { Secrets } from '../../models/secrets.ts';
import { shownText } from './notices.ts';

/** The end of a call without a result. The run records its name and its message. */
export class McpFailure extends ToolError {}

/** The error of a server that cannot be used, for the program that opens it. */
export function unavailable(origin: string, error: unknown, secrets: Secrets): SallyportError {
  const reason = shownText(secrets.hide(reasonOf(error)));
  return new SallyportError('mcp_unavailable', `The server ${origin} cannot be used: ${reason}`, { origin, reason });
}

/** The failure of a request, in words that hold no key and no words of the program. */
export function failureOf(error: unknown, secrets: Secrets): McpFailure {
  const reason = error instanceof McpFailure ? error.message : reasonOf(error);
  return new McpFailure(nameOf(error), shownText(secrets.hide(reason)));
}

function nameOf(error: unknown): string {
  if (error instanceof McpFailure) return error.name;
  if (error instanceof ProtocolError) return wireCode(error) ?? 'mcp_error';
  if (!(error instanceof SdkError)) return 'mcp_connection';
  if (error.code === SdkErrorCode.RequestTimeout) return 'mcp_timeout';
  return INVALID.has(error.code) ? 'mcp_invalid' : 'mcp_connection';
}

const INVALID: ReadonlySet<string> = new Set([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.CapabilityNotSupported,
  SdkErrorCode.MethodNotSupportedByProtocolVersion,
]);

/** Code of a message that the wire refused or lost, see `errorResponse`. */
function wireCode({ data }: ProtocolError): string | undefined {
  const { code, by } = Object(data) as { readonly code?: unknown; readonly by?: unknown };
  return by === 'sallyport' && typeof code === 'string' && /^[a-z0-9_]{1,40}$/.test(code) ? code : undefined;
}

function reasonOf(error: unknown): string {
  if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType)
    return 'The server asks for input in the middle of the call, which Sallyport does not give.';
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.message}${cause}`;
}
