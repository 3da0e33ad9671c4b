import { expect, it } from 'vitest'
import type { EvmCall } from '../../../../../src/api/node/evm/call.ts'
import { createUnlessSilent } from '../../../../../src/api/node/evm/filter/unless-silent.ts'
import { gate } from '../../../../support/waiting/gate.ts'
import { until } from '../../../../support/waiting/until.ts'

/** One call to the first of three nodes, of which those in `silent` tell no height; nodes that were asked for theirs. */
function start(silent: readonly string[]) {
  const looked: string[] = []
  const answered = gate()
  const members = ['own', 'second', 'third'].map((host) => ({ host, pausedUntil: () => 0 }))
  const look = async ({ host }: { host: string }): Promise<boolean> => {
    looked.push(host)
    return !silent.includes(host)
  }
  const deps = { pools: { group: () => ({ members: () => members }) }, tipOf: () => ({ look }) }
  const unlessSilent = createUnlessSilent(deps as unknown as Parameters<typeof createUnlessSilent>[0])
  const call = { endpoint: {}, signal: new AbortController().signal, message: { method: 'eth_getFilterChanges' } }
  const result = unlessSilent(members[0] as never, call as unknown as EvmCall, () => answered.opened.then(() => 'told'))
  return { looked, answered, result }
}

it('of a node that is only slow the others are not asked for their heights', async () => {
  const { looked, answered, result } = start([])
  await until(() => looked.length > 0, 'the first look')
  answered.open()
  expect(await result).toBe('told')
  expect(looked).toEqual(['own'])
})

it('a node that does not tell its height is left if another does', async () => {
  const { looked, result } = start(['own', 'second'])
  await expect(result).rejects.toThrow('own: eth_getFilterChanges was not answered')
  expect(looked).toEqual(['own', 'second', 'third'])
})

it('where no node tells its height, the call goes on', async () => {
  const { looked, answered, result } = start(['own', 'second', 'third'])
  await until(() => looked.length > 3, 'the second look')
  answered.open()
  expect(await result).toBe('told')
})
