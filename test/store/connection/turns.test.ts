import { expect, it } from 'vitest'
import { DeadlineError } from '../../../src/errors.ts'
import { createTurns } from '../../../src/store/connection/turns.ts'
import { StoreUnavailableError } from '../../../src/store/errors.ts'

it('lets one in at a time, in the order of arrival, and forgets who waited too long', async () => {
  const turns = createTurns(3)
  const done = await turns.take(1_000)
  const order: string[] = []
  const waiting = [1, 2].map(async (number) => {
    const end = await turns.take(60_000)
    order.push(`begin ${number}`)
    await Promise.resolve()
    order.push(`end ${number}`)
    end()
    end()
  })
  const late = turns.take(5)
  expect(turns.load).toEqual({ busy: 1, waiting: 3 })
  await expect(turns.take(1_000)).rejects.toThrow(StoreUnavailableError)
  await expect(late).rejects.toThrow(DeadlineError)
  done()
  await Promise.all(waiting)
  expect(order).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2'])
  expect(turns.load).toEqual({ busy: 0, waiting: 0 })
})
