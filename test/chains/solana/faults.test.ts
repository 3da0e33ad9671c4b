import { Keypair } from '@solana/web3.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Outcome, SolanaBalances } from '../../../src/chains/capabilities.ts'
import { solanaHeadProbe } from '../../../src/chains/solana/head-probe.ts'
import { solanaLimits } from '../../../src/chains/solana/limits.ts'
import { DeadlineError, UpstreamRateLimitedError } from '../../../src/errors.ts'
import { encodeBase58 } from '../../../src/lib/bytes/base58.ts'
import { createUpstreamPool, DEFAULT_LIMITS } from '../../../src/upstream/index.ts'
import { TOKEN_2022 } from '../../sandbox/solana/instructions.ts'
import { balancesOf, errorOf, readContext } from '../../support/balances/balance-reads.ts'
import { type Answer, type Call, type Tamper, useTamperedChain } from './tampered-chain.ts'

interface Account {
  owner: string
  lamports: number | bigint
  data: [text: string, encoding: string]
}
interface Entry {
  pubkey: string
  account: Account
}

const METAPLEX_KEY = 4

const stage = useTamperedChain()

const read = async (): Promise<{ alice: Outcome<SolanaBalances>; bob: Outcome<SolanaBalances> }> => {
  const { alice, bob } = stage.chain.owners
  const balances = await stage.source().readBalances([{ id: alice }, { id: bob }], readContext())
  expect(balances.size).toBe(2)
  return { alice: balances.get(alice) as Outcome<SolanaBalances>, bob: balances.get(bob) as Outcome<SolanaBalances> }
}

const ofAlice = (call: Call): boolean => call.params[0] === stage.chain.owners.alice
const isOwners = (call: Call): boolean => (call.params[0] as string[])[0] === stage.chain.owners.alice
const changed = (account: Account, change: (bytes: Buffer) => Buffer): Account => ({
  ...account,
  data: [change(Buffer.from(account.data[0], 'base64')).toString('base64'), 'base64'],
})

describe('token answers that are no truth', () => {
  const tokens =
    (change: (entries: Entry[]) => unknown): Tamper =>
    (answer, call) => {
      const entries = answer.value as Entry[]
      const touched = call.method === 'getTokenAccountsByOwner' && ofAlice(call) && entries.length > 0
      return touched ? { ...answer, value: change(entries) } : answer
    }
  const first = (change: (entry: Entry) => unknown): Tamper =>
    tokens(([entry, ...rest]) => [entry && change(entry), ...rest])
  const account = (change: (account: Account) => unknown): Tamper =>
    first((entry) => ({ pubkey: entry.pubkey, account: change(entry.account) }))
  const bytes = (change: (bytes: Buffer) => Buffer): Tamper => account((one) => changed(one, change))

  const tampers: [string, Tamper][] = [
    ['no list', tokens(() => null)],
    ['no value', (answer, call) => (ofAlice(call) ? { context: answer.context } : answer)],
    ['no context', (answer, call) => (ofAlice(call) ? { value: answer.value } : answer)],
    ['an entry without account', first(({ pubkey }) => ({ pubkey }))],
    ['an address that is none', first((entry) => ({ ...entry, pubkey: 'l' }))],
    ['another program', account((one) => ({ ...one, owner: encodeBase58(new Uint8Array(32)) }))],
    ['the parsed form', account((one) => ({ ...one, data: { parsed: {} } }))],
    ['text that is no base64', account((one) => ({ ...one, data: ['*', 'base64'] }))],
    ['too few bytes', bytes((data) => data.subarray(0, 71))],
    ['somebody else’s account', bytes((data) => data.fill(9, 32, 64))],
    ['one account twice', tokens((entries) => [...entries, entries[0]])],
    ['a mint that does not exist', bytes((data) => data.fill(3, 0, 32))],
  ]
  it.each(tampers)('%s: an error for that account alone', async (_, change) => {
    stage.tamper = change
    const { alice, bob } = await read()
    expect(errorOf(alice)).toMatchObject({ code: 'BAD_ANSWER', retryable: true })
    expect(balancesOf(bob).native).toBe(9_007_199_254_740_993n)
  })

  it('is an error when one of the two programs is not answered', async () => {
    stage.tamper = (answer, call) => {
      const second = ofAlice(call) && call.params[1].programId === TOKEN_2022.toBase58()
      return second ? { context: answer.context } : answer
    }
    const { alice, bob } = await read()
    expect(errorOf(alice).message).toContain('has no value')
    expect(bob.ok).toBe(true)
  })

  it('is an error when a method is refused', async () => {
    stage.server.set({ rpcError: { code: -32601, message: 'Method not found', methods: ['getTokenAccountsByOwner'] } })
    const { alice, bob } = await read()
    expect([errorOf(alice).message, errorOf(bob).message]).toEqual(['Method not found', 'Method not found'])
  })
})

