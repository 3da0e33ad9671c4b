import { expect, it, onTestFinished, vi } from 'vitest'
import {
  createFilterTable,
  FILTER_IDLE_MS,
  type HeldFilter,
} from '../../../../../src/api/node/evm/filter/filter-table.ts'

it('other processes hear of a filter in time, and it ends in time, though the clock is set back', () => {
  const [wall, passed] = [Date.now(), performance.now()]
  const clocks = [vi.spyOn(Date, 'now'), vi.spyOn(performance, 'now')] as const
  onTestFinished(() => void vi.restoreAllMocks())
  const at = (backMs: number, laterMs: number): void => {
    clocks[0].mockReturnValue(wall + laterMs - backMs)
    clocks[1].mockReturnValue(passed + laterMs)
  }
  at(0, 0)
  let told = 0
  const table = createFilterTable({ onChange: () => (told += 1) })
  const going = { method: 'eth_newBlockFilter', params: '[]', last: '0x1' }
  table.hold('/rpc', '0x1', { host: 'one', id: '0x1', going })
  expect(told).toBe(1)
  at(3_600_000, FILTER_IDLE_MS / 2)
  table.hold('/rpc', '0x1', table.find('/rpc', '0x1') as HeldFilter)
  expect(told).toBe(2)
  at(3_600_000, FILTER_IDLE_MS * 2)
  expect(table.find('/rpc', '0x1')).toBeUndefined()
})
