import { expect, it } from 'vitest'
import { createMetricsText } from '../../../src/api/plugins/metrics-route.ts'

it('the text is written anew for few in a second, and who comes beyond that is given the one before', async () => {
  let now = 0
  let written = 0
  const text = createMetricsText({ metrics: async () => `${++written}` }, () => now)
  const ask = async (times: number): Promise<string[]> => Promise.all(Array.from({ length: times }, () => text()))
  expect((await ask(12)).slice(8)).toEqual(['9', '10', '10', '10'])
  now = 999
  expect(await text()).toBe('10')
  now = 1_000
  expect(await text()).toBe('11')
})

it('a text that could not be written is given to nobody else', async () => {
  let isBroken = false
  const text = createMetricsText(
    { metrics: async () => (isBroken ? Promise.reject(new Error('no')) : 'text') },
    () => 0,
  )
  for (let count = 0; count < 9; count++) expect(await text()).toBe('text')
  isBroken = true
  await expect(text()).rejects.toThrow('no')
  isBroken = false
  expect(await text()).toBe('text')
})
