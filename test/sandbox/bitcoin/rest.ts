import { createServer, type Server } from 'node:http'
import { scriptOfAddress } from './accounts.ts'
import type { ScriptState, Totals } from './ledger.ts'
import type { Regtest } from './regtest.ts'

type Answer = { status: number; text: string } | { json: unknown } | undefined
type Route = (parts: string[]) => Promise<Answer>

const serve = (route: Route): Server =>
  createServer((request, response) => {
    // A path that cannot be decoded is answered, too.
    const answered = async (): Promise<Answer> => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost')
      return route(pathname.split('/').filter(Boolean).map(decodeURIComponent))
    }
    answered().then(
      (answer) => {
        if (!answer) response.writeHead(404).end('Not found')
        else if ('json' in answer) {
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer.json))
        } else response.writeHead(answer.status, { 'content-type': 'text/plain' }).end(answer.text)
      },
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })

const stats = (totals: Totals) => ({
  funded_txo_count: totals.fundedCount,
  funded_txo_sum: Number(totals.fundedSum),
  spent_txo_count: totals.spentCount,
  spent_txo_sum: Number(totals.spentSum),
  tx_count: totals.txCount,
})

const text = (value: string | number | undefined): Answer =>
  value === undefined ? undefined : { status: 200, text: String(value) }

/** Esplora's REST over a regtest chain. Takes addresses in any network's form and echoes them. */
export const createEsploraFacade = (chain: Regtest): Server =>
  serve(async ([first, second, third]) => {
    if (first === 'blocks' && second === 'tip') {
      const view = await chain.look()
      return third === 'height' ? text(view.height) : third === 'hash' ? text(view.tipHash) : undefined
    }
    if (first === 'block-height') return text(await chain.blockHash(Number(second)))
    if (first !== 'address' || second === undefined) return undefined
    const script = scriptOfAddress(second)
    if (!script) return { status: 400, text: 'Invalid Bitcoin address' }
    const view = await chain.look()
    const state = view.script(script)
    if (third === undefined) {
      return { json: { address: second, chain_stats: stats(state.confirmed), mempool_stats: stats(state.mempool) } }
    }
    if (third !== 'utxo') return undefined
    return {
      json: state.utxos.map(({ txid, vout, value, height }) => ({
        txid,
        vout,
        status: height === undefined ? { confirmed: false } : { confirmed: true, block_height: height },
        value: Number(value),
      })),
    }
  })

const blockbookAddress = (address: string, { confirmed, mempool }: ScriptState) => ({
  page: 1,
  totalPages: 1,
  itemsOnPage: 1000,
  address,
  balance: String(confirmed.fundedSum - confirmed.spentSum),
  totalReceived: String(confirmed.fundedSum),
  totalSent: String(confirmed.spentSum),
  unconfirmedBalance: String(mempool.fundedSum - mempool.spentSum),
  unconfirmedTxs: mempool.txCount,
  txs: confirmed.txCount,
})

/** Blockbook's v2 REST over the same chain. */
export const createBlockbookFacade = (chain: Regtest): Server =>
  serve(async ([api, version, first, second]) => {
    if (api !== 'api' || version !== 'v2') return undefined
    if (first === 'block-index') {
      const blockHash = await chain.blockHash(Number(second))
      return blockHash === undefined ? undefined : { json: { blockHash } }
    }
    if (first === undefined) {
      const { height } = await chain.look()
      return { json: { blockbook: { coin: 'Regtest', inSync: true, bestHeight: height }, backend: { blocks: height } } }
    }
    if (second === undefined) return undefined
    const script = scriptOfAddress(second)
    if (!script) return { status: 400, text: JSON.stringify({ error: `Invalid address '${second}'` }) }
    const view = await chain.look()
    const state = view.script(script)
    if (first === 'address') return { json: blockbookAddress(second, state) }
    if (first !== 'utxo') return undefined
    return {
      json: state.utxos.map(({ txid, vout, value, height }) => ({
        txid,
        vout,
        value: String(value),
        confirmations: height === undefined ? 0 : view.height - height + 1,
        ...(height === undefined ? {} : { height }),
      })),
    }
  })
