import { pad, toEventSelector, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { evmEffects } from '../../../src/indexer/evm/evm-effects.ts'
import type { EvmFacts, RpcBlock, RpcReceipt } from '../../../src/indexer/evm/rpc-block.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'

interface Recorded {
  block: RpcBlock
  receipts: RpcReceipt[]
}

/** Lines of manifest-evm: contracts, and what the recorded node said at the end. */
interface Line {
  t: string
  what?: string
  id: string
  kind: string
  token: string
  holder: string
  balance: string
}

const L1 = new URL('../../fixtures/l1/', import.meta.url)

const holdingsOf = (facts: readonly Omit<EvmFacts, 'names'>[]) =>
  evmEffects(
    facts.map((fact) => ({ ...fact, names: new Map() })),
    0n,
  ).rows.holdings ?? []

describe('who may hold a token', () => {
  it.each([
    ['the C-chain', 'c-blocks', undefined],
    ['an L1', 'l1-blocks', L1],
  ] as const)('is known of everybody who held one at the end of %s', (_, blocks, folder) => {
    const held = new Set(
      holdingsOf(recordedLines<Recorded>(blocks, folder)).map(({ address, contract }) => `0x${address} 0x${contract}`),
    )
    const lines = recordedLines<Line>('manifest-evm', folder)
    // Its Transfer names the amount where ERC-721 has the token.
    const asNfts = lines.find(({ kind }) => kind === 'transfer-3-indexed-not-721')?.id
    const finals = lines.filter(({ t, what, id, balance }) => {
      const holds = /^[1-9]\d*$/.test(balance)
      return t === 'final' && what === 'erc20' && id !== asNfts && holds
    })
    expect(new Set(finals.map(({ id }) => id))).toContain('wavax')
    const missing = finals.filter(({ holder, token }) => !held.has(`${holder} ${token}`.toLowerCase()))
    expect(missing).toEqual([])
  })

  const [token, owner] = ['dd'.repeat(20), 'ee'.repeat(20)]
  const topics = (name: string, more: `0x${string}`[] = []) => [
    toEventSelector(`${name}(address,uint256)`),
    pad(`0x${owner}`, { size: 32 }),
    ...more,
  ]
  const word = toHex(5, { size: 32 })
  const holdings = (log: { topics: string[]; data: string }) => {
    const transaction = {
      hash: word,
      from: `0x${owner}`,
      to: null,
      value: '0x0',
      gas: '0x1',
      nonce: '0x1',
      input: '0x',
    }
    const logs = [{ address: `0x${token}`, logIndex: '0x0', ...log }]
    const receipts = [{ transactionHash: word, blockHash: word, status: '0x1', gasUsed: '0x1', logs }]
    const head = { number: '0x5', hash: word, parentHash: word, timestamp: '0x1', gasUsed: '0x1', gasLimit: '0x1' }
    return holdingsOf([{ block: { ...head, transactions: [transaction] }, receipts }])
  }

  it.each(['Deposit', 'Mint'])('is who a log %s names, and no one else', (name) => {
    const holding = { address: owner, contract: token, height: 5n }
    expect(holdings({ topics: topics(name), data: word })).toEqual([holding])
    for (const odd of [
      { topics: topics(name), data: '0x' },
      { topics: topics(name, [word]), data: word },
      { topics: topics(name).slice(0, 1), data: word },
      { topics: topics('Withdrawal'), data: word },
    ])
      expect(holdings(odd)).toEqual([])
  })
})
