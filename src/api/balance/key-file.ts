import { readFile } from 'node:fs/promises'
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import { steadyNow } from '../../lib/steady-clock.ts'

/**
 * Keys of a JWKS file. Keys rotate: a token with an unknown key id has the file read again, at most once in
 * `cooldownMs`, so that forged tokens cannot drive our reads. A file that cannot be read is tried again by the next
 * token; keys that were read once stay in force.
 */
export function createKeyFile(path: string, cooldownMs: number): JWTVerifyGetKey {
  let keys: JWTVerifyGetKey | undefined
  let readAt = 0
  const read = async (): Promise<JWTVerifyGetKey> => {
    readAt = steadyNow()
    return createLocalJWKSet(JSON.parse(await readFile(path, 'utf8')))
  }
  return async (header, token) => {
    keys ??= await read()
    try {
      return await keys(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || steadyNow() - readAt < cooldownMs) throw error
      keys = await read().catch(() => keys as JWTVerifyGetKey)
      return keys(header, token)
    }
  }
}
