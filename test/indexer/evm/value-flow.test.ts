import { describe, expect, it } from 'vitest'
import { evmEffects } from '../../../src/indexer/evm/evm-effects.ts'
import type { RpcBlock, RpcReceipt } from '../../../src/indexer/evm/rpc-block.ts'
import {
  type CallFrame,
  expectFrame,
  mayMoveInside,
  type TransactionTrace,
  tracesOf,
  valueParties,
} from '../../../src/indexer/evm/value-flow.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'

interface Recorded {
  block: RpcBlock
  receipts: RpcReceipt[]
}
/** Lines of manifest-evm that tell of a transaction: what was meant to happen. */
interface Meant {
  t: string
  hash: string
  kind: string
  participants: string[]
}

const blocks = recordedLines<Recorded>('c-blocks')
const traces = new Map(
  recordedLines<{ height: number; traces: TransactionTrace[] }>('c-traces').map((line) => [line.height, line.traces]),
)
const meant = new Map(
  recordedLines<Meant>('manifest-evm').flatMap((line) => (line.t === 'tx' ? [[line.hash, line] as const] : [])),
)
const NOBODY = `0x${'0'.repeat(40)}`
const address = (number: number): string => `0x${number.toString(16).padStart(40, 'a')}`

/** As the reader does: of the transactions in which value may have moved. */
const partiesIn = ({ block, receipts }: Recorded): string[] => {
  const wanted = block.transactions.flatMap((transaction, at) => {
    const receipt = receipts[at]
    return receipt && mayMoveInside(transaction, receipt) ? [at] : []
  })
  return tracesOf(block, wanted, traces.get(Number(block.number)) ?? []).flatMap(({ result }) =>
    result ? valueParties(result) : [],
  )
}

describe('who took part', () => {
  it('is of each recorded block whom its manifest names, and nobody else', () => {
    const known = blocks.filter(({ block: { transactions } }) => transactions.every(({ hash }) => meant.has(hash)))
    const kinds = new Set<string>()
    for (const recorded of known) {
      const lines = recorded.block.transactions.map(({ hash }) => meant.get(hash) as Meant)
      for (const { kind } of lines) kinds.add(kind)
      const facts = { ...recorded, names: new Map(), parties: partiesIn(recorded) }
      const found = (evmEffects([facts], 0n).rows.participants ?? []).map((row) => `0x${row.address}`)
      const named = new Set(lines.flatMap(({ participants }) => participants.map((one) => one.toLowerCase())))
      named.delete(NOBODY)
      expect([...found].sort(), recorded.block.number).toEqual([...named].sort())
    }
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        'multisend:60-new-addresses',
        'multisend:inner-value-call-rolled-back',
        'multisend:nested-9-deep',
        'factory:create2',
        'factory:born-and-destroyed-in-one-transaction',
        'selfdestruct:bomb',
        'delegatecall:sends-value',
        'create:out-of-gas',
      ]),
    )
  })

  it('needs no trace of transactions that run no code or failed', () => {
    const needed = blocks.filter((recorded) =>
      recorded.block.transactions.some((transaction, at) => {
        const receipt = recorded.receipts[at]
        return receipt !== undefined && mayMoveInside(transaction, receipt)
      }),
    )
    expect(needed.length).toBeGreaterThan(100)
    expect(needed.length).toBeLessThan(blocks.filter(({ block }) => block.transactions.length > 0).length)
  })

  it.each([
    ['calls a contract with data', true, {}, {}],
    ['sends a contract value alone, which ran', true, { input: '0x' }, { gasUsed: '0x5209' }],
    ['had data and got gas back for what it cleared', true, {}, { gasUsed: '0x5208' }],
    ['sends an account value', false, { input: '0x' }, { gasUsed: '0x5208' }],
    ['was added by the chain itself', false, {}, { gasUsed: '0x0' }],
    ['failed', false, {}, { status: '0x0' }],
    ['is of before outcomes were told', true, {}, { status: undefined, root: '0x1' }],
  ])('a transaction that %s may have moved value inside: %s', (_, may, transaction, receipt) => {
    const sent = { input: '0x12345678', ...transaction } as RpcBlock['transactions'][0]
    expect(mayMoveInside(sent, { gasUsed: '0xc350', status: '0x1', ...receipt } as RpcReceipt)).toBe(may)
  })
})

describe('a call', () => {
  const call = (type: string, value: string, more: Partial<CallFrame> = {}): CallFrame => {
    return { type, from: address(1), to: address(2), value, ...more }
  }
  const inside = (...calls: CallFrame[]): string[] => valueParties({ ...call('CALL', '0x1'), from: address(8), calls })
  const both = [address(1), address(2)].map((one) => one.slice(2))

  it.each(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])('%s moves value', (type) => {
    expect(inside(call(type, '0x5'))).toEqual(both)
    expect(inside(call(type, '0x0'))).toEqual([])
  })

  it.each(['DELEGATECALL', 'CALLCODE', 'STATICCALL'])('%s moves none, and what it calls may', (type) => {
    expect(inside(call(type, '0x5'))).toEqual([])
    expect(inside(call(type, '0x5', { calls: [call('CALL', '0x5')] }))).toEqual(both)
  })

  it('may make as many others as fit into a block', () => {
    const many = Array.from({ length: 200_000 }, () => call('CALL', '0x0'))
    expect(inside(...many.slice(0, 9), call('CALL', '0x0', { calls: [...many, call('CALL', '0x5')] }))).toEqual(both)
  })

  it('that was rolled back took with it all that it called', () => {
    const error = 'execution reverted'
    expect(inside(call('CALL', '0x5', { error, calls: [call('CALL', '0x5')] }))).toEqual([])
    expect(inside(call('CALL', '0x0', { calls: [call('CALL', '0x5', { error })] }))).toEqual([])
  })
})

describe('a trace', () => {
  const [{ block, receipts }] = blocks.filter(({ block: { transactions } }) => transactions.length > 2) as [Recorded]
  const told = traces.get(Number(block.number)) ?? []
  const [transaction, receipt] = [block.transactions[0], receipts[0]] as [RpcBlock['transactions'][0], RpcReceipt]
  const frame = told[0]?.result as CallFrame

  it('is found by its hash, or by its place where there are none', () => {
    const places = block.transactions.map((_, at) => at)
    expect(tracesOf(block, places, [...told].reverse())).toEqual(told)
    const older = told.map(({ result }) => ({ result }))
    expect(tracesOf(block, places, older)).toEqual(older)
    expect(() => tracesOf(block, places, older.slice(1))).toThrow('no trace of transaction')
    expect(() => tracesOf(block, places, told.slice(1))).toThrow('no trace of transaction')
    expect(() => tracesOf(block, places, {})).toThrow('no list')
    // Nobody asks for what a chain adds by itself, which nodes may not trace.
    expect(tracesOf(block, [1], told.slice(1))).toEqual([told[1]])
  })

  it('is that of its transaction', () => {
    expect(expectFrame(transaction, receipt, frame)).toBe(frame)
    const foreign = [
      null,
      'x',
      { ...frame, from: 7 },
      { ...frame, from: address(1) },
      { ...frame, to: address(1) },
      { ...frame, error: 'x' },
    ]
    for (const other of foreign) expect(() => expectFrame(transaction, receipt, other)).toThrow('is of another one')
    const odd = [
      { type: 7 },
      { value: 'much' },
      { calls: {} },
      { calls: [null] },
      { calls: [{ ...frame, to: '0x12' }] },
    ]
    for (const more of odd)
      expect(() => expectFrame(transaction, receipt, { ...frame, ...more })).toThrow('none of the')
  })
})
