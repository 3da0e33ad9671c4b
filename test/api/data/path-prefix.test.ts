import { AvaCloudSDK } from '@avalabs/avacloud-sdk'
import { Glacier } from '@avalabs/glacier-sdk'
import { Avalanche } from '@avalanche-sdk/chainkit'
import { afterEach, expect, it } from 'vitest'
import { createStage } from '../../support/stage.ts'

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
  }
  expect((await fetch(`${url}/other//v1/live-check`)).status).toBe(404)
})
