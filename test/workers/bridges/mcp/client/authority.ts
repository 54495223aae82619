import { createHash, randomUUID } from 'node:crypto';
import { serveFetch, type TestServer } from './serve.ts';

/** An authorization server, and the guard of a resource that takes its tokens. */
export interface Authority {
  readonly origin: string;
  /** Passes a request with a valid token on, and tells others where to sign in. */
  guard(request: Request, next: (request: Request) => Promise<Response>): Promise<Response>;
  /** The address that a person who agrees is sent back to. */
  signIn(url: string): Promise<string>;
  /** Makes the access token invalid; its refresh token stays valid. */
  expire(): void;
  /** Makes both tokens invalid. */
  revoke(): void;
  /** Codes whose verifier was right. */
  readonly verified: number;
  /** Every code and token that was given out. */
  keys(): readonly string[];
  close(): Promise<void>;
}

type Handle = (request: Request) => Promise<Response>;

export async function serveAuthority(serve: (handle: Handle) => Promise<TestServer> = serveFetch): Promise<Authority> {
  const codes = new Map<string, string>();
  const keys: string[] = [];
  let access = '';
  let refresh = '';
  let verified = 0;
  const served = await serve(async (request) => answer(request));
  const base = new URL(served.url).origin;

  const key = (kind: string): string => {
    const made = `${kind}-${randomUUID()}`;
    keys.push(made);
    return made;
  };

  const tokens = (): Response => {
    access = key('access');
    refresh = key('refresh');
    return Response.json({ access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 3600 });
  };

  const invalid = (): Response => Response.json({ error: 'invalid_grant' }, { status: 400 });

  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith('/.well-known/oauth-authorization-server'))
      return Response.json({
        issuer: base,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
        registration_endpoint: `${base}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_methods_supported: ['none'],
      });
    if (pathname === '/register')
      return Response.json({ ...((await request.json()) as object), client_id: 'client-1' }, { status: 201 });
    if (pathname !== '/token') return new Response(null, { status: 404 });
    const form = new URLSearchParams(await request.text());
    if (form.get('grant_type') === 'refresh_token') return form.get('refresh_token') === refresh ? tokens() : invalid();
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (codes.get(form.get('code') ?? '') !== challenge) return invalid();
    verified++;
    return tokens();
  };

  return {
    origin: base,
    guard: async (request, next) => {
      const { origin, pathname } = new URL(request.url);
      if (pathname.startsWith('/.well-known/oauth-protected-resource'))
        return Response.json({ resource: `${origin}/mcp`, authorization_servers: [base] });
      if (access !== '' && request.headers.get('authorization') === `Bearer ${access}`) return next(request);
      const where = `${origin}/.well-known/oauth-protected-resource/mcp`;
      return new Response(null, {
        status: 401,
        headers: { 'www-authenticate': `Bearer resource_metadata="${where}"` },
      });
    },
    signIn: async (url) => {
      const asked = new URL(url).searchParams;
      const code = key('code');
      codes.set(code, asked.get('code_challenge') ?? '');
      const back = new URL(asked.get('redirect_uri') ?? '');
      back.search = new URLSearchParams({ code, state: asked.get('state') ?? '' }).toString();
      return back.href;
    },
    expire: () => {
      access = '';
    },
    revoke: () => {
      access = '';
      refresh = 'revoked';
    },
    get verified() {
      return verified;
    },
    keys: () => keys,
    close: () => served.close(),
  };
}
