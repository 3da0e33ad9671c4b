import { describe, expect, it, onTestFinished } from 'vitest'
import { solanaLimits } from '../../../src/chains/solana/limits.ts'
import { createSlotFloor } from '../../../src/chains/solana/slot-floor.ts'
import { createUpstreamPool } from '../../../src/upstream/index.ts'
import { balancesOf, errorOf, readContext } from '../../support/balances/balance-reads.ts'
import { type SeenCall, startFaultServer } from '../../support/upstream/fault-server.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'
import { gate } from '../../support/waiting/gate.ts'
import { until } from '../../support/waiting/until.ts'
import { type Answer, type Call, type Tamper, useTamperedChain } from './tampered-chain.ts'

const stage = useTamperedChain()

describe('a server that is behind what was told before', () => {
  const at = (slot: number, lamports?: bigint): Tamper => {
    const value = ({ value }: Answer, call: SeenCall) =>
      call.method === 'getMultipleAccounts' && lamports !== undefined
        ? (value as object[]).map((account) => ({ ...account, lamports }))
        : value
    return (answer, call) => ({ context: { slot }, value: value(answer, call) })
  }

  it('is asked again for a slot near that, and is an error when it stays there', async () => {
    const { alice } = stage.chain.owners
    const wallets = stage.source()
    const lamports = async () => (await wallets.readBalances([{ id: alice }], readContext())).get(alice)
    stage.tamper = at(1_000)
    expect(balancesOf(await lamports()).native).toBe(2_500_000_000n)
    stage.tamper = (answer, call) => {
      const asked = ((call.params as unknown[]).at(-1) as { minContextSlot?: number }).minContextSlot
      return at(asked ?? 900, asked === undefined ? 1n : undefined)(answer, call)
    }
    expect(balancesOf(await lamports()).native).toBe(2_500_000_000n)
    stage.tamper = at(900, 1n)
    expect(errorOf(await lamports()).message).toContain('was answered at slot 900')
    stage.tamper = at(1_000 - solanaLimits.maxSlotSpread, 1n)
    expect(balancesOf(await lamports()).native).toBe(1n)
  })
})

it('a slot that not all of one picture have come to is no news', async () => {
  const { alice } = stage.chain.owners
  const wallets = stage.source()
  const native = async () => balancesOf((await wallets.readBalances([{ id: alice }], readContext())).get(alice)).native
  const spread = solanaLimits.maxSlotSpread
  stage.tamper = (answer, { method }) => ({
    ...answer,
    context: { slot: method === 'getMultipleAccounts' ? 1_000 : 1_000 - spread },
  })
  expect(await native()).toBe(2_500_000_000n)
  stage.tamper = (answer) => ({ ...answer, context: { slot: 1_000 - 2 * spread } })
  expect(await native()).toBe(2_500_000_000n)
})

it('one absurd slot among others makes a reading an error, and none of those behind it', async () => {
  const { alice } = stage.chain.owners
  const wallets = stage.source()
  const read = async () => (await wallets.readBalances([{ id: alice }], readContext())).get(alice)
  stage.tamper = (answer, { method }) => ({
    ...answer,
    context: { slot: method === 'getMultipleAccounts' ? 1_000_000_000 : 1_000 },
  })
  expect(errorOf(await read()).message).toContain('was answered at slot 1000')
  stage.tamper = (answer) => ({ ...answer, context: { slot: 1_001 } })
  expect(balancesOf(await read()).native).toBe(2_500_000_000n)
})

describe('mints of a server', () => {
  const asksMints = ({ method, params: [asked] }: Call) =>
    method === 'getMultipleAccounts' && (asked as string[]).includes(stage.chain.mints.extended)
  const tokens = async () => {
    const { carol } = stage.chain.owners
    return (await stage.source().readBalances([{ id: carol }], readContext())).get(carol)
  }

  it('that is far behind what it told of the holdings are asked for again, and are an error when it stays there', async () => {
    stage.tamper = (answer, call) => {
      const { minContextSlot } = call.params[1] as { minContextSlot?: number }
      return { ...answer, context: { slot: asksMints(call) ? (minContextSlot ?? 900) : 1_000 } }
    }
    expect(balancesOf(await tokens()).tokens.length).toBe(3)
    stage.tamper = (answer, call) => ({ ...answer, context: { slot: asksMints(call) ? 900 : 1_000 } })
    expect(errorOf(await tokens()).message).toContain('was answered at slot 900')
  })
})

