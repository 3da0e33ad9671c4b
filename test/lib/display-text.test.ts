import { expect, it } from 'vitest'
import { displayText } from '../../src/lib/display-text.ts'

it.each([
  ['USD Coin', 'USD Coin'],
  ['a\u0000b\u0007c', 'abc'],
  ['line\r\nbreak\ttab', 'line break tab'],
  ['evil \u202egnp.exe\u202c', 'evil gnp.exe'],
  ['zero\u200bwidth\u200djoin\ufeff', 'zerowidthjoin'],
  ['<script>alert(1)</script>', 'alert(1)'],
  ['<<b>script>x', 'scriptx'],
  ['\ufffdjunk\ue000', 'junk'],
  ['  wide   space  ', 'wide space'],
  ['漢字 العربية 🪙', '漢字 العربية 🪙'],
  ['\u0000\u200b', ''],
])('cleans %j to %j', (given, shown) => {
  expect(displayText(given, 40)).toBe(shown)
})

it('counts characters, not code units, and ends long texts', () => {
  expect(displayText('🪙'.repeat(50), 3)).toBe('🪙🪙🪙')
  expect(displayText('x'.repeat(1_000_000), 100)).toHaveLength(100)
})
