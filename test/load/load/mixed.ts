import { WebSocket } from 'ws'
import { LETTERS, placeOf } from '../../api/data/recorded-truth.ts'
import { type TrueUtxo, trueUtxos } from '../../support/recorded/true-utxos.ts'
import { type Call, call, isRefusal } from './calls.ts'
import type { Visit } from './tally.ts'

/** Something a client does beside streams: one call, its answer compared with what is true. */
export interface Errand {
  kind: string
  run(base: string): Promise<Visit>
}

interface Read {
  path: string
  method: string
  params: unknown
}

const READS: readonly Read[] = [
  { path: '/ext/bc/P', method: 'platform.getHeight', params: {} },
  { path: '/ext/bc/P', method: 'platform.getBlockByHeight', params: { height: '100', encoding: 'hex' } },
  { path: '/ext/bc/X', method: 'avm.getHeight', params: {} },
  { path: '/ext/bc/X', method: 'avm.getBlockByHeight', params: { height: '100', encoding: 'hex' } },
  { path: '/ext/info', method: 'info.getNetworkID', params: {} },
  { path: '/ext/info', method: 'info.getBlockchainID', params: { alias: 'X' } },
  { path: '/ext/index/X/block', method: 'index.getContainerByIndex', params: { index: '3', encoding: 'hex' } },
  { path: '/ext/bc/C/rpc', method: 'eth_chainId', params: [] },
  { path: '/ext/bc/C/rpc', method: 'eth_blockNumber', params: [] },
  { path: '/ext/bc/C/rpc', method: 'eth_getBlockByNumber', params: ['0x10', true] },
  { path: '/ext/bc/C/rpc', method: 'eth_getBlockByNumber', params: ['0x64', false] },
]
/** Stands in for the id of a request in answers that are compared; each request has its own. */
const ID = 777_000_777
let asked = 0

const bodyOf = (read: Read, id: number): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: read.method, params: read.params })
const post = (path: string, body: string): Call => ({ method: 'POST', path, body })

/** An answer to `id` as text in which the id is the common one. */
const commonId = (text: string, id: number): string => text.replaceAll(`"id":${id}`, `"id":${ID}`)

const compared = (
  { status, text, retryAfter, ms }: Awaited<ReturnType<typeof call>>,
  expected: string,
  told: string,
): Visit => {
  if (isRefusal({ status, text, retryAfter, ms })) return { outcome: 'refused', retryAfter, ms }
  if (status === 200 && told === expected) return { outcome: 'right', ms }
  return {
    outcome: status === 408 ? 'broken' : 'wrong',
    ms,
    found: `${status} ${told.slice(0, 300)} instead of ${expected.slice(0, 300)}`,
  }
}

const orBroken = async (visit: Promise<Visit>): Promise<Visit> =>
  visit.catch((error: unknown) => ({ outcome: 'broken', ms: 0, found: String(error) }))

/** Reads under /ext, alone and as batches: the node's own answers are what is true. */
async function forwardErrands(nodeUrl: string): Promise<Errand[]> {
  const errands: Errand[] = []
  const known = new Map<Read, string>()
  for (const read of READS) {
    const answers = await Promise.all([1, 2].map(() => call(nodeUrl, post(read.path, bodyOf(read, ID)))))
    const [first, second] = answers.map(({ text }) => text)
    if (first === undefined || first !== second || !first.includes('"result"'))
      throw new Error(`the node has no settled answer to ${read.method}: ${first} ${second}`)
    known.set(read, first)
    errands.push({
      kind: '/ext read',
      run: (base) => {
        asked += 1
        const id = asked
        return orBroken(
          call(base, post(read.path, bodyOf(read, id))).then((answer) =>
            compared(answer, first, commonId(answer.text, id)),
          ),
        )
      },
    })
  }
  const evm = READS.filter(({ path }) => path === '/ext/bc/C/rpc')
  const results = evm.map((read) => (JSON.parse(known.get(read) as string) as { result: unknown }).result)
  const batch = JSON.stringify(evm.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params })))
  errands.push({
    kind: '/ext batch',
    run: (base) =>
      orBroken(
        call(base, post('/ext/bc/C/rpc', batch)).then((answer) => {
          if (isRefusal(answer)) return compared(answer, '', '')
          const entries = JSON.parse(answer.text) as { id: number; result: unknown }[]
          return compared(answer, JSON.stringify(results), JSON.stringify(entries.map(({ result }) => result)))
        }),
      ),
  })
  errands.push({ kind: 'websocket', run: (base) => orBroken(visitSocket(base, evm, results)) })
  return errands
}

