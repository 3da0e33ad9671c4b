import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withHrp } from '../support/avalanche/with-hrp.ts'
import { itemsOf, post } from '../support/balances/balance-api.ts'
import { FIXTURES } from '../support/recorded/recordings.ts'
import { indexNotes, UNTRACED_NOTES } from '../support/server/index-notes.ts'
import { examples } from './examples.ts'
import { type Sandbox, startSandbox } from './start.ts'

const NEEDED = ['p-blocks', 'p-txs', 'x-blocks', 'x-txs', 'c-blocks', 'c-atomic-txs', 'address-state']
const ADDRESS = /fuji1[02-9ac-hj-np-z]{38}/g

/** The recorded network as if it had mainnet's ID and prefix, another EVM chain ID, and fewer files. */
function writeVariant(folder: string): void {
  const rename = (text: string): string => text.replace(ADDRESS, (address) => withHrp(address, 'avax'))
  mkdirSync(join(folder, 'network'), { recursive: true })
  for (const name of NEEDED) {
    const file = `network/${name}.ndjson.gz`
    writeFileSync(join(folder, file), gzipSync(rename(gunzipSync(readFileSync(join(FIXTURES, file))).toString())))
  }
  cpSync(join(FIXTURES, 'network/genesis.json'), join(folder, 'network/genesis.json'))
  writeFileSync(
    join(folder, 'network/platform-state.json'),
    rename(readFileSync(join(FIXTURES, 'network/platform-state.json'), 'utf8')),
  )
  const network = JSON.parse(rename(readFileSync(join(FIXTURES, 'network/network.json'), 'utf8')))
  const changed = { ...network, networkID: '1', networkName: 'mainnet', evmChainId: 54_321 }
  writeFileSync(join(folder, 'network/network.json'), JSON.stringify(changed))
}

let sandbox: Sandbox
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'firn-recordings-'))
  writeVariant(folder)
  sandbox = await startSandbox({ recordings: folder, argv: ['--http-port', '0'] })
})
afterAll(async () => {
  await sandbox?.stop()
  rmSync(folder, { recursive: true, force: true })
})

it('replays another network under its own IDs; the printed lines answer for it', async () => {
  const answer = await fetch(`${sandbox.url}/v1/balance/get-supported-chains`)
  const supported = (await answer.json()) as { caip2Ids: string[] }
  expect(supported.caip2Ids).toContain('eip155:54321')
  expect(supported.caip2Ids).toContain('avax:Rr9hnPVPxuUvrdCul-vjEsU1zmqKqRDo')
  expect(supported.caip2Ids).not.toContain('eip155:43113')

  const bodies = [...examples(sandbox).matchAll(/-d '(.*)'$/gm)].map(([, body]) => JSON.parse(body as string))
  const avalanche = bodies.filter(({ data }) => data?.[0].namespace === 'avax')
  expect(avalanche).toHaveLength(2)
  for (const body of avalanche) {
    expect(body.data[0].addressDetails[0].addresses[0]).toMatch(/^avax1/)
    const items = itemsOf(await (await post(sandbox.url, body)).text())
    expect(items).toHaveLength(3 * body.data[0].references.length)
    for (const item of items) expect(item['error']).toBeNull()
  }
})

it('is indexed to its tip without the recorded conversations', async () => {
  const address = sandbox.avalanche.wallets[0]?.address
  const heights = ['p', 'x', 'c'].map((chain) => {
    const recorded = gunzipSync(readFileSync(join(folder, `network/${chain}-blocks.ndjson.gz`))).toString()
    return String(recorded.trimEnd().split('\n').length - 1)
  })
  const indexed = () =>
    Promise.all(
      ['p', 'x', 'c'].map(async (chain) => {
        const path = `/v1/networks/mainnet/blockchains/${chain}-chain/balances?addresses=${address}`
        const answer = await fetch(sandbox.url + path)
        return answer.status === 200 ? answer.headers.get('x-indexed-height') : answer.text()
      }),
    )
  await expect.poll(indexed, { timeout: 240_000 }).toEqual(heights)
})

it('of C whose traces were not recorded, health says what is missing', async () => {
  await expect.poll(() => indexNotes(sandbox.url, 'mainnet:C'), { timeout: 240_000 }).toEqual(UNTRACED_NOTES)
})
