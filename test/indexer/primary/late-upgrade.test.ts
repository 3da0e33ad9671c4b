import { expect, it, onTestFinished } from 'vitest'
import { type Lie, startLyingProxy } from '../lying-proxy.ts'
import { type Stage, startStage } from '../stage.ts'

/** The recorded genesis stakes before this time, all others behind it, when the lowest rate has begun to fall. */
const HELICON = '2026-11-20T04:13:20Z'
/** Before anybody was rewarded: what was paid was paid by the rules that the recorded nodes had. */
const [BEFORE, TOLD, BEHIND] = [16, 17, 25]

const withUpgrade = (body: Buffer, { body: asked }: { body: string }): Buffer =>
  asked.includes('info.upgrades')
    ? Buffer.from(body.toString().replace(/"heliconTime":"[^"]*"/, `"heliconTime":"${HELICON}"`))
    : body

const withoutDate: Lie = (body, asked) =>
  Buffer.from(withUpgrade(body, asked).toString('latin1').replace(HELICON, '9999-12-01T00:00:00Z'), 'latin1')

/** P up to this height, of a node in each version that `told` makes out of the recorded one, asked in this order. */
async function follow(upTo: number, ...told: Lie[]): Promise<Stage> {
  const stage = await startStage({
    nodes: [{ upTo: { P: upTo } }],
    chains: ['P'],
    urls: async ([node]) => {
      const proxies = await Promise.all(told.map((version) => startLyingProxy(node?.url ?? '', version)))
      onTestFinished(() => Promise.all(proxies.map((proxy) => proxy.stop())).then(() => undefined))
      return proxies.map(({ url }) => url)
    },
  })
  await stage.caughtUp()
  return stage
}

async function promised({ sql, store }: Stage) {
  const stakers = await sql('select tx_id, potential_reward from staker order by tx_id')
  const block = await store.reader.blocks.atHeight({ network: 'recorded', letter: 'P' }, BigInt(BEHIND))
  return { stakers, supply: block?.currentSupply }
}

it('an upgrade that came with a new version of the nodes counts without a restart', async () => {
  let isNewer = false
  const running = await follow(BEFORE, (body, asked) => (isNewer ? withUpgrade(body, asked) : body))
  isNewer = true
  running.nodes[0]?.moveTo({ P: BEHIND })
  await running.caughtUp()
  const found = await promised(running)
  expect(found).toEqual(await promised(await follow(BEHIND, withUpgrade)))
  // The recorded nodes promised more.
  const before = await promised(await follow(BEHIND, (body) => body))
  expect(before.stakers).toHaveLength(found.stakers.length)
  expect(found.supply).toBeLessThan(before.supply ?? 0n)
})

it('an upgrade that was told counts on where a node is asked last that has no date for it yet', async () => {
  let isNewer = true
  const running = await follow(TOLD, (body, asked) => (isNewer ? withUpgrade(body, asked) : body))
  isNewer = false
  running.nodes[0]?.moveTo({ P: BEHIND })
  await running.caughtUp()
  expect(await promised(running)).toEqual(await promised(await follow(BEHIND, withUpgrade)))
})

it('an upgrade that one of two nodes has in its new version counts, though the other one is asked first', async () => {
  let isNewer = false
  const running = await follow(BEFORE, withoutDate, (body, asked) => (isNewer ? withUpgrade : withoutDate)(body, asked))
  isNewer = true
  running.nodes[0]?.moveTo({ P: BEHIND })
  await running.caughtUp()
  expect(await promised(running)).toEqual(await promised(await follow(BEHIND, withUpgrade)))
})
