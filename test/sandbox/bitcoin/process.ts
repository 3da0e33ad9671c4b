import type { AddressInfo, Server } from 'node:net'
import type { AccountName } from './accounts.ts'
import { createElectrumFacade } from './electrum.ts'
import { openRegtest, type Regtest } from './regtest.ts'
import { createBlockbookFacade, createEsploraFacade } from './rest.ts'

export type ChainCommand =
  | { id: number; op: 'mine'; blocks: number }
  | { id: number; op: 'reorganize'; depth: number; blocks: number; transactions: string[] }
  | { id: number; op: 'pay'; from: AccountName; to: AccountName; amount: bigint; rival?: string }
  | { id: number; op: 'ownAnswer'; name: AccountName }

export interface ChainReady {
  ready: { esplora: number; blockbook: number; electrum: number }
}

/** The sandbox's history: every account in another state, two payments still in the mempool. */
const playHistory = async (chain: Regtest): Promise<void> => {
  await chain.pay('miner', 'alice', 100_000_000n)
  await chain.mine(1)
  await chain.pay('miner', 'alice', 50_000_000n)
  await chain.pay('miner', 'bob', 25_000_000n)
  await chain.pay('miner', 'carol', 75_000_000n)
  await chain.mine(1)
  await chain.pay('alice', 'carol', 12_345_678n)
  await chain.mine(1)
  await chain.pay('bob', 'carol', 10_000_000n)
  await chain.pay('carol', 'dave', 1_234_567n)
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

const perform = async (chain: Regtest, command: ChainCommand): Promise<unknown> => {
  if (command.op === 'mine') return chain.mine(command.blocks)
  if (command.op === 'reorganize') return chain.reorganize(command.depth, command.blocks, command.transactions)
  if (command.op === 'pay') return chain.pay(command.from, command.to, command.amount, command.rival)
  return chain.ownAnswer(command.name)
}

// Whoever started this chain is gone: leave nothing behind.
process.on('disconnect', () => process.exit(0))
// Ctrl-C reaches the whole group; the parent decides when the chain ends.
process.on('SIGINT', () => {})

const chain = await openRegtest()
await playHistory(chain)
const [esplora, blockbook, electrum] = await Promise.all([
  listen(createEsploraFacade(chain)),
  listen(createBlockbookFacade(chain)),
  listen(createElectrumFacade(chain)),
])
process.on('message', (command: ChainCommand) => {
  perform(chain, command).then(
    (value) => process.send?.({ id: command.id, value }),
    (error: unknown) => process.send?.({ id: command.id, error: String(error) }),
  )
})
process.send?.({ ready: { esplora, blockbook, electrum } } satisfies ChainReady)
