import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Anvil } from '../support/anvil.ts'
import { type RecordedEvmBlock, startRecordedEvm } from '../support/recorded-evm.ts'

/** A recorded EVM chain that also answers reads of contracts. */
export interface RecordedEvmChain {
  url: string
  stop(): Promise<void>
}

export interface RecordedEvmChainOptions {
  /** EVM endpoint of the replay node, which answers everything but `eth_call`. */
  replayUrl: string
  chainId: number
  blocks(): readonly RecordedEvmBlock[]
  /** Everybody who owns the native coin, hex: imports from other chains are no EVM transactions. */
  owners(): readonly string[]
}

interface Call {
  id?: unknown
  method?: string
  params?: unknown[]
}

/**
 * Recordings hold no state of contracts, so the recorded transactions run again on a local chain, behind the start of
 * everything else: the end state of every contract, with the native balances that the replay node knows. Who reads before
 * that is done waits for it.
 */
export async function startRecordedEvmChain(options: RecordedEvmChainOptions): Promise<RecordedEvmChain> {
  const { replayUrl } = options
  const state = rebuild(options)
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
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await state.then((anvil) => anvil.stop()).catch(() => undefined)
    },
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

async function forward(url: string, call: object): Promise<object> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(call), headers: JSON_TYPE })
  return (await answer.json()) as object
}

async function rebuild({ replayUrl, chainId, blocks, owners }: RecordedEvmChainOptions): Promise<Anvil> {
  const recorded = blocks()
  const anvil = await startRecordedEvm(chainId, recorded)
  try {
    const seen = recorded.flatMap(({ block }) =>
      block.transactions.flatMap(({ from, to }) => (to ? [from, to] : [from])),
    )
    for (const account of new Set([...seen, ...owners()].map((address) => address.toLowerCase()))) {
      const { result } = (await forward(replayUrl, {
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_getBalance',
        params: [account, 'latest'],
      })) as { result?: string }
      // A wrong number is worse than none.
      if (result === undefined) throw new Error(`the balance of ${account} was not recorded`)
      await anvil.rpc('anvil_setBalance', [account, result])
    }
    await anvil.rpc('evm_mine')
    return anvil
  } catch (error) {
    await anvil.stop()
    throw error
  }
}
