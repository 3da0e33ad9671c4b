import { LRUCache } from 'lru-cache'
import { mapBounded } from '../../lib/map-bounded.ts'
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

export interface DescribedTokens {
  told: ReadonlyMap<string, TokenMetadata>
  /** Why the others could not be read: silence is not "no name". */
  trouble?: Error
}

export interface TokenMetadataReader {
  /** Reads as many addresses (lower-case hex), in their order, as there is time for; what was read is kept. */
  read(addresses: readonly string[], context: ReadContext): Promise<DescribedTokens>
}

const nameLength = 100
const symbolLength = 32
/** Offset and length words, and enough bytes for any name that is shown. */
const keepBytes = 64 + 256
/** Three calls each: as many as one eth_call carries. */
const tokensAtOnce = 100

export function createTokenMetadataReader(reader: ReadMethod, limits: EvmLimits): TokenMetadataReader {
  const known = new LRUCache<string, TokenMetadata>({ max: limits.metadataEntries, ttl: limits.metadataMs })

  const ask = async (
    addresses: readonly string[],
    context: ReadContext,
  ): Promise<(readonly [string, TokenMetadata])[]> => {
    const calls = addresses.flatMap((to) => [nameData, symbolData, decimalsData].map((data) => ({ to, data })))
    const query = { keepBytes, answerBytes: limits.answerBytes }
    const first = await readCalls(reader, { ...query, calls, gas: limits.metadataGas }, context)
    // A name of 100 kB costs more gas than the common call gives; it is still a name.
    const failed = calls.filter((_, index) => first[index] === undefined)
    const again = await readCalls(reader, { ...query, calls: failed, gas: limits.retryMetadataGas }, context)
    const second = new Map(failed.map((call, index) => [call, again[index]]))
    return addresses.map((address, index) => {
      const [name, symbol, decimals] = [0, 1, 2].map((field) => {
        const position = index * 3 + field
        const call = calls[position]
        return first[position] ?? (call && second.get(call))
      })
      return [address, metadataOf(name, symbol, decimals)] as const
    })
  }

  return {
    read: async (addresses, context) => {
      const told = new Map<string, TokenMetadata>()
      const missing: string[] = []
      for (const address of new Set(addresses)) {
        const found = known.get(address)
        if (found) told.set(address, found)
        else missing.push(address)
      }
      let trouble: Error | undefined
      const readSome = async (some: readonly string[]): Promise<void> => {
        // What is under way comes to its end; nothing more is begun.
        if (trouble) return
        try {
          for (const [address, metadata] of await ask(some, context)) {
            told.set(address, metadata)
            known.set(address, metadata)
          }
        } catch (error) {
          trouble ??= error instanceof Error ? error : new Error(String(error))
        }
      }
      await mapBounded(inChunks(missing, tokensAtOnce), limits.concurrency, readSome)
      return { told, ...(trouble && { trouble }) }
    },
  }
}

function inChunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
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
