import { VersionedTransaction } from '@solana/web3.js'
import bs58 from 'bs58'
import { TOKEN, TOKEN_2022 } from './instructions.ts'
import type { LedgerAccount, SolanaLedger } from './ledger.ts'

const U64_MAX = 2n ** 64n - 1n
const ACCOUNT_BYTES = 165
const ACCOUNT_TYPE_ACCOUNT = 2

interface Config {
  encoding?: string
  dataSlice?: { offset: number; length: number }
  minContextSlot?: number
}

export class RpcFault extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const isTokenAccount = ({ data }: LedgerAccount): boolean => {
  const sized = data.length === ACCOUNT_BYTES || data[ACCOUNT_BYTES] === ACCOUNT_TYPE_ACCOUNT
  return data.length >= ACCOUNT_BYTES && sized && data[108] !== 0
}

const tokenAmount = (ledger: SolanaLedger, data: Buffer) => {
  const amount = data.readBigUInt64LE(64)
  const decimals = ledger.account(bs58.encode(data.subarray(0, 32)))?.data[44] ?? 0
  const ui = Number(amount) / 10 ** decimals
  return { amount: String(amount), decimals, uiAmount: ui, uiAmountString: String(ui) }
}

const parsed = (ledger: SolanaLedger, { owner, data }: LedgerAccount) => ({
  program: owner === TOKEN.toBase58() ? 'spl-token' : 'spl-token-2022',
  parsed: {
    info: {
      isNative: false,
      mint: bs58.encode(data.subarray(0, 32)),
      owner: bs58.encode(data.subarray(32, 64)),
      state: data[108] === 2 ? 'frozen' : 'initialized',
      tokenAmount: tokenAmount(ledger, data),
    },
    type: 'account',
  },
  space: data.length,
})

const encode = (ledger: SolanaLedger, account: LedgerAccount | undefined, config: Config) => {
  if (!account) return null
  const { data, executable, lamports, owner } = account
  const { offset = 0, length = data.length } = config.dataSlice ?? {}
  const binary = [data.subarray(offset, offset + length).toString('base64'), 'base64']
  const readable = config.encoding === 'jsonParsed' && isTokenAccount(account)
  return {
    data: readable ? parsed(ledger, account) : binary,
    executable,
    lamports,
    owner,
    rentEpoch: U64_MAX,
    space: data.length,
  }
}

const programOf = (ledger: SolanaLedger, filter: { programId?: string; mint?: string }) => {
  const id = filter.programId ?? ledger.account(String(filter.mint))?.owner
  const program = [TOKEN, TOKEN_2022].find((one) => one.toBase58() === id)
  if (!program) throw new RpcFault(-32602, 'Invalid param: unrecognized Token program id')
  return program
}

const tokenAccounts = (
  ledger: SolanaLedger,
  owner: string,
  filter: { programId?: string; mint?: string },
  config: Config,
) =>
  ledger
    .programAccounts(programOf(ledger, filter))
    .filter(isTokenAccount)
    .filter(({ data }) => bs58.encode(data.subarray(32, 64)) === owner)
    .filter(({ data }) => filter.mint === undefined || bs58.encode(data.subarray(0, 32)) === filter.mint)
    .map((account) => ({ pubkey: account.address, account: encode(ledger, account, config) }))

const key = (value: unknown): string => {
  if (typeof value === 'string' && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(value)) return value
  throw new RpcFault(-32602, 'Invalid param: Invalid')
}

const withContext = (ledger: SolanaLedger, config: Config | undefined, value: (config: Config) => unknown) => {
  const slot = Number(ledger.slot())
  if ((config?.minContextSlot ?? 0) > slot) throw new RpcFault(-32016, 'Minimum context slot has not been reached')
  return { context: { apiVersion: '2.1.0', slot }, value: value(config ?? {}) }
}

const submit = (ledger: SolanaLedger, wire: string, encoding: string | undefined): string => {
  const transaction = VersionedTransaction.deserialize(
    encoding === 'base64' ? Buffer.from(wire, 'base64') : bs58.decode(wire),
  )
  const { message, signatures } = transaction
  const signers = message.staticAccountKeys.slice(0, signatures.length)
  ledger.sendBytes(
    message.serialize(),
    Object.fromEntries(signers.map((signer, index) => [signer.toBase58(), signatures[index] ?? new Uint8Array(64)])),
  )
  return bs58.encode(signatures[0] ?? new Uint8Array(64))
}

/** Each method names its own parameters. */
type Method = (params: never) => unknown

/** The JSON-RPC methods that wallets and balance readers use, over a runtime in memory. */
export const createSolanaMethods = (ledger: SolanaLedger, genesisHash: string): Record<string, Method> => {
  const slot = (): number => Number(ledger.slot())
  const supply = (mint: string) => {
    const data = ledger.account(key(mint))?.data
    if (!data || data.length < 82) throw new RpcFault(-32602, 'Invalid param: not a Token mint')
    const decimals = data[44] ?? 0
    return { amount: String(data.readBigUInt64LE(36)), decimals, uiAmountString: '' }
  }
  return {
    getGenesisHash: () => genesisHash,
    getHealth: () => 'ok',
    getVersion: () => ({ 'solana-core': '2.1.0', 'feature-set': 0 }),
    getSlot: slot,
    getBlockHeight: slot,
    getEpochInfo: () => ({
      absoluteSlot: slot(),
      blockHeight: slot(),
      epoch: 0,
      slotIndex: slot(),
      slotsInEpoch: 432000,
    }),
    getMinimumBalanceForRentExemption: ([bytes]: [number]) => Number(ledger.rent(bytes)),
    getLatestBlockhash: ([config]: [Config?]) =>
      withContext(ledger, config, () => ({ blockhash: ledger.blockhash(), lastValidBlockHeight: slot() + 150 })),
    getBalance: ([id, config]: [string, Config?]) =>
      withContext(ledger, config, () => ledger.account(key(id))?.lamports ?? 0n),
    getAccountInfo: ([id, config]: [string, Config?]) =>
      withContext(ledger, config, (given) => encode(ledger, ledger.account(key(id)), given)),
    getMultipleAccounts: ([ids, config]: [string[], Config?]) => {
      if (ids.length > 100) throw new RpcFault(-32602, 'Too many inputs provided; max 100')
      return withContext(ledger, config, (given) => ids.map((id) => encode(ledger, ledger.account(key(id)), given)))
    },
    getTokenAccountsByOwner: ([owner, filter, config]: [string, { programId?: string; mint?: string }, Config?]) =>
      withContext(ledger, config, (given) => tokenAccounts(ledger, key(owner), filter, given)),
    getTokenAccountBalance: ([id, config]: [string, Config?]) =>
      withContext(ledger, config, () => {
        const account = ledger.account(key(id))
        if (!account || !isTokenAccount(account)) throw new RpcFault(-32602, 'Invalid param: not a Token account')
        return tokenAmount(ledger, account.data)
      }),
    getTokenSupply: ([mint, config]: [string, Config?]) => withContext(ledger, config, () => supply(mint)),
    sendTransaction: ([wire, config]: [string, Config?]) => submit(ledger, wire, config?.encoding),
  }
}

/** JSON as a node writes it: u64 numbers are not cut to what a double holds. */
export const writeAnswer = (answer: unknown): string =>
  JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? `@${value}@` : value)).replace(
    /"@(\d+)@"/g,
    '$1',
  )
