import { Keypair } from '@solana/web3.js'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createSolanaBalanceSource } from '../../../src/chains/solana/index.ts'
import { type SolanaLimits, solanaLimits } from '../../../src/chains/solana/limits.ts'
import { decodeBase58 } from '../../../src/lib/bytes/base58.ts'
import {
  associatedAddress,
  createAssociated,
  endMinting,
  initializeMint,
  mintTo,
  TOKEN,
} from '../../sandbox/solana/instructions.ts'
import { balancesOf, readContext, solanaNative } from '../../support/balances/balance-reads.ts'
import { createPlainPool } from '../../support/upstream/plain-pool.ts'
import { useTamperedChain } from './tampered-chain.ts'

const stage = useTamperedChain()

/** A mint without decimals, of which the first owner holds the only one, and has been read. */
async function onlyOne(limits: Partial<SolanaLimits> = {}, isFinal = false) {
  const { ledger, url } = stage.chain
  const { publicKey: payer } = ledger.payer
  const mint = Keypair.generate()
  const [first, second] = [Keypair.generate(), Keypair.generate()]
  const plain = createPlainPool(url)
  onTestFinished(() => plain.close())
  const asked: string[] = []
  const rpc: typeof plain.rpc = (path, method, ...rest) => {
    asked.push(method)
    return plain.rpc(path, method, ...rest)
  }
  const pool = { ...plain, rpc }
  const caip2Id = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
  const source = createSolanaBalanceSource({
    caip2Id,
    native: solanaNative,
    pool,
    tokens: { tokens: () => [] },
    limits,
  })
  const give = (owner: Keypair, amount: bigint) =>
    ledger.send([
      createAssociated(TOKEN, payer, owner.publicKey, mint.publicKey),
      mintTo(TOKEN, mint.publicKey, associatedAddress(TOKEN, owner.publicKey, mint.publicKey), payer, amount),
    ])
  const read = async (...owners: Keypair[]) => {
    const ids = owners.map(({ publicKey }) => publicKey.toBase58())
    const found = await source.readBalances(
      ids.map((id) => ({ id })),
      readContext(),
    )
    return ids.map((id) => balancesOf(found.get(id)).tokens.map(({ balance }) => balance))
  }
  ledger.send([ledger.allocate(mint, TOKEN, 82), initializeMint(TOKEN, mint.publicKey, 0, payer)], [mint])
  give(first, 1n)
  const end = () => ledger.send([endMinting(TOKEN, mint.publicKey, payer)])
  if (isFinal) end()
  expect(await read(first)).toEqual([[]])
  return { first, second, give, read, asked }
}

/** Lets time pass for what is remembered. */
function passTime() {
  const now = performance.now.bind(performance)
  let passed = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now() + passed)
  onTestFinished(() => void vi.restoreAllMocks())
  return (ms: number) => {
    passed += ms
  }
}

it('an NFT that is no longer the only one is a token of who alone is read and holds one, five minutes later', async () => {
  const pass = passTime()
  const { first, second, give, read } = await onlyOne()
  give(second, 1n)
  pass(solanaLimits.mintableMs + 2)
  expect(await read(first)).toEqual([[1n]])
  expect(solanaLimits.mintableMs).toBe(300_000)
})

it('an NFT of which nobody can make another one is read once', async () => {
  const pass = passTime()
  const { first, read, asked } = await onlyOne({}, true)
  asked.length = 0
  pass(86_400_000)
  expect(await read(first)).toEqual([[]])
  // For the lamports.
  expect(asked.filter((method) => method === 'getMultipleAccounts')).toHaveLength(1)
})

it('an NFT of which somebody else asked for holds two is a token at once, in whatever order they are named', async () => {
  for (const turned of [false, true]) {
    const { first, second, give, read } = await onlyOne()
    give(second, 2n)
    if (turned) expect(await read(second, first)).toEqual([[2n], [1n]])
    else expect(await read(first, second)).toEqual([[1n], [2n]])
  }
})

it('an NFT of which two that are asked for hold one each is a token at once', async () => {
  const { first, second, give, read } = await onlyOne()
  give(second, 1n)
  expect(await read(first, second)).toEqual([[1n], [1n]])
})

it('who holds two of a mint holds no NFT, though the mint still says that there is one', async () => {
  const { mints, owners } = stage.chain
  const nft = Buffer.from(decodeBase58(mints.nft))
  stage.tamper = (answer, { method }) => {
    if (method !== 'getTokenAccountsByOwner') return answer
    const value = (answer.value as { account: { data: [string, string] } }[]).map((entry) => {
      const bytes = Buffer.from(entry.account.data[0], 'base64')
      if (bytes.subarray(0, 32).equals(nft)) bytes.writeBigUInt64LE(2n, 64)
      return { ...entry, account: { ...entry.account, data: [bytes.toString('base64'), 'base64'] } }
    })
    return { ...answer, value }
  }
  const found = await stage.source().readBalances([{ id: owners.alice }], readContext())
  const token = balancesOf(found.get(owners.alice)).tokens.find(({ address }) => address === mints.nft)
  expect(token).toMatchObject({ balance: 2n, decimals: 0 })
})
