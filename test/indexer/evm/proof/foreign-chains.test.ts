import { getContractAddress, type Hex, keccak256, toRlp } from 'viem'
import { expect, it } from 'vitest'
import { evmEffects } from '../../../../src/indexer/evm/evm-effects.ts'
import { headerHash } from '../../../../src/indexer/evm/proof/header-hash.ts'
import { createBlockProof } from '../../../../src/indexer/evm/proof/index.ts'
import { logsBloom } from '../../../../src/indexer/evm/proof/logs-bloom.ts'
import { orderedRoot } from '../../../../src/indexer/evm/proof/ordered-root.ts'
import { receiptBytes } from '../../../../src/indexer/evm/proof/receipt-bytes.ts'
import { transactionBytes } from '../../../../src/indexer/evm/proof/transaction-bytes.ts'
import type { RpcBlock, RpcReceipt, RpcTransaction } from '../../../../src/indexer/evm/rpc-block.ts'
import { generateEvmBlocks } from '../../../load/indexing/evm-blocks.ts'

interface Facts {
  block: RpcBlock & Record<string, unknown>
  receipts: RpcReceipt[]
}

function look({ block, receipts }: Facts, proof = createBlockProof()): void {
  proof.expectBlock(block)
  proof.expectReceipts(block, receipts)
}

const generated = (blocks: number, transactions: number): Facts[] =>
  generateEvmBlocks({ blocks, transactions }).map(({ block, receipts }) => ({
    block: JSON.parse(block),
    receipts: JSON.parse(receipts),
  }))

const one = (transactions: number): Facts => {
  const [facts] = generated(1, transactions)
  if (!facts) throw new Error('no block')
  return facts
}

const rename = ({ block, receipts }: Facts, hash: string): void => {
  block.hash = hash
  for (const receipt of receipts) receipt.blockHash = hash
}

/** As if the block had been made with these receipts. */
function seal(facts: Facts): Facts {
  const { block, receipts } = facts
  const types = block.transactions.map(({ type }) => Number(type ?? 0))
  block.receiptsRoot = `0x${orderedRoot(receipts.map((receipt, at) => receiptBytes(receipt, types[at] ?? 0)))}`
  rename(facts, `0x${headerHash(block)}`)
  return facts
}

const NO_UNCLES = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const zeros = (bytes: number): string => `0x${'00'.repeat(bytes)}`

/** Ropsten, block 10994. */
function beforeByzantium(): Facts {
  const hash = '0xb6a2558c2e54bfb11247d0764311143af48d122f29fc408d9519f47d70aa2d50'
  const transaction: RpcTransaction & Record<string, unknown> = {
    hash: '0xd83b1dcf7d47c4115d78ce0361587604e8157591b118bd64ada02e86c9d5ca7e',
    from: '0x004b7f28a01a9f9142b2fc818b22325c4c049166',
    to: '0x96ad73cba6a91a99d22011f4992b60adb5b2f67e',
    nonce: '0x3',
    gas: '0x82b7',
    gasPrice: '0x4a817c800',
    value: '0x0',
    input: `0x60fe47b1${'3'.padStart(64, '0')}`,
    v: '0x2a',
    r: '0xb5d4d82ae2dcffac0906daa876fe24d9ee6dc4754f1e9947dd654f5673201478',
    s: '0x6b77cab29e756041882e9cdf4f9675f5b94c76236ed4498673d95b8d8dbe47f8',
  }
  const log = {
    address: transaction.to ?? '',
    topics: ['0x191ab2c8eaffad5fde3cd3dc00d67344f756cd573644cd1dd346b163c04eb350'],
    data: `0x${'3'.padStart(64, '0')}`,
    logIndex: '0x0',
  }
  const block = {
    ...{ hash, number: '0x2af2', timestamp: '0x5832ea2d', sha3Uncles: NO_UNCLES, logsBloom: logsBloom([log]) },
    ...{ difficulty: '0x1a5a49b', gasLimit: '0x47e7c4', gasUsed: '0x6cee', nonce: '0x578a376dad2a2aab' },
    parentHash: '0x8dae0579c66a3e173a09d372f6e5bfcde02025e332c6bef04a78e223875045f2',
    miner: '0xffc614ee978630d7fb0c06758deb580c152154d3',
    stateRoot: '0x6e9b52186bfd38a82a474d348d11a0d38ebd4388c01bfa32ac0c99740df4d570',
    transactionsRoot: '0x6ff1a2bd296e0b47adec9d1374b4571290699899e991f69b4eaff42b70e1f976',
    receiptsRoot: '0xdc2fcaf8bc4544e7d678f360714aba74c7b1b048da685f87350e990decfd69c4',
    extraData: '0xd783010502846765746887676f312e372e33856c696e7578',
    mixHash: '0x5dba09667c32fd5a51cf696ae0225595184988849e538dbb92cbf22ecec4a379',
    transactions: [transaction],
  }
  const receipt = {
    ...{ blockHash: hash, transactionHash: transaction.hash, cumulativeGasUsed: '0x6cee', gasUsed: '0x6cee' },
    root: '0x9b1de4776d32404b0b463c6929e2e3b988b521442fbbd218bd24a7bbb2cef594',
    logs: [log],
  }
  return { block, receipts: [receipt] }
}

