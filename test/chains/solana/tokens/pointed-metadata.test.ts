import { Keypair, type PublicKey } from '@solana/web3.js'
import { expect, it } from 'vitest'
import {
  associatedAddress,
  createAssociated,
  initializeMint,
  interfaceBytes,
  METAPLEX,
  metaplexAddress,
  metaplexBytes,
  mintTo,
  pointMetadataAt,
  TOKEN_2022,
} from '../../../sandbox/solana/instructions.ts'
import { balancesOf, readContext } from '../../../support/balances/balance-reads.ts'
import { useTamperedChain } from '../tampered-chain.ts'

const stage = useTamperedChain()
const POINTING_MINT_BYTES = 234

/** What an owner is told of a new Token-2022 mint whose metadata are said to be in another account. */
async function nameOf(pointed: (mint: PublicKey) => { at: PublicKey; bytes?: Buffer }, metaplexName?: string) {
  const { ledger } = stage.chain
  const { payer } = ledger
  const [owner, mint] = [Keypair.generate().publicKey, Keypair.generate()]
  const { at, bytes } = pointed(mint.publicKey)
  ledger.send(
    [
      ledger.allocate(mint, TOKEN_2022, POINTING_MINT_BYTES),
      pointMetadataAt(at, mint.publicKey, payer.publicKey),
      initializeMint(TOKEN_2022, mint.publicKey, 3, payer.publicKey),
      createAssociated(TOKEN_2022, payer.publicKey, owner, mint.publicKey),
      mintTo(TOKEN_2022, mint.publicKey, associatedAddress(TOKEN_2022, owner, mint.publicKey), payer.publicKey, 5_000n),
    ],
    [mint],
  )
  if (bytes) ledger.place(at, Keypair.generate().publicKey, bytes)
  if (metaplexName !== undefined) {
    const text = metaplexBytes(mint.publicKey, payer.publicKey, metaplexName, 'MPX')
    ledger.place(metaplexAddress(mint.publicKey), METAPLEX, text)
  }
  const id = owner.toBase58()
  const { tokens } = balancesOf((await stage.source().readBalances([{ id }], readContext())).get(id))
  expect(tokens).toMatchObject([{ address: mint.publicKey.toBase58(), balance: 5_000n, decimals: 3 }])
  return tokens.map(({ name, symbol }) => ({ name, symbol }))[0]
}

const elsewhere = (): PublicKey => Keypair.generate().publicKey
/** What is shown of a mint without a name. */
const shortMint = { name: expect.stringMatching(/…|\.\.\./), symbol: expect.any(String) }

it('a mint whose metadata are in another account is called as that one says', async () => {
  const name = await nameOf((mint) => ({ at: elsewhere(), bytes: interfaceBytes(mint, 'Far Away', 'FAR') }), 'Not this')
  expect(name).toEqual({ name: 'Far Away', symbol: 'FAR' })
})

it('other entries before it are passed over', async () => {
  const other = Buffer.concat([Buffer.alloc(8, 9), Buffer.from([3, 0, 0, 0]), Buffer.alloc(3)])
  const name = await nameOf((mint) => ({
    at: elsewhere(),
    bytes: Buffer.concat([other, interfaceBytes(mint, 'Behind', 'BHD')]),
  }))
  expect(name).toEqual({ name: 'Behind', symbol: 'BHD' })
})

it('who points to the metadata of another mint, to junk or to nothing is called as before', async () => {
  const others = await nameOf(() => ({ at: elsewhere(), bytes: interfaceBytes(elsewhere(), 'USD Coin', 'USDC') }))
  expect(others).toEqual(shortMint)
  for (const bytes of [Buffer.alloc(300, 255), Buffer.from('70845a5a0b589d57ffffff7f', 'hex'), undefined]) {
    const pointed = () => ({ at: elsewhere(), ...(bytes ? { bytes } : {}) })
    expect(await nameOf(pointed)).toEqual(shortMint)
    expect(await nameOf(pointed, 'By Metaplex')).toEqual({ name: 'By Metaplex', symbol: 'MPX' })
  }
})

it('who points to its Metaplex account is called as that one says', async () => {
  const name = await nameOf((mint) => ({ at: metaplexAddress(mint) }), 'By Metaplex')
  expect(name).toEqual({ name: 'By Metaplex', symbol: 'MPX' })
})
