import { BadAnswerError } from '../../errors.ts'
import type {
  EvmBlockRow,
  EvmContractRow,
  EvmHoldingRow,
  EvmMetadataChangeRow,
  EvmNftRow,
  EvmParticipantRow,
  EvmRows,
  EvmTransactionRow,
  EvmTransferRow,
} from '../../store/rows/index.ts'
import {
  bare,
  type EvmFacts,
  hasOutcome,
  quantity,
  type RpcBlock,
  type RpcReceipt,
  type RpcTransaction,
} from './rpc-block.ts'
import { creditOf, loggedMoves, metadataChange, nativeParties, type TokenMove } from './token-logs.ts'

const ZERO = '0'.repeat(40)

/** Recipient of gas fees on C and on L1s that burn them: no account. */
const BURNT = '0100000000000000000000000000000000000000'

interface Range {
  blocks: EvmBlockRow[]
  transactions: EvmTransactionRow[]
  transfers: EvmTransferRow[]
  contracts: Map<string, EvmContractRow>
  nfts: Map<string, EvmNftRow>
  metadataChanges: EvmMetadataChangeRow[]
  participants: Map<string, EvmParticipantRow>
  holdings: Map<string, EvmHoldingRow>
  untraced: bigint[]
}

/**
 * Index rows of blocks, computed from the data read for them alone. `before` = transactions of the chain up to the
 * block before the first; the new sum is returned, to continue from.
 */
export function evmEffects(facts: readonly EvmFacts[], before: bigint): { rows: EvmRows; transactions: bigint } {
  const range: Range = {
    blocks: [],
    transactions: [],
    transfers: [],
    contracts: new Map(),
    nfts: new Map(),
    metadataChanges: [],
    participants: new Map(),
    holdings: new Map(),
    untraced: [],
  }
  let transactions = before
  for (const fact of facts) {
    transactions += BigInt(fact.block.transactions.length)
    applyBlock(range, fact, transactions)
  }
  nameOthers(range, facts)
  const rows = {
    blocks: range.blocks,
    transactions: range.transactions,
    transfers: range.transfers,
    contracts: [...range.contracts.values()],
    nfts: [...range.nfts.values()],
    metadataChanges: range.metadataChanges,
    participants: [...range.participants.values()],
    holdings: [...range.holdings.values()],
    untraced: range.untraced,
  }
  return { rows, transactions }
}

function applyBlock(range: Range, facts: EvmFacts, cumulativeTransactions: bigint): void {
  const { block, receipts, names, parties = [] } = facts
  const height = quantity(block.number)
  const byHash = new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]))
  let feesSpent = 0n
  let failedCount = 0
  let firstLog = 0
  block.transactions.forEach((transaction, index) => {
    const receipt = byHash.get(transaction.hash)
    if (!receipt) throw new BadAnswerError(`block ${height}: no receipt of transaction ${transaction.hash}`)
    const row = transactionRow(transaction, receipt, height, index)
    range.transactions.push(row)
    feesSpent += row.gasUsed * row.gasPrice
    if (!row.success) failedCount += 1
    for (const address of [row.from, row.to, contractOf(transaction, receipt)]) takePart(range, address, height)
    if (row.createdContract !== undefined) {
      describe(range, row.createdContract, { height, creationTx: row.hash, creator: row.from })
    }
    applyLogs(range, receipt, { height, txIndex: index, firstLog }, names)
    firstLog += receipt.logs.length
  })
  for (const address of [...parties, feeTaker(block, feesSpent)]) takePart(range, address, height)
  if (facts.isUntraced) range.untraced.push(height)
  range.blocks.push({
    height,
    hash: bare(block.hash),
    parentHash: bare(block.parentHash),
    time: quantity(block.timestamp),
    ...(block.timestampMilliseconds === undefined ? {} : { timeMs: quantity(block.timestampMilliseconds) }),
    ...(block.minDelayExcess === undefined ? {} : { minDelayExcess: quantity(block.minDelayExcess) }),
    txCount: block.transactions.length,
    failedCount,
    baseFee: quantity(block.baseFeePerGas ?? 0n),
    gasUsed: quantity(block.gasUsed),
    gasLimit: quantity(block.gasLimit),
    gasCost: quantity(block.blockGasCost ?? 0n),
    feesSpent,
    cumulativeTransactions,
  })
}