it.each([{}, { status: null }, { status: '0x0' }, { status: '0x1' }])(
  'takes a root instead of an outcome beside %j',
  (said) => {
    const { block, receipts } = beforeByzantium()
    const all = receipts.map((receipt) => ({ ...receipt, ...said }))
    look({ block, receipts: all })
    const { rows } = evmEffects([{ block, receipts: all, names: new Map() }], 0n)
    expect(rows.transactions?.[0]?.success).toBe(true)
    expect(() => look({ block, receipts: all.map((receipt) => ({ ...receipt, root: NO_UNCLES })) })).toThrow('its root')
  },
)

/** Polygon, block 147648: nothing but what was handed over from Ethereum, without its logs. */
const stateSync = (): Facts => {
  const hash = '0xcbce8f3ca9545917f8c675fbf1723685ce3e18f8ce62ab0893aee813a12d6d27'
  const nobody = zeros(20)
  const transaction = {
    hash: '0x3f4a5a9cbd755b65c85954650abc7c2c39331311bf8490b8ed42c1e0349f65a3',
    ...{ type: '0x0', from: nobody, to: nobody, nonce: '0x0', gas: '0x0', gasPrice: '0x0', value: '0x0', input: '0x' },
    ...{ v: '0x0', r: '0x0', s: '0x0' },
  }
  const block = {
    ...{ hash, number: '0x240c0', timestamp: '0x5ede464b', sha3Uncles: NO_UNCLES, miner: nobody, difficulty: '0x5' },
    ...{ logsBloom: zeros(256), gasLimit: '0x1312d00', gasUsed: '0x0', mixHash: zeros(32), nonce: zeros(8) },
    ...{ transactionsRoot: EMPTY_ROOT, receiptsRoot: EMPTY_ROOT, transactions: [transaction] },
    parentHash: '0x476f0e6f3eab0c012b6e029539aa77788f3f00aaab721e9dd24d8953f426d3cf',
    stateRoot: '0x5b2c98d8e402046ce4b239a6b2a7d37ae56915bbc96efcf69c93b9621ec8fe3e',
    extraData: `0xd58301090083626f7286676f312e3133856c696e757800000000000000000000a0dfb5758bb3f1b32fe1f28d6835af86ebe54c0fc163f1f54b092c656869d5ab38556bd0164ac4812bd554de26d59a9ccc3647bf525b1136de1a2afacddf6ee800`,
  }
  const receipt = { transactionHash: transaction.hash, blockHash: hash, status: '0x1', gasUsed: '0x0', logs: [] }
  return { block, receipts: [{ ...receipt, cumulativeGasUsed: '0x0' }] }
}

it('takes what Polygon hands over from Ethereum, whatever its filter is', () => {
  const { block, receipts } = stateSync()
  const log = { address: zeros(20), topics: [], data: '0x', logIndex: '0x0' }
  for (const filter of [undefined, zeros(256), logsBloom([log])])
    look({ block, receipts: receipts.map((receipt) => ({ ...receipt, logs: [log], logsBloom: filter as string })) })
})

it('holds all else in such a block of Polygon against the roots', () => {
  const facts = one(3)
  const height = Buffer.alloc(8)
  const name = Buffer.concat([Buffer.from('matic-bor-receipt-'), height, Buffer.from(facts.block.hash.slice(2), 'hex')])
  const hash = keccak256(name)
  const [added] = stateSync().block.transactions
  const [told] = stateSync().receipts
  if (!added || !told) throw new Error('no transaction')
  const transactions = [...facts.block.transactions, { ...added, hash }]
  const receipts = [...facts.receipts, { ...told, blockHash: facts.block.hash, transactionHash: hash }]
  const whole = { block: { ...facts.block, transactions }, receipts }
  look(whole)
  const lie = structuredClone(whole)
  Object.assign(lie.receipts[1]?.logs[0] ?? {}, { data: `0x${'1'.padStart(64, '0')}` })
  expect(() => look(lie)).toThrow('not those of its root')
  const [first, , ...rest] = transactions
  if (!first) throw new Error('no transaction')
  expect(() => look({ block: { ...whole.block, transactions: [first, ...rest] }, receipts })).toThrow(
    'the transactions are not those of its root',
  )
})

// Arbitrum: a ticket that is redeemed (0x68) counts its tries in `nonce`, not the transactions of its sender. Optimism
// before Bedrock: what came from Ethereum has no type and no signature.
it.each(['0x68', '0x0'])('takes the word of nodes for where contracts went of type %s that nobody signed', (type) => {
  const facts = one(2)
  const [redeemed] = facts.block.transactions
  const [receipt] = facts.receipts
  Object.assign(redeemed ?? {}, { type, to: null, r: '0x0', s: '0x0' })
  Object.assign(receipt ?? {}, { contractAddress: zeros(20).replace(/.$/, '1') })
  look(seal(facts))
})

