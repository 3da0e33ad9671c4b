import { readFile } from 'node:fs/promises'
import { request } from 'undici'
import { GenesisError } from '../../indexer/primary/index.ts'
import { readBounded } from '../../lib/http/read-bounded.ts'
import { splitCredentials } from '../../lib/http/url-credentials.ts'

/** A genesis file is a few megabytes; anything larger is not one. */
const GENESIS_BYTES = 64 * 1024 * 1024
const GENESIS_MS = 60_000

/**
 * The text of the genesis file, because its amounts are too large for a JSON parser's numbers.
 *
 * @param place path or URL
 * @throws GenesisError
 */
export async function readGenesis(place: string, signal: AbortSignal): Promise<string> {
  try {
    if (!/^https?:\/\//.test(place)) return await readFile(place, { encoding: 'utf8', signal })
    const { url, headers } = splitCredentials(place)
    const response = await request(url, { signal, headers, headersTimeout: GENESIS_MS, bodyTimeout: GENESIS_MS })
    if (response.statusCode !== 200) {
      // Nobody reads it, and its connection would stay open.
      void response.body.dump().catch(() => undefined)
      throw new Error(`answered ${response.statusCode}`)
    }
    return await readBounded(response.body, GENESIS_BYTES, () => new Error('is larger than any genesis'))
  } catch (error) {
    throw new GenesisError('the genesis file could not be read', error)
  }
}
