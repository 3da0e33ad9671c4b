import { expect, it } from 'vitest'
import { WrongChainError } from '../../../src/chains/evm/read/wrong-chain-error.ts'
import { BadInputError, DeadlineError, OverloadedError } from '../../../src/errors.ts'
import { createFailureLog } from '../../../src/services/balances/failure-log.ts'

function recorded() {
  const lines: object[] = []
  let clock = 5_000
  const report = createFailureLog({ logger: { warn: (fields) => lines.push(fields) }, now: () => clock })
  return {
    lines,
    report,
    pass: (ms: number) => {
      clock += ms
    },
  }
}

const late = () => new DeadlineError('no answer in time')

it('says once a second which chain fails, and how many reads it did not name', () => {
  const { lines, report, pass } = recorded()
  const errors = Array.from({ length: 6 }, late)
  for (const err of errors.slice(0, 4)) report('eip155:1', err)
  pass(999)
  report('eip155:1', errors[4] as Error)
  pass(1)
  report('eip155:1', errors[5] as Error)
  expect(lines).toEqual([
    { chain: 'eip155:1', err: errors[0] },
    { chain: 'eip155:1', others: 4, err: errors[5] },
  ])
})

it('counts each chain by itself', () => {
  const { lines, report } = recorded()
  const errors = [late(), late()]
  report('eip155:1', errors[0] as Error)
  report('eip155:2', errors[1] as Error)
  expect(lines).toEqual([
    { chain: 'eip155:1', err: errors[0] },
    { chain: 'eip155:2', err: errors[1] },
  ])
})

it('accounts of one read have one line, and what the caller asked wrongly has none', () => {
  const { lines, report, pass } = recorded()
  const shared = late()
  report('eip155:1', shared)
  pass(60_000)
  report('eip155:1', shared)
  report('eip155:1', new BadInputError('no such account'))
  expect(lines).toEqual([{ chain: 'eip155:1', err: shared }])
})

it('names what clients are told in words of its own, but is not theirs to mend', () => {
  const { lines, report } = recorded()
  const wrong = new WrongChainError('eip155:1', 1n, 43114n)
  const busy = new OverloadedError('host.example: 4096 wait for their turn')
  report('eip155:1', wrong)
  report('eip155:2', busy)
  expect(lines).toEqual([
    { chain: 'eip155:1', err: wrong },
    { chain: 'eip155:2', err: busy },
  ])
})

it('does not name what this process has no room for: that is counted', () => {
  const { lines, report, pass } = recorded()
  const full = new OverloadedError()
  report('eip155:1', full)
  pass(60_000)
  report('eip155:2', full)
  expect(lines).toEqual([])
})

it('names every fault of this server', () => {
  const { lines, report } = recorded()
  const faults = [new TypeError('one'), new TypeError('two')]
  for (const err of faults) report('eip155:1', err)
  expect(lines).toEqual(faults.map((err) => ({ chain: 'eip155:1', err })))
})