it('what was told of the newest slot is forgotten after a minute, as a network may be set back', () => {
  let now = 0
  const floor = createSlotFloor(() => now)
  expect(floor.slot()).toBe(0n)
  floor.saw(10n)
  floor.saw(7n)
  expect(floor.slot()).toBe(10n)
  now = 60_000
  expect(floor.slot()).toBe(0n)
  floor.saw(7n)
  expect(floor.slot()).toBe(7n)
})

const eachTokenAccount =
  (change: (account: object) => object): Tamper =>
  (answer, { method }) => {
    if (method !== 'getTokenAccountsByOwner') return answer
    const entries = answer.value as { account: object }[]
    return { ...answer, value: entries.map((entry) => ({ ...entry, account: change(entry.account) })) }
  }

describe('a server whose answer is none', () => {
  it.each<[string, Tamper]>([
    ['no context', ({ value }) => ({ value })],
    ['no value', ({ context }) => ({ context })],
    ['no list', (answer) => ({ ...answer, value: {} })],
    ['a slot with a fraction', (answer) => ({ ...answer, context: { slot: 1.5 } })],
    ['token accounts in another form', eachTokenAccount((account) => ({ ...account, data: { parsed: {} } }))],
    ['token accounts of another program', eachTokenAccount((account) => ({ ...account, owner: '1'.repeat(32) }))],
  ])('does not keep the next one from being asked: %s', async (_, change) => {
    stage.tamper = change
    const two = await stage.sourceOverTwo()
    const { alice } = stage.chain.owners
    const found = await two.readBalances([{ id: alice }], readContext())
    expect(balancesOf(found.get(alice)).tokens.length).toBeGreaterThan(0)
    expect(stage.server.stats.calls).toBeGreaterThan(0)
  })
})

it.each([
  [-32601, 'Method not found'],
  [-32010, 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA excluded from account secondary indexes'],
])('a server that keeps no list of token accounts leaves that to the next: %d', async (code, message) => {
  stage.server.set({ rpcError: { code, message, methods: ['getTokenAccountsByOwner'] } })
  const two = await stage.sourceOverTwo()
  const { alice } = stage.chain.owners
  const found = await two.readBalances([{ id: alice }], readContext())
  expect(balancesOf(found.get(alice)).tokens.length).toBeGreaterThan(0)
})

it('a server that blocks parameters with 403, as PublicNode does, answers the rest and is not passed over', async () => {
  const message = 'Request blocked. Details: blocked parameter: params.1.programId'
  const blocked = { status: 403, body: JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32602, message } }) }
  const servers = await Promise.all([
    startFaultServer({
      answer: stage.answer,
      handle: (_, body) => (body.includes('getTokenAccountsByOwner') ? blocked : undefined),
    }),
    startFaultServer({ answer: stage.answer }),
  ])
  const pool = createUpstreamPool('test', servers, { ...TEST_LIMITS, breakerFailures: 2 })
  onTestFinished(async () => {
    await pool.close()
    await Promise.all(servers.map((server) => server.close()))
  })
  const { alice } = stage.chain.owners
  for (let turn = 0; turn < 4; turn += 1) {
    const found = await stage.source(pool).readBalances([{ id: alice }], readContext())
    expect(balancesOf(found.get(alice)).tokens.length).toBeGreaterThan(0)
    expect(pool.status()[0]).toMatchObject({ healthy: true, errorRate: 0 })
  }
})

