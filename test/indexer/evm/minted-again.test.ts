import { type Hex, pad, toEventSelector, toHex } from 'viem'
import { expect, it } from 'vitest'
import { evmEffects } from '../../../src/indexer/evm/evm-effects.ts'

const word = (number: number): Hex => toHex(number, { size: 32 })
const account = (number: number): Hex => toHex(number, { size: 20 })
const [NOBODY, ANN, BOB, CONTRACT] = [0, 1, 2, 0xdd].map(account) as [Hex, Hex, Hex, Hex]
const party = (address: Hex): Hex => pad(address, { size: 32 })

const erc721 = (from: Hex, to: Hex, id: number) => ({
  topics: [toEventSelector('Transfer(address,address,uint256)'), party(from), party(to), word(id)],
  data: '0x',
})
const erc2309 = (from: Hex, to: Hex, first: number, last: number) => ({
  topics: [
    toEventSelector('ConsecutiveTransfer(uint256,uint256,address,address)'),
    ...[word(first), party(from), party(to)],
  ],
  data: word(last),
})
const erc1155 = (from: Hex, to: Hex, id: number) => ({
  topics: [
    toEventSelector('TransferSingle(address,address,address,uint256,uint256)'),
    ...[party(ANN), party(from), party(to)],
  ],
  data: `${word(id)}${word(1).slice(2)}`,
})

/** Ids of tokens whose metadata is to be read anew after a block with these logs. */
function changedBy(...events: { topics: string[]; data: string }[]): bigint[] {
  const hash = word(0xbeef)
  const paid = { gasUsed: '0x5208', effectiveGasPrice: '0x2' }
  const logs = events.map((event, at) => ({ address: CONTRACT, logIndex: toHex(at), ...event }))
  const receipts = [{ transactionHash: hash, blockHash: word(5), status: '0x1', ...paid, logs }]
  const sent = { from: ANN, to: CONTRACT, value: '0x0', gas: '0x5208', nonce: '0x1', input: '0x' }
  const head = { number: '0x5', hash: word(5), parentHash: word(4), timestamp: '0x64' }
  const block = { ...head, gasUsed: '0x5208', gasLimit: '0xe4e1c0', transactions: [{ hash, ...sent }] }
  const { metadataChanges = [] } = evmEffects([{ block, receipts, names: new Map() }], 0n).rows
  for (const { from, to } of metadataChanges) expect(from).toBe(to)
  return metadataChanges.map(({ from }) => from)
}

it('metadata of an ERC-721 token are read anew when it is minted, perhaps once more under its id', () => {
  expect(changedBy(erc721(NOBODY, ANN, 7), erc721(ANN, NOBODY, 7), erc721(NOBODY, BOB, 7))).toEqual([7n, 7n])
  expect(changedBy(erc2309(NOBODY, ANN, 10, 11))).toEqual([10n, 11n])
})

it('a token that moves, or of which there are more, is the same as before', () => {
  expect(changedBy(erc721(ANN, BOB, 7), erc721(BOB, NOBODY, 7), erc1155(NOBODY, ANN, 9))).toEqual([])
})
