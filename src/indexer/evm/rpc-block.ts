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
  /** Only in headers of C. */
  extDataHash?: string
  /** Only on C: its transactions from and to other chains. */
  blockExtraData?: string
  transactions: readonly RpcTransaction[]
  transactionsRoot?: string
  receiptsRoot?: string
  logsBloom?: string
  /**
   * C since Helicon (ACP-194): blocks are executed after they were accepted, and `receiptsRoot` and `logsBloom` cover
   * the earlier blocks up to this height that are settled here.
   */
  settledHeight?: string
}

export interface RpcTransaction {
  hash: string
  from: string
  /** Null or missing if a contract is created. */
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
  /** Replaces the status before Byzantium. */
  root?: string | null
  gasUsed: string
  cumulativeGasUsed?: string
  effectiveGasPrice?: string
  contractAddress?: string | null
  logs: readonly RpcLog[]
  logsBloom?: string
  /** Only for deposits on OP chains. */
  depositNonce?: string
  depositReceiptVersion?: string
}

/** Length of a state root in hex, with 0x. */
const STATE_ROOT = 66

/**
 * Whether a receipt says how its transaction ended. Receipts from before Byzantium have the state root instead; some
 * nodes add a meaningless status.
 */
export const hasOutcome = ({ status, root }: RpcReceipt): boolean => status != null && root?.length !== STATE_ROOT

export interface RpcLog {
  address: string
  topics: readonly string[]
  data: string
  logIndex: string
}

/** One block with everything that is indexed from it. */
export interface EvmFacts {
  block: RpcBlock
  receipts: readonly RpcReceipt[]
  /** Names of the token contracts that appear for the first time. */
  names: ReadonlyMap<string, ContractNames>
  /**
   * Participants besides those named by transactions and logs: accounts in contracts' native transfers, if traced, or
   * in transactions between chains. Hex without 0x, lower case.
   */
  parties?: readonly string[]
  /** Code ran in it, and no node traced it. */
  isUntraced?: boolean
}

export interface ContractNames {
  name?: string
  symbol?: string
  decimals?: number
}

/** Without 0x, lower case. */
export const bare = (text: string): string => text.slice(2).toLowerCase()
/** Quantity; also a bigint that the reader already parsed from a large number. */
export const quantity = (value: string | number | bigint): bigint => BigInt(value)
