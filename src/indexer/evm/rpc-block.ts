/** Blocks and receipts as EVM nodes write them; quantities are 0x hex, everything lower case after `hex`. */
export interface RpcBlock {
  number: string
  hash: string
  parentHash: string
  timestamp: string
  timestampMilliseconds?: string
  minDelayExcess?: string
  baseFeePerGas?: string
  gasUsed: string
  gasLimit: string
  miner?: string
  blockGasCost?: string
  /** Headers of C alone have it. */
  extDataHash?: string
  /** C alone: its transactions from and to other chains. */
  blockExtraData?: string
  transactions: readonly RpcTransaction[]
  transactionsRoot?: string
  receiptsRoot?: string
  logsBloom?: string
  /**
   * C since Helicon (ACP-194): blocks are executed after they were accepted, and `receiptsRoot` and `logsBloom` tell of
   * the earlier blocks up to this height that are settled here.
   */
  settledHeight?: string
}

export interface RpcTransaction {
  hash: string
  from: string
  /** Null or missing where a contract is made. */
  to?: string | null
  value: string
  type?: string
  gas: string
  gasPrice?: string
  maxFeePerGas?: string
  maxPriorityFeePerGas?: string
  nonce: string
  input: string
}

export interface RpcReceipt {
  transactionHash: string
  blockHash: string
  status?: string | null
  /** Instead of a status, before Byzantium. */
  root?: string | null
  gasUsed: string
  cumulativeGasUsed?: string
  effectiveGasPrice?: string
  contractAddress?: string | null
  logs: readonly RpcLog[]
  logsBloom?: string
  /** Of deposits on OP chains. */
  depositNonce?: string
  depositReceiptVersion?: string
}

/** The root of a state in hex, with 0x. */
const STATE_ROOT = 66

/**
 * Whether a receipt tells how its transaction ended. Those of before Byzantium hold the root of the state instead; some
 * nodes name a status beside it that means nothing.
 */
export const hasOutcome = ({ status, root }: RpcReceipt): boolean => status != null && root?.length !== STATE_ROOT

export interface RpcLog {
  address: string
  topics: readonly string[]
  data: string
  logIndex: string
}

/** One block with all that is indexed of it. */
export interface EvmFacts {
  block: RpcBlock
  receipts: readonly RpcReceipt[]
  /** What the contracts of tokens seen for the first time say of themselves. */
  names: ReadonlyMap<string, ContractNames>
  /**
   * Who took part beside those whom transactions and logs name: by native value that contracts sent, as far as that was
   * asked for, or by transactions between chains. Hex without 0x, lower case.
   */
  parties?: readonly string[]
  /** Code ran in it, and nobody told what contracts sent. */
  isUntraced?: boolean
}

export interface ContractNames {
  name?: string
  symbol?: string
  decimals?: number
}

/** Without 0x, lower case. */
export const bare = (text: string): string => text.slice(2).toLowerCase()
/** Quantity; also a bigint that the reader already made of a large number. */
export const quantity = (value: string | number | bigint): bigint => BigInt(value)