it('every owner gets his own lamports, beyond the first hundred as well', async () => {
  const { alice, bob } = await read()
  const others = Array.from({ length: 230 }, () => Keypair.generate().publicKey.toBase58())
  const owners = [...others.slice(0, 150), stage.chain.owners.bob, ...others.slice(150), stage.chain.owners.alice]
  const balances = await stage.source().readBalances(
    owners.map((id) => ({ id })),
    readContext(),
  )
  const nativeOf = (id: string) => balancesOf(balances.get(id) as Outcome<SolanaBalances>).native
  expect([nativeOf(stage.chain.owners.alice), nativeOf(stage.chain.owners.bob)]).toEqual(
    [alice, bob].map((one) => balancesOf(one).native),
  )
  expect(new Set(others.map(nativeOf))).toEqual(new Set([0n]))
})

describe('lamport answers that are no truth', () => {
  const lamports =
    (change: (accounts: Account[]) => unknown): Tamper =>
    (answer, call) =>
      call.method === 'getMultipleAccounts' && isOwners(call)
        ? { ...answer, value: change(answer.value as Account[]) }
        : answer
  const each = (value: unknown) => lamports((accounts) => accounts.map((one) => ({ ...one, lamports: value })))

  const tampers: [string, Tamper][] = [
    ['fewer accounts than asked', lamports((accounts) => accounts.slice(1))],
    ['more accounts than asked', lamports((accounts) => [...accounts, null])],
    ['no list', lamports(() => null)],
    ['a fraction', each(0.5)],
    ['less than nothing', each(-1)],
    ['text', each('1')],
    ['nothing', lamports((accounts) => accounts.map(() => ({})))],
  ]
  it.each(tampers)('%s: an error, not zero', async (_, change) => {
    stage.tamper = change
    const { alice, bob } = await read()
    for (const outcome of [alice, bob]) expect(errorOf(outcome)).toMatchObject({ code: 'BAD_ANSWER' })
  })
})

describe('mint answers that are no truth', () => {
  const mints =
    (change: (account: Account | null) => unknown): Tamper =>
    (answer, call) =>
      call.method === 'getMultipleAccounts' && !isOwners(call)
        ? { ...answer, value: (answer.value as (Account | null)[]).map(change) }
        : answer
  const bytes = (change: (bytes: Buffer) => Buffer): Tamper => mints((account) => account && changed(account, change))

  const tampers: [string, Tamper][] = [
    ['missing mints', mints(() => null)],
    ['mints that were never initialised', bytes((data) => data.fill(0))],
    ['cut mints', bytes((data) => data.subarray(0, 81))],
    ['mints of another program', mints((account) => account && { ...account, owner: stage.chain.owners.alice })],
    ['mints of the other token program', mints((account) => account && { ...account, owner: TOKEN_2022.toBase58() })],
  ]
  it.each(tampers)('%s: an error, no guessed decimals', async (_, change) => {
    stage.tamper = change
    const { alice, bob } = await read()
    expect(errorOf(alice)).toMatchObject({ code: 'BAD_ANSWER' })
    expect(bob.ok).toBe(true)
  })

  it('takes broken metadata for none', async () => {
    stage.tamper = bytes((data) => (data[0] === METAPLEX_KEY ? data.subarray(0, 70) : data))
    const { metaplex } = stage.chain.mints
    const token = balancesOf((await read()).alice).tokens.find(({ address }) => address === metaplex)
    expect(token?.name).toBe(`${metaplex.slice(0, 4)}…${metaplex.slice(-4)}`)
  })
})

