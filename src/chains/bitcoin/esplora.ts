import { BadAnswerError } from '../../errors.ts'
import { recordOf } from '../../lib/json/json-record.ts'
import type { BitcoinBalances } from '../capabilities.ts'
import { difference, plausible, satoshi } from './amounts.ts'
import type { BitcoinBackend } from './backend.ts'
import { bitcoinHeadProbe } from './head-probe.ts'
import { createHttpBackend, type HttpBackendDeps } from './http-backend.ts'

const sums = (value: unknown, what: string): { funded: bigint; spent: bigint } => {
  const stats = recordOf(value, what)
  return {
    funded: satoshi(stats.funded_txo_sum, `${what}.funded_txo_sum`),
    spent: satoshi(stats.spent_txo_sum, `${what}.spent_txo_sum`),
  }
}

const read = (answer: unknown, address: string): BitcoinBalances => {
  const body = recordOf(answer, 'esplora address')
  if (body.address !== address) throw new BadAnswerError(`esplora answered for another address than ${address}`)
  const chain = sums(body.chain_stats, 'chain_stats')
  const mempool = sums(body.mempool_stats, 'mempool_stats')
  if (mempool.funded < 0n || mempool.spent < 0n) throw new BadAnswerError('mempool_stats has negative sums')
  return plausible({
    confirmed: difference(chain.funded, chain.spent, 'chain_stats'),
    unconfirmed: mempool.funded - mempool.spent,
  })
}

/**
 * Esplora REST: `GET /address/:a`. Confirmed is funded − spent of `chain_stats`, unconfirmed the same of
 * `mempool_stats`, which is negative while a spend of the address is pending (reference: Esplora HTTP API). Satoshi.
 */
export const createEsploraBackend = (deps: HttpBackendDeps): BitcoinBackend =>
  createHttpBackend(
    {
      kind: 'esplora',
      path: (address) => `/address/${encodeURIComponent(address)}`,
      read,
      tip: bitcoinHeadProbe('esplora'),
    },
    deps,
  )
