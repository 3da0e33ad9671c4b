import { Keypair } from '@solana/web3.js'
import { expect, it, onTestFinished } from 'vitest'
import { createSolanaBalanceSource, solanaLimits } from '../../../src/chains/solana/index.ts'
import {
  allowClosing,
  associatedAddress,
  burn,
  closeAccount,
  createAssociated,
  initializeMint,
  mintTo,
  TOKEN_2022,
} from '../../sandbox/solana/instructions.ts'
import { startSolanaChain } from '../../sandbox/solana-chain.ts'
import { balancesOf, readContext, solanaNative } from '../../support/balance-reads.ts'
import { createPlainPool } from '../../support/plain-pool.ts'

it('a mint that was closed and made anew with other decimals is told with these', async () => {
  const chain = await startSolanaChain()
  const pool = createPlainPool(chain.url)
  onTestFinished(async () => {
    await pool.close()
    await chain.close()
  })
  const { ledger } = chain
  const { payer } = ledger
  const owner = Keypair.generate()
  const mint = Keypair.generate()
  const account = associatedAddress(TOKEN_2022, owner.publicKey, mint.publicKey)
  const make = (decimals: number) => [
    ledger.allocate(mint, TOKEN_2022, 202),
    allowClosing(mint.publicKey, payer.publicKey),
    initializeMint(TOKEN_2022, mint.publicKey, decimals, payer.publicKey),
  ]
  const give = (amount: bigint) => mintTo(TOKEN_2022, mint.publicKey, account, payer.publicKey, amount)
  const source = createSolanaBalanceSource({
    caip2Id: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
    native: solanaNative,
    pool,
    tokens: { tokens: () => [] },
    limits: { ...solanaLimits, closableMs: 1 },
  })
  const tokens = async () => {
    const id = owner.publicKey.toBase58()
    const { tokens } = balancesOf((await source.readBalances([{ id }], readContext())).get(id))
    return tokens.map(({ decimals, balance }) => [decimals, balance])
  }
  ledger.send(
    [...make(6), createAssociated(TOKEN_2022, payer.publicKey, owner.publicKey, mint.publicKey), give(70n)],
    [mint],
  )
  expect(await tokens()).toEqual([[6, 70n]])
  ledger.send(
    [
      burn(TOKEN_2022, mint.publicKey, account, owner.publicKey, 70n),
      closeAccount(TOKEN_2022, mint.publicKey, payer.publicKey),
    ],
    [owner],
  )
  expect(await tokens()).toEqual([])
  ledger.send([...make(9), give(71n)], [mint])
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(await tokens()).toEqual([[9, 71n]])
})
