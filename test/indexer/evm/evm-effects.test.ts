import { encodeAbiParameters, type Hex, pad, toEventSelector, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { evmEffects } from '../../../src/indexer/evm/evm-effects.ts'
import type { EvmFacts, RpcLog, RpcReceipt, RpcTransaction } from '../../../src/indexer/evm/rpc-block.ts'

const ZERO = '0'.repeat(40)
/** As rows have it: hex without 0x. */
const address = (number: number): string => number.toString(16).padStart(40, 'a')
const hash = (number: number): Hex => toHex(number, { size: 32 })
const party = (bare: string): Hex => pad(`0x${bare}`, { size: 32 })
const words = (...values: bigint[]): Hex => `0x${values.map((value) => value.toString(16).padStart(64, '0')).join('')}`
const lists = (ids: bigint[], amounts: bigint[]): Hex =>
  encodeAbiParameters([{ type: 'uint256[]' }, { type: 'uint256[]' }], [ids, amounts])

const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
const SINGLE = toEventSelector('TransferSingle(address,address,address,uint256,uint256)')
const RANGE = toEventSelector('ConsecutiveTransfer(uint256,uint256,address,address)')
const BATCH = toEventSelector('TransferBatch(address,address,address,uint256[],uint256[])')
const [TOKEN, OPERATOR, ANN, BOB, EVE] = [0xdd, 1, 2, 3, 4].map(address) as [string, string, string, string, string]

type Event = Partial<RpcLog> & { topics: string[] }
const erc20 = (from: string, to: string, amount: bigint): Event => ({
  topics: [TRANSFER, party(from), party(to)],
  data: words(amount),
})
const erc721 = (from: string, to: string, id: bigint): Event => ({
  topics: [TRANSFER, party(from), party(to), words(id)],
})
const erc1155 = (topic: string, from: string, to: string, data: string): Event => ({
  topics: [topic, party(OPERATOR), party(from), party(to)],
  data,
})
const erc2309 = (from: string, to: string, first: bigint, last: bigint): Event => ({
  topics: [RANGE, words(first), party(from), party(to)],
  data: words(last),
})

interface Sent {
  transaction?: Partial<RpcTransaction>
  receipt?: Partial<RpcReceipt>
  events?: Event[]
}

/** A block; logs are counted through it, as nodes do. */
function facts(number: number, sent: Sent[], names: EvmFacts['names'] = new Map()): EvmFacts {
  let logIndex = 0
  const transactions = sent.map(({ transaction }, at) => ({
    hash: hash(1_000 * number + at),
    ...{ from: `0x${address(7)}`, to: `0x${address(8)}`, value: '0x0', type: '0x2', gas: '0x5208', nonce: '0x1' },
    input: '0x',
    ...transaction,
  }))
  const receipts = sent.map(({ receipt, events = [] }, at) => ({
    transactionHash: hash(1_000 * number + at),
    blockHash: hash(number),
    ...{ status: '0x1', gasUsed: '0x5208', effectiveGasPrice: '0x2' },
    logs: events.map((event) => ({ address: `0x${TOKEN}`, data: '0x', logIndex: toHex(logIndex++), ...event })),
    ...receipt,
  }))
  const head = { number: toHex(number), hash: hash(number), parentHash: hash(number - 1), timestamp: '0x64' }
  return { block: { ...head, gasUsed: '0x5208', gasLimit: '0xe4e1c0', transactions }, receipts, names }
}

const rowsOf = (...blocks: EvmFacts[]) => evmEffects(blocks, 0n).rows
const transfersOf = (...events: Event[]) => rowsOf(facts(5, [{ events }])).transfers
const moved = { height: 5n, logIndex: 0, batchIndex: 0, txIndex: 0, contract: TOKEN }
const MOST = 2n ** 256n - 1n

describe('logs of token transfers', () => {
  it.each([[0n], [1n], [MOST]])('ERC-20, an amount of %d', (amount) => {
    expect(transfersOf(erc20(ANN, BOB, amount))).toEqual([{ ...moved, standard: 'ERC-20', from: ANN, to: BOB, amount }])
  })

  it('ERC-721: the fourth topic is the token, whatever the data says', () => {
    expect(transfersOf({ ...erc721(ANN, BOB, MOST), data: words(3n) })).toEqual([
      { ...moved, standard: 'ERC-721', from: ANN, to: BOB, tokenId: MOST, amount: 1n },
    ])
  })

  it('ERC-1155: who gives and who takes stand behind the operator, the token before the amount', () => {
    const shared = { ...moved, standard: 'ERC-1155', from: ANN, to: BOB }
    expect(transfersOf(erc1155(SINGLE, ANN, BOB, words(9n, 4n)))).toEqual([{ ...shared, tokenId: 9n, amount: 4n }])
    const batch = erc1155(BATCH, ANN, BOB, lists([9n, MOST, 9n], [4n, 5n, 6n]))
    expect(transfersOf(erc721(EVE, ANN, 1n), batch)?.slice(1)).toEqual([
      { ...shared, logIndex: 1, batchIndex: 0, tokenId: 9n, amount: 4n },
      { ...shared, logIndex: 1, batchIndex: 1, tokenId: MOST, amount: 5n },
      { ...shared, logIndex: 1, batchIndex: 2, tokenId: 9n, amount: 6n },
    ])
    // Both lists may be one, and their places need not be the first.
    expect(transfersOf(erc1155(BATCH, ANN, BOB, words(96n, 96n, 0n, 2n, 7n, 8n)))).toMatchObject([
      { tokenId: 7n, amount: 7n },
      { tokenId: 8n, amount: 8n },
    ])
    expect(transfersOf(erc1155(BATCH, ANN, BOB, words(64n, 64n, 2n, 7n)))).toEqual([])
  })

  it('ERC-2309: every token of the range, both ends with it', () => {
    const shared = { ...moved, standard: 'ERC-721', from: ZERO, to: ANN, amount: 1n }
    expect(transfersOf(erc2309(ZERO, ANN, MOST - 1n, MOST))).toEqual([
      { ...shared, batchIndex: 0, tokenId: MOST - 1n },
      { ...shared, batchIndex: 1, tokenId: MOST },
    ])
    expect(transfersOf(erc2309(ZERO, ANN, 7n, 7n))).toEqual([{ ...shared, batchIndex: 0, tokenId: 7n }])
  })

  it('takes ranges as far as the gas of their transaction goes, of ten thousand tokens at most', () => {
    const ranges = (gas: number, ...lasts: bigint[]) =>
      rowsOf(
        facts(5, [{ receipt: { gasUsed: toHex(gas) }, events: lasts.map((last) => erc2309(ZERO, ANN, 1n, last)) }]),
      ).transfers?.length
    const found = [ranges(2_560_000, 10_000n), ranges(5_000_000, 10_001n), ranges(25_600, 60n, 41n, 40n)]
    expect([...found, ranges(25_599, 100n, MOST)]).toEqual([10_000, 0, 100, 0])
  })

  it('names the place of each in its transaction and in its block', () => {
    const { transfers } = rowsOf(
      facts(5, [
        { events: [erc20(ANN, BOB, 1n), { topics: [] }, erc20(ANN, BOB, 2n)] },
        { events: [] },
        { events: [erc20(BOB, EVE, 3n)] },
      ]),
    )
    const places = transfers?.map(({ txIndex, logIndex, amount }) => [txIndex, logIndex, amount])
    expect(places).toEqual([
      [0, 0, 1n],
      [0, 2, 2n],
      [2, 3, 3n],
    ])
  })

  it('takes batches of ten thousand tokens and none beyond', () => {
    const list = (count: number) => [BigInt(count), ...Array.from({ length: count }, (_, at) => BigInt(at))]
    const batch = (count: number) => transfersOf(erc1155(BATCH, ANN, BOB, words(64n, 64n, ...list(count))))
    expect(batch(10_000)?.at(-1)).toMatchObject({ tokenId: 9_999n, amount: 9_999n, batchIndex: 9_999 })
    expect(batch(10_001)).toEqual([])
  })

  const whole = lists([1n, 2n], [3n, 4n])
  it.each<[string, Event]>([
    ['no topics', { topics: [] }],
    ['another event', { ...erc20(ANN, BOB, 1n), topics: [hash(1), party(ANN), party(BOB)] }],
    ['an ERC-20 transfer of two words', { ...erc20(ANN, BOB, 1n), data: words(1n, 2n) }],
    ['an ERC-20 transfer without an amount', { ...erc20(ANN, BOB, 1n), data: '0x' }],
    ['a transfer that names one party', { topics: [TRANSFER, party(ANN)], data: words(1n) }],
    ['a transfer that names nobody', { topics: [TRANSFER], data: words(1n, 2n, 3n) }],
    ['one ERC-1155 token of three words', erc1155(SINGLE, ANN, BOB, words(1n, 2n, 3n))],
    ['one ERC-1155 token of one word', erc1155(SINGLE, ANN, BOB, words(1n))],
    ['one ERC-1155 token without a receiver', { topics: [SINGLE, party(ANN), party(BOB)], data: words(1n, 2n) }],
    ['a batch without a receiver', { topics: [BATCH, party(ANN), party(BOB)], data: whole }],
    ['a batch with more tokens than amounts', erc1155(BATCH, ANN, BOB, lists([1n, 2n], [3n]))],
    ['a batch with more amounts than tokens', erc1155(BATCH, ANN, BOB, lists([1n], [3n, 4n]))],
    ['a batch whose end is missing', erc1155(BATCH, ANN, BOB, whole.slice(0, -64))],
    ['a batch whose lists are one, of which the end is missing', erc1155(BATCH, ANN, BOB, words(64n, 64n, 2n, 7n))],
    ['a batch in a place that is no word', erc1155(BATCH, ANN, BOB, words(65n, 65n, 1n, 7n, 8n))],
    ['a batch behind its end', erc1155(BATCH, ANN, BOB, words(MOST, MOST, 1n, 7n))],
    ['a batch of more tokens than there are', erc1155(BATCH, ANN, BOB, words(64n, 64n, MOST, 7n))],
    ['a batch without data', erc1155(BATCH, ANN, BOB, '0x')],
    ['a range that goes backwards', erc2309(ZERO, ANN, 2n, 0n)],
    ['a range without an end', { ...erc2309(ZERO, ANN, 1n, 2n), data: '0x' }],
    ['a range without a receiver', { topics: [RANGE, words(1n), party(ZERO)], data: words(2n) }],
  ])('%s is none', (_, event) => {
    const { transfers, nfts, holdings, contracts } = rowsOf(facts(5, [{ events: [event] }]))
    expect([transfers, nfts, holdings, contracts]).toEqual([[], [], [], []])
  })
})

describe('what logs leave behind', () => {
  it('the owner of a token is who got it last, and its first block stays the first', () => {
    const { nfts } = rowsOf(
      facts(5, [{ events: [erc721(ZERO, ANN, 1n), erc721(ZERO, ANN, 2n)] }, { events: [erc721(ANN, BOB, 1n)] }]),
      facts(6, [{ events: [erc1155(SINGLE, ZERO, EVE, words(1n, 5n)), erc721(BOB, ZERO, 1n)] }]),
      facts(7, [{ events: [erc1155(BATCH, ZERO, EVE, lists([3n, 4n], [1n, 1n]))] }]),
    )
    const unique = { contract: TOKEN, standard: 'ERC-721' }
    const many = { contract: TOKEN, standard: 'ERC-1155', height: 7n, logIndex: 0, firstHeight: 7n }
    expect(nfts).toEqual([
      { ...unique, tokenId: 1n, owner: ZERO, height: 6n, logIndex: 1, firstHeight: 5n },
      { ...unique, tokenId: 2n, owner: ANN, height: 5n, logIndex: 1, firstHeight: 5n },
      { ...many, tokenId: 3n },
      { ...many, tokenId: 4n },
    ])
  })

  it('both sides of an ERC-20 transfer know the token from then on, and took part; the zero address is nobody', () => {
    const { holdings, participants, nfts } = rowsOf(
      facts(5, [{ transaction: { from: `0x${EVE}`, to: `0x${ZERO}` }, events: [erc20(ZERO, ANN, 1n)] }]),
      facts(6, [
        {
          transaction: { from: `0x${EVE}`, to: `0x${TOKEN}` },
          events: [erc20(ANN, BOB, 1n), erc721(OPERATOR, ZERO, 1n)],
        },
      ]),
    )
    expect(holdings).toEqual([
      { address: ANN, contract: TOKEN, height: 5n },
      { address: BOB, contract: TOKEN, height: 6n },
    ])
    expect(participants).toEqual([
      { address: EVE, height: 5n },
      { address: ANN, height: 5n },
      { address: TOKEN, height: 6n },
      { address: BOB, height: 6n },
      { address: OPERATOR, height: 6n },
    ])
    expect(nfts).toHaveLength(1)
  })

  it('a contract is known from the block of its creation or its first log, and by what it says of itself', () => {
    const created = { transaction: { to: null }, receipt: { contractAddress: `0x${TOKEN.toUpperCase()}` } }
    const names = new Map([[TOKEN, { name: 'Coin', decimals: 6 }]])
    const { contracts, transactions, participants } = rowsOf(
      facts(5, [{ transaction: { to: null }, receipt: { contractAddress: `0x${BOB}`, status: '0x0' } }, created]),
      facts(6, [{ events: [erc20(ANN, BOB, 1n)] }], names),
    )
    const creation = { creationTx: hash(5_001).slice(2), creator: address(7) }
    expect(contracts).toEqual([
      { address: TOKEN, height: 5n, ...creation, standard: 'ERC-20', name: 'Coin', decimals: 6 },
    ])
    expect(participants).toContainEqual({ address: TOKEN, height: 5n })
    expect(transactions?.map(({ to, createdContract }) => [to, createdContract])).toEqual([
      [undefined, undefined],
      [undefined, TOKEN],
      [address(8), undefined],
    ])
  })

  it('metadata of one token, of a range with both its ends, and of what a URI is told for', () => {
    const event = (signature: string, data: Hex, ...topics: Hex[]): Event => ({
      topics: [toEventSelector(signature), ...topics],
      data,
    })
    const [one, range, uri] = ['MetadataUpdate(uint256)', 'BatchMetadataUpdate(uint256,uint256)', 'URI(string,uint256)']
    const { metadataChanges } = rowsOf(
      facts(5, [
        { events: [event(one as string, words(7n)), event(range as string, words(8n, MOST))] },
        { events: [event(uri as string, words(32n, 0n), hash(9))] },
        // Of no standard: ids that are indexed, or missing.
        { events: [event(one as string, '0x', hash(7)), event(range as string, words(8n))] },
        { events: [event(uri as string, words(32n, 0n)), event(one as string, words(7n, 8n))] },
      ]),
    )
    const change = { height: 5n, contract: TOKEN }
    expect(metadataChanges).toEqual([
      { ...change, from: 7n, to: 7n },
      { ...change, from: 8n, to: MOST },
      { ...change, from: 9n, to: 9n },
    ])
  })
})

describe('blocks and their transactions', () => {
  it('sum up what was paid and what failed, and go on counting', () => {
    const old = facts(5, [
      { transaction: { gasPrice: '0x64' }, receipt: { gasUsed: '0x5', effectiveGasPrice: '0x3' } },
      // Nodes of before London tell the price with the transaction alone.
      { transaction: { gasPrice: '0x7' }, receipt: { gasUsed: '0x2', effectiveGasPrice: undefined as never } },
      { receipt: { gasUsed: '0x1', effectiveGasPrice: '0x64', status: '0x0' } },
    ])
    const members = { timestampMilliseconds: '0x65', minDelayExcess: '0x9', baseFeePerGas: '0x8', blockGasCost: '0xa' }
    const recent = facts(6, [{}])
    const { rows, transactions } = evmEffects([old, { ...recent, block: { ...recent.block, ...members } }], 40n)
    expect(transactions).toBe(44n)
    expect(rows.blocks).toEqual([
      {
        ...{ height: 5n, hash: hash(5).slice(2), parentHash: hash(4).slice(2), time: 100n, txCount: 3, failedCount: 1 },
        ...{ baseFee: 0n, gasUsed: 21_000n, gasLimit: 15_000_000n, gasCost: 0n, feesSpent: 129n },
        cumulativeTransactions: 43n,
      },
      expect.objectContaining({
        ...{ height: 6n, timeMs: 101n, minDelayExcess: 9n, baseFee: 8n, gasCost: 10n, feesSpent: 42_000n },
        ...{ failedCount: 0, cumulativeTransactions: 44n },
      }),
    ])
    expect(
      rows.transactions?.map(({ height, index, gasPrice, success }) => [height, index, gasPrice, success]),
    ).toEqual([
      [5n, 0, 3n, true],
      [5n, 1, 7n, true],
      [5n, 2, 100n, false],
      [6n, 0, 2n, true],
    ])
  })

  it('take receipts by their transaction, and never go without one', () => {
    const whole = facts(5, [{ events: [erc20(ANN, BOB, 1n)] }, { receipt: { gasUsed: '0x1' } }])
    const turned = { ...whole, receipts: whole.receipts.toReversed() }
    expect(rowsOf(turned).transactions).toEqual(rowsOf(whole).transactions)
    expect(() => rowsOf({ ...whole, receipts: whole.receipts.slice(1) })).toThrow('no receipt of transaction')
  })

  it.each([
    ['0x', ''],
    ['0xa9059cbb', 'a9059cbb'],
    ['0xA9059CBB0000', 'a9059cbb'],
    ['0xab', 'ab'],
  ])('of the data %s the first four bytes say what is called, unless a contract is made', (input, selector) => {
    const { transactions } = rowsOf(facts(5, [{ transaction: { input } }, { transaction: { input, to: null } }]))
    expect(transactions?.map((row) => row.selector)).toEqual([selector, ''])
  })
})
