import fc from 'fast-check'
import { type Hex, keccak256, serializeTransaction } from 'viem'
import { expect, it } from 'vitest'
import { expectDerived } from '../../../../src/indexer/evm/proof/derived-members.ts'
import { createBlockProof } from '../../../../src/indexer/evm/proof/index.ts'
import { transactionBytes } from '../../../../src/indexer/evm/proof/transaction-bytes.ts'
import type { RpcBlock, RpcReceipt, RpcTransaction } from '../../../../src/indexer/evm/rpc-block.ts'
import { generateEvmBlocks } from '../../../load/indexing/evm-blocks.ts'
import { recordedLines } from '../../../support/recorded/recordings.ts'

interface Facts {
  block: RpcBlock
  receipts: RpcReceipt[]
}

type Writable = Record<string, unknown>
interface Lie {
  block: Writable & { transactions: Writable[] }
  receipts: (Writable & { logs: (Writable & { topics: string[] })[] })[]
}

const recorded = (chain: string): Facts[] => recordedLines<Facts>(chain)
const CHAINS = ['c-blocks', '../l1/l1-blocks']

function look({ block, receipts }: Facts, proof = createBlockProof()): void {
  proof.expectBlock(block)
  proof.expectReceipts(block, receipts)
}

it.each(CHAINS)('believes every recorded block of %s', (chain) => {
  const proof = createBlockProof()
  for (const facts of recorded(chain)) {
    look(facts, proof)
    expect(proof.hashes).toBe(true)
  }
})

/** Another digit, of the same kind. */
const other = (hex: unknown): string => String(hex).replace(/.$/, (last) => (last === '1' ? '2' : '1'))
const change = (target: Writable | undefined, member: string): void => {
  if (target) target[member] = other(target[member])
}

const RECEIPT_LIES: Record<string, (lie: Lie) => void> = {
  'a log left out': ({ receipts: [first] }) => first?.logs.pop(),
  'a log made up': ({ receipts: [first] }) => first?.logs.push(...structuredClone(first.logs.slice(-1))),
  'all logs of a receipt': ({ receipts: [first] }) => first?.logs.splice(0),
  'an amount': ({ receipts: [first] }) => change(first?.logs[0], 'data'),
  'who got it': ({ receipts: [first] }) => first?.logs[0]?.topics.splice(2, 1, other(first.logs[0].topics[2])),
  'which token': ({ receipts: [first] }) => change(first?.logs[0], 'address'),
  'the order of logs': ({ receipts: [first] }) => first?.logs.reverse(),
  'where a log stands': ({ receipts: [first] }) => change(first?.logs[1], 'logIndex'),
  'an outcome': ({ receipts: [first] }) => Object.assign(first ?? {}, { status: '0x0' }),
  'a filter': ({ receipts: [first] }) => change(first, 'logsBloom'),
  gas: ({ receipts: [first] }) => change(first, 'gasUsed'),
  'gas up to there': ({ receipts: [first] }) => change(first, 'cumulativeGasUsed'),
  'a price': ({ receipts: [first] }) => change(first, 'effectiveGasPrice'),
  'a price below what was offered': ({ receipts: [first] }) => Object.assign(first ?? {}, { effectiveGasPrice: '0x0' }),
  'a receipt left out': ({ receipts }) => receipts.pop(),
  'a receipt twice': ({ receipts }) => receipts.push(...receipts.slice(-1)),
  'the order of receipts': ({ receipts }) => receipts.reverse(),
  'whose receipt it is': ({ receipts: [first, second] }) =>
    Object.assign(first ?? {}, { transactionHash: second?.['transactionHash'] }),
  'which block': ({ receipts: [first] }) => change(first, 'blockHash'),
}

