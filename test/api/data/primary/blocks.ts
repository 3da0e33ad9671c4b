import { expect, it } from 'vitest'
import { recordedLines } from '../../../support/recorded/recordings.ts'
import type { IndexedServer } from '../indexed-server.ts'
import { LETTERS, type Letter, placeOf } from '../recorded-truth.ts'

interface TrueBlock {
  chain: Letter
  height: number
  type: string
  id: string
  outerId: string | null
  innerIdCb58: string
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
  // A raw block has no envelope that could tell of a proposer: C 1 is one, and its own container.
  if (block.outerId === block.innerIdCb58) return {}
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
    blockType: block.chain === 'C' ? 'Standard' : block.type.replace(/^(Banff|Apricot)|Block$/g, ''),
    ...present(block.size, 'blockSizeBytes'),
    ...(block.l1AccruedFees === undefined ? {} : { l1ValidatorsAccruedFees: Number(block.l1AccruedFees) }),
    ...present(block.activeL1Validators, 'activeL1Validators'),
    ...present(block.currentSupply, 'currentSupply'),
    ...(Object.keys(details).length === 0 ? {} : { proposerDetails: details }),
  }
}

export function checkBlocks(server: () => IndexedServer): void {
  it.each(LETTERS)('%s: every block by height, and by either of its ids', async (letter) => {
    const own = blocks.filter(({ chain }) => chain === letter)
    for (const block of own) {
      const at = (id: string | number) => server().get(`${placeOf(letter)}/blocks/${id}`)
      const { status, body } = await at(block.height)
      expect(status, JSON.stringify(body)).toBe(200)
      // The counting program begins behind genesis: of that block it knows no sizes and sums.
      const told =
        block.height > 0 ? body : Object.fromEntries(Object.keys(shown(block)).map((key) => [key, body[key]]))
      expect(told, `${letter} ${block.height}`).toEqual(shown(block))
      if (block.height % 10 !== 0) continue
      expect((await at(block.id)).body).toEqual(body)
      if (block.outerId !== null) expect((await at(block.outerId)).body).toEqual(body)
    }
  })

  it.each(LETTERS)('%s: the first blocks, whose envelopes nobody signed, or that have none', async (letter) => {
    const at = async (id: string | number) => (await server().get(`${placeOf(letter)}/blocks/${id}`)).body
    const first = letter === 'C' ? 2 : 1
    for (let height = 0; height < first; height += 1) expect(await at(height)).not.toHaveProperty('proposerDetails')
    const { proposerDetails } = await at(first)
    expect(proposerDetails).not.toHaveProperty('proposerNodeId')
    expect(proposerDetails).toMatchObject({ proposerTimestamp: expect.any(Number), proposerId: expect.any(String) })
    // Its parent is found under the name that the envelope gives it, although that one has no envelope itself.
    expect((await at(proposerDetails.proposerParentId)).blockNumber).toBe(String(first - 1))
    expect((await at(first + 1)).proposerDetails.proposerNodeId).toMatch(/^NodeID-/)
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

  it.each(LETTERS)('%s: the blocks of a proposer within a time, both ends included', async (letter) => {
    const proposed = blocks.filter(({ chain, proposerNodeID }) => chain === letter && proposerNodeID)
    const [{ proposerNodeID: node } = {}] = proposed
    const own = proposed.filter(({ proposerNodeID }) => proposerNodeID === node).reverse()
    const [late, early] = [own[3]?.timestamp ?? 0, own[9]?.timestamp ?? 0]
    expect(early).toBeLessThan(late)
    const within = async (query: string, chosen: (time: number) => boolean) => {
      const { body } = await server().get(`${placeOf(letter)}/nodes/${node}/blocks?pageSize=100&${query}`)
      const expected = own.filter(({ timestamp }) => chosen(timestamp)).slice(0, 100)
      expect(body.blocks, query).toEqual(expected.map(shown))
    }
    await within(`startTimestamp=${late}`, (time) => time >= late)
    await within(`startTimestamp=${late + 1}`, (time) => time > late)
    await within(`endTimestamp=${early}`, (time) => time <= early)
    await within(`endTimestamp=${early - 1}`, (time) => time < early)
    await within(`startTimestamp=${early}&endTimestamp=${late}`, (time) => time >= early && time <= late)
    await within(`startTimestamp=${late}&endTimestamp=${late}`, (time) => time === late)
    await within(`startTimestamp=${late}&endTimestamp=${early}`, () => false)
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
