import { AVALANCHE_REFERENCES } from '../../src/facts/caip.ts'
import type { Side } from '../../src/facts/primary-network.ts'
import { everyAddress, LETTERS } from '../api/data/recorded-truth.ts'
import { recordedJson } from '../support/recorded/recordings.ts'
import { trueUtxos } from '../support/recorded/true-utxos.ts'
import { readAny } from '../support/server/read-any.ts'
import { until } from '../support/waiting/until.ts'
import { C_CHAIN_IDS, INDEXED_NAMES, SIDE_HEIGHTS } from './two-networks.ts'

/** What was asked, and status and body of the answer, heights included. */
export type Answers = [question: string, status: number, height: string | null, body: unknown][]

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
type Body = any

const utxos = trueUtxos()
export const ADDRESSES = everyAddress(utxos)
/** Own so little that their lists are short. */
const LISTED = ADDRESSES.filter((address) => utxos.filter((utxo) => utxo.addresses.includes(address)).length < 400)
const TIMES = [60, 110].map((height) => utxos.find((utxo) => utxo.createdAtHeight >= height)?.createdAtTime ?? 0)
const { keys } = recordedJson<{ keys: Record<string, { evmAddress: string }> }>('network')
const groups = (list: readonly string[], size: number): string[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size))

async function call(url: string, path: string, question?: unknown) {
  const { headers, ...answer } = await readAny(url + path, question)
  return { ...answer, height: headers.get('x-indexed-height') }
}

/** All pages of a list. */
async function pages(url: string, path: string, of: string): Promise<Answers[number]> {
  const items: unknown[] = []
  for (let token: string | undefined = ''; token !== undefined; ) {
    const { status, body, height } = await call(
      url,
      `${path}&pageToken=${encodeURIComponent(token)}`.replace(/&pageToken=$/, ''),
    )
    if (status !== 200) return [path, status, height, body]
    items.push(...body[of])
    token = body.nextPageToken
    if (token === undefined) return [path, status, height, items]
  }
  return [path, 200, null, items]
}

/** The indexed API and stake rewards of one side, every operation of them that knows networks. */
export async function indexedAnswers(url: string, side: Side): Promise<Answers> {
  const answers: Promise<Answers[number]>[] = []
  const get = (path: string, body?: unknown): number =>
    answers.push(call(url, path, body).then((answer) => [path, answer.status, answer.height, answer.body]))
  const list = (path: string, of: string): number => answers.push(pages(url, path, of))
  const network = INDEXED_NAMES[side]
  for (const letter of LETTERS) {
    const place = `/v1/networks/${network}/blockchains/${letter.toLowerCase()}-chain`
    for (let height = 0; height <= SIDE_HEIGHTS.testnet[letter]; height += 10) get(`${place}/blocks/${height}`)
    for (const addresses of groups(LISTED, 50).map(String)) {
      get(`${place}/balances?addresses=${addresses}`)
      for (const time of TIMES) get(`${place}/balances?addresses=${addresses}&blockTimestamp=${time}`)
      get(`${place}/lastActivityTimestampByAddresses?addresses=${addresses}`)
      list(`${place}/utxos?addresses=${addresses}&pageSize=100`, 'utxos')
      list(`${place}/utxos?addresses=${addresses}&pageSize=100&includeSpent=true&sortBy=amount`, 'utxos')
    }
  }
  for (const address of ADDRESSES)
    get('/v1/stake/get-rewards', { addresses: [`P-${address}`], isTestnet: side === 'testnet' })
  list(`/v1/blocks?network=${side}&pageSize=100`, 'blocks')
  list(`/v1/transactions?network=${side}&pageSize=100`, 'transactions')
  return Promise.all(answers)
}

/** Blocks by each proposer that these answers name. */
export async function proposerAnswers(url: string, side: Side, answers: Answers): Promise<Answers> {
  const named = new Set([...JSON.stringify(answers).matchAll(/"(NodeID-\w+)"/g)].map(([, id]) => id))
  const places = LETTERS.map(
    (letter) => `/v1/networks/${INDEXED_NAMES[side]}/blockchains/${letter.toLowerCase()}-chain`,
  )
  const paths = places.flatMap((place) => [...named].map((id) => `${place}/nodes/${id}/blocks?pageSize=100`))
  return Promise.all(paths.map((path) => pages(url, path, 'blocks')))
}

