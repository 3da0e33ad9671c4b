import { Keypair } from '@solana/web3.js'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { KnownToken } from '../../../../src/chains/capabilities.ts'
import { createSolanaBalanceSource } from '../../../../src/chains/solana/index.ts'
import {
  allowClosing,
  associatedAddress,
  burn,
  closeAccount,
  createAssociated,
  initializeMint,
  mintTo,
  TOKEN_2022,
} from '../../../sandbox/solana/instructions.ts'
import { startSolanaChain } from '../../../sandbox/solana-chain.ts'
import { balancesOf, readContext, solanaNative } from '../../../support/balances/balance-reads.ts'
import { createPlainPool } from '../../../support/upstream/plain-pool.ts'

/** A mint that may be closed, and what one owner is told of it, on a clock that can be put ahead. */
async function startMint({ closableMs }: { closableMs: number }) {
  const chain = await startSolanaChain()
  const pool = createPlainPool(chain.url)
  onTestFinished(async () => {
    vi.restoreAllMocks()
    await pool.close()
    await chain.close()
  })
  const { ledger } = chain
  const { payer } = ledger
  const owner = Keypair.generate()
  const mint = Keypair.generate()
  const account = associatedAddress(TOKEN_2022, owner.publicKey, mint.publicKey)
  const listed: KnownToken[] = []
  const source = createSolanaBalanceSource({
    caip2Id: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
    native: solanaNative,
    pool,
    tokens: { tokens: () => [...listed] },
    limits: { closableMs },
  })
  const make = (decimals: number, amount: bigint, ...before: Parameters<typeof ledger.send>[0]) =>
    ledger.send(
      [
        ledger.allocate(mint, TOKEN_2022, 202),
        allowClosing(mint.publicKey, payer.publicKey),
        initializeMint(TOKEN_2022, mint.publicKey, decimals, payer.publicKey),
        ...before,
        mintTo(TOKEN_2022, mint.publicKey, account, payer.publicKey, amount),
      ],
      [mint],
    )
  const now = performance.now.bind(performance)
  return {
    listed,
    address: mint.publicKey.toBase58(),
    begin: (decimals: number, amount: bigint) =>
      make(decimals, amount, createAssociated(TOKEN_2022, payer.publicKey, owner.publicKey, mint.publicKey)),
    close: (amount: bigint) =>
      ledger.send(
        [
          burn(TOKEN_2022, mint.publicKey, account, owner.publicKey, amount),
          closeAccount(TOKEN_2022, mint.publicKey, payer.publicKey),
        ],
        [owner],
      ),
    makeAnew: (decimals: number, amount: bigint) => make(decimals, amount),
    async tokens() {
      const id = owner.publicKey.toBase58()
      const { tokens } = balancesOf((await source.readBalances([{ id }], readContext())).get(id))
      return tokens.map(({ decimals, balance }) => [decimals, balance])
    },
    /** Caches look at their clock once in a millisecond. */
    async putAhead(ms: number) {
      vi.spyOn(performance, 'now').mockImplementation(() => now() + ms)
      await new Promise((resolve) => setTimeout(resolve, 5))
    },
  }
}

it('a mint that was closed and made anew with other decimals is told with these', async () => {
  const mint = await startMint({ closableMs: 1 })
  mint.begin(6, 70n)
  expect(await mint.tokens()).toEqual([[6, 70n]])
  mint.close(70n)
  expect(await mint.tokens()).toEqual([])
  mint.makeAnew(9, 71n)
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(await mint.tokens()).toEqual([[9, 71n]])
})

it('the decimals of such a mint are not taken for newer when its name is read behind them', async () => {
  const mint = await startMint({ closableMs: 10_000 })
  mint.listed.push({ address: mint.address, name: 'Listed', symbol: 'LST', decimals: 6 })
  mint.begin(6, 70n)
  expect(await mint.tokens()).toEqual([[6, 70n]])
  mint.close(70n)
  mint.makeAnew(9, 71n)
  // On no list any more, so that the chain has to name it.
  mint.listed.pop()
  await mint.putAhead(7_000)
  await mint.tokens()
  await mint.putAhead(11_000)
  expect(await mint.tokens()).toEqual([[9, 71n]])
})
