import { PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js'

export const TOKEN = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
export const TOKEN_2022 = new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')
const ASSOCIATED = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
export const METAPLEX = new PublicKey('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s')

const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([length, bytes])
}

const build = (programId: PublicKey, parts: (number | Uint8Array)[], keys: [PublicKey, string?][]) =>
  new TransactionInstruction({
    programId,
    data: Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : part))),
    keys: keys.map(([pubkey, role = '']) => ({
      pubkey,
      isSigner: role.includes('s'),
      isWritable: role.includes('w'),
    })),
  })

export const initializeMint = (program: PublicKey, mint: PublicKey, decimals: number, authority: PublicKey) =>
  build(program, [20, decimals, authority.toBytes(), 1, authority.toBytes()], [[mint, 'w']])

export const initializeAccount = (program: PublicKey, account: PublicKey, mint: PublicKey, owner: PublicKey) =>
  build(program, [18, owner.toBytes()], [[account, 'w'], [mint]])

export const mintTo = (program: PublicKey, mint: PublicKey, account: PublicKey, authority: PublicKey, amount: bigint) =>
  build(
    program,
    [7, u64(amount)],
    [
      [mint, 'w'],
      [account, 'w'],
      [authority, 's'],
    ],
  )

export const freezeAccount = (program: PublicKey, account: PublicKey, mint: PublicKey, authority: PublicKey) =>
  build(program, [10], [[account, 'w'], [mint], [authority, 's']])

/** Nobody can mint any more. */
export const endMinting = (program: PublicKey, mint: PublicKey, authority: PublicKey) =>
  build(
    program,
    [6, 0, 0],
    [
      [mint, 'w'],
      [authority, 's'],
    ],
  )

export const burn = (program: PublicKey, mint: PublicKey, account: PublicKey, owner: PublicKey, amount: bigint) =>
  build(
    program,
    [8, u64(amount)],
    [
      [account, 'w'],
      [mint, 'w'],
      [owner, 's'],
    ],
  )

/** Token-2022: the authority may close the mint while nobody holds any. Must come before initializeMint. */
export const allowClosing = (mint: PublicKey, authority: PublicKey) =>
  build(TOKEN_2022, [25, 1, authority.toBytes()], [[mint, 'w']])

const f64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return bytes
}

const i16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16LE(value)
  return bytes
}

/** Token-2022: UI amounts are multiplied. Must come before initializeMint. */
export const scaleUiAmounts = (mint: PublicKey, authority: PublicKey, multiplier: number) =>
  build(TOKEN_2022, [43, 0, authority.toBytes(), f64(multiplier)], [[mint, 'w']])

/** Another multiplier from a moment on, seconds since 1970. */
export const changeUiScale = (mint: PublicKey, authority: PublicKey, multiplier: number, from: bigint) =>
  build(
    TOKEN_2022,
    [43, 1, f64(multiplier), u64(from)],
    [
      [mint, 'w'],
      [authority, 's'],
    ],
  )

/** Token-2022: UI amounts grow, basis points a year. Must come before initializeMint. */
export const bearInterest = (mint: PublicKey, authority: PublicKey, rate: number) =>
  build(TOKEN_2022, [33, 0, authority.toBytes(), i16(rate)], [[mint, 'w']])

export const changeInterest = (mint: PublicKey, authority: PublicKey, rate: number) =>
  build(
    TOKEN_2022,
    [33, 1, i16(rate)],
    [
      [mint, 'w'],
      [authority, 's'],
    ],
  )

/** The UI amount comes as return data. */
export const askUiAmount = (mint: PublicKey, amount: bigint) => build(TOKEN_2022, [23, u64(amount)], [[mint]])

/** Of a token account, or of a mint that may be closed. */
export const closeAccount = (program: PublicKey, account: PublicKey, authority: PublicKey) =>
  build(
    program,
    [9],
    [
      [account, 'w'],
      [authority, 'w'],
      [authority, 's'],
    ],
  )

export const associatedAddress = (program: PublicKey, owner: PublicKey, mint: PublicKey): PublicKey =>
  PublicKey.findProgramAddressSync([owner.toBuffer(), program.toBuffer(), mint.toBuffer()], ASSOCIATED)[0]

export const createAssociated = (program: PublicKey, payer: PublicKey, owner: PublicKey, mint: PublicKey) =>
  build(
    ASSOCIATED,
    [1],
    [
      [payer, 'sw'],
      [associatedAddress(program, owner, mint), 'w'],
      [owner],
      [mint],
      [SystemProgram.programId],
      [program],
    ],
  )

/** Token-2022: which account carries the metadata. Must come before initializeMint. */
export const pointMetadataAt = (account: PublicKey, mint: PublicKey, authority: PublicKey) =>
  build(TOKEN_2022, [39, 0, authority.toBytes(), account.toBytes()], [[mint, 'w']])

/** Token metadata interface, `initialize`. Must come after initializeMint. */
export const writeMetadata = (mint: PublicKey, authority: PublicKey, name: string, symbol: string, uri: string) =>
  build(
    TOKEN_2022,
    [Buffer.from('d2e11ea258b84d8d', 'hex'), text(name), text(symbol), text(uri)],
    [[mint, 'w'], [authority], [mint], [authority, 's']],
  )

export const metaplexAddress = (mint: PublicKey): PublicKey =>
  PublicKey.findProgramAddressSync([Buffer.from('metadata'), METAPLEX.toBuffer(), mint.toBuffer()], METAPLEX)[0]

/** Bytes of an account of any program that carries metadata of the token metadata interface. */
export const interfaceBytes = (mint: PublicKey, name: string, symbol: string): Buffer => {
  const value = Buffer.concat([
    Buffer.alloc(32),
    mint.toBytes(),
    text(name),
    text(symbol),
    text('https://example.test/interface.json'),
    Buffer.alloc(4),
  ])
  const length = Buffer.alloc(4)
  length.writeUInt32LE(value.length)
  return Buffer.concat([Buffer.from('70845a5a0b589d57', 'hex'), length, value])
}

const padded = (value: string, bytes: number): Buffer => {
  const field = Buffer.alloc(bytes)
  field.write(value)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes)
  return Buffer.concat([length, field])
}

/** Bytes of a Metaplex metadata account (the program itself is not part of the sandbox). */
export const metaplexBytes = (mint: PublicKey, authority: PublicKey, name: string, symbol: string): Buffer => {
  const bytes = Buffer.alloc(679)
  const head = [Buffer.of(4), authority.toBytes(), mint.toBytes(), padded(name, 32), padded(symbol, 10)]
  Buffer.concat([...head, padded('https://example.test/token.json', 200)]).copy(bytes)
  return bytes
}
