/** Codes for a bearer token that is not accepted. */
export const TOKEN_CODES = {
  token_missing: {
    class: 'authorization',
    what: (): string => 'The request has no bearer token',
    todo: 'Send Authorization: Bearer TOKEN.',
  },
  token_form: {
    class: 'authorization',
    what: (d: { readonly reason: string }): string => `The token is no signed JSON Web Token: ${d.reason}`,
    todo: 'Get an access token from the issuer that the resource names.',
  },
  token_algorithm: {
    class: 'authorization',
    what: (d: { readonly algorithm: string }): string => `The token is signed by ${d.algorithm}`,
    todo: 'Have the issuer sign by RS256, ES256 or EdDSA.',
  },
  token_issuer: {
    class: 'authorization',
    what: (): string => 'The token is of another issuer',
    todo: 'Get an access token from the issuer that the resource names.',
  },
  token_audience: {
    class: 'authorization',
    what: (): string => 'The token is for another resource',
    todo: 'Ask the issuer for a token whose audience is the address of this resource.',
  },
  token_expired: {
    class: 'authorization',
    what: (): string => 'The token has expired',
    todo: 'Get a new token.',
  },
  token_early: {
    class: 'authorization',
    what: (): string => 'The token does not count yet',
    todo: 'Wait until its nbf, or set the clock right.',
  },
  token_key: {
    class: 'authorization',
    what: (): string => 'The issuer has no key by which the token is signed',
    todo: 'Get a new token.',
  },
  token_signature: {
    class: 'authorization',
    what: (): string => 'The signature of the token is not right',
    todo: 'Get a new token.',
  },
  issuer_unreachable: {
    class: 'authorization',
    what: (d: { readonly reason: string }): string => `The keys of the issuer cannot be read: ${d.reason}`,
    todo: 'Try again later.',
  },
} as const;
