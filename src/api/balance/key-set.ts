import { readFile } from 'node:fs/promises'
import {
  createLocalJWKSet,
  errors,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import { messageOf } from '../../errors.ts'
import { fetchReason } from '../../lib/http/network-reason.ts'
import { readBounded } from '../../lib/http/read-bounded.ts'
import { splitCredentials } from '../../lib/http/url-credentials.ts'
import { steadyNow } from '../../lib/steady-clock.ts'

/** Public keys that are read from a source where they rotate. */
export interface KeySet {
  /** @throws the error of the read, while there are no keys */
  readonly find: JWTVerifyGetKey
  /** Reads the keys again unless that was tried recently; resolves to whether the keys are new. */
  renew(): Promise<boolean>
}

/** Milliseconds. */
export interface KeyTimes {
  /** The keys are read again at most once in this time, so that forged tokens cannot trigger reads at will. */
  cooldown: number
  /** Keys of this age are read again, so that a removed key does not stay valid forever. */
  refresh: number
  /** Keys of this age are no longer trusted if they cannot be read again. */
  keep: number
  /** While there are no keys, every token fails, and they are read again at most once in this time. */
  pause: number
}

const COOLDOWN_MS = 30_000
/** Times of a file: an operator put it there, so its last content stays valid. */
const FILE_TIMES: KeyTimes = { cooldown: COOLDOWN_MS, refresh: COOLDOWN_MS, keep: Number.POSITIVE_INFINITY, pause: 0 }
/** Google's documentation allows keeping its keys for six hours; a day bridges an outage of its server. */
const URL_TIMES: KeyTimes = { cooldown: COOLDOWN_MS, refresh: 6 * 3_600_000, keep: 24 * 3_600_000, pause: 1_000 }
const FETCH_MS = 5_000
/** A set of keys is a few kilobytes. */
const MAX_BYTES = 1_048_576

const isUrl = (jwks: string): boolean => /^https?:\/\//.test(jwks)

/** Why a file of keys cannot be used now; undefined = it can, or it is a URL, which is only fetched when needed. */
export async function keyFileTrouble(jwks: string): Promise<string | undefined> {
  if (isUrl(jwks)) return undefined
  try {
    await usableOf(JSON.parse(await readFile(jwks, 'utf8')))
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** @param jwks http or https URL, or path of a file */
export function openKeySet(jwks: string): KeySet {
  return isUrl(jwks)
    ? createKeySet(() => fetchKeys(jwks), URL_TIMES)
    : createKeySet(() => readFile(jwks, 'utf8'), FILE_TIMES)
}

/**
 * Verifies a token with the keys of a set. If no key fits, the keys may have rotated: they are read again and the token
 * is tried once more. A token that names no key may be signed by any of them.
 * @throws errors of `jose` for the token's own faults; errors of reading the keys
 */
export async function verifyBy(keys: KeySet, token: string, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return await verifyByAny(keys, token, options)
  } catch (error) {
    const mayBeOld = error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed
    if (!mayBeOld || !(await keys.renew())) throw error
    return verifyByAny(keys, token, options)
  }
}

async function verifyByAny(keys: KeySet, token: string, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys.find, options)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, options)).payload
      } catch (wrong) {
        if (!(wrong instanceof errors.JWSSignatureVerificationFailed)) throw wrong
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/** @param read resolves to the set as JSON text; never called concurrently */
function createKeySet(read: () => Promise<string>, { cooldown, refresh, keep, pause }: KeyTimes): KeySet {
  let keys: { find: JWTVerifyGetKey; readAt: number } | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  let failed: { error: unknown; at: number } | undefined
  const load = (): Promise<void> => {
    if (reading) return reading
    triedAt = steadyNow()
    const readAt = triedAt
    reading = read()
      .then(async (text) => {
        keys = { find: createLocalJWKSet(await usableOf(JSON.parse(text))), readAt }
        failed = undefined
      })
      .catch((error: unknown) => {
        failed = { error, at: steadyNow() }
        throw error
      })
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  const mayTry = (): boolean => reading !== undefined || steadyNow() - triedAt >= cooldown
  return {
    async find(header, token) {
      const age = keys === undefined ? Number.POSITIVE_INFINITY : steadyNow() - keys.readAt
      if (keys === undefined || age >= keep) {
        if (!reading && failed && steadyNow() - failed.at < pause) throw failed.error
        await load()
      } else if (age >= refresh && mayTry()) {
        // While there are keys, nobody waits for a slow server.
        const loaded = load().catch(() => undefined)
        if (keep === Number.POSITIVE_INFINITY) await loaded
      }
      if (keys === undefined) throw new errors.JWKSInvalid('no keys')
      return keys.find(header, token)
    },
    async renew() {
      if (!mayTry()) return false
      return load().then(
        () => true,
        () => false,
      )
    },
  }
}

/** Verifiers refuse smaller RSA keys (RFC 7518). */
const LEAST_RSA_BITS = 2_048

/**
 * The set without keys that cannot verify anything, such as short or damaged ones: otherwise a token that names one of
 * them, or no key, would count as a problem of the server.
 * @throws JWKSInvalid when it is not a set of keys
 */
async function usableOf(set: JSONWebKeySet): Promise<JSONWebKeySet> {
  createLocalJWKSet(set)
  const usable = await Promise.all(set.keys.map(isUsable))
  return { ...set, keys: set.keys.filter((_, index) => usable[index]) }
}

async function isUsable(key: JWK): Promise<boolean> {
  const imported = await importJWK(key, key.alg ?? (key.kty === 'EC' ? 'ES256' : 'RS256')).catch(() => undefined)
  if (imported === undefined || imported instanceof Uint8Array) return false
  const { modulusLength = LEAST_RSA_BITS } = imported.algorithm as { modulusLength?: number }
  return modulusLength >= LEAST_RSA_BITS
}

async function fetchKeys(url: string): Promise<string> {
  const place = splitCredentials(url)
  const headers = { accept: 'application/json, application/jwk-set+json', ...place.headers }
  const response = await fetch(place.url, {
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(FETCH_MS),
  }).catch((error: unknown) => {
    throw new Error(`the keys of tokens cannot be had: ${fetchReason(error)}`)
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`the keys of tokens cannot be had: status ${response.status}`)
  }
  return readBounded(
    response.body,
    MAX_BYTES,
    () => new Error(`the keys of tokens cannot be had: over ${MAX_BYTES} bytes`),
  )
}
