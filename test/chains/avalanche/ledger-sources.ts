import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import {
  AVALANCHE_CAIP2,
  createAvalancheNetwork,
  createAvmBalanceSource,
  createCorethBalanceSource,
  createKeyScanner,
  createPvmBalanceSource,
} from '../../../src/chains/avalanche/index.ts'
import type { Outcome, WalletAccount } from '../../../src/chains/capabilities.ts'
import { formatBech32Address } from '../../../src/lib/bytes/bech32-address.ts'
import { defined } from '../../../src/lib/defined.ts'
import { createUpstreamPool, DEFAULT_LIMITS, type UpstreamPool } from '../../../src/upstream/index.ts'
import { emptyLedger } from './ledger-data.ts'
import { type LedgerNode, startLedgerNode } from './ledger-node.ts'

/** Unix seconds by which made-up locks are judged. */
export const NOW = 1_000

/** A made-up address by number, as owners are written (hex) and as wallets send it. */
export const hex = (n: number) => n.toString(16).padStart(40, '0')
export const text = (n: number, hrp = 'fuji') => formatBech32Address(Buffer.from(hex(n), 'hex'), hrp)

export const wallet = (id: string, ...addresses: string[]): WalletAccount => ({
  id,
  addresses,
  extendedPublicKeys: [],
  filterOutDust: false,
})

/** Of a reader who outwaits a machine that is busy: nothing here is told by a deadline. */
export const context = () => ({ signal: new AbortController().signal, deadline: Date.now() + 240_000 })

/** Native amount or error text of each wallet. */
export function natives(outcomes: Map<string, Outcome<{ native: bigint }>>): Record<string, unknown> {
  return Object.fromEntries(
    [...outcomes].map(([id, outcome]) => [id, outcome.ok ? outcome.value.native : outcome.error.message]),
  )
}

/** A ledger node for the tests of a file, empty before each of them. */
export function useLedger() {
  let node: LedgerNode
  let pool: UpstreamPool
  beforeAll(async () => {
    node = await startLedgerNode(emptyLedger())
  })
  beforeEach(() => {
    Object.assign(node.ledger, { upgrades: {}, blocks: undefined }, emptyLedger())
    node.reindex()
    node.before = () => undefined
    node.calls.length = 0
    const limits = { ...DEFAULT_LIMITS, requestsPerSecond: 10_000, hedgeMinMs: 0, maxAttempts: 1 }
    pool = createUpstreamPool('ledger', [{ url: node.url }], limits)
  })
  afterEach(() => pool.close())
  afterAll(() => node.close())

  return {
    node: () => node,
    pool: () => pool,
    put(memory: string, ...utxos: string[]) {
      node.ledger.memories.set(memory, [...(node.ledger.memories.get(memory) ?? []), ...utxos])
      node.reindex()
    },
    /** New sources without any memory of earlier reads. */
    sources(gap?: number, maxEnd?: number) {
      const network = createAvalancheNetwork({ pool })
      const keys = createKeyScanner({ network, ...defined({ gap, maxEnd }) })
      const deps = { network, keys, now: () => NOW }
      return {
        pvm: createPvmBalanceSource({ ...deps, caip2Id: AVALANCHE_CAIP2.testnet.P }),
        avm: createAvmBalanceSource({ ...deps, caip2Id: AVALANCHE_CAIP2.testnet.X }),
        coreth: createCorethBalanceSource({ ...deps, caip2Id: AVALANCHE_CAIP2.testnet.C }),
      }
    },
    /** Calls of a method so far. */
    count: (method: string) => node.calls.filter((call) => call.method === method).length,
  }
}
