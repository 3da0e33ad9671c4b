import { createServer, type Server, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Regtest } from './regtest.ts'

interface Request {
  id: number
  method: string
  params: unknown[]
}

const balance = async (chain: Regtest, scriptHash: unknown) => {
  const view = await chain.look()
  const script = view.scriptByHash(String(scriptHash))
  const state = script === undefined ? undefined : view.script(script)
  return {
    confirmed: Number((state?.confirmed.fundedSum ?? 0n) - (state?.confirmed.spentSum ?? 0n)),
    unconfirmed: Number((state?.mempool.fundedSum ?? 0n) - (state?.mempool.spentSum ?? 0n)),
  }
}

const unspent = async (chain: Regtest, scriptHash: unknown) => {
  const view = await chain.look()
  const script = view.scriptByHash(String(scriptHash))
  return (script === undefined ? [] : view.script(script).utxos).map(({ txid, vout, value, height }) => ({
    tx_hash: txid,
    tx_pos: vout,
    value: Number(value),
    height: height ?? 0,
  }))
}

const answer = async (chain: Regtest, { method, params }: Request): Promise<unknown> => {
  switch (method) {
    case 'server.version':
      return ['firn sandbox', '1.4']
    case 'server.ping':
      return null
    case 'server.features':
      return {
        genesis_hash: await chain.blockHash(0),
        hash_function: 'sha256',
        protocol_min: '1.4',
        protocol_max: '1.4',
      }
    case 'blockchain.block.header':
      return chain.header(Number(params[0]))
    case 'blockchain.headers.subscribe': {
      const { height } = await chain.look()
      return { height, hex: await chain.header(height) }
    }
    case 'blockchain.scripthash.get_balance':
      return balance(chain, params[0])
    case 'blockchain.scripthash.listunspent':
      return unspent(chain, params[0])
    default:
      throw new Error(`unknown method "${method}"`)
  }
}

/** Undefined for what a browser sends, for example. */
const requestOf = (line: string): Request | undefined => {
  try {
    return (JSON.parse(line) as Request | null) ?? undefined
  } catch {
    return undefined
  }
}

const talk = (chain: Regtest, socket: Socket): void => {
  socket.on('error', () => socket.destroy())
  // It passes the socket's errors on, and ends the process where nobody listens.
  const lines = createInterface({ input: socket }).on('error', () => undefined)
  lines.on('line', (line) => {
    const request = requestOf(line)
    if (!request) {
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no request' } })}\n`)
      return
    }
    answer(chain, request).then(
      (result) => socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, result })}\n`),
      (error: Error) =>
        socket.write(
          `${JSON.stringify({ jsonrpc: '2.0', id: request.id, error: { code: -32601, message: error.message } })}\n`,
        ),
    )
  })
}

/** The Electrum protocol over a regtest chain, plain TCP. */
export const createElectrumFacade = (chain: Regtest): Server => createServer((socket) => talk(chain, socket))
