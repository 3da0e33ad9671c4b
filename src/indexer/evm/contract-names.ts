import { LRUCache } from 'lru-cache'
import { decimalsData, decodeDecimals, decodeText, nameData, symbolData } from '../../chains/evm/index.ts'
import { JsonRpcError } from '../../errors.ts'
import { mapBounded } from '../../lib/map-bounded.ts'
import { roomFor } from '../../lib/room-for.ts'
import type { CallOptions, UpstreamPool } from '../../upstream/types.ts'
import type { ContractNames, RpcReceipt } from './rpc-block.ts'
import { loggedMoves } from './token-logs.ts'

/** Contracts that were asked already; asking one again after a restart does no harm. */
const REMEMBERED = 50_000
/** Contracts of a page that has to be read again, of which no more need be asked. */
const KEPT = 10_000
const NAME_LENGTH = 128
const SYMBOL_LENGTH = 64
const CALL_MS = 10_000

/**
 * Gas of a call, hex. How long an answer can be follows from it: half a megabyte for 500,000, which is twenty times what a
 * name takes behind a proxy; two for 10,000,000, which a name of 100 kB takes. With what other calls are given it is five,
 * and a few contracts that answer so at once are more than any answer to a batch may have.
 */
const NAME_GAS = '0x7a120'
const LONG_NAME_GAS = '0x989680'
/** Contracts that are asked at once: their 24 answers fit into one of 32 MiB, in which half a megabyte is one in hex. */
const AT_ONCE = 8
/** Calls of a page that are made again with more gas: anybody can make thousands of tokens that burn it. */
const MORE_GAS = 12

/** So often in a row a page is read again because a node is in trouble; then its contracts stay without what it did not tell. */
const REREADS = 4

/**
 * How nodes say that a contract ended by itself: with more gas it does the same. Besu has words of its own, Nethermind
 * writes them beside a message that is always the same.
 */
const ENDED =
  /revert|(invalid|bad) ?(opcode|jump|instruction)|stack ?(underflow|overflow|limit)|out of (stack|bounds)|illegal state/i

const hasEnded = ({ message, data }: JsonRpcError): boolean =>
  ENDED.test(typeof data === 'string' ? `${message} ${data}` : message)

/** Names, symbols and decimals of token contracts, asked once per contract when it first shows itself in a log. */
export function createContractNames(pool: UpstreamPool, path: string) {
  const asked = new LRUCache<string, true>(roomFor(REMEMBERED))
  const kept = new LRUCache<string, ContractNames>(roomFor(KEPT))
  let patience = REREADS

  async function call(contract: string, data: string, gas: string, options: CallOptions): Promise<Buffer | undefined> {
    const timed = { ...options, deadline: Date.now() + CALL_MS }
    const answer = await pool.rpc<unknown>(path, 'eth_call', [{ to: `0x${contract}`, data, gas }, 'latest'], timed)
    return typeof answer === 'string' ? Buffer.from(answer.slice(2), 'hex') : undefined
  }

  /** A contract that reverts or talks nonsense has no name; that is no failure. */
  async function ask(contract: string, data: string, reading: Reading): Promise<Buffer | undefined> {
    const { signal } = reading
    const alone = { signal, batch: false }
    try {
      return await call(contract, data, NAME_GAS, { signal })
    } catch (error) {
      if (error instanceof JsonRpcError && !error.retryable) {
        if (hasEnded(error) || reading.moreGas-- <= 0) return undefined
        // It was said already that there is none for what a name should take.
        return call(contract, data, LONG_NAME_GAS, alone).catch(() => undefined)
      }
    }
    // What others answer in the same batch must not decide. A node that could not be asked, or that lacks the state of its
    // newest block, says nothing about the contract: then the page is read again.
    return call(contract, data, NAME_GAS, alone).catch((error: unknown) => {
      if (!(error instanceof JsonRpcError)) throw error
      reading.trouble ||= error.retryable
      if (error.retryable && patience > 0) throw error
      return undefined
    })
  }

  async function describe(contract: string, reading: Reading): Promise<ContractNames> {
    const [name, symbol, decimals] = await Promise.all(
      [nameData, symbolData, decimalsData].map((data) => ask(contract, data, reading)),
    )
    const title = decodeText(name, NAME_LENGTH)
    const short = decodeText(symbol, SYMBOL_LENGTH)
    const places = decodeDecimals(decimals)
    return {
      ...(title === undefined ? {} : { name: title }),
      ...(short === undefined ? {} : { symbol: short }),
      ...(places === undefined ? {} : { decimals: places }),
    }
  }

  return {
    /** From now on everybody is asked again: what was learned may never have been stored, or was taken back. */
    forget(): void {
      asked.clear()
      kept.clear()
    },
    /** What the token contracts of these receipts say of themselves, of those not asked before. */
    async learn(receipts: readonly RpcReceipt[], signal: AbortSignal): Promise<ReadonlyMap<string, ContractNames>> {
      const contracts = new Set(receipts.flatMap(loggedMoves).flatMap(({ moves }) => moves[0]?.contract ?? []))
      const fresh = [...contracts].filter((contract) => !asked.has(contract))
      const reading = { signal, moreGas: MORE_GAS, trouble: false }
      const found = await mapBounded(
        fresh,
        AT_ONCE,
        async (contract) => {
          const names = kept.get(contract) ?? (await describe(contract, reading))
          kept.set(contract, names)
          return [contract, names] as const
        },
        signal,
      ).catch((error: unknown) => {
        if (reading.trouble) patience -= 1
        throw error
      })
      // Who is always in trouble holds up no further page.
      if (fresh.length > 0 && !reading.trouble) patience = REREADS
      for (const contract of fresh) {
        asked.set(contract, true)
        kept.delete(contract)
      }
      return new Map(found)
    },
  }
}

interface Reading {
  signal: AbortSignal
  /** Calls that may still be made again with more gas. */
  moreGas: number
  /** A node had trouble of its own with a call, twice. */
  trouble: boolean
}
