import { LRUCache } from 'lru-cache'
import { asError } from '../../../errors.ts'
import { inChunks } from '../../../lib/in-chunks.ts'
import { roomFor } from '../../../lib/room-for.ts'
import { mapBounded } from '../../../lib/waiting/map-bounded.ts'
import type { ReadContext } from '../../capabilities.ts'
import type { EvmLimits } from '../limits.ts'
import { DECIMALS_DATA, NAME_DATA, SYMBOL_DATA } from '../read/call-data.ts'
import { type CallResults, readCalls } from '../read/call-list.ts'
import type { ReadMethod } from '../read/reader-types.ts'
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
  /** Why the other tokens could not be read: silence does not mean "no name". */
  trouble?: Error
}

export interface TokenMetadataReader {
  /**
   * Reads addresses (lower-case hex) in order, as many as there is time for; results are kept.
   *
   * @param since height at which all of them exist: what is missing in an answer of an earlier block is not remembered
   */
  read(addresses: readonly string[], context: ReadContext, since: bigint): Promise<DescribedTokens>
}

/** A token's answers; undefined = none with the gas that it was given. `height`: of their earliest block. */
type Fields = Record<keyof TokenMetadata, Buffer | undefined> & Pick<CallResults, 'height'>
const FIELD_DATA = [NAME_DATA, SYMBOL_DATA, DECIMALS_DATA]

const NAME_LENGTH = 100
const SYMBOL_LENGTH = 32
/** Offset and length words, and enough bytes for the longest name that is shown. */
const KEEP_BYTES = 64 + 256
/** Three calls each: as many as one eth_call carries. */
const TOKENS_AT_ONCE = 100

export function createTokenMetadataReader(reader: ReadMethod, limits: EvmLimits): TokenMetadataReader {
  // With `max` the cache would allocate all its entries from the start.
  const room = roomFor(limits.metadataEntries)
  const known = new LRUCache<string, TokenMetadata>({ ...room, ttl: limits.metadataMs })

  const query = { keepBytes: KEEP_BYTES, answerBytes: limits.answerBytes }

  const readFields = async (addresses: readonly string[], context: ReadContext): Promise<[string, Fields][]> => {
    const calls = addresses.flatMap((to) => FIELD_DATA.map((data) => ({ to, data })))
    const { results, height } = await readCalls(reader, { ...query, calls, gas: limits.metadataGas }, context)
    return addresses.map((address, at): [string, Fields] => {
      const [name, symbol, decimals] = results.slice(at * FIELD_DATA.length)
      return [address, { name, symbol, decimals, height }]
    })
  }

  /** A name of 100 kB needs more gas than the common call gives, but is still a name. Useless without decimals. */
  const readAgain = async (address: string, first: Fields, context: ReadContext): Promise<Fields> => {
    const one = async (data: string): Promise<Buffer | undefined> => {
      const calls = [{ to: address, data }]
      return (await readCalls(reader, { ...query, calls, gas: limits.retryMetadataGas }, context)).results[0]
    }
    const decimals = first.decimals ?? (await one(DECIMALS_DATA))
    if (!decimals) return first
    return {
      ...first,
      decimals,
      name: first.name ?? (await one(NAME_DATA)),
      symbol: first.symbol ?? (await one(SYMBOL_DATA)),
    }
  }

  const readMissing = async (
    missing: readonly string[],
    context: ReadContext,
    since: bigint,
    told: Map<string, TokenMetadata>,
  ) => {
    let trouble: Error | undefined
    // Work under way is finished; no further work starts.
    const tried = async (work: () => Promise<void>): Promise<void> => {
      if (trouble) return
      await work().catch((error: unknown) => {
        trouble ??= asError(error)
      })
    }
    const learn = (address: string, fields: Fields, ttl?: number): void => {
      const metadata = metadataOf(fields)
      told.set(address, metadata)
      // A server that stands still may not have the contract yet.
      const isEarly = fields.height !== undefined && fields.height < since
      if (isComplete(fields) || !isEarly) known.set(address, metadata, ttl === undefined ? {} : { ttl })
    }
    const partial: [string, Fields][] = []
    const lanes = limits.concurrency
    await mapBounded(inChunks(missing, TOKENS_AT_ONCE), lanes, (some) =>
      tried(async () => {
        for (const [address, fields] of await readFields(some, context)) {
          if (isComplete(fields)) learn(address, fields)
          else partial.push([address, fields])
        }
      }),
    )
    // Anybody can send thousands of tokens whose names burn gas: each read retries only a few of them.
    const waiting = partial.splice(limits.patientNames)
    for (const [address, fields] of waiting) learn(address, fields, limits.unnamedMs)
    await mapBounded(partial, lanes, ([address, fields]) =>
      tried(async () => learn(address, await readAgain(address, fields, context))),
    )
    return trouble
  }

  return {
    read: async (addresses, context, since) => {
      const told = new Map<string, TokenMetadata>()
      const missing: string[] = []
      for (const address of new Set(addresses)) {
        const found = known.get(address)
        if (found) told.set(address, found)
        else missing.push(address)
      }
      const trouble = await readMissing(missing, context, since, told)
      return { told, ...(trouble && { trouble }) }
    },
  }
}

const isComplete = ({ name, symbol, decimals }: Fields): boolean => Boolean(name && symbol && decimals)

function metadataOf({ name, symbol, decimals }: Fields): TokenMetadata {
  const texts = { name: decodeText(name, NAME_LENGTH), symbol: decodeText(symbol, SYMBOL_LENGTH) }
  const places = decodeDecimals(decimals)
  return {
    ...(texts.name && { name: texts.name }),
    ...(texts.symbol && { symbol: texts.symbol }),
    ...(places !== undefined && { decimals: places }),
  }
}
