import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeAbiParameters } from 'viem'
import type { Anvil } from '../support/evm/anvil.ts'
import { type RecordedEvmBlock, startRecordedEvm } from '../support/evm/recorded-evm.ts'
import type { RunningChain } from '../support/replay-node/running-chain.ts'

/** A recorded EVM chain that also answers reads of contracts. */
export interface RecordedEvmChain {
  url: string
  /** Reads at the end of the chain: calls that a contract answers or reverts, its storage, and accounts. */
  running: RunningChain
  stop(): Promise<void>
}

export interface RecordedEvmChainOptions {
  /** EVM endpoint of the replay node, which answers everything but `eth_call`. */
  replayUrl: string
  chainId: number
  blocks(): readonly RecordedEvmBlock[]
  /** What accounts own of the native coin at the end, wei by address, where running the blocks again does not come to it. */
  balances(rebuilt: Anvil, recorded: readonly RecordedEvmBlock[]): Promise<ReadonlyMap<string, bigint>>
  /** Whether it is asked for accounts, too; not where `balances` asks the node for them, which would wait for itself. */
  tellsAccounts: boolean
}

interface Call {
  id?: unknown
  method?: string
  params?: unknown[]
}

/**
 * Recordings hold no state of contracts, so the recorded transactions run again on a local chain, behind the start of
 * everything else: the end state of every contract, with the native balances of the recorded chain. Who reads before that
 * is done waits for it.
 */
export async function startRecordedEvmChain(options: RecordedEvmChainOptions): Promise<RecordedEvmChain> {
  const { replayUrl, tellsAccounts } = options
  const recorded = options.blocks()
  const end = blocksOfTheEnd(recorded)
  const state = rebuild(options, recorded)
  // Whoever asks is told.
  state.catch(() => undefined)
  const answerHere = async ({ id = null, params = [] }: Call): Promise<object> => {
    // The rebuilt chain has the end state only.
    const [transaction, , ...overrides] = params
    const atTheEnd = { jsonrpc: '2.0', id, method: 'eth_call', params: [transaction, 'latest', ...overrides] }
    return state.then(
      (anvil) => forward(anvil.url, atTheEnd),
      (error: unknown) => ({ jsonrpc: '2.0', id, error: { code: -32000, message: String(error) } }),
    )
  }
  const answer = (call: Call): Promise<object> =>
    call.method === 'eth_call' ? answerHere(call) : forward(replayUrl, call)

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await request.toArray())
    if (!body.includes('"eth_call"')) {
      const answered = await fetch(replayUrl, { method: 'POST', body, headers: JSON_TYPE })
      response.writeHead(answered.status, {
        'content-type': answered.headers.get('content-type') ?? 'application/json',
      })
      response.end(Buffer.from(await answered.arrayBuffer()))
      return
    }
    const calls: Call | Call[] = JSON.parse(body.toString())
    const answers = Array.isArray(calls) ? await Promise.all(calls.map(answer)) : await answer(calls)
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(answers))
  }
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.writeHead(502).end(String(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    // At the node's own path: of another one strangers are told nothing.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${new URL(replayUrl).pathname}`,
    running: async (method, params) => {
      // What is asked while the chain is made must not wait for it.
      if (!isRead(method) || (!tellsAccounts && ACCOUNTS.includes(method))) return undefined
      return state.then(
        (anvil) => read(anvil.url, method, params, end),
        () => undefined,
      )
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await state.then((anvil) => anvil.stop()).catch(() => undefined)
    },
  }
}

type Block = RecordedEvmBlock['block']

/** The last blocks, in which no contract changed any more, by number as nodes write it. */
function blocksOfTheEnd(recorded: readonly RecordedEvmBlock[]): ReadonlyMap<string, Block> {
  const since = recorded.findLastIndex(({ receipts }) => receipts.some(changesContracts))
  return new Map(recorded.slice(Math.max(0, since)).map(({ block }) => [block.number, block]))
}

const TRANSFER_GAS = 21_000
const PRECOMPILE = /^0x0[12]0{30}/

/** A plain transfer runs no code, and what the chain itself offers holds nothing of a contract's. */
const changesContracts = ({ to, gasUsed }: RecordedEvmBlock['receipts'][number]): boolean =>
  Number(gasUsed) > TRANSFER_GAS && !PRECOMPILE.test(to ?? '')

/** Where each read names its block. */
const BLOCK_AT = { eth_call: 1, eth_getStorageAt: 2, eth_getBalance: 1, eth_getCode: 1, eth_getTransactionCount: 1 }
type Read = keyof typeof BLOCK_AT

const isRead = (method: string): method is Read => Object.hasOwn(BLOCK_AT, method)