const BLOCK_LIES: Record<string, (lie: Lie) => void> = {
  'the time': ({ block }) => change(block, 'timestamp'),
  'the milliseconds': ({ block }) => change(block, 'timestampMilliseconds'),
  'the gas': ({ block }) => change(block, 'gasUsed'),
  'the parent': ({ block }) => change(block, 'parentHash'),
  'the root of receipts': ({ block }) => change(block, 'receiptsRoot'),
  'the root of transactions': ({ block }) => change(block, 'transactionsRoot'),
  'its hash': ({ block }) => change(block, 'hash'),
  'a member left out': ({ block }) => void delete block['parentBeaconBlockRoot'],
  'a value': ({ block }) => change(block.transactions[0], 'value'),
  'a recipient': ({ block }) => change(block.transactions[0], 'to'),
  'a number of a sender': ({ block }) => change(block.transactions[0], 'nonce'),
  'call data': ({ block }) => change(block.transactions[0], 'input'),
  'the hash of a transaction': ({ block }) => change(block.transactions[0], 'hash'),
  'a transaction left out': ({ block }) => block.transactions.pop(),
  'a transaction twice': ({ block }) => block.transactions.push(...block.transactions.slice(-1)),
  'all transactions': ({ block }) => block.transactions.splice(0),
  'the order of transactions': ({ block }) => block.transactions.reverse(),
  'a type that nobody knows': ({ block }) => Object.assign(block.transactions[0] ?? {}, { type: '0x7f' }),
  'a signature': ({ block }) => Object.assign(block.transactions[0] ?? {}, { r: '0x0', s: '0x0' }),
}

/** A recorded block with several transactions whose first moved tokens, twice or oftener. */
function busyBlock(): Facts {
  const found = recorded('c-blocks').find(
    ({ receipts: [first, second] }) => second && (first?.logs.length ?? 0) > 1 && first?.logs[0]?.topics.length === 3,
  )
  if (!found) throw new Error('no such block')
  return found
}

it.each(Object.entries({ ...RECEIPT_LIES, ...BLOCK_LIES }))('does not believe lies about %s', (_, tell) => {
  const facts = busyBlock()
  look(facts)
  const lie = structuredClone(facts)
  tell(lie as unknown as Lie)
  expect(lie).not.toEqual(facts)
  expect(() => look(lie, createBlockProof(true))).toThrow()
})

it('takes a price that nobody names for no price of zero, where a chain may charge less than is offered', () => {
  const facts = recorded('c-blocks').find(({ block }) => block.transactions[0]?.type === '0x2')
  if (!facts) throw new Error('no such block')
  const [transaction] = facts.block.transactions
  const [receipt] = facts.receipts
  expectDerived(facts.block, facts.receipts, false)
  const unnamed = { ...receipt, effectiveGasPrice: undefined } as unknown as RpcReceipt
  const told = { ...transaction, gasPrice: undefined } as unknown as RpcTransaction
  const block = { ...facts.block, transactions: [told, ...facts.block.transactions.slice(1)] }
  expect(() => expectDerived(block, [unnamed, ...facts.receipts.slice(1)], false)).toThrow('effectiveGasPrice')
})

it.each(CHAINS)('believes no other address of a contract that was made on %s', (chain) => {
  const all = recorded(chain)
  const made = all.find(({ block, receipts: [first] }) => block.transactions[0]?.to === null && first?.status === '0x1')
  if (!made) throw new Error('no such block')
  const lie = structuredClone(made)
  change(lie.receipts[0] as unknown as Writable, 'contractAddress')
  look(made)
  expect(() => look(lie)).toThrow('contractAddress is not its own')
})

