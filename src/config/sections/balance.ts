import { Type } from '@sinclair/typebox'
import { choice, count, list, ms, secret, section, source, wait } from './field.ts'

const AppCheckSection = section({
  mode: choice(['off', 'static', 'jwt', 'firebase'], {
    default: 'off',
    description: 'How the x-firebase-appcheck credential is checked.',
  }),
  tokens: list(Type.String({ minLength: 1 }), 'static: accepted tokens.', [], { secret: true }),
  secret: Type.Optional(secret('jwt: HS256 secret.', { minLength: 32 })),
  jwks: Type.Optional(
    source({
      description:
        'jwt, firebase: JWKS as URL or file. The log says at the start when the file cannot be read; requests are 500 until it can.',
    }),
  ),
  issuer: Type.Optional(Type.String({ minLength: 1, description: 'jwt: expected iss.' })),
  audience: Type.Optional(Type.String({ minLength: 1, description: 'jwt: expected aud.' })),
  projectNumber: Type.Optional(
    Type.String({ pattern: '^[0-9]+$', allowed: 'digits', description: 'firebase: project number.' }),
  ),
  projectId: Type.Optional(Type.String({ minLength: 1, description: 'firebase: project id.' })),
  appIds: list(Type.String({ minLength: 1 }), 'firebase: accepted sub values; empty = all.'),
})

export const BalanceSection = section({
  chainDeadlineMs: wait(
    8_000,
    "A chain that has not answered by then becomes an error item. If Firn's own work takes more than half of that time, the excess extends it, up to as much time again.",
  ),
  maxStaleMs: ms(60_000, 'If a chain fails, its last good answer may be served while it is younger than this.'),
  keepAliveMs: wait(15_000, 'Silence on a stream before a comment line is sent.'),
  stalledReaderMs: wait(
    30_000,
    'A client that reads nothing for this long is cut; of an answer that was ready at once, after twice as long at most (up to 64 KiB: http.answerTimeoutMs).',
  ),
  maxStreams: count(2_000, 'Open balance streams; one more is 503 with retry-after.'),
  cacheEntries: Type.Integer({
    minimum: 1,
    // Memory for all of them is allocated at the start.
    maximum: 10_000_000,
    default: 20_000,
    description: 'Account results kept in memory, with ten tokens each on average; fewer if accounts hold more.',
  }),
  xpubGap: Type.Integer({
    minimum: 20,
    maximum: 100,
    default: 50,
    description: 'Unused addresses in a row that end the scan of an extended public key.',
  }),
  appCheck: AppCheckSection,
})