it('puts contracts where a deposit of OP chains says that its nonce does', () => {
  const facts = one(2)
  const [deposit] = facts.block.transactions
  const [receipt] = facts.receipts
  if (!deposit || !receipt) throw new Error('no transaction')
  Object.assign(deposit, { type: '0x7e', to: null, nonce: '0x0', r: '0x0', s: '0x0' })
  const contractAddress = getContractAddress({ from: deposit.from as Hex, nonce: 7n })
  Object.assign(receipt, { depositNonce: '0x7', depositReceiptVersion: '0x1', contractAddress })
  look(seal(facts))
  receipt.contractAddress = zeros(20).replace(/.$/, '1')
  expect(() => look(facts)).toThrow('contractAddress is not its own')
})

it('goes on where a chain begins to hash as others do, in whichever order its blocks come', () => {
  // Gnosis did so when it was merged.
  const [before, first, second] = generated(3, 2)
  if (!before || !first || !second) throw new Error('no blocks')
  rename(before, zeros(32))
  for (const order of [
    [before, first],
    [first, before],
  ]) {
    const proof = createBlockProof()
    for (const { block } of order) proof.expectBlock(block)
    for (const { block, receipts } of order) proof.expectReceipts(block, receipts)
    expect(proof.hashes).toBe(true)
    rename(second, zeros(32))
    expect(() => look(second, proof)).toThrow('is not what its hash says')
  }
})

const even = (value: unknown): Hex => String(value).replace(/^0x(?=(..)*.$)/, '0x0') as Hex
const LONDON = { baseFeePerGas: '0x7' }
const PRAGUE = {
  ...{ ...LONDON, withdrawalsRoot: EMPTY_ROOT, blobGasUsed: '0x20000', excessBlobGas: '0x0' },
  ...{ parentBeaconBlockRoot: NO_UNCLES, requestsHash: EMPTY_ROOT },
}
const AMSTERDAM = { ...PRAGUE, blockAccessListHash: NO_UNCLES, slotNumber: '0xd05' }

it.each([
  ['Ethereum before London', {}],
  ['Ethereum', PRAGUE],
  ['Ethereum since Amsterdam', AMSTERDAM],
  ['Ethereum with its slot as some nodes write it', { ...AMSTERDAM, slotNumber: 0xd05 }],
  ['Ethereum with zeros in front', { ...AMSTERDAM, slotNumber: '0x0d05' }],
  ['Berachain', { ...PRAGUE, parentProposerPubkey: zeros(48).replace(/.$/, '1') }],
])('hashes the headers of %s', (_, added) => {
  const [root, numbers] = [NO_UNCLES, { difficulty: '0x0', number: '0x1', gasLimit: '0x1312d00', gasUsed: '0x5208' }]
  const members = {
    ...{ parentHash: root, sha3Uncles: root, miner: zeros(20), stateRoot: root, transactionsRoot: root },
    ...{ receiptsRoot: root, logsBloom: zeros(256), ...numbers, timestamp: '0x68285874', extraData: '0x' },
    ...{ mixHash: zeros(32), nonce: zeros(8), ...added },
  }
  const list = Object.entries(members).map(([name, value]) =>
    name === 'slotNumber' ? '0x0d05' : value === '0x0' ? '0x' : even(value),
  )
  expect(headerHash({ ...members, transactions: [] } as unknown as RpcBlock)).toBe(keccak256(toRlp(list)).slice(2))
})

it('takes a first block without transactions whatever root it names, as Hardhat makes it, and no later one', () => {
  const bare = (number: string): Facts => {
    const facts = one(1)
    Object.assign(facts.block, {
      number,
      transactions: [],
      transactionsRoot: keccak256('0x'),
      receiptsRoot: EMPTY_ROOT,
    })
    Object.assign(facts.block, { logsBloom: zeros(256), gasUsed: '0x0' })
    facts.receipts = []
    rename(facts, `0x${headerHash(facts.block)}`)
    return facts
  }
  look(bare('0x0'))
  expect(() => look(bare('0x1'))).toThrow('the transactions are not those of its root')
})

it('reads transactions whose members are written in other ways', () => {
  const [transaction] = one(1).block.transactions
  const typed = {
    ...transaction,
    ...{ type: '0x2', maxFeePerGas: '0x9', maxPriorityFeePerGas: '0x1', chainId: '0x1', accessList: [], v: '0x1' },
  } as unknown as RpcTransaction
  const bytes = transactionBytes(typed)
  for (const other of [
    { type: '0x02' },
    { v: '0x1c', yParity: '0x1' },
    { v: undefined, yParity: '0x1' },
    { yParity: '0x1' },
    { value: `0x0${typed.value.slice(2)}` },
    { chainId: 1 },
  ])
    expect(transactionBytes({ ...typed, ...other } as RpcTransaction)).toEqual(bytes)
})

it.each(['0x123', '0x12...', '12', null])('says what is wrong with the bytes %j', (extraData) => {
  const { block } = one(1)
  const lie = { ...block, extraData, logsBloom: extraData ?? '0x1' }
  expect(() => look({ block: lie as unknown as Facts['block'], receipts: [] }, createBlockProof(true))).toThrow(
    /^(no bytes|no hex|block 0x0 is not what)/,
  )
})
