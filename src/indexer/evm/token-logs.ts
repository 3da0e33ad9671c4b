import type { TokenStandard } from '../../store/rows/index.ts'
import { bare, type RpcLog } from './rpc-block.ts'

/** keccak256 of the events' signatures, hex without 0x. */
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const TRANSFER_SINGLE = 'c3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const TRANSFER_BATCH = '4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'
/** EIP-4906 and ERC-1155: the metadata of a token changed. */
const METADATA_UPDATE = 'f8e1a15aba9398e019f0b49df1a4fde98ee17ae345cb5f6b5e2c27f5033e8ce7'
const BATCH_METADATA_UPDATE = '6bd5c950a8d8df17f772f5af37cb3655737899cbf903264b9795592da439661c'
const URI = '6bb7ff708619ba0610cba295a58592e0451dee2622938c8755667688daf3529b'

/** One movement of a token. */
export interface TokenMove {
  standard: TokenStandard
  contract: string
  from: string
  to: string
  tokenId?: bigint
  amount: bigint
  /** Place in an ERC-1155 batch, else 0. */
  batchIndex: number
}

const WORD = 64
/** A batch beyond this is an attack on the index, not a collection. */
const MAX_BATCH = 10_000

const address = (word: string): string => word.slice(24)
const words = (data: string): string[] => data.match(/.{64}/g) ?? []

/**
 * Movements that a log tells of; none for other logs and for those that only look alike. A Transfer with the token id
 * indexed (four topics) is ERC-721, one with an amount in its data (three topics) ERC-20. Collections of before the
 * standard whose Transfer leaves the token id unindexed cannot be told from ERC-20 by their logs and are no NFTs here.
 */
export function tokenMoves(log: RpcLog): TokenMove[] {
  const [topic, ...indexed] = log.topics.map(bare)
  const contract = bare(log.address)
  const data = bare(log.data)
  const [first = '', second = '', third = ''] = indexed
  if (topic === TRANSFER && indexed.length === 3) {
    const move = { from: address(first), to: address(second), tokenId: BigInt(`0x${third}`) }
    return [{ standard: 'ERC-721', contract, ...move, amount: 1n, batchIndex: 0 }]
  }
  if (topic === TRANSFER && indexed.length === 2 && data.length === WORD) {
    const move = { from: address(first), to: address(second), amount: BigInt(`0x${data}`) }
    return [{ standard: 'ERC-20', contract, ...move, batchIndex: 0 }]
  }
  if (indexed.length !== 3) return []
  const parties = { standard: 'ERC-1155' as const, contract, from: address(second), to: address(third) }
  if (topic === TRANSFER_SINGLE && data.length === 2 * WORD) {
    const [id = '0', amount = '0'] = words(data)
    return [{ ...parties, tokenId: BigInt(`0x${id}`), amount: BigInt(`0x${amount}`), batchIndex: 0 }]
  }
  if (topic === TRANSFER_BATCH) {
    const ids = list(words(data), 0)
    const amounts = list(words(data), 1)
    if (ids.length !== amounts.length) return []
    return ids.map((tokenId, batchIndex) => ({ ...parties, tokenId, amount: amounts[batchIndex] ?? 0n, batchIndex }))
  }
  return []
}

/** The tokens, from one id to another, whose metadata a log says has changed. */
export function metadataChange(log: RpcLog): { contract: string; from: bigint; to: bigint } | undefined {
  const [topic, id] = log.topics.map(bare)
  const data = bare(log.data)
  const tokens = (from: string, to = from) => ({
    contract: bare(log.address),
    from: BigInt(`0x${from}`),
    to: BigInt(`0x${to}`),
  })
  if (topic === METADATA_UPDATE && data.length === WORD) return tokens(data)
  if (topic === BATCH_METADATA_UPDATE && data.length === 2 * WORD) return tokens(data.slice(0, WORD), data.slice(WORD))
  if (topic === URI && id !== undefined) return tokens(id)
  return undefined
}

/** The dynamic uint256 array that head word `at` points to; empty when it begins at no word or does not fit the data. */
function list(all: readonly string[], at: number): bigint[] {
  const offset = Number(BigInt(`0x${all[at] ?? '0'}`)) / 32
  const count = Number(BigInt(`0x${all[offset] ?? '0'}`))
  if (count > MAX_BATCH || offset + count >= all.length) return []
  return all.slice(offset + 1, offset + 1 + count).map((word) => BigInt(`0x${word}`))
}
