import { describe, expect, test } from 'vitest'
import {
  assemblePTx,
  assembleXTx,
  decodeUtxo,
  encodePBlock,
  encodeXBlock,
  type PBlock,
  type UnsignedPTx,
  type UnsignedXTx,
} from '../../../../src/chains/avalanche/codec/index.ts'
import { decodeNodeHex } from '../../../../src/lib/bytes/node-hex.ts'
import { utxoId } from '../../../../src/lib/bytes/utxo-id.ts'
import { secpOutput, secpUtxo } from '../ledger-data.ts'
import { context, hex, natives, text, useLedger, wallet } from '../ledger-sources.ts'

/** A wallet of several pages on a chain that has a new block at each of them. */
const { node, put, sources, count } = useLedger()

const OWN = hex(1)
const STRANGER = hex(2)
const ID = '00'.repeat(32)
const PAGES = 3
/** The first page tells that there are several, and is read again between heights. */
const SECOND_FRAMED = 3
const HAS = 2_500n

const plain = { networkId: 5, blockchainId: ID, outputs: [], inputs: [], memo: Buffer.alloc(0) }
const xBlock = (height: number, tx: object): Uint8Array => {
  const txs = [assembleXTx({ type: 'BaseTx', ...plain, ...tx } as UnsignedXTx, [])]
  return encodeXBlock({ type: 'StandardBlock', parentId: ID, height: BigInt(height), time: 1n, merkleRoot: ID, txs })
}
const pBlock = (height: number, tx: object): Uint8Array => {
  const txs = [assemblePTx({ type: 'BaseTx', ...plain, ...tx } as UnsignedPTx, [])]
  return encodePBlock({ type: 'BanffStandardBlock', time: 1n, parentId: ID, height: BigInt(height), txs })
}

const inputOf = (utxo: string) => {
  const { txId, outputIndex, assetId } = decodeUtxo(decodeNodeHex(utxo))
  return { txId, outputIndex, assetId, input: { type: 'secp-transfer', amount: 1n, sigIndices: [0] } }
}
const foreign = { inputs: [inputOf(secpUtxo(STRANGER, 1n))], outputs: [secpOutput(STRANGER, 1n)] }

/** Each page of the chain's UTXOs is followed by a block, which `make` gives for the number of the page. */
function blockAfterEachPage(chain: 'P' | 'X', make: (height: number, page: number) => Uint8Array | undefined) {
  const blocks = new Map<string, Uint8Array>()
  node().ledger.blocks = blocks
  const method = chain === 'P' ? 'platform.getUTXOs' : 'avm.getUTXOs'
  let page = 0
  node().before = (call) => {
    if (call.method !== method || call.params['sourceChain'] !== undefined) return undefined
    page += 1
    const height = ++node().ledger.heights[chain]
    const block = make(height, page)
    if (block) blocks.set(`${chain}:${height}`, block)
    node().reindex()
    return undefined
  }
}

const idOf = (utxo: string): string => utxoId(decodeUtxo(decodeNodeHex(utxo)))
/** In the order of the node. */
const listed = (utxos: readonly string[]): string[] =>
  utxos
    .map((utxo) => ({ utxo, id: idOf(utxo) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ utxo }) => utxo)
const many = () => Array.from({ length: Number(HAS) }, () => secpUtxo(OWN, 1n))
const readX = async () => natives(await sources().avm.readBalances([wallet('w', text(1))], context()))
const readP = async () => natives(await sources().pvm.readBalances([wallet('w', text(1))], context()))

