import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStage, type RunningServer } from '../../support/server/stage.ts'
import { eventually } from '../../support/waiting/eventually.ts'
import { startBrowser, whyNoBrowser } from './browser.ts'

describe.skipIf(whyNoBrowser() !== undefined)('the pages of the OpenAPI documents, in a browser', () => {
  const stage = createStage()
  let browser: Browser | undefined
  let server: RunningServer
  beforeAll(async () => {
    browser = await startBrowser()
    server = await stage.serve()
  })
  afterAll(async () => {
    await browser?.close()
    await stage.clear()
  })

  it.each([
    ['/docs', '/v1/balance/get-supported-chains'],
    ['/api', '/v1/live-check'],
  ])('%s shows the operations, breaks no rule of its policy and asks nobody else', async (path, operation) => {
    const page = await (browser as Browser).newPage()
    const complaints: string[] = []
    const asked: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(`${server.url}${path}`)
    await eventually(async () => expect(await page.textContent('#swagger-ui')).toContain(operation))
    expect(complaints).toEqual([])
    expect(asked.filter((url) => !url.startsWith(server.url) && !url.startsWith('data:'))).toEqual([])
    await page.close()
  })
})
