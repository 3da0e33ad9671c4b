import { expect, it } from 'vitest'
import { configOf, problemsOf } from './sources.ts'

it.each(['', '/api', '/proxy/glacier', '/extra', '/a/ext'])('%j may stand in front of the indexed API', (prefix) => {
  expect(configOf({ argv: [`--data-path-prefix=${prefix}`] }).data.pathPrefix).toBe(prefix)
})

it.each(['/ext', '/ext/data', '/api/', 'api'])(
  '%j may not: nodes are asked below /ext, and paths begin once',
  (prefix) => {
    expect(problemsOf({ argv: [`--data-path-prefix=${prefix}`] })).toEqual([
      expect.stringContaining('allowed: empty, or a path such as /api without a slash at its end, none below /ext'),
    ])
  },
)
