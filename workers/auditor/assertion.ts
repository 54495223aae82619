import type { PublicKey, SignedBytes } from '../../core/approval/assertion.ts';

const PARAMETERS: { readonly [A in PublicKey['algorithm']]: { readonly name: string; readonly more: object } } = {
  ES256: { name: 'ECDSA', more: { namedCurve: 'P-256', hash: 'SHA-256' } },
  EdDSA: { name: 'Ed25519', more: {} },
  RS256: { name: 'RSASSA-PKCS1-v1_5', more: { hash: 'SHA-256' } },
};

/** True if the holder of the passkey signed these bytes. Never rejects: a platform without the algorithm says false. */
export async function isSignedWithPasskey({ algorithm, jwk, bytes, signature }: SignedBytes): Promise<boolean> {
  const { name, more } = PARAMETERS[algorithm];
  const way = { name, ...more };
  try {
    const key = await crypto.subtle.importKey('jwk', jwk, way, false, ['verify']);
    return await crypto.subtle.verify(way, key, new Uint8Array(signature), new Uint8Array(bytes));
  } catch {
    return false;
  }
}