/** A WebSocket on which a few things are asked at once; half of the clients leave without a goodbye. */
function visitSocket(base: string, reads: readonly Read[], results: readonly unknown[]): Promise<Visit> {
  const start = performance.now()
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${base.replace(/^http/, 'ws')}/ext/bc/C/ws`)
    const patience = setTimeout(() => socket.terminate(), 60_000)
    let missing = reads.length
    let visit: Visit | undefined
    socket.on('unexpected-response', (_request, response) => {
      response.resume()
      const refused = response.statusCode === 503 || response.statusCode === 429
      visit = {
        outcome: refused ? 'refused' : 'wrong',
        retryAfter: response.headers['retry-after'] !== undefined,
        ms: performance.now() - start,
      }
      socket.terminate()
    })
    socket.on('open', () => {
      for (const [id, read] of reads.entries()) socket.send(bodyOf(read, id))
    })
    socket.on('message', (data) => {
      const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown }
      if (JSON.stringify(result) !== JSON.stringify(results[id])) {
        visit = { outcome: 'wrong', ms: 0, found: `socket: ${String(data).slice(0, 300)}` }
        return socket.terminate()
      }
      missing -= 1
      if (missing > 0) return
      visit = { outcome: 'right', ms: performance.now() - start }
      if (asked % 2 === 0) socket.terminate()
      else socket.close()
    })
    socket.on('error', (error) => {
      if (visit === undefined) reject(error)
    })
    socket.on('close', () => {
      clearTimeout(patience)
      if (visit) resolve(visit)
      else reject(new Error('the socket closed early'))
    })
  })
}

const PAGE = 100
/** Owners of so many UTXOs fit one page. */
const sorted = (pairs: readonly (readonly [string, string])[]): string =>
  JSON.stringify([...pairs].sort(([a], [b]) => (a < b ? -1 : 1)))

/** Lists of UTXOs over the recorded network's index; what an independent program found in the blocks is true. */
function indexErrands(): Errand[] {
  const utxos = trueUtxos()
  const owners = new Map<string, TrueUtxo[]>()
  for (const utxo of utxos)
    for (const address of utxo.addresses) owners.set(address, [...(owners.get(address) ?? []), utxo])
  return LETTERS.flatMap((letter) =>
    [...owners].flatMap(([address, all]): Errand[] => {
      const own = all.filter((utxo) => [utxo.createdOnChain, utxo.consumableOnChain].includes(letter))
      if (own.length === 0 || own.length > PAGE) return []
      const expected = sorted(own.map(({ utxoId, amount }) => [utxoId, amount ?? '0'] as const))
      const path = `${placeOf(letter)}/utxos?addresses=${address}&includeSpent=true&pageSize=${PAGE}`
      return [
        {
          kind: '/v1 index',
          run: (base) =>
            orBroken(
              call(base, { method: 'GET', path }).then((answer) => {
                if (answer.status !== 200) return compared(answer, expected, answer.text)
                const found = JSON.parse(answer.text) as { utxos: { utxoId: string; asset: { amount: string } }[] }
                const told = sorted(found.utxos.map(({ utxoId, asset }) => [utxoId, asset.amount] as const))
                return compared(answer, expected, told)
              }),
            ),
        },
      ]
    }),
  )
}

/** All there is to do beside streams; as many of the index as of all others. */
export async function mixedErrands(nodeUrl: string): Promise<Errand[]> {
  const [forwarded, indexed] = [await forwardErrands(nodeUrl), indexErrands()]
  return indexed.slice(0, 200).flatMap((errand, at) => [errand, forwarded[at % forwarded.length] as Errand])
}
