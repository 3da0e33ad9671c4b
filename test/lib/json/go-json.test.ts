import { expect, it } from 'vitest'
import { escapeHtml, goJson } from '../../../src/lib/json/go-json.ts'

it("escapes what Go's encoder escapes, and nothing else", () => {
  expect(goJson({ '<a>': 'b & c\u2028\u2029', d: 'é "/"', e: [1, null] })).toBe(
    '{"\\u003ca\\u003e":"b \\u0026 c\\u2028\\u2029","d":"é \\"/\\"","e":[1,null]}',
  )
  expect(escapeHtml('{"a":1}')).toBe('{"a":1}')
})
