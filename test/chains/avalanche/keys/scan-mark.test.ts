import { expect, it } from 'vitest'
import type { OwnAddress } from '../../../../src/chains/avalanche/balances/own-address.ts'
import { scanMark } from '../../../../src/chains/avalanche/keys/scan-mark.ts'

const keys = (count: number) => Array.from({ length: count }, (_, at) => `xpub${String(at).padStart(107, '1')}`)
const addresses = (count: number): OwnAddress[] =>
  Array.from({ length: count }, (_, at) => ({ hex: at.toString(16).padStart(40, '0'), text: `address ${at}` }))

it('the mark of a scan is short, whatever the request asks for: it is remembered', () => {
  for (const mark of [scanMark(keys(250), []), scanMark(keys(250), addresses(1_000))])
    expect(mark.length).toBeLessThan(600)
})

it('scans of the same keys and addresses have the same mark, others have others', () => {
  const scans: [string[], OwnAddress[]][] = [1, 2, 4, 5, 64].flatMap((count) => [
    [keys(count), []],
    [keys(count), addresses(1)],
    [keys(count), addresses(2)],
    [keys(count + 1).slice(1), []],
  ])
  expect(new Set(scans.map(([some, single]) => scanMark(some, single))).size).toBe(scans.length)
  for (const [some, single] of scans)
    expect(scanMark([...some].reverse(), [...single].reverse())).toBe(scanMark(some, single))
})

it('many addresses are taken in the order in which they are named: sorting 250,000 would hold everybody up', () => {
  const many = addresses(65)
  expect(scanMark(keys(1), [...many])).toBe(scanMark(keys(1), many))
  expect(scanMark(keys(1), many.toReversed())).not.toBe(scanMark(keys(1), many))
  expect(scanMark(keys(1), many.slice(1))).not.toBe(scanMark(keys(1), many))
})