describe('answers of different times', () => {
  const late = (call: Call): boolean => call.method === 'getTokenAccountsByOwner' && ofAlice(call)
  const at = (answer: Answer, slot: number): Answer => ({ ...answer, context: { slot } })

  it('asks a laggard once more, for a slot near the newest', async () => {
    stage.tamper = (answer, call) => at(answer, late(call) && call.params[2].minContextSlot === undefined ? 5 : 1_000)
    const { alice } = await read()
    expect(balancesOf(alice).native).toBe(2_500_000_000n)
    const again = (stage.server.stats.seen as Call[]).flatMap(({ params }) => params?.[2]?.minContextSlot ?? [])
    expect(again).toEqual([1_000 - solanaLimits.maxSlotSpread, 1_000 - solanaLimits.maxSlotSpread])
  })

  it('refuses one that stays behind', async () => {
    stage.tamper = (answer, call) => at(answer, late(call) ? 5 : 1_000)
    const { alice, bob } = await read()
    expect(errorOf(alice).message).toContain('was answered at slot 5')
    expect(bob.ok).toBe(true)
  })

  it('takes a small spread for one picture', async () => {
    stage.tamper = (answer, call) => at(answer, late(call) ? 1_000 - solanaLimits.maxSlotSpread : 1_000)
    expect((await read()).alice.ok).toBe(true)
    expect(JSON.stringify(stage.server.stats.seen)).not.toContain('minContextSlot')
  })
})

describe('upstreams that fail as a whole', () => {
  it.each([
    ['an HTML page', { html: true }],
    ['a cut answer', { truncate: true }],
    ['a dead connection', { dead: true }],
    ['a refused batch', { refuseBatches: 'object' }],
  ] as const)('%s: every account is an error', async (_, faults) => {
    stage.server.set(faults)
    const { alice, bob } = await read()
    expect([alice.ok, bob.ok]).toEqual([false, false])
  })

  it('says at the deadline what kept it from coming', async () => {
    stage.server.set({ rateLimited: { retryAfterSeconds: 1 } })
    const patient = createUpstreamPool('test', [{ url: stage.server.url }], DEFAULT_LIMITS)
    onTestFinished(() => patient.close())
    const deadline = new AbortController()
    const { alice } = stage.chain.owners
    const reading = stage.source(patient).readBalances([{ id: alice }], readContext({ signal: deadline.signal }))
    await expect.poll(() => stage.server.stats.requests).toBeGreaterThan(0)
    await expect.poll(() => patient.status()[0]?.inFlight).toBe(0)
    deadline.abort(new DeadlineError('timed out'))
    expect(errorOf((await reading).get(alice))).toBeInstanceOf(UpstreamRateLimitedError)
  })

  it('ends when the reader leaves, and cuts the request', async () => {
    stage.server.set({ hang: 'headers' })
    const controller = new AbortController()
    const promise = stage
      .source()
      .readBalances([{ id: stage.chain.owners.alice }], readContext({ signal: controller.signal }))
    const rejected = expect(promise).rejects.toThrow('cancelled')
    await expect.poll(() => stage.server.stats.inFlight).toBe(1)
    controller.abort()
    await rejected
    await expect.poll(() => stage.server.stats.aborts).toBe(1)
  })
})

describe('head probe', () => {
  it('reads a slot and nothing else', async () => {
    const slot = await stage.pool.rpc(solanaHeadProbe.path, 'getSlot', solanaHeadProbe.params)
    expect(solanaHeadProbe.parse(slot)).toBe(stage.chain.ledger.slot())
    for (const wrong of [null, '7', 1.5, -1, {}]) expect(() => solanaHeadProbe.parse(wrong)).toThrow('not an integer')
  })
})
