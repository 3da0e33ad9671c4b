import { LRUCache } from 'lru-cache'
import { DECIMALS_DATA, decodeDecimals, decodeText, NAME_DATA, SYMBOL_DATA } from '../../chains/evm/index.ts'
import { JsonRpcError } from '../../errors.ts'
import { callBytes } from '../../lib/bytes/call-data.ts'
import { roomFor } from '../../lib/room-for.ts'
import { mapBounded } from '../../lib/waiting/map-bounded.ts'
import { speaksOfSize } from '../../upstream/json-rpc/error-texts.ts'
import type { CallOptions, UpstreamPool } from '../../upstream/types.ts'
import type { ContractNames, RpcReceipt } from './rpc-block.ts'
import { loggedMoves } from './token-logs.ts'

/** Contracts that were already asked; asking one again after a restart is harmless. */
const REMEMBERED = 50_000
/** Contracts whose names are kept while their page has to be read again. */
const KEPT = 10_000
const NAME_LENGTH = 128
const SYMBOL_LENGTH = 64
const CALL_MS = 10_000

/**
 * Gas of a call, hex. It limits the length of an answer: half a megabyte for 500,000, which is twenty times what a name
 * takes behind a proxy; two megabytes for 10,000,000, which a name of 100 kB takes. With the gas of other calls it is
 * five megabytes, and a few such answers at once exceed the limit for a batch.
 */
const NAME_GAS = '0x7a120'
const LONG_NAME_GAS = '0x989680'
/**
 * Contracts that are asked at once: their 24 answers fit into an answer of 32 MiB, where half a megabyte becomes one
 * megabyte of hex.
 */
const AT_ONCE = 8
/** Calls of a page that are repeated with more gas: anybody can make thousands of tokens that burn it. */
const MORE_GAS = 12

/**
 * Times that a contract is asked, on later pages, while it answers nothing to everything: a node that lags does not have
 * it yet, where it was made in the block that it shows in.
 */
const SILENT_TIMES = 3

/** Consecutive re-reads of a page because a node fails; after that its contracts stay without the missing names. */
const REREADS = 4

/**
 * Nodes' error messages for a contract that ended by itself; more gas does not change that. Besu has its own messages,
 * and Nethermind puts them beside a constant message.
 */
const ENDED =
  /revert|(invalid|bad) ?(opcode|jump|instruction)|stack ?(underflow|overflow|limit)|out of (stack|bounds)|illegal state/i

const hasEnded = ({ message, data }: JsonRpcError): boolean =>
  ENDED.test(typeof data === 'string' ? `${message} ${data}` : message)

/**
 * Whether a server may have said it for reasons of its own: it lags and has no such contract yet, allows no calls, or
 * answers with what is none. A contract is asked once, so the name would be missing for good.
 */
function mayNotBeItsOwn(said: unknown): boolean {
  if (said instanceof JsonRpcError) return !hasEnded(said) && !speaksOfSize(said.message)
  return said === '0x' || callBytes(said) === undefined
}

/** Names, symbols and decimals of token contracts, asked once per contract when it first appears in a log. */
export function createContractNames(pool: UpstreamPool, path: string) {
  const asked = new LRUCache<string, true>(roomFor(REMEMBERED))
  const kept = new LRUCache<string, ContractNames>(roomFor(KEPT))
  /** How often contracts without any answer were asked. */
  const silent = new LRUCache<string, number>(roomFor(KEPT))
  let patience = REREADS

  async function call(contract: string, data: string, gas: string, options: CallOptions): Promise<Buffer | undefined> {
    const asked = { ...options, deadline: Date.now() + CALL_MS, doubts: mayNotBeItsOwn }
    return callBytes(await pool.rpc<unknown>(path, 'eth_call', [{ to: `0x${contract}`, data, gas }, 'latest'], asked))
  }

  /** A contract that reverts or returns nonsense has no name; that is not a failure. */
  async function ask(contract: string, data: string, reading: Reading): Promise<Buffer | undefined> {
    const { signal } = reading
    const alone = { signal, batch: false }
    try {
      return await call(contract, data, NAME_GAS, { signal })
    } catch (error) {
      if (error instanceof JsonRpcError && !error.retryable) {
        if (hasEnded(error) || reading.moreGas-- <= 0) return undefined
        // The first call already showed that a name's usual gas is not enough.
        return call(contract, data, LONG_NAME_GAS, alone).catch(() => undefined)
      }
    }
    // Other answers of the same batch must not decide. A node that could not be asked, or that lacks the state of its
    // newest block, says nothing about the contract, so the page is read again.
    return call(contract, data, NAME_GAS, alone).catch((error: unknown) => {
      if (!(error instanceof JsonRpcError)) throw error
      reading.trouble ||= error.retryable
      if (error.retryable && patience > 0) throw error
      return undefined
    })
  }

  async function describe(contract: string, reading: Reading): Promise<ContractNames> {
    const answers = await Promise.all(
      [NAME_DATA, SYMBOL_DATA, DECIMALS_DATA].map((data) => ask(contract, data, reading)),
    )
    if (answers.every((answer) => answer?.length === 0)) silent.set(contract, (silent.get(contract) ?? 0) + 1)
    else silent.delete(contract)
    const [name, symbol, decimals] = answers
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
    /** Asks all contracts again from now on: earlier answers may not have been stored, or were rolled back. */
    forget(): void {
      for (const known of [asked, kept, silent]) known.clear()
    },
    /** Names of these and of the receipts' token contracts, except those that were passed on before: see `passedOn`. */
    async learn(
      receipts: readonly RpcReceipt[],
      signal: AbortSignal,
      others: readonly string[] = [],
    ): Promise<ReadonlyMap<string, ContractNames>> {
      const moved = receipts.flatMap(loggedMoves).flatMap(({ moves }) => moves[0]?.contract ?? [])
      const contracts = new Set([...moved, ...others])
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
      // A node that always fails does not hold up further pages.
      if (fresh.length > 0 && !reading.trouble) patience = REREADS
      return new Map(found)
    },
    /** Call this with names whose page has been read whole: until then the page may be read again, and needs them. */
    passedOn(names: ReadonlyMap<string, ContractNames>): void {
      for (const contract of names.keys()) {
        kept.delete(contract)
        if ((silent.get(contract) ?? SILENT_TIMES) >= SILENT_TIMES) asked.set(contract, true)
      }
    },
  }
}

interface Reading {
  signal: AbortSignal
  /** Calls that may still be repeated with more gas. */
  moreGas: number
  /** A node failed a call twice for reasons of its own. */
  trouble: boolean
}
