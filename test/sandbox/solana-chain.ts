import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { playHistory } from './solana/history.ts'
import { type MintName, mintNames, type OwnerName, ownerNames, sandboxKeypair } from './solana/keys.ts'
import { openLedger, type SolanaLedger } from './solana/ledger.ts'
import { createSolanaMethods, RpcFault, writeAnswer } from './solana/rpc.ts'

/** Genesis hashes of the networks that the API knows by their first 32 digits. */
export const solanaGenesis = {
  mainnet: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  devnet: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
} as const

/** A running Solana chain behind JSON-RPC. */
export interface SolanaChain {
  url: string
  /** Fixed owners, base58. */
  owners: Record<OwnerName, string>
  mints: Record<MintName, string>
  ledger: SolanaLedger
  close(): Promise<void>
}

interface Entry {
  id: unknown
  method: string
  params?: unknown[]
}

const addresses = <N extends string>(names: readonly N[]): Record<N, string> =>
  Object.fromEntries(names.map((name) => [name, sandboxKeypair(name).publicKey.toBase58()])) as Record<N, string>

const createAnswerer = (methods: ReturnType<typeof createSolanaMethods>) => (entry: Entry | null) => {
  try {
    const method = methods[entry?.method ?? '']
    if (!method) throw new RpcFault(-32601, 'Method not found')
    return { jsonrpc: '2.0', result: method((entry?.params ?? []) as never), id: entry?.id }
  } catch (error) {
    const code = error instanceof RpcFault ? error.code : -32603
    return { jsonrpc: '2.0', error: { code, message: (error as Error).message }, id: entry?.id ?? null }
  }
}

/** Null for what is no JSON, such as that of a browser: it names no method, and is told so. */
function bodyOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return null
  }
}

/**
 * Starts litesvm with the real token programs behind a JSON-RPC server on loopback, with owners and mints of every
 * kind. It calls itself the given network (devnet when left out).
 */
export const startSolanaChain = async (
  options: { network?: keyof typeof solanaGenesis } = {},
): Promise<SolanaChain> => {
  const ledger = openLedger()
  playHistory(ledger)
  const answer = createAnswerer(createSolanaMethods(ledger, solanaGenesis[options.network ?? 'devnet']))
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = bodyOf(Buffer.concat(chunks))
    const answers = Array.isArray(body) ? body.map((entry) => answer(entry as Entry)) : answer(body as Entry)
    response.writeHead(200, { 'content-type': 'application/json' }).end(writeAnswer(answers))
  }
  // Whoever leaves in the middle of a body gets no answer.
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    owners: addresses(ownerNames),
    mints: addresses(mintNames),
    ledger,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
