import { expect, it } from 'vitest'
import { recordedLines } from '../../support/recordings.ts'
import type { IndexedServer } from './indexed-server.ts'
import { LETTERS, type Letter, placeOf } from './recorded-truth.ts'

interface TrueBlock {
  chain: Letter
  height: number
  type: string
  id: string
  outerId: string | null
  parentId: string
  outerParentId: string | null
  timestamp: number
  proposerTimestamp?: number | null
  proposerNodeID?: string | null
  proposerPChainHeight?: number | null
  size: number | null
  txs?: string[]
  evmTxs?: string[]
  currentSupply?: string
  l1AccruedFees?: string
  activeL1Validators?: number
}

interface Activity {
  address: string
  chain: Letter
  mode: 'native' | 'scope'
  last: { time: number; height: number; isConsumed: boolean }
  lastTxs: string[]
  lastUtxos: string[]
}

const blocks = recordedLines<TrueBlock>('truth/blocks')

const present = (value: unknown, name: string): Record<string, unknown> =>
  value === null || value === undefined ? {} : { [name]: value }

function proposer(block: TrueBlock): Record<string, unknown> {
  return {
    ...present(block.outerId, 'proposerId'),
    ...present(block.outerParentId, 'proposerParentId'),
    ...present(block.proposerNodeID, 'proposerNodeId'),
    ...present(block.proposerPChainHeight, 'proposerPChainHeight'),
    ...present(block.proposerTimestamp, 'proposerTimestamp'),
  }
}

function shown(block: TrueBlock): Record<string, unknown> {
  const transactions = block.txs ?? block.evmTxs ?? []
  const details = proposer(block)
  return {
    blockNumber: String(block.height),
    blockHash: block.id,
    parentHash: block.parentId,
    blockTimestamp: block.timestamp,
    txCount: transactions.length,
    transactions,
    ...present(block.size, 'blockSizeBytes'),
    ...(block.l1AccruedFees === undefined ? {} : { l1ValidatorsAccruedFees: Number(block.l1AccruedFees) }),
    ...present(block.activeL1Validators, 'activeL1Validators'),
    ...present(block.currentSupply, 'currentSupply'),
    ...(Object.keys(details).length === 0 ? {} : { proposerDetails: details }),
  }
}

export function checkBlocks(server: () => IndexedServer): void {
  it.each(LETTERS)('%s: every block by height, and by either of its ids', async (letter) => {
    // C 1 stands in its container bare, without an envelope to tell a proposer of.
    const own = blocks.filter(({ chain, height }) => chain === letter && !(letter === 'C' && Number(height) === 1))
    for (const block of own) {
      const at = (id: string | number) => server().get(`${placeOf(letter)}/blocks/${id}`)
      const { status, body } = await at(block.height)
      expect(status, JSON.stringify(body)).toBe(200)
      expect(body, `${letter} ${block.height}`).toMatchObject(shown(block))
      if (block.height % 10 !== 0) continue
      expect((await at(block.id)).body).toEqual(body)
      if (block.outerId !== null) expect((await at(block.outerId)).body).toEqual(body)
    }
  })

  it.each(LETTERS)('%s: the blocks of every proposer, newest first', async (letter) => {
    const own = blocks.filter(({ chain, proposerNodeID }) => chain === letter && proposerNodeID)
    for (const node of new Set(own.map(({ proposerNodeID }) => proposerNodeID))) {
      const found: string[] = []
      let token = ''
      do {
        const { body } = await server().get(`${placeOf(letter)}/nodes/${node}/blocks?pageSize=100&pageToken=${token}`)
        found.push(...(body.blocks as { blockNumber: string }[]).map(({ blockNumber }) => blockNumber))
        token = body.nextPageToken ?? ''
      } while (token !== '')
      const expected = own.filter(({ proposerNodeID }) => proposerNodeID === node).map(({ height }) => height)
      expect(found).toEqual(expected.sort((a, b) => b - a).map(String))
    }
  })
}

export function checkActivity(server: () => IndexedServer): void {
  it('tells every address’s last activity on every chain', async () => {
    const lines = recordedLines<Activity>('truth/activity').filter(({ mode }) => mode === 'scope')
    expect(lines.length).toBeGreaterThan(100)
    for (const { address, chain, last, lastTxs, lastUtxos } of lines) {
      const path = `${placeOf(chain)}/lastActivityTimestampByAddresses`
      const { body } = await server().get(`${path}?addresses=${address}`)
      expect(body, `${address} on ${chain}`).toMatchObject({
        timestamp: last.time,
        isConsumed: last.isConsumed,
        blockNumber: String(last.height),
        chainName: `${chain.toLowerCase()}-chain`,
        network: 'fuji',
      })
      expect(lastTxs).toContain(body.txHash)
      expect(lastUtxos).toContain(body.utxoId)
      expect((await server().post(path, { addresses: address })).body).toEqual(body)
    }
  })
}