it('makes the bytes of every type of transaction as another implementation does', () => {
  const hex = (bytes: number) =>
    fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((all) => `0x${Buffer.from(all).toString('hex')}` as Hex)
  const number = fc.bigInt({ min: 0n, max: 2n ** 200n })
  const small = fc.integer({ min: 0, max: 2 ** 40 })
  const scalar = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n })
  const arbitrary = fc.record({
    type: fc.constantFrom('legacy', 'eip2930', 'eip1559', 'eip4844', 'eip7702'),
    nonce: small,
    chainId: fc.integer({ min: 1, max: 2 ** 31 }),
    gas: number,
    price: number,
    tip: number,
    value: number,
    to: hex(20),
    data: fc.uint8Array({ maxLength: 200 }).map((all) => `0x${Buffer.from(all).toString('hex')}` as Hex),
    accessList: fc.array(fc.record({ address: hex(20), storageKeys: fc.array(hex(32), { maxLength: 3 }) }), {
      maxLength: 3,
    }),
    blobs: fc.array(
      hex(31).map((rest) => `0x01${rest.slice(2)}` as Hex),
      { minLength: 1, maxLength: 3 },
    ),
    authorizations: fc.array(
      fc.record({
        address: hex(20),
        chainId: small,
        nonce: small,
        yParity: fc.constantFrom(0, 1),
        r: scalar,
        s: scalar,
      }),
      { minLength: 1, maxLength: 3 },
    ),
    yParity: fc.constantFrom(0, 1),
    r: scalar,
    s: scalar,
  })
  const TYPES: Record<string, Hex> = { legacy: '0x0', eip2930: '0x1', eip1559: '0x2', eip4844: '0x3', eip7702: '0x4' }
  const q = (value: number | bigint): Hex => `0x${value.toString(16)}`
  fc.assert(
    fc.property(arbitrary, (one) => {
      const {
        type,
        nonce,
        chainId,
        gas,
        price,
        tip,
        value,
        to,
        data,
        accessList,
        blobs,
        authorizations,
        yParity,
        r,
        s,
      } = one
      const v = type === 'legacy' ? BigInt(chainId) * 2n + 35n + BigInt(yParity) : BigInt(yParity)
      const maxFee = price + tip
      const fees = ['legacy', 'eip2930'].includes(type)
        ? { gasPrice: price }
        : { maxFeePerGas: maxFee, maxPriorityFeePerGas: tip }
      const raw = serializeTransaction(
        {
          ...{ type, nonce, chainId, gas, value, to, data, ...fees },
          ...(type === 'legacy' ? {} : { accessList }),
          ...(type === 'eip4844' ? { maxFeePerBlobGas: price, blobVersionedHashes: blobs } : {}),
          ...(type === 'eip7702'
            ? {
                authorizationList: authorizations.map((a) => ({
                  ...a,
                  r: q(a.r),
                  s: q(a.s),
                  v: BigInt(27 + a.yParity),
                })),
              }
            : {}),
        } as unknown as Parameters<typeof serializeTransaction>[0],
        {
          r: `0x${r.toString(16).padStart(64, '0')}`,
          s: `0x${s.toString(16).padStart(64, '0')}`,
          v,
          yParity,
        } as Parameters<typeof serializeTransaction>[1],
      )
      const told = {
        ...{
          type: TYPES[type],
          nonce: q(nonce),
          chainId: q(chainId),
          gas: q(gas),
          gasPrice: q(price),
          value: q(value),
          to,
          input: data,
        },
        ...{ maxFeePerGas: q(maxFee), maxPriorityFeePerGas: q(tip), accessList, maxFeePerBlobGas: q(price) },
        ...{ blobVersionedHashes: blobs, v: q(v), r: q(r), s: q(s) },
        authorizationList: authorizations.map((a) => ({
          ...a,
          chainId: q(a.chainId),
          nonce: q(a.nonce),
          yParity: q(a.yParity),
          r: q(a.r),
          s: q(a.s),
        })),
      }
      const bytes = transactionBytes(told as unknown as RpcTransaction)
      expect(keccak256(bytes ?? new Uint8Array())).toBe(keccak256(raw))
    }),
    { numRuns: 300 },
  )
})

const generated = (transactions: number): Facts => {
  const [made] = generateEvmBlocks({ blocks: 1, transactions })
  return { block: JSON.parse(made?.block ?? ''), receipts: JSON.parse(made?.receipts ?? '') }
}

it('takes what other chains add by themselves, with the logs that the filter promises and no others', () => {
  // As if the second transaction were of a type that is not known here: neither of the roots can be told.
  const facts = generated(4)
  const [, added] = facts.block.transactions
  if (added) added.type = '0x65'
  const logs = facts.receipts[1]?.logs as unknown[] | undefined
  look(facts)
  expect(() =>
    look({ ...facts, receipts: facts.receipts.map((one, at) => (at === 1 ? { ...one, logs: [] } : one)) }),
  ).toThrow('without their logs')
  // Nor do they come without their own filters, which would give that away.
  const bare = facts.receipts.map((one, at) => ({ ...one, logsBloom: undefined, ...(at === 3 ? { logs: [] } : {}) }))
  expect(() => look({ ...facts, receipts: bare as never })).toThrow('not those of its filter')
  logs?.push(...(facts.receipts[3]?.logs ?? []))
  expect(() => look(facts)).toThrow('not those of its filter')
})

it('takes chains that hash in a way of their own at their word, until a block is what its hash says', () => {
  const proof = createBlockProof()
  const [own, usual] = [generated(2), generated(2)]
  own.block.hash = own.block.hash.replace(/.{8}$/, '00000000')
  for (const receipt of own.receipts) receipt.blockHash = own.block.hash
  look(own, proof)
  expect(proof.hashes).toBe(false)
  look(usual, proof)
  expect(proof.hashes).toBe(true)
  expect(() => look(own, proof)).toThrow('is not what its hash says')
  // What passed before is not taken any more either.
  expect(() => proof.expectReceipts(own.block, own.receipts)).toThrow('is not what its hash says')
})
