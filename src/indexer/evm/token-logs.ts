import type { TokenStandard } from '../../store/rows/index.ts'
import { bare, quantity, type RpcLog, type RpcReceipt } from './rpc-block.ts'

/** keccak256 of the events' signatures, hex without 0x. */
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const TRANSFER_SINGLE = 'c3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const TRANSFER_BATCH = '4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'
/** ERC-2309: `ConsecutiveTransfer` of ERC-721 tokens with consecutive ids. */
const RANGE_TRANSFER = 'deaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d'
/** `Deposit(address,uint256)` of wrapped coins, and `Mint(address,uint256)` of MKR and similar tokens. */
const CREDITS: ReadonlySet<string> = new Set([
  'e1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c',
  '0f6798a560793a54c3bcfe86a93cde1e73087d944c0ea20544137d4121396885',
])
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
  /** Index in an ERC-1155 batch or an ERC-2309 range, else 0. */
  batchIndex: number
}

/**
 * EIP-7708, on Ethereum from Amsterdam on: logs of this address report every movement of the native coin like a
 * token's. There is no contract.
 */
const NATIVE_LOGS = 'fffffffffffffffffffffffffffffffffffffffe'
/**
 * The precompile that mints an L1's native coin: `NativeCoinMinted(address,address,uint256)` of subnet-evm, since
 * Durango. Nothing else shows who received it, traces included.
 */
const NATIVE_MINTER = '0200000000000000000000000000000000000001'
const NATIVE_COIN_MINTED = '400cd392f3d56fd10bb1dbd5839fdda8298208ddaa97b368faa053e1850930ee'
/** Events that move the native coin, by the address that logs them. */
const NATIVE_EVENTS: ReadonlyMap<string, string> = new Map([
  [NATIVE_LOGS, TRANSFER],
  [NATIVE_MINTER, NATIVE_COIN_MINTED],
])

const WORD = 64
/** A batch beyond this is an attack on the index, not a collection. */
const MAX_BATCH = 10_000
/**
 * A range can cover any number of tokens for the price of one log, and each is stored. So a transaction may move no
 * more of them than it could in batches, where a token takes at least 256 gas. Deploying a contract that makes
 * thousands uses millions.
 */
const GAS_OF_RANGED_TOKEN = 256n

const address = (word: string): string => word.slice(24)
const words = (data: string): string[] => data.match(/.{64}/g) ?? []

/** The logs of a receipt, each with its token movements. */
export function loggedMoves({ logs, gasUsed }: RpcReceipt): { log: RpcLog; moves: TokenMove[] }[] {
  let room = Number(quantity(gasUsed) / GAS_OF_RANGED_TOKEN)
  return logs.map((log) => {
    const moves = tokenMoves(log, Math.min(room, MAX_BATCH))
    room -= moves.length
    return { log, moves }
  })
}

/**
 * Token movements in a log; none for other logs and for those that only look alike. A Transfer with an indexed token id
 * (four topics) is ERC-721, one with an amount in its data (three topics) ERC-20. Collections from before the standard
 * whose Transfer leaves the token id unindexed cannot be distinguished from ERC-20 by their logs and are no NFTs here.
 * @param room most tokens of a range
 */
function tokenMoves(log: RpcLog, room: number): TokenMove[] {
  const [topic, ...indexed] = log.topics.map(bare)
  const contract = bare(log.address)
  if (contract === NATIVE_LOGS) return []
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
  if (topic === RANGE_TRANSFER && data.length === WORD) {
    const parties = { contract, from: address(second), to: address(third) }
    const move = { standard: 'ERC-721' as const, ...parties, amount: 1n }
    return range(BigInt(`0x${first}`), BigInt(`0x${data}`), room).map((tokenId, batchIndex) => ({
      ...move,
      tokenId,
      batchIndex,
    }))
  }
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

/** Sender or minter and recipient of the native coin in a log of EIP-7708 or of the minter; none for other logs. */
export function nativeParties(log: RpcLog): string[] {
  const wanted = NATIVE_EVENTS.get(bare(log.address))
  if (wanted === undefined || log.topics.length !== 3) return []
  const [topic, ...parties] = log.topics.map(bare)
  return topic === wanted ? parties.map(address) : []
}

/**
 * The account that receives tokens without a Transfer: for wrapped coins, or when tokens are minted. Other contracts
 * use the same log for other things, so it only means that the account may hold some.
 */
export function creditOf(log: RpcLog): { contract: string; owner: string } | undefined {
  if (log.topics.length !== 2) return undefined
  const [topic = '', owner = ''] = log.topics.map(bare)
  if (!CREDITS.has(topic) || bare(log.data).length !== WORD) return undefined
  return { contract: bare(log.address), owner: address(owner) }
}

/** The range of token ids whose metadata a log reports as changed. */
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

/**
 * The dynamic uint256 array that head word `at` points to; empty if the offset is not a word or the array does not fit
 * the data.
 */
function list(all: readonly string[], at: number): bigint[] {
  const offset = Number(BigInt(`0x${all[at] ?? '0'}`)) / 32
  const count = Number(BigInt(`0x${all[offset] ?? '0'}`))
  if (count > MAX_BATCH || offset + count >= all.length) return []
  return all.slice(offset + 1, offset + 1 + count).map((word) => BigInt(`0x${word}`))
}

/** Both ends included; empty if it has more than `room`, or goes backwards. */
function range(first: bigint, last: bigint, room: number): bigint[] {
  const count = last - first + 1n
  return count < 1n || count > BigInt(room) ? [] : Array.from({ length: Number(count) }, (_, at) => first + BigInt(at))
}
