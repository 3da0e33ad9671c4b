import { LRUCache } from 'lru-cache'
import { CALL_GAS, decimalsData, decodeDecimals, decodeText, nameData, symbolData } from '../../chains/evm/index.ts'
import { JsonRpcError } from '../../errors.ts'
import type { UpstreamPool } from '../../upstream/types.ts'
import type { ContractNames, RpcReceipt } from './rpc-block.ts'
import { loggedMoves } from './token-logs.ts'

/** Contracts that were asked already; asking one again after a restart does no harm. */
const REMEMBERED = 50_000
const NAME_LENGTH = 128
const SYMBOL_LENGTH = 64
const CALL_MS = 10_000

/** Names, symbols and decimals of token contracts, asked once per contract when it first shows itself in a log. */
export function createContractNames(pool: UpstreamPool, path: string) {
  const asked = new LRUCache<string, true>({ max: REMEMBERED })

  /** A contract that reverts or talks nonsense has no name; that is no failure. */
  async function ask(contract: string, data: string, signal: AbortSignal): Promise<Buffer | undefined> {
    const params = [{ to: `0x${contract}`, data, gas: CALL_GAS }, 'latest']
    try {
      const answer = await pool.rpc<unknown>(path, 'eth_call', params, { signal, deadline: Date.now() + CALL_MS })
      return typeof answer === 'string' ? Buffer.from(answer.slice(2), 'hex') : undefined
    } catch (error) {
      // A node that could not be asked says nothing about the contract: the page is read again.
      if (!(error instanceof JsonRpcError)) throw error
      return undefined
    }
  }

  async function describe(contract: string, signal: AbortSignal): Promise<ContractNames> {
    const [name, symbol, decimals] = await Promise.all(
      [nameData, symbolData, decimalsData].map((data) => ask(contract, data, signal)),
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
    forget: () => asked.clear(),
    /** What the token contracts of these receipts say of themselves, of those not asked before. */
    async learn(receipts: readonly RpcReceipt[], signal: AbortSignal): Promise<ReadonlyMap<string, ContractNames>> {
      const contracts = new Set(receipts.flatMap(loggedMoves).flatMap(({ moves }) => moves[0]?.contract ?? []))
      const fresh = [...contracts].filter((contract) => !asked.has(contract))
      const found = await Promise.all(
        fresh.map(async (contract) => [contract, await describe(contract, signal)] as const),
      )
      for (const contract of fresh) asked.set(contract, true)
      return new Map(found)
    },
  }
}
