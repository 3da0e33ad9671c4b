import { createHash, timingSafeEqual } from 'node:crypto'
import { errors, jwtVerify } from 'jose'
import { ConfigError } from '../../errors.ts'
import { openKeySet, verifyBy } from './key-set.ts'

export const APP_CHECK_HEADER = 'x-firebase-appcheck'

export interface AppCheckOptions {
  mode: 'off' | 'static' | 'jwt' | 'firebase'
  tokens: readonly string[]
  secret?: string
  /** https URL or file path. */
  jwks?: string
  issuer?: string
  audience?: string
  projectNumber?: string
  projectId?: string
  appIds: readonly string[]
}

/**
 * Whether the header's value is a valid credential; synchronous where nothing has to be fetched. Rejects when the check
 * could not be made.
 */
export type AppCheck = (header: string | undefined) => boolean | Promise<boolean>

const FIREBASE_JWKS = 'https://firebaseappcheck.googleapis.com/v1/jwks'
const FIREBASE_ISSUER = 'https://firebaseappcheck.googleapis.com/'

/**
 * The `x-firebase-appcheck` credential. An empty value means missing (the extension sends that when it has no token).
 * Firebase rules: RS256, `aud` holds `projects/<number or id>`, `iss` is Google's with the project number, `sub` is an
 * app id, `exp` in the future.
 */
export function createAppCheck(options: AppCheckOptions): AppCheck {
  switch (options.mode) {
    case 'off':
      return () => true
    case 'static':
      return staticTokens(options.tokens)
    case 'jwt':
      return whenPresent(jwt(options))
    case 'firebase':
      return whenPresent(firebase(options))
  }
}

const whenPresent =
  (verify: (token: string) => boolean | Promise<boolean>): AppCheck =>
  (header) =>
    header !== undefined && header !== '' && verify(header)

function staticTokens(tokens: readonly string[]): AppCheck {
  if (tokens.length === 0) throw new ConfigError(['balance.appCheck.tokens: mode static needs at least one token'])
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const accepted = tokens.map(digest)
  // Every token is compared, so that the time taken does not reveal which one was close.
  return whenPresent((token) => {
    const given = digest(token)
    return accepted.reduce((found, one) => timingSafeEqual(one, given) || found, false)
  })
}

function jwt(options: AppCheckOptions): (token: string) => Promise<boolean> {
  const claims = {
    ...(options.issuer === undefined ? {} : { issuer: options.issuer }),
    ...(options.audience === undefined ? {} : { audience: options.audience }),
    requiredClaims: ['exp'],
  }
  if (options.secret !== undefined) {
    const key = new TextEncoder().encode(options.secret)
    return (token) => verified(() => jwtVerify(token, key, { ...claims, algorithms: ['HS256'] }))
  }
  if (options.jwks === undefined) throw new ConfigError(['balance.appCheck: mode jwt needs secret or jwks'])
  const keys = openKeySet(options.jwks)
  return (token) => verified(() => verifyBy(keys, token, { ...claims, algorithms: ['RS256', 'ES256'] }))
}

function firebase(options: AppCheckOptions): (token: string) => Promise<boolean> {
  const { projectNumber, projectId, appIds } = options
  if (projectNumber === undefined && projectId === undefined) {
    throw new ConfigError(['balance.appCheck: mode firebase needs projectNumber or projectId'])
  }
  const keys = openKeySet(options.jwks ?? FIREBASE_JWKS)
  const audience = [projectNumber, projectId].filter((part) => part !== undefined).map((part) => `projects/${part}`)
  return async (token) => {
    let subject: string | undefined
    const valid = await verified(async () => {
      const payload = await verifyBy(keys, token, {
        algorithms: ['RS256'],
        audience,
        requiredClaims: ['exp', 'sub'],
      })
      const issuer = payload.iss ?? ''
      const rightIssuer =
        projectNumber === undefined
          ? issuer.startsWith(FIREBASE_ISSUER)
          : issuer === `${FIREBASE_ISSUER}${projectNumber}`
      if (!rightIssuer) throw new errors.JWTClaimValidationFailed('issuer', payload, 'iss')
      subject = payload.sub
    })
    return valid && subject !== undefined && subject !== '' && (appIds.length === 0 || appIds.includes(subject))
  }
}

/** A fault of the token is `false`; unavailable keys are the server's problem and are thrown. */
async function verified(verify: () => Promise<unknown>): Promise<boolean> {
  try {
    await verify()
    return true
  } catch (error) {
    if (error instanceof errors.JWKSInvalid) throw error
    if (error instanceof errors.JOSEError) return false
    throw error
  }
}
