import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** An issuer of access tokens on this machine. */
export interface Issuer {
  readonly address: string;
  readonly token: (subject: string) => Promise<string>;
  readonly close: () => void;
}

/** Opens an issuer whose tokens are for one resource. */
export async function openIssuer(audience: string): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' };
  const server = createServer(({ url }, response) => {
    const answers: { readonly [path: string]: object } = {
      '/.well-known/oauth-authorization-server': { issuer: address, jwks_uri: `${address}/keys` },
      '/keys': { keys: [jwk] },
    };
    const found = answers[url ?? ''];
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? {}));
  });
  const address = await listening(server);
  const token = (sub: string) =>
    new SignJWT({ sub, aud: audience, iss: address, exp: Math.floor(Date.now() / 1000) + 300 })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .sign(privateKey);
  return { address, token, close: () => void server.close() };
}

/** The address of a server that listens on this machine. */
export async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
