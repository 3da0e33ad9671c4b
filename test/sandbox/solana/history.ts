import type { PublicKey } from '@solana/web3.js'
import {
  associatedAddress,
  createAssociated,
  endMinting,
  freezeAccount,
  initializeAccount,
  initializeMint,
  METAPLEX,
  metaplexAddress,
  metaplexBytes,
  mintTo,
  pointMetadataAt,
  TOKEN,
  TOKEN_2022,
  writeMetadata,
} from './instructions.ts'
import { type MintName, type OwnerName, sandboxKeypair } from './keys.ts'
import type { SolanaLedger } from './ledger.ts'

const MINT_BYTES = 82
const ACCOUNT_BYTES = 165
/** Mint with a metadata pointer; the metadata itself makes the account grow. */
const POINTING_MINT_BYTES = 234

const key = (name: MintName | OwnerName): PublicKey => sandboxKeypair(name).publicKey

const createMint = (ledger: SolanaLedger, name: MintName, decimals: number, program = TOKEN): void => {
  const mint = sandboxKeypair(name)
  const start = ledger.allocate(mint, program, MINT_BYTES)
  ledger.send([start, initializeMint(program, mint.publicKey, decimals, ledger.payer.publicKey)], [mint])
}

const createMintWithMetadata = (
  ledger: SolanaLedger,
  name: MintName,
  decimals: number,
  text: [string, string],
): void => {
  const mint = sandboxKeypair(name)
  const authority = ledger.payer.publicKey
  const steps = [
    ledger.allocate(mint, TOKEN_2022, POINTING_MINT_BYTES, 1_000),
    pointMetadataAt(mint.publicKey, mint.publicKey, authority),
    initializeMint(TOKEN_2022, mint.publicKey, decimals, authority),
    writeMetadata(mint.publicKey, authority, ...text, 'https://example.test/2022.json'),
  ]
  ledger.send(steps, [mint])
}

/** Into the owner's associated account, which is made if it is not there. */
const give = (ledger: SolanaLedger, to: OwnerName, mint: MintName, amount: bigint, program = TOKEN): void => {
  const payer = ledger.payer.publicKey
  const steps = [createAssociated(program, payer, key(to), key(mint))]
  const account = associatedAddress(program, key(to), key(mint))
  if (amount > 0n) steps.push(mintTo(program, key(mint), account, payer, amount))
  ledger.send(steps)
}

/** Into one more account of the owner, with an address of its own. */
const giveApart = (ledger: SolanaLedger, to: OwnerName, mint: MintName, amount: bigint, program = TOKEN): void => {
  const account = sandboxKeypair(`${to} apart ${mint}`)
  const steps = [
    ledger.allocate(account, program, ACCOUNT_BYTES),
    initializeAccount(program, account.publicKey, key(mint), key(to)),
    mintTo(program, key(mint), account.publicKey, ledger.payer.publicKey, amount),
  ]
  ledger.send(steps, [account])
}

const nameByMetaplex = (ledger: SolanaLedger, mint: MintName, name: string, symbol: string): void => {
  const data = metaplexBytes(key(mint), ledger.payer.publicKey, name, symbol)
  ledger.place(metaplexAddress(key(mint)), METAPLEX, data)
}

const playSplToken = (ledger: SolanaLedger): void => {
  createMint(ledger, 'listed', 6)
  nameByMetaplex(ledger, 'listed', 'Name that a list overrules', 'LOSES')
  give(ledger, 'alice', 'listed', 1_500_000n)
  giveApart(ledger, 'alice', 'listed', 250_000n)

  createMint(ledger, 'metaplex', 9)
  nameByMetaplex(ledger, 'metaplex', 'Metaplex Token', 'MPLX')
  give(ledger, 'alice', 'metaplex', 18_446_744_073_709_551_615n)

  createMint(ledger, 'bare', 2)
  give(ledger, 'alice', 'bare', 12_345n)

  createMint(ledger, 'nft', 0)
  nameByMetaplex(ledger, 'nft', 'Picture #1', 'PIC')
  give(ledger, 'alice', 'nft', 1n)
  ledger.send([endMinting(TOKEN, key('nft'), ledger.payer.publicKey)])

  createMint(ledger, 'ticket', 0)
  nameByMetaplex(ledger, 'ticket', 'Ticket', 'TKT')
  give(ledger, 'alice', 'ticket', 1n)
  give(ledger, 'carol', 'ticket', 4n)

  createMint(ledger, 'emptied', 6)
  give(ledger, 'alice', 'emptied', 0n)

  createMint(ledger, 'frozen', 3)
  give(ledger, 'alice', 'frozen', 7_000n)
  const account = associatedAddress(TOKEN, key('alice'), key('frozen'))
  ledger.send([freezeAccount(TOKEN, account, key('frozen'), ledger.payer.publicKey)])
}

const playToken2022 = (ledger: SolanaLedger): void => {
  createMintWithMetadata(ledger, 'extended', 4, ['Extended Token', 'EXT'])
  give(ledger, 'alice', 'extended', 31_415n, TOKEN_2022)
  giveApart(ledger, 'carol', 'extended', 27_182n, TOKEN_2022)

  createMintWithMetadata(ledger, 'hostile', 6, ['<img src=x>\u202eUSD\u0007 Coin\n', `${'A'.repeat(100)}`])
  give(ledger, 'alice', 'hostile', 1n, TOKEN_2022)
  give(ledger, 'carol', 'hostile', 2n, TOKEN_2022)

  createMint(ledger, 'plain2022', 5, TOKEN_2022)
  nameByMetaplex(ledger, 'plain2022', 'Metaplex on 2022', 'M22')
  give(ledger, 'alice', 'plain2022', 99n, TOKEN_2022)

  createMint(ledger, 'nft2022', 0, TOKEN_2022)
  give(ledger, 'alice', 'nft2022', 1n, TOKEN_2022)
}

/**
 * The sandbox's history. alice has everything; bob has lamports only; carol has tokens but no account of her own (no
 * lamports); nobody has nothing.
 */
export const playHistory = (ledger: SolanaLedger): void => {
  ledger.airdrop(key('alice').toBase58(), 2_500_000_000n)
  ledger.airdrop(key('bob').toBase58(), 9_007_199_254_740_993n)
  playSplToken(ledger)
  playToken2022(ledger)
}
