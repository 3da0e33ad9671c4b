import { AvaCloudSDK } from '@avalabs/avacloud-sdk'
import { Glacier } from '@avalabs/glacier-sdk'
import { Avalanche } from '@avalanche-sdk/chainkit'
import { afterEach, expect, it } from 'vitest'
import { createStage } from '../../support/server/stage.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const stage = createStage()
afterEach(() => stage.clear())

it.each(['', '/proxy/glacier'])('a base URL may end in a slash: prefix %j', async (pathPrefix) => {
  const { url } = await stage.serve({ data: { pathPrefix } })
  for (const base of [`${url}${pathPrefix}`, `${url}${pathPrefix}/`]) {
    const o = { serverURL: base, retries: { strategy: 'none' as const } }
    const ok = { status: 'ok' }
    expect(await new Glacier({ BASE: base }).healthCheck.dataHealthCheck()).toMatchObject(ok)
    expect(await new Avalanche({ enableTelemetry: false }).data.healthCheck(o)).toMatchObject(ok)
    expect(await new AvaCloudSDK({ serverURL: base }).data.healthCheck(o)).toMatchObject(ok)
    expect((await fetch(`${base}///v1/live-check`)).status).toBe(200)
    expect((await fetch(`${base}/api-json`)).status).toBe(200)
  }
  for (const path of ['//schema.json', '//api-json?a=1']) expect((await fetch(url + path)).status, path).toBe(200)
  expect((await fetch(`${url}/other//v1/live-check`)).status).toBe(404)
})

it.each(['', '/proxy/glacier'])('a path may end in a slash: prefix %j', async (pathPrefix) => {
  const { url } = await stage.serve({ data: { pathPrefix } })
  const paths = [`${pathPrefix}/v1/live-check/`, `${pathPrefix}/api-json/`, '/v1/balance/get-supported-chains/', '/api']
  for (const path of paths) expect((await fetch(url + path)).status, path).toBe(200)
  const asked = await fetch(`${url}/v1/balance/get-balances/`, { method: 'POST', body: '{}', headers: JSON_TYPE })
  expect(asked.status).toBe(400)
  // Two are a part of the path without a name.
  expect((await fetch(`${url}${pathPrefix}/v1/live-check//`)).status).toBe(404)
  const block = await fetch(`${url}${pathPrefix}/v1/networks/fuji/blockchains/p-chain/blocks/1/`)
  expect(await block.json()).toMatchObject({ message: 'network fuji is not served here' })
})

it.each(['', '/proxy/glacier', '/api'])(
  'the document and its page are below the prefix, too: %j',
  async (pathPrefix) => {
    const { url } = await stage.serve({ data: { pathPrefix } })
    for (const base of [url, `${url}${pathPrefix}`]) {
      expect((await fetch(`${base}/api-json`)).status).toBe(200)
      const page = await fetch(`${base}/api/`)
      expect(page.headers.get('content-type')).toContain('text/html')
      const sources = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source as string)
      expect(sources.length).toBeGreaterThan(3)
      for (const source of sources) expect((await fetch(new URL(source, page.url))).status, source).toBe(200)
      expect(await (await fetch(`${base}/api/json`)).json()).toMatchObject({ servers: [{ url: pathPrefix || '/' }] })
    }
    expect((await fetch(`${url}${pathPrefix}/v1/live-check`)).status).toBe(200)
  },
)
