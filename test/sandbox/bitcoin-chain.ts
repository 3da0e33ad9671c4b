import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { compiledSource } from '../../src/lib/compiled-source.ts'
import { type AccountName, bitcoinAccounts } from './bitcoin/accounts.ts'
import type { ChainCommand, ChainReady } from './bitcoin/process.ts'

/** A running regtest chain with three doors. */
export interface BitcoinChain {
  esploraUrl: string
  blockbookUrl: string
  /** tcp:// */
  electrumUrl: string
  /** Fixed accounts; every address works in the form of any network. */
  accounts: typeof bitcoinAccounts
  mine(blocks: number): Promise<void>
  /** Other blocks take the place of the last `depth` ones; `transactions` are in the first of them. */
  reorganize(depth: number, blocks: number, transactions?: string[]): Promise<void>
  /** Into the mempool, unless it spends what `rival` does; satoshi. Gives the transaction id. */
  pay(from: AccountName, to: AccountName, amount: bigint, rival?: string): Promise<string>
  /** What the node itself says: satoshi in blocks, and with the mempool applied. */
  ownAnswer(name: AccountName): Promise<{ confirmed: bigint; total: bigint }>
  close(): Promise<void>
}

type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never
type Reply = { id: number; value?: unknown; error?: string }

const createCommander = (child: ChildProcess) => {
  const waiting = new Map<number, (reply: Reply) => void>()
  let nextId = 0
  child.on('message', (reply: Reply) => {
    waiting.get(reply.id)?.(reply)
    waiting.delete(reply.id)
  })
  child.once('exit', () => {
    for (const [id, settle] of waiting) settle({ id, error: 'bitcoin chain has ended' })
  })
  return <T>(command: Unnumbered<ChainCommand>): Promise<T> =>
    new Promise((resolve, reject) => {
      const id = nextId++
      waiting.set(id, ({ value, error }) => (error === undefined ? resolve(value as T) : reject(new Error(error))))
      child.send({ ...command, id })
    })
}

const ready = (child: ChildProcess): Promise<ChainReady['ready']> =>
  new Promise((resolve, reject) => {
    child.once('message', (message: ChainReady) => resolve(message.ready))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`bitcoin chain did not start (exit ${code})`)))
  })

/**
 * Starts bcoin on regtest in a process of its own (it changes globals) behind Esplora, Blockbook and Electrum facades on
 * loopback. Takes about a second; nothing is kept on disk.
 */
export const startBitcoinChain = async (): Promise<BitcoinChain> => {
  const child = fork(compiledSource(new URL('./bitcoin/process.ts', import.meta.url)), {
    execArgv: ['--no-deprecation'],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ports = await ready(child)
  const command = createCommander(child)
  return {
    esploraUrl: `http://127.0.0.1:${ports.esplora}`,
    blockbookUrl: `http://127.0.0.1:${ports.blockbook}`,
    electrumUrl: `tcp://127.0.0.1:${ports.electrum}`,
    accounts: bitcoinAccounts,
    mine: (blocks) => command({ op: 'mine', blocks }),
    reorganize: (depth, blocks, transactions = []) => command({ op: 'reorganize', depth, blocks, transactions }),
    pay: (from, to, amount, rival) => command({ op: 'pay', from, to, amount, ...(rival ? { rival } : {}) }),
    ownAnswer: (name) => command({ op: 'ownAnswer', name }),
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}