/** Chains of accounts, those of one side. */
export async function chainAnswers(url: string, side: Side): Promise<Answers> {
  const accounts = Object.values(keys).map(({ evmAddress }) => evmAddress)
  return Promise.all(
    accounts.map(async (address): Promise<Answers[number]> => {
      const { status, body } = await call(url, `/v1/address/${address}/chains`)
      const own = body.indexedChains?.filter(({ chainId }: Body) => chainId === String(C_CHAIN_IDS[side]))
      return [address, status, null, own?.map(({ rpcUrl, ...chain }: Body) => chain)]
    }),
  )
}

const rpc = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params })

/** Calls under /ext, as text. */
export async function nodeAnswers(url: string): Promise<Answers> {
  const asked: [string, object][] = [
    ['/ext/info', rpc('info.getNetworkID', {})],
    ['/ext/bc/P', rpc('platform.getHeight', {})],
    ['/ext/bc/P', rpc('platform.getCurrentSupply', {})],
    ['/ext/bc/C/rpc', rpc('eth_blockNumber', [])],
    ['/ext/bc/C/rpc', rpc('eth_chainId', [])],
    ['/ext/bc/C/rpc', rpc('eth_getBlockByNumber', ['latest', false])],
    ...['P', 'X', 'C'].flatMap((letter): [string, object][] => [
      [`/ext/index/${letter}/block`, rpc('index.getLastAccepted', { encoding: 'hex' })],
      [
        `/ext/index/${letter}/block`,
        rpc('index.getContainerRange', { startIndex: 70, numToFetch: 200, encoding: 'hex' }),
      ],
    ]),
    ...ADDRESSES.slice(0, 30).flatMap((address): [string, object][] => [
      ['/ext/bc/P', rpc('platform.getUTXOs', { addresses: [`P-${address}`], encoding: 'hex' })],
      ['/ext/bc/P', rpc('platform.getBalance', { addresses: [`P-${address}`] })],
      ['/ext/bc/X', rpc('avm.getUTXOs', { addresses: [`X-${address}`], encoding: 'hex' })],
    ]),
  ]
  return Promise.all(
    asked.map(async ([path, body]): Promise<Answers[number]> => {
      const { status, text } = await call(url, path, body)
      return [`${path} ${JSON.stringify(body)}`, status, null, text]
    }),
  )
}

type Wallets = { addressDetails?: object[]; extendedPublicKeyDetails?: object[] }

export const walletsOf = (addresses: readonly string[]): Wallets => ({
  addressDetails: addresses.map((address) => ({ id: address, addresses: [address] })),
})

/** Items of get-balances by chain, sorted, for P and X of some networks (and C, which takes no keys). */
export async function balanceItems(
  url: string,
  sides: readonly Side[],
  wallets: Wallets,
): Promise<Record<Side, Body[]>> {
  const references = sides.map((side) => AVALANCHE_REFERENCES[side])
  const data: object[] = [
    { namespace: 'avax', references: references.flatMap(({ pvm, avm }) => [pvm, avm]), ...wallets },
  ]
  const { addressDetails } = wallets
  if (addressDetails)
    data.push({ namespace: 'avax', references: references.map(({ coreth }) => coreth), addressDetails })
  const { text } = await call(url, '/v1/balance/get-balances', { currency: 'usd', data })
  const items = text
    .split('\n')
    .flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice('data: '.length)) as Body] : []))
  const of = (side: Side) => {
    const own = Object.values(AVALANCHE_REFERENCES[side]).map((reference) => `avax:${reference}`)
    const chosen = items.filter(({ caip2Id }) => own.includes(caip2Id))
    return chosen.sort((a, b) => (`${a.caip2Id} ${a.id}` < `${b.caip2Id} ${b.id}` ? -1 : 1))
  }
  return { mainnet: of('mainnet'), testnet: of('testnet') }
}

export async function rewardsOf(url: string, side: Side, whose: object): Promise<Body> {
  const { body } = await call(url, '/v1/stake/get-rewards', { ...whose, isTestnet: side === 'testnet' })
  return body
}

/** Waits until the index of each side stands at its heights. */
export async function untilBothIndexed(url: string, sides: readonly Side[]): Promise<void> {
  const streams = sides.flatMap((side) => LETTERS.map((letter) => ({ side, letter })))
  let missing: string[] = []
  const areIndexed = async (): Promise<boolean> => {
    const found = await Promise.all(
      streams.map(async ({ side, letter }) => {
        const path = `/v1/networks/${INDEXED_NAMES[side]}/blockchains/${letter.toLowerCase()}-chain/blocks/0`
        const { status, height } = await call(url, path)
        return status === 200 && Number(height) === SIDE_HEIGHTS[side][letter] ? [] : [`${side}:${letter} ${height}`]
      }),
    )
    missing = found.flat()
    return missing.length === 0
  }
  await until(areIndexed, () => `both are indexed, without ${missing.join(', ')}`, 100)
}
