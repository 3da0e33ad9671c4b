import { Keypair, type TransactionInstruction } from '@solana/web3.js'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createSolanaBalanceSource } from '../../../../src/chains/solana/index.ts'
import { type SolanaLimits, solanaLimits } from '../../../../src/chains/solana/limits.ts'
import {
  askUiAmount,
  associatedAddress,
  bearInterest,
  changeInterest,
  changeUiScale,
  createAssociated,
  initializeMint,
  mintTo,
  scaleUiAmounts,
  TOKEN_2022,
} from '../../../sandbox/solana/instructions.ts'
import { createSolanaMethods } from '../../../sandbox/solana/rpc.ts'
import { type SolanaChain, solanaGenesis, startSolanaChain } from '../../../sandbox/solana-chain.ts'
import { balancesOf, readContext, solanaNative } from '../../../support/balances/balance-reads.ts'
import { startFaultServer } from '../../../support/upstream/fault-server.ts'
import { createPlainPool } from '../../../support/upstream/plain-pool.ts'

const START = 1_750_000_000n
const DAY = 86_400n
const UNITS = 10n ** 15n
const SCALED_MINT_BYTES = 166 + 4 + 56
const INTEREST_MINT_BYTES = 166 + 4 + 52

let chain: SolanaChain
beforeAll(async () => {
  chain = await startSolanaChain()
})
afterAll(() => chain.close())

const open = (limits: Partial<SolanaLimits> = {}, url = chain.url) => {
  const pool = createPlainPool(url)
  onTestFinished(() => pool.close())
  return createSolanaBalanceSource({
    caip2Id: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
    native: solanaNative,
    pool,
    tokens: { tokens: () => [] },
    limits,
  })
}

/** A holder of a new mint, what is read of him, and what the program itself says of the same amount. */
const holder = (
  bytes: number,
  first: (mint: Keypair) => TransactionInstruction,
  limits: Partial<SolanaLimits> = {},
  url = chain.url,
) => {
  const { ledger } = chain
  const { publicKey: payer } = ledger.payer
  const mint = Keypair.generate()
  const owner = Keypair.generate()
  ledger.setTime(START)
  ledger.send(
    [
      ledger.allocate(mint, TOKEN_2022, bytes),
      first(mint),
      initializeMint(TOKEN_2022, mint.publicKey, 6, payer),
      createAssociated(TOKEN_2022, payer, owner.publicKey, mint.publicKey),
      mintTo(TOKEN_2022, mint.publicKey, associatedAddress(TOKEN_2022, owner.publicKey, mint.publicKey), payer, UNITS),
    ],
    [mint],
  )
  const source = open(limits, url)
  const read = async () => {
    const id = owner.publicKey.toBase58()
    await new Promise((resolve) => setTimeout(resolve, 5))
    const { tokens } = balancesOf((await source.readBalances([{ id }], readContext())).get(id))
    const [token] = tokens
    if (!token) throw new Error('no token')
    return token
  }
  return {
    payer,
    mint: mint.publicKey,
    read,
    program: (): number => Number(ledger.send([askUiAmount(mint.publicKey, UNITS)]).toString()),
  }
}

/** Read again by everybody who comes later. */
const impatient = { uiMultiplierMs: 1 }

describe('a mint whose UI amounts are scaled', () => {
  it('has the multiplier that the program uses at each moment of the chain, and the plain balance', async () => {
    const { ledger } = chain
    const one = holder(
      SCALED_MINT_BYTES,
      (mint) => scaleUiAmounts(mint.publicKey, ledger.payer.publicKey, 1.25),
      impatient,
    )
    expect(await one.read()).toMatchObject({ balance: UNITS, decimals: 6, uiMultiplier: 1.25 })
    expect(one.program()).toBe(1.25e9)
    ledger.send([changeUiScale(one.mint, one.payer, 6.25, START + DAY)])
    for (const [time, multiplier] of [
      [START, 1.25],
      [START + DAY - 1n, 1.25],
      [START + DAY, 6.25],
      [START + 30n * DAY, 6.25],
    ] as const) {
      ledger.setTime(time)
      expect(await one.read()).toMatchObject({ balance: UNITS, decimals: 6, uiMultiplier: multiplier })
      expect(one.program()).toBe(multiplier * 1e9)
    }
  })

  it('is read again after ten seconds, and not before', async () => {
    const { ledger } = chain
    expect(solanaLimits.uiMultiplierMs).toBe(10_000)
    const one = holder(SCALED_MINT_BYTES, (mint) => scaleUiAmounts(mint.publicKey, ledger.payer.publicKey, 3))
    expect((await one.read()).uiMultiplier).toBe(3)
    ledger.send([changeUiScale(one.mint, one.payer, 4, 0n)])
    expect((await one.read()).uiMultiplier).toBe(3)
  })
})

it('where the server does not tell the time of the chain, the multiplier is not known', async () => {
  const { ledger } = chain
  const methods = createSolanaMethods(ledger, solanaGenesis.devnet)
  const server = await startFaultServer({
    answer: ({ method, params }) => {
      const answer = methods[method]?.(params as never)
      if (method !== 'getMultipleAccounts') return answer
      const { value, ...rest } = answer as { value: ({ owner: string } | null)[] }
      return { ...rest, value: value.map((one) => (one?.owner.startsWith('Sysvar') ? null : one)) }
    },
  })
  onTestFinished(() => server.close())
  const scale = (mint: Keypair) => scaleUiAmounts(mint.publicKey, ledger.payer.publicKey, 2)
  const one = holder(SCALED_MINT_BYTES, scale, {}, server.url)
  expect(await one.read()).toMatchObject({ balance: UNITS, decimals: 6, uiMultiplier: null })
})

describe('a mint whose UI amounts bear interest', () => {
  it.each([500, -500, 32_767])('has grown as the program says, at %d basis points and after a change', async (rate) => {
    const { ledger } = chain
    const one = holder(
      INTEREST_MINT_BYTES,
      (mint) => bearInterest(mint.publicKey, ledger.payer.publicKey, rate),
      impatient,
    )
    const check = async (time: bigint) => {
      ledger.setTime(time)
      const { balance, uiMultiplier } = await one.read()
      expect(balance).toBe(UNITS)
      const program = one.program() / 1e9
      expect(Math.abs((uiMultiplier ?? 0) / program - 1)).toBeLessThan(1e-14)
      return program
    }
    expect(await check(START)).toBe(1)
    const grown = await check(START + 400n * DAY)
    expect(grown > 1).toBe(rate > 0)
    ledger.send([changeInterest(one.mint, one.payer, 1_200)])
    expect(await check(START + 400n * DAY)).toBeCloseTo(grown, 3)
    expect(await check(START + 800n * DAY)).toBeGreaterThan(grown)
    // Before the change, as the clock of the chain may go back a little.
    await check(START + 399n * DAY)
  })
})

it('other mints have no multiplier', async () => {
  const { alice } = chain.owners
  const { tokens } = balancesOf((await open().readBalances([{ id: alice }], readContext())).get(alice))
  expect(tokens.length).toBeGreaterThan(3)
  for (const token of tokens) expect(token).not.toHaveProperty('uiMultiplier')
})
