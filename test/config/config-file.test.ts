import { describe, expect, it } from 'vitest'
import { problemsOf } from './sources.ts'

const SECRET = 'correct-horse-battery-staple'

describe('a file that is no JSON: the line is told, and not what stands there', () => {
  it.each([
    ['a word', 3, `{\n "node": {\n  "identity": ${SECRET}\n}}`],
    ['a comment', 3, '{\n  "http": {\n    // here\n    "port": 1\n  }\n}'],
    ['a comment behind a byte order mark', 3, '\uFEFF{\n  "http": {\n    "port": // here\n 1\n  }\n}'],
    ['a comma too many', 3, '{\n  "http": {},\n}'],
    ['a comma that is missing', 3, '{\n  "mode": "all"\n  "http": {}\n}'],
    ['an end that comes too early', 3, '{\n  "http": {\n'],
    ['what follows the end', 2, '{}\n}'],
    ['nothing', 1, ''],
  ])('%s', (_, line, file) => {
    expect(problemsOf({ file })).toEqual([
      `firn.config.json: no valid JSON at line ${line} (comments and commas at the end of a list are none)`,
    ])
  })
})

describe('a key that stands twice in one object', () => {
  const again = (line: number) => `firn.config.json: line ${line} names a key of its object for the second time`

  it('stops the start: what stands further up would count for nothing', () => {
    const file = `{\n "chains": { "evm": { "56": null } },\n "ht\\u0074p": {},\n "http": {},\n "chains": {}\n}`
    expect(problemsOf({ file })).toEqual([again(4), again(5)])
    expect(problemsOf({ file: '{"data":{"apiKeys":[{"key":"a"},{"key":"b",\n"key":"c"}]}}' })).toEqual([again(2)])
  })

  it('is none where the objects are several, or a text only looks like it', () => {
    const keys = [{ key: 'a"b:{' }, { key: 'b' }, { key: '\\', plan: 'default' }]
    expect(problemsOf({ file: { $comment: '"http":{}', data: { apiKeys: keys }, http: {}, log: {} } })).toEqual([])
  })
})