it.each([
  [960, 7n],
  [1_040, 7n],
  [1_006, 7n],
  // Two seconds are the same moment.
  [1_005, 2_500_000_000n],
])('lamports of one moment are not put beside tokens of another: %d', async (slot, lamports) => {
  stage.tamper = (answer) => ({ ...answer, context: { slot: 1_000 } })
  stage.server.set({ rpcError: { code: -32601, message: 'Method not found', methods: ['getTokenAccountsByOwner'] } })
  const two = await stage.sourceOverTwo((call) => {
    const answer = stage.answer(call)
    if (call.method !== 'getMultipleAccounts' && call.method !== 'getTokenAccountsByOwner') return answer
    const { value } = answer as Answer
    const poorer = (value as ({ lamports: number } | null)[]).map((one) => one && { ...one, lamports: 7 })
    return { context: { slot }, value: call.method === 'getMultipleAccounts' ? poorer : value }
  })
  const { alice } = stage.chain.owners
  const read = async () => balancesOf((await two.readBalances([{ id: alice }], readContext())).get(alice))
  expect((await read()).native).toBe(lamports)
  // Nor is one server asked again there, as if it had gone on between two answers of its own.
  const asked = (stage.server.stats.seen as Call[]).filter(
    ({ params: [ids] }) => Array.isArray(ids) && ids[0] === alice,
  )
  expect(asked).toHaveLength(1)
})

it('what two servers told stays where neither can tell all by itself', async () => {
  stage.tamper = (answer) => ({ ...answer, context: { slot: 1_000 } })
  stage.server.set({ rpcError: { code: -32601, message: 'Method not found', methods: ['getTokenAccountsByOwner'] } })
  let isBroken = false
  const two = await stage.sourceOverTwo((call) => {
    const answer = stage.answer(call)
    if (call.method !== 'getMultipleAccounts' && call.method !== 'getTokenAccountsByOwner') return answer
    // Asked for lamports only to have all from one server.
    isBroken ||= call.method === 'getMultipleAccounts'
    return { context: { slot: 1_006 }, value: isBroken ? 'no list' : (answer as Answer).value }
  })
  const { alice } = stage.chain.owners
  const { native, tokens } = balancesOf((await two.readBalances([{ id: alice }], readContext())).get(alice))
  expect([isBroken, native]).toEqual([true, 2_500_000_000n])
  expect(tokens.length).toBeGreaterThan(0)
})

it('lamports of one server are not put beside tokens that another was asked for by an earlier reading', async () => {
  const { alice, bob } = stage.chain.owners
  const held = gate()
  stage.tamper = (answer) => ({ ...answer, context: { slot: 1_000 } })
  stage.server.set(({ body }) => (body.includes('getSlot') ? { status: 500 } : { held: held.opened }))
  // Behind a swap of her tokens for lamports.
  const second = await startFaultServer({
    answer: (call) => {
      const answer = stage.answer(call)
      if (call.method === 'getTokenAccountsByOwner') return { context: { slot: 1_040 }, value: [] }
      if (call.method !== 'getMultipleAccounts') return answer
      const richer = ((answer as Answer).value as ({ lamports: number } | null)[]).map(
        (one) => one && { ...one, lamports: 7 },
      )
      return { context: { slot: 1_040 }, value: richer }
    },
  })
  const pool = createUpstreamPool('test', [stage.server, second], { ...TEST_LIMITS, breakerFailures: 2 })
  onTestFinished(async () => {
    await pool.close()
    await second.close()
  })
  const source = stage.source(pool)
  const earlier = source.readBalances([{ id: alice }], readContext())
  await until(() => stage.server.stats.inFlight === 1, 'the first server was asked')
  for (const _ of [1, 2]) await pool.rpc('', 'getSlot', [])
  const later = source.readBalances([{ id: alice }, { id: bob }], readContext())
  await until(
    () => second.stats.seen.some(({ method }) => method === 'getTokenAccountsByOwner'),
    'the second was asked',
  )
  held.open()
  expect(balancesOf((await later).get(alice))).toMatchObject({ native: 7n, tokens: [] })
  await earlier
})
