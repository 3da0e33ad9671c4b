import { LRUCache } from 'lru-cache'
import type { ReadContext } from '../capabilities.ts'
import { decimalsData, nameData, symbolData } from './call-data.ts'
import { readCalls } from './call-list.ts'
import type { EvmLimits } from './limits.ts'
import type { ReadMethod } from './reader-types.ts'
import { decodeDecimals, decodeText } from './token-text.ts'

/** What a token says about itself, cleaned; a member is left out when the token gives no usable answer. */
export interface TokenMetadata {
  name?: string
  symbol?: string
  /** 0 to 255 */
  decimals?: number
}

export interface TokenMetadataReader {
  /** Answers every address (lower-case hex). Throws when the chain could not be asked: silence is not "no name". */
  read(addresses: readonly string[], context: ReadContext): Promise<Map<string, TokenMetadata>>
}

const nameLength = 100
const symbolLength = 32
/** Offset and length words, and enough bytes for any name that is shown. */
const keepBytes = 64 + 256

export function createTokenMetadataReader(reader: ReadMethod, limits: EvmLimits): TokenMetadataReader {
  const known = new LRUCache<string, TokenMetadata>({ max: limits.cacheEntries, ttl: limits.metadataMs })

  const ask = async (addresses: string[], context: ReadContext): Promise<void> => {
    const calls = addresses.flatMap((to) => [nameData, symbolData, decimalsData].map((data) => ({ to, data })))
    const query = { keepBytes, answerBytes: limits.answerBytes }
    const first = await readCalls(reader, { ...query, calls, gas: limits.metadataGas }, context)
    // A name of 100 kB costs more gas than the common call gives; it is still a name.
    const failed = calls.filter((_, index) => first[index] === undefined)
    const again = await readCalls(reader, { ...query, calls: failed, gas: limits.retryMetadataGas }, context)
    const second = new Map(failed.map((call, index) => [call, again[index]]))
    for (const [index, address] of addresses.entries()) {
      const [name, symbol, decimals] = [0, 1, 2].map((field) => {
        const position = index * 3 + field
        const call = calls[position]
        return first[position] ?? (call && second.get(call))
      })
      known.set(address, metadataOf(name, symbol, decimals))
    }
  }

  return {
    read: async (addresses, context) => {
      const missing = [...new Set(addresses)].filter((address) => !known.has(address))
      if (missing.length > 0) await ask(missing, context)
      return new Map(addresses.map((address) => [address, known.get(address) ?? {}]))
    },
  }
}

function metadataOf(name?: Buffer, symbol?: Buffer, decimals?: Buffer): TokenMetadata {
  const texts = { name: decodeText(name, nameLength), symbol: decodeText(symbol, symbolLength) }
  const places = decodeDecimals(decimals)
  return {
    ...(texts.name && { name: texts.name }),
    ...(texts.symbol && { symbol: texts.symbol }),
    ...(places !== undefined && { decimals: places }),
  }
}
