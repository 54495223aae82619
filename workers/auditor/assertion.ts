import { type PublicKey, signedBytesIn } from '../../core/approval/assertion.ts';

const PARAMETERS: { readonly [A in PublicKey['algorithm']]: { readonly name: string; readonly more: object } } = {
  ES256: { name: 'ECDSA', more: { namedCurve: 'P-256', hash: 'SHA-256' } },
  EdDSA: { name: 'Ed25519', more: {} },
  RS256: { name: 'RSASSA-PKCS1-v1_5', more: { hash: 'SHA-256' } },
};

/** `unsupported`: this platform does not know the algorithm of the key. */
type PasskeySignature = 'right' | 'wrong' | 'unsupported';

/** Whether the assertion has the signature of its key. Never rejects, for any value. */
export async function checkSignature(assertion: unknown): Promise<PasskeySignature> {
  const signed = signedBytesIn(assertion);
  if (signed === undefined) return 'wrong';
  const { algorithm, jwk, bytes, signature } = signed;
  const { name, more } = PARAMETERS[algorithm];
  const way = { name, ...more };
  try {
    const key = await crypto.subtle.importKey('jwk', jwk, way, false, ['verify']);
    const isRight = await crypto.subtle.verify(way, key, new Uint8Array(signature), new Uint8Array(bytes));
    return isRight ? 'right' : 'wrong';
  } catch (error) {
    return error instanceof DOMException && error.name === 'NotSupportedError' ? 'unsupported' : 'wrong';
  }
}
