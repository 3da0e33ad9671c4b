import { expect, it } from 'vitest'
import { urlBelow } from '../../../src/lib/http/url-below.ts'

it.each([
  ['https://node.example', 'https://node.example/ext/info'],
  ['https://node.example/', 'https://node.example/ext/info'],
  ['https://node.example/key//', 'https://node.example/key/ext/info'],
  ['https://node.example/key/?token=a/', 'https://node.example/key/ext/info?token=a/'],
])('a path lies below %s, and its query stays behind', (base, url) => {
  expect(urlBelow(base, '/ext/info')).toBe(url)
  expect(urlBelow(base, '')).toBe(url.replace('/ext/info', ''))
})
