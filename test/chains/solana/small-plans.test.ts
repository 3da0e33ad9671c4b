import { expect, it, onTestFinished } from 'vitest'
import { createUpstreamPool } from '../../../src/upstream/index.ts'
import { errorOf, readContext } from '../../support/balances/balance-reads.ts'
import { losslessStringify } from '../../support/upstream/fault-answers.ts'
import { type FaultServer, type SeenCall, startFaultServer } from '../../support/upstream/fault-server.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'
import { useTamperedChain } from './tampered-chain.ts'

const stage = useTamperedChain()

type Entry = Pick<SeenCall, 'method' | 'params'> & { id: number }

const accountsOf = ({ method, params }: Entry): number =>
  method === 'getMultipleAccounts' ? (params as [string[]])[0].length : 0

/** A server that lets so many accounts of one call through, and says so as Agave does of more than its own limit. */
async function limitedServer(most: () => number, says = most) {
  const asked: number[] = []
  const answerTo = (entry: Entry) => {
    const accounts = accountsOf(entry)
    if (accounts > 0) asked.push(accounts)
    const told =
      accounts > most()
        ? { error: { code: -32602, message: `Too many inputs provided; max ${says()}` } }
        : { result: stage.answer({ ...entry, path: '/', request: 1 }) }
    return { jsonrpc: '2.0', id: entry.id, ...told }
  }
  const server = await startFaultServer({
    handle: (_, body) => {
      const said = JSON.parse(body.toString()) as Entry | Entry[]
      return { body: losslessStringify(Array.isArray(said) ? said.map(answerTo) : answerTo(said)) }
    },
  })
  return { server, asked }
}

function over(...servers: FaultServer[]) {
  const pool = createUpstreamPool('test', servers, TEST_LIMITS)
  onTestFinished(async () => {
    await pool.close()
    await Promise.all(servers.map((server) => server.close()))
  })
  return stage.source(pool)
}

const everybody = () => Object.values(stage.chain.owners)

it.each([5, 2, 1])('a plan that lets %d accounts of one call through is asked in such parts', async (most) => {
  const { server, asked } = await limitedServer(() => most)
  const accounts = everybody().map((id) => ({ id }))
  const whole = await stage.source().readBalances(accounts, readContext())
  const wallets = over(server)
  const parts = await wallets.readBalances(accounts, readContext())
  expect(parts).toEqual(whole)
  expect([...parts.values()].every(({ ok }) => ok)).toBe(true)
  // What was learned holds for the next read.
  asked.length = 0
  await wallets.readBalances(accounts, readContext())
  expect(asked.every((count) => count <= most)).toBe(true)
})

it.each([0, 1])('a server that allows none, having said %d, is an error and not asked for ever', async (said) => {
  const { server } = await limitedServer(
    () => 0,
    () => said,
  )
  const found = await over(server).readBalances([{ id: stage.chain.owners.alice }], readContext())
  expect(errorOf(found.get(stage.chain.owners.alice)).message).toContain('Too many inputs provided')
})

it('beside a server with a small plan the other one answers whole calls', async () => {
  const { server } = await limitedServer(() => 1)
  const plain = await limitedServer(() => 100)
  const accounts = everybody().map((id) => ({ id }))
  const found = await over(server, plain.server).readBalances(accounts, readContext())
  expect(found).toEqual(await stage.source().readBalances(accounts, readContext()))
  for (const id of everybody()) expect(found.get(id)).toMatchObject({ ok: true })
  expect(plain.asked).toContain(accounts.length)
})
