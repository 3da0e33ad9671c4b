import { UpstreamUnavailableError } from '../../src/errors.ts'
import type { ExchangePool } from '../../src/market/coingecko-client.ts'

/** The smallest pool that reaches a test server: one try, no policies. */
export const createPlainPool = (base: string): ExchangePool => ({
  async exchange(request, options = {}) {
    const response = await fetch(base + request.path, {
      method: request.method,
      headers: request.headers ?? {},
      signal: options.signal ?? null,
    }).catch((error: unknown) => {
      throw new UpstreamUnavailableError('no connection', error)
    })
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
      host: new URL(base).host,
    }
  },
})
