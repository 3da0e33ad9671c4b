import type { ReadContext } from '../../capabilities.ts'

/** Token address that represents the native coin. */
export const NATIVE_TOKEN = `0x${'0'.repeat(40)}`

/** The block of a read. The fingerprint is equal for equal blocks and differs between two blocks of one height. */
export interface BlockMark {
  number: bigint
  fingerprint: bigint
}

/** Every owner × every token. Addresses are lower-case hex with 0x. */
export interface BalanceQuery {
  owners: readonly string[]
  tokens: readonly string[]
  /** Gas one balanceOf may use. */
  gas: number
  /** Largest packed answer, bytes; the reader stops at a token's boundary before it. */
  answerBytes: number
  /** Height to read at; left out = the latest block. */
  block?: bigint
}

export interface BalanceAnswer {
  block: BlockMark
  /** How many tokens, from the first, were read for all owners. */
  done: number
  /** Non-zero balances in the token's smallest unit; `owner` and `token` are positions in the query. */
  amounts: { owner: number; token: number; value: bigint }[]
  /** Pairs whose balanceOf reverted, burnt its gas or returned less than 32 bytes, or whose token has no code. */
  failed: { owner: number; token: number }[]
  /** Pairs after one that burnt its gas: nothing is known of them. */
  unasked: { owner: number; token: number }[]
  /** Traits of tokens with a non-zero balance; a token without any is left out. */
  traits: { token: number; told: TokenTraits }[]
}

/** What a token reports about itself in the call that reads its balances. */
export interface TokenTraits {
  /** `decimals()`, 0 to 255; left out = the token gives no such number. */
  decimals?: number
  /**
   * `uiMultiplier()` (ERC-8056), 1e18 = 1; null = the token claims to have one but gives no usable number. Left out =
   * it has none.
   */
  multiplier?: bigint | null
}

/** A value far from any real multiplier is not one. balance-reader.yul has the same bounds. */
export const isMultiplier = (value: bigint): boolean => value >= 10n ** 9n && value < 10n ** 27n + 10n ** 9n

/** Lists of an empty answer. */
export const noAnswers = () => ({
  amounts: [] as BalanceAnswer['amounts'],
  failed: [] as BalanceAnswer['failed'],
  unasked: [] as BalanceAnswer['unasked'],
  traits: [] as BalanceAnswer['traits'],
})

export interface ContractCall {
  /** Contract, lower-case hex with 0x. */
  to: string
  /** Call data, hex with 0x, at most 255 bytes. */
  data: string
}

export interface CallQuery {
  calls: readonly ContractCall[]
  /** Gas one call may use. */
  gas: number
  /** Bytes kept of one return value; the rest is cut off. */
  keepBytes: number
  answerBytes: number
  block?: bigint
}

export interface CallAnswer {
  block: BlockMark
  done: number
  /** In the order of the calls; undefined = it failed, or there is no code. */
  results: (Buffer | undefined)[]
}

export interface CallContext extends ReadContext {
  /** Called when a call is sent to a node, which may be long after it was made. */
  onSent?: () => void
}

/** A way to make a node run many reads in one eth_call. */
export interface ReadMethod {
  readonly name: string
  balances(query: BalanceQuery, context: CallContext): Promise<BalanceAnswer>
  calls(query: CallQuery, context: CallContext): Promise<CallAnswer>
}