function transactionRow(
  transaction: RpcTransaction,
  receipt: RpcReceipt,
  height: bigint,
  index: number,
): EvmTransactionRow {
  // Receipts from before Byzantium have no status: all count as successful.
  const success = !hasOutcome(receipt) || quantity(receipt.status ?? 0n) === 1n
  const input = bare(transaction.input)
  // Failed creations carry an address as well, but no contract is there.
  const created = success ? contractOf(transaction, receipt) : undefined
  return {
    height,
    index,
    hash: bare(transaction.hash),
    from: bare(transaction.from),
    ...(transaction.to == null ? {} : { to: bare(transaction.to) }),
    ...(created === undefined ? {} : { createdContract: created }),
    value: quantity(transaction.value),
    success,
    type: Number(quantity(transaction.type ?? 0n)),
    gasLimit: quantity(transaction.gas),
    gasUsed: quantity(receipt.gasUsed),
    gasPrice: quantity(receipt.effectiveGasPrice ?? transaction.gasPrice ?? 0n),
    nonce: quantity(transaction.nonce),
    // Fewer than four bytes are still data, so this is no plain transfer.
    selector: transaction.to == null ? '' : input.slice(0, 8),
  }
}

/**
 * Recipient of all gas fees of an Avalanche L1's block, tips and base fee: its builder, or the address set in its
 * reward manager. Only the header names it. On other chains the account in the header is often paid elsewhere, or not
 * at all.
 */
function feeTaker({ miner, blockGasCost, extDataHash }: RpcBlock, feesSpent: bigint): string | undefined {
  const isL1 = blockGasCost !== undefined && extDataHash === undefined
  if (!isL1 || miner === undefined || feesSpent === 0n) return undefined
  return bare(miner) === BURNT ? undefined : bare(miner)
}

/** Address at which a contract was to be created. */
const contractOf = ({ to }: RpcTransaction, { contractAddress }: RpcReceipt): string | undefined =>
  to == null && contractAddress ? bare(contractAddress) : undefined

/**
 * Log positions are counted here: some nodes count the logs of each transaction from 0 (SKALE, earlier versions of
 * Filecoin and Flow), so that two logs of a block would have the same position. Where hashes are known the node's
 * position is used.
 */
interface LogsPlace {
  height: bigint
  txIndex: number
  /** Number of earlier logs in the block. */
  firstLog: number
}

function applyLogs(range: Range, receipt: RpcReceipt, place: LogsPlace, names: EvmFacts['names']): void {
  const { height, txIndex, firstLog } = place
  for (const [at, { log, moves }] of loggedMoves(receipt).entries()) {
    const logIndex = firstLog + at
    for (const move of moves) {
      range.transfers.push({
        height,
        logIndex,
        batchIndex: move.batchIndex,
        txIndex,
        standard: move.standard,
        contract: move.contract,
        from: move.from,
        to: move.to,
        ...(move.tokenId === undefined ? {} : { tokenId: move.tokenId }),
        amount: move.amount,
      })
      takePart(range, move.from, height)
      takePart(range, move.to, height)
      describe(range, move.contract, { height, standard: move.standard, ...names.get(move.contract) })
      if (move.standard === 'ERC-20') hold(range, move.contract, [move.from, move.to], height)
      else own(range, move, height, logIndex)
    }
    for (const party of nativeParties(log)) takePart(range, party, height)
    const credit = creditOf(log)
    if (credit) hold(range, credit.contract, [credit.owner], height)
    const change = metadataChange(log)
    if (change) range.metadataChanges.push({ height, ...change })
  }
}

/** Names of contracts that did nothing in these blocks. */
function nameOthers(range: Range, facts: readonly EvmFacts[]): void {
  for (const { block, names } of facts) {
    const height = quantity(block.number)
    for (const [address, told] of names)
      if (!range.contracts.has(address)) describe(range, address, { height, ...told })
  }
}

function takePart(range: Range, address: string | undefined, height: bigint): void {
  if (address === undefined || address === ZERO || range.participants.has(address)) return
  range.participants.set(address, { address, height })
}

function describe(range: Range, address: string, facts: Omit<EvmContractRow, 'address'>): void {
  const known = range.contracts.get(address)
  // Keeps the height of the first appearance, so that a rewind to a later block keeps the contract.
  range.contracts.set(address, { ...known, address, ...facts, height: known?.height ?? facts.height })
}

function hold(range: Range, contract: string, addresses: readonly string[], height: bigint): void {
  for (const address of addresses) {
    const key = `${address}/${contract}`
    if (address !== ZERO && !range.holdings.has(key)) range.holdings.set(key, { address, contract, height })
  }
}

function own(range: Range, move: TokenMove, height: bigint, logIndex: number): void {
  if (move.tokenId === undefined || move.standard === 'ERC-20') return
  const { contract, tokenId } = move
  // An id that was burned may be minted again, as another token; one that is new is queued anyway.
  if (move.standard === 'ERC-721' && move.from === ZERO)
    range.metadataChanges.push({ height, contract, from: tokenId, to: tokenId })
  const key = `${contract}/${tokenId}`
  range.nfts.set(key, {
    contract,
    tokenId,
    standard: move.standard,
    ...(move.standard === 'ERC-721' ? { owner: move.to } : {}),
    height,
    logIndex,
    firstHeight: range.nfts.get(key)?.firstHeight ?? height,
  })
}
