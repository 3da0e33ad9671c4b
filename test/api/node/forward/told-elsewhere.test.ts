import { expect, it } from 'vitest'
import { createToldElsewhere, type SharedNews, type Told } from '../../../../src/api/node/forward/told-elsewhere.ts'

/** What one says all hear, whoever says it. */
function startNews(): SharedNews {
  const listeners: ((text: string) => void)[] = []
  return {
    tell: (text) => {
      for (const listener of listeners) listener(text)
    },
    listen: (listener) => void listeners.push(listener),
  }
}

const listen = (news: SharedNews): { heard: Told[]; tell(told: Told): void } => {
  const heard: Told[] = []
  const elsewhere = createToldElsewhere(news)
  elsewhere.hear((told) => heard.push(told))
  return { heard, tell: elsewhere.tell }
}

it('others hear what one process tells, and it does not hear itself', () => {
  const news = startNews()
  const [one, another] = [listen(news), listen(news)]
  one.tell({ kind: 'height', endpoint: 'P', method: 'platform.getHeight', height: '101', host: 'a:9650' })
  another.tell({ kind: 'awaited', id: 'sent' })
  expect(another.heard).toMatchObject([{ kind: 'height', height: '101', host: 'a:9650' }])
  expect(one.heard).toMatchObject([{ kind: 'awaited', id: 'sent' }])
})

it.each([
  ['no JSON', 'height'],
  ['no object', '["height"]'],
  ['a kind of a later version', '{"kind":"weather","id":"x"}'],
  ['a height that is none', '{"kind":"height","endpoint":"P","method":"m","height":"-1","host":"a"}'],
  ['a height without its node', '{"kind":"height","endpoint":"P","method":"m","height":"1"}'],
  ['nodes that are no texts', '{"kind":"lacking","endpoint":"P","method":"m","body":"","hosts":[1]}'],
  ['a block of no chain', '{"kind":"block","path":"/ext/bc/C/rpc","height":"1"}'],
])('%s is not heard', (_, text) => {
  const news = startNews()
  const { heard } = listen(news)
  news.tell(text)
  expect(heard).toEqual([])
})
