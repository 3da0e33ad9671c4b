import type { ReadContext } from '../../capabilities.ts'

/** Token address that stands for the native coin. */
export const nativeToken = `0x${'0'.repeat(40)}`

/** The block a read saw. The fingerprint is equal for equal blocks and differs between two blocks of one height. */
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
  /** Pairs whose balanceOf reverted, burnt its gas, returned less than 32 bytes, or whose token has no code. */
  failed: { owner: number; token: number }[]
  /** Pairs behind one that burnt its gas: nothing is known of them. */
  unasked: { owner: number; token: number }[]
  /** Of tokens with a non-zero balance; one that says nothing about itself is left out. */
  traits: { token: number; told: TokenTraits }[]
}

/** What a token says about itself in the call that reads its balances. */
export interface TokenTraits {
  /** `decimals()`, 0 to 255; left out = it tells no such number. */
  decimals?: number
  /**
   * `uiMultiplier()` (ERC-8056), 1e18 = 1; null = the token claims to have one and tells no usable number. Left out = it
   * has none.
   */
  multiplier?: bigint | null
}

/** What is far from any real multiplier is none. balance-reader.yul has the same bounds. */
export const isMultiplier = (value: bigint): boolean => value >= 10n ** 9n && value < 10n ** 27n + 10n ** 9n

/** Of an answer that says nothing yet. */
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
  /** Called when a call leaves for a node, which may be long after it was made. */
  onSent?: () => void
}

/** One way to have a node run many reads in one eth_call. */
export interface ReadMethod {
  readonly name: string
  balances(query: BalanceQuery, context: CallContext): Promise<BalanceAnswer>
  calls(query: CallQuery, context: CallContext): Promise<CallAnswer>
}