const ACCOUNTS: readonly Read[] = ['eth_getBalance', 'eth_getCode', 'eth_getTransactionCount']
/** What each transaction changes, whether it runs code or not. */
const CHANGING: readonly Read[] = ['eth_getBalance', 'eth_getTransactionCount']

/** What contracts and accounts hold and say at the end of the chain; nothing of what was before. */
async function read(
  url: string,
  method: Read,
  params: string,
  end: ReadonlyMap<string, Block>,
): Promise<string | undefined> {
  const given = JSON.parse(params) as unknown[]
  const at = BLOCK_AT[method]
  const last = [...end.values()].at(-1)
  const block = NEWEST.includes(given[at]) ? last : end.get(String(given[at]))
  if (block === undefined || (CHANGING.includes(method) && block !== last) || asksChain(method, given)) return undefined
  const { number, timestamp: time, gasLimit } = block
  const ask = async (transaction: unknown[], limit: string): Promise<CallAnswer> => {
    // The running chain has fewer blocks, and made them later.
    const overrides = [given[2] ?? null, { number, time, gasLimit: limit, ...(given[3] as object | null | undefined) }]
    const params = [...transaction, 'latest', ...(method === 'eth_call' ? overrides : [])]
    return (await forward(url, { jsonrpc: '2.0', id: 1, method, params })) as CallAnswer
  }
  let { result, error } = await ask(given.slice(0, at), gasLimit)
  const [call] = given as [{ gas?: unknown }?]
  if (method === 'eth_call' && ranOut(error) && call?.gas === undefined) {
    // A node gives a call more than fits into a block.
    ;({ result, error } = await ask([{ ...call, gas: CALL_GAS }], CALL_GAS))
  }
  return result === undefined ? refused(error) : `"result":${JSON.stringify(result)}`
}

/** What the chain itself offers, the local one has not. */
const asksChain = (method: Read, [asked]: unknown[]): boolean =>
  method !== 'eth_getBalance' &&
  PRECOMPILE.test(String(method === 'eth_call' ? (asked as { to?: unknown } | null)?.to : asked))

const NEWEST: readonly unknown[] = [undefined, null, 'latest', 'accepted', 'pending', 'safe', 'finalized']

interface CallError {
  message?: string
  data?: unknown
}

interface CallAnswer {
  result?: string
  error?: CallError
}

/** What a node gives a call that names no gas. */
const CALL_GAS = '0x2faf080'

/** How a node words what ends a call by itself; where its words hold more than the chain tells, nothing is told. */
const ENDS: [pattern: RegExp, words: string][] = [
  [/^EVM error \w*(OutOfGas|OOG)$/, 'out of gas'],
  [/^EVM error InvalidFEOpcode$/, 'invalid opcode: INVALID'],
  [/^EVM error InvalidJump$/, 'invalid jump destination'],
]

const wordsFor = (message: string): string | undefined => ENDS.find(([pattern]) => pattern.test(message))?.[1]

const ranOut = (error: CallError | undefined): boolean => wordsFor(error?.message ?? '') === 'out of gas'

/** `Error(string)` and `Panic(uint256)` */
const [REASON, PANIC] = ['0x08c379a0', '0x4e487b71']

/** As a node writes it; other failures have words of their own on each node. */
function refused({ message = '', data }: CallError = {}): string | undefined {
  const ended = wordsFor(message)
  if (ended !== undefined) return `"error":{"code":-32000,"message":${JSON.stringify(ended)}}`
  if (!message.startsWith('execution reverted') || typeof data !== 'string' || data.startsWith(PANIC)) return undefined
  if (data === '0x') return '"error":{"code":-32000,"message":"execution reverted"}'
  const [reason] = data.startsWith(REASON)
    ? decodeAbiParameters([{ type: 'string' }], `0x${data.slice(REASON.length)}`)
    : []
  const text = reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
  return `"error":{"code":3,"message":${JSON.stringify(text)},"data":${JSON.stringify(data)}}`
}

const JSON_TYPE = { 'content-type': 'application/json' }

async function forward(url: string, call: object): Promise<object> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(call), headers: JSON_TYPE })
  return (await answer.json()) as object
}

async function rebuild(
  { chainId, balances }: RecordedEvmChainOptions,
  recorded: readonly RecordedEvmBlock[],
): Promise<Anvil> {
  const anvil = await startRecordedEvm(chainId, recorded)
  try {
    for (const [account, balance] of await balances(anvil, recorded))
      await anvil.rpc('anvil_setBalance', [account, `0x${balance.toString(16)}`])
    await anvil.rpc('evm_mine')
    return anvil
  } catch (error) {
    await anvil.stop()
    throw error
  }
}
