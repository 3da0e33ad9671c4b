import { BadAnswerError, BadInputError } from '../../errors.ts'
import { encodeBase58 } from '../../lib/bytes/base58.ts'
import { recordOf } from '../../lib/json/json-record.ts'
import { inTurns } from '../../lib/waiting/in-turns.ts'
import type { Outcome } from '../capabilities.ts'
import { readAccountData } from './account-data.ts'
import { unwrap } from './outcomes.ts'
import { type Program, TOKEN_PROGRAMS } from './programs.ts'
import { readAnsweredAddress } from './public-key.ts'
import { type Slotted, type SlottedCall, unsigned } from './slotted.ts'

/** Token accounts parsed in one turn of the event loop: some hundredths of a millisecond each. */
const READ_PER_TURN = 500

/** mint (32) · owner (32) · amount (u64): the rest of a token account does not affect its amount. */
const TOKEN_ACCOUNT_HEAD = { offset: 0, length: 72 }

export interface Owner {
  id: string
  bytes: Uint8Array
}

/** An owner's holding of one mint, summed over all token accounts of it. */
export interface Holding {
  mint: string
  mintBytes: Uint8Array
  program: Program
  amount: bigint
  /** Token accounts that hold it, base58. */
  accounts: string[]
}

/** Lamports of up to 100 owners; no account data is requested. */
export const lamportsCall = (owners: readonly Owner[]): SlottedCall => ({
  method: 'getMultipleAccounts',
  params: [owners.map(({ id }) => id)],
  config: { encoding: 'base64', dataSlice: { offset: 0, length: 0 } },
  check: (value) => void readLamports(value, owners.length),
})

/** Lamports in the requested order; an account that does not exist holds none. */
export const readLamports = (value: unknown, count: number): bigint[] => {
  if (!Array.isArray(value) || value.length !== count) {
    throw new BadAnswerError('getMultipleAccounts did not answer every account')
  }
  return value.map((account) => (account === null ? 0n : unsigned(recordOf(account, 'account').lamports, 'lamports')))
}

/** Token accounts of an owner: one call per token program, binary, cut to the required bytes. */
export const tokenAccountCalls = (owner: Owner): SlottedCall[] =>
  TOKEN_PROGRAMS.map((program) => ({
    method: 'getTokenAccountsByOwner',
    params: [owner.id, { programId: program.address }],
    config: { encoding: 'base64', dataSlice: TOKEN_ACCOUNT_HEAD },
    // Whoever answers another question does so in every entry, and an exchange has too many to parse them twice.
    check(value) {
      const [first] = entriesOf(value)
      if (first !== undefined) readEntry(first, owner, program)
    },
    // An exchange has hundreds of thousands of token accounts.
    anyLength: true,
  }))

const entriesOf = (value: unknown): unknown[] => {
  if (!Array.isArray(value)) throw new BadAnswerError('getTokenAccountsByOwner did not answer a list')
  return value
}

const readEntry = (entry: unknown, owner: Owner, program: Program) => {
  const { pubkey, account } = recordOf(entry, 'token account')
  const data = readAccountData(account, 'token account')
  if (data.program !== program.address || data.bytes.length < TOKEN_ACCOUNT_HEAD.length) {
    throw new BadAnswerError('token account is not of the token program asked for')
  }
  if (!data.bytes.subarray(32, 64).equals(owner.bytes)) throw new BadAnswerError('token account is of another owner')
  return {
    address: readAnsweredAddress(pubkey, 'token account'),
    mintBytes: data.bytes.subarray(0, 32),
    amount: data.bytes.readBigUInt64LE(64),
  }
}

/** Encodes mints in base58, each only once per read: fifty owners often hold the same tokens. */
export const createMintNames = (): ((bytes: Buffer) => string) => {
  const names = new Map<string, string>()
  return (bytes) => {
    const key = bytes.toString('latin1')
    const name = names.get(key) ?? encodeBase58(bytes)
    names.set(key, name)
    return name
  }
}

interface Collector {
  owner: Owner
  /** Token accounts accepted per program. */
  most: number
  mintName: (bytes: Buffer) => string
}

const collect = async (
  holdings: Map<string, Holding>,
  answer: Slotted,
  program: Program,
  by: Collector,
): Promise<void> => {
  const { owner, most } = by
  const entries = entriesOf(answer.value)
  if (entries.length > most) throw new BadInputError(`address ${owner.id} has more than ${most} token accounts`)
  const seen = new Set<string>()
  await inTurns(entries, READ_PER_TURN, (entry) => {
    const { address, mintBytes, amount } = readEntry(entry, owner, program)
    if (seen.has(address)) throw new BadAnswerError('token account is listed twice')
    seen.add(address)
    if (amount === 0n) return
    const mint = by.mintName(mintBytes)
    const known = holdings.get(mint)
    if (known) {
      known.amount += amount
      known.accounts.push(address)
    } else holdings.set(mint, { mint, mintBytes, program, amount, accounts: [address] })
  })
}

/**
 * Non-zero holdings of an owner from the answers to `tokenAccountCalls`, ordered by mint. Frozen accounts count: they
 * are the owner's. Throws when one program did not answer: half a list would show the other half as spent.
 */
export const readHoldings = async (answers: readonly Outcome<Slotted>[], by: Collector): Promise<Holding[]> => {
  const holdings = new Map<string, Holding>()
  for (const [index, program] of TOKEN_PROGRAMS.entries()) {
    await collect(holdings, unwrap(answers[index], 'a token program'), program, by)
  }
  return [...holdings.values()].sort((a, b) => (a.mint < b.mint ? -1 : 1))
}