describe('a wallet of many pages on a chain that never stands still', () => {
  test('is settled when the blocks in between are of others', async () => {
    put('X', ...many())
    blockAfterEachPage('X', (height) => xBlock(height, foreign))
    expect(await readX()).toEqual({ w: HAS })
    expect(count('avm.getUTXOs') - 2 * 2).toBe(1 + PAGES)
    expect(count('avm.getBlockByHeight')).toBe(PAGES)
  })

  test('is settled on P, too, with its stakes', async () => {
    put('P', ...many())
    const stake = { stakeOutputs: [secpOutput(STRANGER, 5n)], rewardsOwner: { type: 'output-owners', ...ownedBy(3) } }
    const validator = { nodeId: '00'.repeat(20), start: 1n, end: 2n, weight: 5n }
    const delegation = { type: 'AddDelegatorTx', ...foreign, ...stake, validator }
    blockAfterEachPage('P', (height) => pBlock(height, delegation))
    expect(await readP()).toEqual({ w: HAS })
    expect(count('platform.getBlockByHeight')).toBe(PAGES)
  })

  test('a UTXO that was read and is spent meanwhile is not counted', async () => {
    const utxos = many()
    put('X', ...utxos)
    blockAfterEachPage('X', (height, page) => {
      // Behind the page that had it.
      if (page !== SECOND_FRAMED) return xBlock(height, foreign)
      const spent = listed(utxos)[0] as string
      node().ledger.memories.set(
        'X',
        utxos.filter((utxo) => utxo !== spent),
      )
      return xBlock(height, { inputs: [inputOf(spent)], outputs: [secpOutput(STRANGER, 1n)] })
    })
    expect(await readX()).toEqual({ w: HAS - 1n })
  })

  test('a UTXO that is made meanwhile is not missed beside the one that was spent for it', async () => {
    const utxos = many()
    put('X', ...utxos)
    blockAfterEachPage('X', (height, page) => {
      if (page !== SECOND_FRAMED) return xBlock(height, foreign)
      // Spent before its page is read, and made behind one that has been: the sum would be too small.
      const spent = listed(utxos).at(-1) as string
      node().ledger.memories.set('X', [...utxos.filter((utxo) => utxo !== spent), madeBefore(utxos)])
      return xBlock(height, { inputs: [inputOf(spent)], outputs: [secpOutput(OWN, 1n)] })
    })
    expect(await readX()).toEqual({ w: HAS })
  })

  test.each([
    ['one of several addresses', 3],
    ['one of more addresses than a call takes', 1_100],
  ])('two UTXOs that one block makes for %s are both counted, or neither', async (_, addresses) => {
    const utxos = many()
    put('X', ...utxos)
    const blocks = new Map<string, Uint8Array>()
    node().ledger.blocks = blocks
    node().before = (call) => {
      // One is made behind the page that is being read, where it will be seen, the other one ahead of it.
      if (call.method !== 'avm.getUTXOs' || call.params['startIndex'] === undefined || blocks.size > 0) return undefined
      const height = ++node().ledger.heights.X
      const made = { outputs: [secpOutput(OWN, 1n), secpOutput(OWN, 1n)] }
      blocks.set(`X:${height}`, xBlock(height, { ...foreign, ...made }))
      node().ledger.memories.set('X', [...utxos, madeBefore(utxos), madeBehind(utxos)])
      node().reindex()
      return undefined
    }
    const own = [text(1), ...Array.from({ length: addresses - 1 }, (_, index) => text(100 + index))]
    expect(natives(await sources().avm.readBalances([wallet('w', ...own)], context()))).toEqual({ w: HAS + 2n })
  })

  test.each([
    ['decides of a reward', (height: number) => encodePBlock(commit(height))],
    ['removes an L1 validator', (height: number) => pBlock(height, { type: 'DisableL1ValidatorTx', ...disable })],
    ['is not to be had', () => undefined],
    ['cannot be read', () => Buffer.from('00', 'hex')],
    ['is another one', (height: number) => pBlock(height + 1, foreign)],
  ])('a block that %s proves nothing: the list is read again', async (_, make) => {
    put('P', ...many())
    blockAfterEachPage('P', (height, page) => (page === SECOND_FRAMED ? make(height) : pBlock(height, foreign)))
    expect(await readP()).toEqual({ w: HAS })
    expect(count('platform.getUTXOs') - 2 * 3).toBe(1 + 2 * PAGES)
  })
})

const ownedBy = (n: number) => ({ locktime: 0n, threshold: 1, addresses: [Buffer.from(hex(n), 'hex')] })
const commit = (height: number): PBlock => ({
  type: 'BanffCommitBlock',
  time: 1n,
  parentId: ID,
  height: BigInt(height),
})
const disable = { ...foreign, validationId: ID, disableAuth: { type: 'secp-auth', sigIndices: [0] } }

/** A new UTXO that stands before those in the node's list. */
function madeBefore(utxos: readonly string[]): string {
  const first = idOf(listed(utxos)[0] as string)
  return madeWhere((id) => id < first)
}

/** One that stands behind them. */
function madeBehind(utxos: readonly string[]): string {
  const last = idOf(listed(utxos).at(-1) as string)
  return madeWhere((id) => id > last)
}

function madeWhere(fits: (id: string) => boolean): string {
  for (;;) {
    const next = secpUtxo(OWN, 1n)
    if (fits(idOf(next))) return next
  }
}
