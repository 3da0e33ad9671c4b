import { expect, it } from 'vitest'
import { gorillaCall, nodeAt, startFront } from './fake-nodes.ts'

it('a fake node counts and answers nothing of a server that looks for another node at its port', async () => {
  const front = await startFront(1)
  const { host, asked } = nodeAt(front, 0)
  const strange = fetch(`http://${host}/ext/info`, { method: 'POST', body: gorillaCall('info.peers') })
  expect(await strange.catch(() => 'cut')).toBe('cut')
  expect(asked).toEqual([])
  expect((await front.post('/ext/info', gorillaCall('info.acps'))).status).toBe(200)
  expect(asked.map(({ path, method }) => [path, method])).toEqual([['/ext/info', 'info.acps']])
})
