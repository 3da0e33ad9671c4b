import { expect, it } from 'vitest'
import { createOwnKeys } from '../../src/upstream/index.ts'

const said = (url: string, text: string, headers: Record<string, string> = {}): string =>
  String(createOwnKeys(url, headers).hide(Buffer.from(text)))

it('takes keys out of what a server says, wherever in its URL or headers they are, and however they are written', () => {
  const key = '3f9a0c1b2d4e5f60718293a4b5c6d7e8'
  const hidden = 'the key *** is over its limit'
  const told = `the key ${key} is over its limit`
  expect(said(`https://a.example/v2/${key}`, told)).toBe(hidden)
  expect(said(`https://a.example/v3/rpc?x=${key}`, told)).toBe(hidden)
  expect(said(`https://${key}@a.example/`, told)).toBe(hidden)
  expect(said(`https://u:${key}@a.example/`, told)).toBe(hidden)
  expect(said('https://a.example/', told, { 'x-api-key': key })).toBe(hidden)
  expect(said('https://a.example/', told, { authorization: `Bearer ${key}` })).toBe(hidden)
  expect(said('https://a.example/?token=short-1a', 'no short-1a, no')).toBe('no ***, no')
  expect(said('https://a.example/?token=a%2Bb%2F1234567', 'a+b/1234567 and a%2Bb%2F1234567')).toBe('*** and ***')
  const basic = Buffer.from('user1:pass-1234').toString('base64')
  expect(said('https://user1:pass-1234@a.example/', `Basic ${basic} of pass-1234`)).toBe('Basic *** of ***')
})

it('leaves hex in which a short key stands by chance', () => {
  const result = '0x00deadbeef100'
  expect(said('https://u:deadbeef1@a.example/', result)).toBe(result)
})

it('leaves words, ids of chains, addresses and numbers as they are, and every other byte', () => {
  const chain = '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5'
  const account = '0x00000000219ab540356cbb839cbe05303d7705fa'
  const url = `https://u:avalanche@a.example/ext/bc/${chain}/rpc/avalanche-fuji-testnet-main/${account}?chain=43114&key=1234567890`
  const text = `${chain} ${account} avalanche avalanche-fuji-testnet-main mainnet 43114 1234567890`
  expect(said(url, text)).toBe(text)
  const bytes = Buffer.from([0, 0xff, 0x80, ...Buffer.from('secret-12345678'), 0xc3, 0x28])
  const { hide } = createOwnKeys('https://a.example/?apikey=secret-12345678')
  expect(hide(bytes)).toEqual(Buffer.from([0, 0xff, 0x80, ...Buffer.from('***'), 0xc3, 0x28]))
  const other = Buffer.from('nothing of it')
  expect(hide(other)).toBe(other)
})
