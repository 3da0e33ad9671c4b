import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createLateNodes } from '../../../../../src/api/node/forward/consistency/late-nodes.ts'
import { gate } from '../../../../support/waiting/gate.ts'

it('looks at a node that lacks something ten times a second at most, until it has all that was told', async () => {
  let time = 0
  const has = { P: false, X: false }
  const looks: string[] = []
  const late = createLateNodes(() => time)
  const note = (chain: 'P' | 'X') =>
    late.note('one', chain, async () => {
      looks.push(chain)
      return has[chain]
    })
  note('P')
  note('X')
  const after = async (ms: number): Promise<boolean> => {
    time += ms
    late.lacks('one')
    await Promise.resolve()
    return late.lacks('one')
  }
  expect(await after(99)).toBe(true)
  expect(looks).toEqual([])
  expect(await after(1)).toBe(true)
  expect(looks.sort()).toEqual(['P', 'X'])
  expect(late.lacks('other')).toBe(false)
  has.P = true
  expect(await after(100)).toBe(true)
  has.X = true
  expect(await after(100)).toBe(false)
  expect(looks).toHaveLength(5)
})

it('does not ask a node again that has not answered yet: one that hangs would have twenty such questions open', async () => {
  let time = 0
  let looks = 0
  const { opened, open } = gate()
  const late = createLateNodes(() => time)
  late.note('one', 'P', async () => {
    looks += 1
    await opened
    return false
  })
  const look = (): void => {
    time += 100
    late.lacks('one')
  }
  for (let again = 0; again < 5; again += 1) look()
  expect(looks).toBe(1)
  open()
  await new Promise((resolve) => setImmediate(resolve))
  look()
  expect(looks).toBe(2)
})

it('forgets what a node lacked ten minutes ago: one that got its state from others never hears of it', () => {
  let time = 1
  const late = createLateNodes(() => time)
  late.note('one', 'C', async () => false)
  time += 599_000
  expect(late.lacks('one')).toBe(true)
  time += 2_000
  expect(late.lacks('one')).toBe(false)
})

it('a look for what was told before says nothing of what has been told since', async () => {
  let time = 0
  let found: (has: boolean) => void = () => undefined
  const late = createLateNodes(() => time)
  late.note(
    'one',
    'P',
    () =>
      new Promise((resolve) => {
        found = resolve
      }),
  )
  time += 100
  expect(late.lacks('one')).toBe(true)
  late.note('one', 'P', async () => false)
  found(true)
  await nextTurn()
  expect(late.lacks('one')).toBe(true)
})
