import { expect, it } from 'vitest'
import { scanMark } from '../../../../src/chains/avalanche/keys/scan-mark.ts'

const keys = (count: number) => Array.from({ length: count }, (_, at) => `xpub${String(at).padStart(107, '1')}`)
const addresses = (count: number) => Array.from({ length: count }, (_, at) => at.toString(16).padStart(40, '0'))

it('the mark of a scan is short, whatever the request asks for: it is remembered', () => {
  for (const mark of [scanMark(keys(250), []), scanMark(keys(250), addresses(1_000))])
    expect(mark.length).toBeLessThan(600)
})

it('scans of the same keys and addresses have the same mark, others have others', () => {
  const scans: [string[], string[]][] = [1, 2, 4, 5, 250].flatMap((count) => [
    [keys(count), []],
    [keys(count), addresses(1)],
    [keys(count), addresses(2)],
    [keys(count + 1).slice(1), []],
  ])
  expect(new Set(scans.map(([some, single]) => scanMark(some, single))).size).toBe(scans.length)
  for (const [some, single] of scans)
    expect(scanMark([...some].reverse(), [...single].reverse())).toBe(scanMark(some, single))
})
