import { Counter, Histogram, type Registry } from 'prom-client'

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16]

/** One read of one chain, all accounts of a request together. */
export interface ChainRead {
  /** CAIP-2 id; only configured chains are read. */
  chain: string
  /** Seconds. */
  seconds: number
  accounts: { ok: number; failed: number }
}

/** Rate, errors and duration per chain, and the number of balance requests that needed no chain. */
export function createBalanceInstruments(registry: Registry) {
  const registers = [registry]
  const seconds = new Histogram({
    name: 'firn_chain_read_seconds',
    help: 'Time of one balance read of a chain, seconds; outcome: ok, partial (some accounts failed), failed.',
    labelNames: ['chain', 'outcome'] as const,
    buckets: SECONDS,
    registers,
  })
  const accounts = new Counter({
    name: 'firn_chain_accounts_total',
    help: 'Accounts read from a chain by how it went.',
    labelNames: ['chain', 'outcome'] as const,
    registers,
  })
  const answers = new Counter({
    name: 'firn_balance_answers_total',
    help: 'Balance requests by where the answer came from: memory, or chains (at least one).',
    labelNames: ['source'] as const,
    registers,
  })
  return {
    chainRead: ({ chain, seconds: time, accounts: { ok, failed } }: ChainRead): void => {
      seconds.observe({ chain, outcome: failed === 0 ? 'ok' : ok === 0 ? 'failed' : 'partial' }, time)
      if (ok > 0) accounts.inc({ chain, outcome: 'ok' }, ok)
      if (failed > 0) accounts.inc({ chain, outcome: 'failed' }, failed)
    },
    answered: (source: 'memory' | 'chains'): void => answers.inc({ source }),
  }
}
