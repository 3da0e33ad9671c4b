import { expect, it } from 'vitest'
import type { FaultServer } from '../support/upstream/fault-server.ts'
import { heightProbe, startTestPool } from '../support/upstream/upstream-pool.ts'
import { until } from '../support/waiting/until.ts'

// Test networks are thrown away and made anew behind the same address, often with the same genesis.

const headProbe = heightProbe(20)

async function start(servers: number) {
  let begun = 0
  const onReset = () => {
    begun += 1
  }
  const { pool, servers: all } = await startTestPool(Array(servers).fill({}), { deps: { headProbe, onReset } })
  const read = () => pool.rpc('', 'm', []).catch(() => undefined)
  const shows = async (at: number, height: bigint) => {
    const keep = setInterval(read, 10)
    await until(() => pool.status()[at]?.height === height, `it shows ${height}`).finally(() => clearInterval(keep))
  }
  const comesBackAt = async (at: number, height: bigint) => {
    const server = all[at] as FaultServer
    await server.down()
    server.height = height
    await server.up()
    // The end of the connection has to be noticed before the new height is.
    await new Promise((resolve) => setTimeout(resolve, 50))
    await shows(at, height)
  }
  await read()
  for (let at = 0; at < servers; at += 1) await shows(at, 100n)
  return { pool, all, begun: () => begun, shows, comesBackAt }
}

it('a server that comes back with a lower tip has a chain that was reset: the head follows and whoever keeps answers is told', async () => {
  const { pool, begun, comesBackAt } = await start(1)
  await comesBackAt(0, 3n)
  expect([begun(), pool.head()]).toEqual([1, 3n])
})

it('a server that only restarts, or one of several behind an open address that shows a lower tip, has not begun anew', async () => {
  const { pool, all, begun, shows, comesBackAt } = await start(1)
  await comesBackAt(0, 101n)
  // Behind one address may be servers some blocks apart.
  await comesBackAt(0, 60n)
  ;(all[0] as FaultServer).height = 3n
  await shows(0, 3n)
  expect([begun(), pool.head()]).toEqual([0, 101n])
})

it('of several servers it is the last to come back lower that tells of the reset', async () => {
  const { pool, begun, comesBackAt } = await start(2)
  await comesBackAt(0, 3n)
  expect([begun(), pool.head()]).toEqual([0, 100n])
  await comesBackAt(1, 2n)
  expect([begun(), pool.head()]).toEqual([1, 3n])
})
