import { expect, it } from 'vitest'
import { JsonRpcError } from '../../../src/errors.ts'
import type { Interceptor } from '../../support/upstream/rpc-pool.ts'
import {
  account,
  amounts,
  burner,
  chain,
  noDiscovery,
  read,
  setCode,
  sourceOver,
  truth,
  unlisted,
  useTokenChain,
} from './token-chain.ts'

useTokenChain()

/** By the owner's last bit: it burns whatever it is given, or says 9. */
const MOODY = '0x600435600116601357600960005260206000f35b601356'
const moody = `0x${'5f'.repeat(20)}`
const owner = (number: number): string => `0x${number.toString(16).padStart(40, '0')}`
const nine = new Map([[moody, 9n]])
const nothing = new Map<string, bigint>()

const shown = async (source: ReturnType<typeof sourceOver>['source'], owners: readonly string[]) =>
  (await read(source, owners)).map((balances) => (typeof balances === 'string' ? balances : amounts(balances)))

it('a token that burns its gas for one owner is shown to those behind him', async () => {
  await setCode(moody, MOODY)
  const owners = [2, 3, 4, 6, 8].map(owner)
  const { source } = sourceOver(noDiscovery, { list: [unlisted(moody)] })
  expect(await shown(source, owners)).toEqual([nine, nothing, nine, nine, nine])
  expect(await truth(owner(4), [moody])).toEqual(nine)
})

it('a token that burns its gas for many owners is shown to the one between them', async () => {
  await setCode(moody, MOODY)
  const owners = [1, 3, 5, 6, 7, 9, 11].map(owner)
  const { source } = sourceOver(noDiscovery, { list: [unlisted(moody)] })
  expect((await shown(source, [2, 4, 6].map(owner))).every((held) => held instanceof Map && held.has(moody))).toBe(true)
  expect(await shown(source, [...owners, owner(12)])).toEqual([
    nothing,
    nothing,
    nothing,
    nine,
    nothing,
    nothing,
    nothing,
    nine,
  ])
})

it('a token that burns its gas for nearly everybody is an error for nobody', async () => {
  await setCode(moody, MOODY)
  const owners = Array.from({ length: 50 }, (_, at) => owner(at === 0 || at === 30 ? 2 * at + 2 : 2 * at + 1))
  const { source, calls } = sourceOver(noDiscovery, { list: [unlisted(moody)] })
  expect(await shown(source, owners)).toEqual(owners.map((_, at) => (at === 0 || at === 30 ? nine : nothing)))
  const asked = calls().length
  await shown(source, owners)
  expect(calls()).toHaveLength(asked + 2)
})

it('nobody can hide a token of somebody else by asking for both', async () => {
  await setCode(moody, MOODY)
  const victim = owner(0x100)
  const { source } = sourceOver(noDiscovery, { list: [unlisted(moody)] })
  for (let at = 0; at < 6; at++) await shown(source, [owner(2 * at + 1), owner(0x81), victim, owner(0x10_001)])
  for (let at = 0; at < 20; at++) await shown(source, [owner(2 * at + 1)])
  expect(await shown(source, [victim])).toEqual([nine])
  expect(await shown(source, [owner(0x101), victim])).toEqual([nothing, nine])
})

it('where only Multicall3 runs, owners behind two that burn the gas are asked again', async () => {
  await setCode(moody, MOODY)
  const onlyMulticall: Interceptor = (call, number) => {
    noDiscovery(call, number)
    const [{ to }, , overrides] = call.params as [{ to?: string }, string, object | undefined]
    if (to !== chain.multicall || overrides) throw new JsonRpcError('execution reverted', 3)
    return undefined
  }
  const owners = [1, 3, 5, 6, 7, 9, 12].map(owner)
  const { source } = sourceOver(onlyMulticall, { list: [unlisted(moody)], multicall: chain.multicall })
  expect(await shown(source, owners)).toEqual([nothing, nothing, nothing, nine, nothing, nothing, nine])
})

it('a token that burns its gas for everybody costs a few calls, and then none for the same owners', async () => {
  const hell = `0x${'5d'.repeat(20)}`
  await setCode(hell, burner)
  const { source, calls } = sourceOver(noDiscovery, { list: [unlisted(hell)] })
  const owners = Array.from({ length: 20 }, (_, at) => owner(at + 1))
  expect((await shown(source, owners)).every((held) => held instanceof Map && held.size === 0)).toBe(true)
  expect(calls()).toHaveLength(8)
  await shown(source, owners)
  expect(calls()).toHaveLength(9)
  expect(JSON.stringify(calls()[8]?.params)).not.toContain(hell.slice(2))
  expect(await shown(source, [account(1)])).toEqual([nothing])
})

it('new owners of a token that is known to burn its gas for some wait for one round trip', async () => {
  await setCode(moody, MOODY)
  let expected = 0
  const held: (() => void)[] = []
  // None is answered before all have been sent.
  const together: Interceptor = async (call, number) => {
    noDiscovery(call, number)
    if (expected === 0) return undefined
    await new Promise<void>((go) => {
      held.push(go)
      if (held.length === expected) for (const one of held.splice(0)) one()
    })
    return undefined
  }
  const { source, calls } = sourceOver(together, { list: [unlisted(moody)] })
  await shown(source, [1, 3, 5, 7].map(owner))
  const before = calls().length
  expected = 4
  expect(await shown(source, [9, 10, 11].map(owner))).toEqual([nothing, nine, nothing])
  expect(calls()).toHaveLength(before + 4)
  // Whom it answers is asked in one call from then on.
  expected = 2
  expect(await shown(source, [10, 9].map(owner))).toEqual([nine, nothing])
  expect(calls()).toHaveLength(before + 6)
})

it('a token that burnt its gas for seven owners, and answered none, costs the next ones nothing', async () => {
  const hell = `0x${'5c'.repeat(20)}`
  await setCode(hell, burner)
  const { source, calls } = sourceOver(noDiscovery, { list: [unlisted(hell)] })
  for (const number of [1, 4, 7]) await shown(source, [number, number + 1, number + 2].map(owner))
  const before = calls().length
  expect(await shown(source, [20, 21, 22].map(owner))).toEqual([nothing, nothing, nothing])
  expect(calls()).toHaveLength(before + 1)
  expect(JSON.stringify(calls().at(-1)?.params)).not.toContain(hell.slice(2))
})

it('a token that answered somebody is asked for all others, however many it burns its gas for', async () => {
  await setCode(moody, MOODY)
  const { source } = sourceOver(noDiscovery, { list: [unlisted(moody)] })
  await shown(source, [1, 2, 3, 5].map(owner))
  for (let at = 10; at < 20; at++) await shown(source, [2 * at + 1, 2 * at + 101].map(owner))
  expect(await shown(source, [41, 40, 43].map(owner))).toEqual([nothing, nine, nothing])
})
