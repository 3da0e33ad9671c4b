import { readFileSync } from 'node:fs'
import { AvaCloudSDK, HTTPClient } from '@avalabs/avacloud-sdk'
import { expect, it } from 'vitest'

const FIRN = 'http://127.0.0.1:2'

/** Where a call goes that names the server in the constructor, and in the options given. Nothing leaves this process. */
async function hostAsked(options?: { serverURL: string }): Promise<string> {
  const asked: string[] = []
  const httpClient = new HTTPClient({
    fetcher: async (request) => {
      asked.push(new URL(request instanceof Request ? request.url : request).host)
      return Response.json({ message: 'enough' }, { status: 400 })
    },
  })
  const { data } = new AvaCloudSDK({ serverURL: FIRN, httpClient })
  await data.healthCheck(options).catch(() => undefined)
  return asked.join()
}

it('avacloud-sdk goes by the server of a call alone, as the manual says: by its own it asks the hosted service', async () => {
  expect(await hostAsked({ serverURL: FIRN })).toBe(new URL(FIRN).host)
  expect(await hostAsked()).not.toBe(new URL(FIRN).host)
  const manual = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
  expect(manual).not.toContain('new AvaCloudSDK({ serverURL })')
  expect(manual).toMatch(/to chainkit and avacloud-sdk\s+with each call/)
})
