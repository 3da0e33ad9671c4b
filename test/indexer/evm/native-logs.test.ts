import { type Hex, pad, toEventSelector, toHex } from 'viem'
import { expect, it } from 'vitest'
import { evmEffects } from '../../../src/indexer/evm/evm-effects.ts'
import { loggedMoves } from '../../../src/indexer/evm/token-logs.ts'

const SYSTEM = '0xfffffffffffffffffffffffffffffffffffffffe'
const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
const BURN = toEventSelector('Burn(address,uint256)')
const account = (number: number): string => number.toString(16).padStart(40, 'a')
const [ANN, SPLITTER, BOB, EVE, TOKEN] = [1, 2, 3, 4, 5].map(account) as [string, string, string, string, string]
const topic = (bare: string): Hex => pad(`0x${bare}`, { size: 32 })
const log = (address: string, topics: Hex[], at: number) => ({
  address,
  topics,
  data: toHex(7, { size: 32 }),
  logIndex: toHex(at),
})
const hash = toHex(9, { size: 32 })

/** Ann has a contract pay Bob and give Eve a token; what is left of it is burnt. As EIP-7708 logs it. */
const logs = [
  log(SYSTEM, [TRANSFER, topic(ANN), topic(SPLITTER)], 0),
  log(SYSTEM, [TRANSFER, topic(SPLITTER), topic(BOB)], 1),
  log(`0x${TOKEN}`, [TRANSFER, topic(ANN), topic(EVE)], 2),
  log(SYSTEM, [BURN, topic(SPLITTER)], 3),
]
const receipt = { transactionHash: hash, blockHash: hash, status: '0x1', gasUsed: '0x10000', logs }
const transaction = {
  hash,
  from: `0x${ANN}`,
  to: `0x${SPLITTER}`,
  value: '0x7',
  gas: '0x20000',
  nonce: '0x0',
  input: '0x',
}
const block = {
  ...{ number: '0x5', hash, parentHash: toHex(8, { size: 32 }), timestamp: '0x64' },
  ...{ gasUsed: '0x10000', gasLimit: '0x20000', transactions: [transaction] },
}

it('movements of the native coin that are logged as those of a token are none of a token', () => {
  const { rows } = evmEffects([{ block, receipts: [receipt], names: new Map() }], 0n)
  expect(rows.transfers).toMatchObject([{ contract: TOKEN, from: ANN, to: EVE, logIndex: 2 }])
  expect(rows.contracts?.map(({ address }) => address)).toEqual([TOKEN])
  expect(rows.holdings?.map(({ contract }) => contract)).toEqual([TOKEN, TOKEN])
  // Its names are not asked for.
  expect(loggedMoves(receipt).flatMap(({ moves }) => moves)).toHaveLength(1)
})

it('who was given the native coin by a contract takes part, without any trace', () => {
  const { rows } = evmEffects([{ block, receipts: [receipt], names: new Map() }], 0n)
  expect(rows.participants?.map(({ address }) => address)).toEqual([ANN, SPLITTER, BOB, EVE])
})
