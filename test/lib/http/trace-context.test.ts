import { describe, expect, it } from 'vitest'
import {
  childTraceparent,
  currentTrace,
  enterTrace,
  outsideTrace,
  parseTraceparent,
} from '../../../src/lib/http/trace-context.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
const HEADER = `00-${TRACE}-${SPAN}-01`

describe('traceparent', () => {
  it('is read as the standard has it', () => {
    expect(parseTraceparent(HEADER)).toEqual({ traceId: TRACE, flags: '01', parentId: SPAN })
    expect(parseTraceparent(`cc-${TRACE}-${SPAN}-00-later`)).toEqual({ traceId: TRACE, flags: '00', parentId: SPAN })
  })

  it.each([
    undefined,
    '',
    'x',
    `${HEADER}-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE.slice(1)}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}`,
    `${HEADER}\nx`,
    ` ${HEADER}`,
  ])('that is none counts as absent: %j', (header) => {
    expect(parseTraceparent(header)).toBeUndefined()
  })

  it('of a child keeps trace and flags and has a span of its own', () => {
    const children = Array.from({ length: 100 }, () => childTraceparent(parseTraceparent(HEADER)) ?? '')
    for (const child of children) expect(child).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`))
    expect(new Set([...children, HEADER]).size).toBe(101)
    expect(childTraceparent(undefined)).toBeUndefined()
  })

  it('goes along with what was started in it, and ends with the next one', async () => {
    const trace = parseTraceparent(HEADER)
    enterTrace(trace)
    const later = Promise.resolve().then(() => currentTrace())
    expect(outsideTrace(() => currentTrace())).toBeUndefined()
    enterTrace(undefined)
    expect(currentTrace()).toBeUndefined()
    expect(await later).toEqual(trace)
  })
})
