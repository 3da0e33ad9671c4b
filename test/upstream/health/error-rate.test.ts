import { expect, test } from 'vitest'
import { createErrorRate } from '../../../src/upstream/health/error-rate.ts'

test('rises with failures, falls with answers, stays between 0 and 1', () => {
  const errors = createErrorRate()
  expect(errors.at(0)).toBe(0)
  errors.add(true, 0)
  expect(errors.at(0)).toBeCloseTo(0.1)
  errors.add(false, 0)
  expect(errors.at(0)).toBeCloseTo(0.09)
  for (let count = 0; count < 1_000; count += 1) errors.add(true, 0)
  expect(errors.at(0)).toBeCloseTo(1)
})

test('fades with a half-life of ten seconds, down to nothing', () => {
  const errors = createErrorRate()
  for (let count = 0; count < 1_000; count += 1) errors.add(true, 1_000)
  expect(errors.at(11_000)).toBeCloseTo(0.5)
  expect(errors.at(21_000)).toBeCloseTo(0.25)
  expect(errors.at(1_000_000)).toBe(0)
})

test('an answer after a long silence does not bring the old record back', () => {
  const errors = createErrorRate()
  for (let count = 0; count < 1_000; count += 1) errors.add(true, 0)
  errors.add(false, 20_000)
  expect(errors.at(20_000)).toBeCloseTo(0.225)
})
