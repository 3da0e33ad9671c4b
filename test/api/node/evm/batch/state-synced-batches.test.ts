import { expect, it } from 'vitest'
import type { SeenCall } from '../../../../support/upstream/fault-server.ts'
import { HASH, startWith } from '../read/state-synced-nodes.ts'

it('in a batch, too, it takes two with all blocks to believe that there is no such thing', async () => {
  for (const synced of [0, 1, 2, 3]) {
    let answers = 0
    const answerAt = (index: number, { method, params }: SeenCall): unknown => {
      const [first] = params as [unknown]
      if (method === 'eth_getBlockByNumber') return index === synced ? null : { number: first }
      if (method !== 'eth_getTransactionReceipt') return undefined
      if (index === synced) return null
      // The first of those with all blocks has not got the transaction yet.
      answers += 1
      return answers === 1 ? null : { blockHash: HASH, blockNumber: '0x5' }
    }
    const { stage } = await startWith(4, answerAt, 2_000n)
    await stage.call('eth_blockNumber')
    const batch = [{ jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [HASH] }]
    expect(JSON.parse((await stage.post(batch)).text)).toMatchObject([{ result: { blockNumber: '0x5' } }])
  }
})

it('in a batch, that one has not one thing makes it no witness that there is not another', async () => {
  for (const behind of [0, 1, 2]) {
    const answerAt = (index: number, { method, params }: SeenCall): unknown => {
      if (method === 'eth_getBlockByNumber') return { number: (params as [unknown])[0] }
      if (method !== 'eth_getTransactionReceipt') return undefined
      // What nobody has yet, and what one has not yet.
      const [hash] = params as [string]
      return hash === HASH || index === behind ? null : { blockHash: HASH, blockNumber: '0x5' }
    }
    const { stage } = await startWith(3, answerAt, 2_000n)
    await stage.call('eth_blockNumber')
    const hashes = [HASH, `0x${'cd'.repeat(32)}`]
    const batch = hashes.map((hash, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_getTransactionReceipt',
      params: [hash],
    }))
    expect(JSON.parse((await stage.post(batch)).text)).toMatchObject([
      { result: null },
      { result: { blockNumber: '0x5' } },
    ])
  }
})

it('in a batch, what either of two nodes has is there, where each lacks what the other has', async () => {
  for (const first of [0, 1]) {
    const hashes = [HASH, `0x${'cd'.repeat(32)}`]
    const answerAt = (index: number, { method, params }: SeenCall): unknown => {
      if (method === 'eth_getBlockByNumber') return { number: (params as [unknown])[0] }
      if (method !== 'eth_getTransactionReceipt') return undefined
      const [hash] = params as [string]
      return hash === hashes[index ^ first] ? { blockHash: HASH, blockNumber: '0x5', transactionHash: hash } : null
    }
    const { stage } = await startWith(2, answerAt, 2_000n)
    await stage.call('eth_blockNumber')
    const ask = (hash: string, id: number) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_getTransactionReceipt',
      params: [hash],
    })
    const told = hashes.map((hash, id) => ({ id, result: { transactionHash: hash } }))
    expect(JSON.parse((await stage.post(hashes.map(ask))).text)).toMatchObject(told)
  }
})
