import { expect, test } from 'vitest'
import { createLatencyEstimator } from '../../../src/upstream/health/latency.ts'

test('the tail is unknown until there are enough samples', () => {
  const latency = createLatencyEstimator()
  expect(latency.mean()).toBeUndefined()
  for (let count = 0; count < 7; count += 1) latency.add(10)
  expect(latency.p95()).toBeUndefined()
  expect(latency.mean()).toBe(10)
  latency.add(10)
  expect(latency.p95()).toBe(10)
})

test('the 95th percentile of the last 64 answers', () => {
  const latency = createLatencyEstimator()
  for (let ms = 1; ms <= 64; ms += 1) latency.add(ms)
  expect(latency.p95()).toBe(61)
})

test('the percentile is that of the slowest answers, in whatever order they came', () => {
  const latency = createLatencyEstimator()
  for (let ms = 64; ms >= 1; ms -= 1) latency.add(ms)
  expect(latency.p95()).toBe(61)
})

test('a percentile of many answers that was told follows the answers since', () => {
  const latency = createLatencyEstimator()
  for (let count = 0; count < 64; count += 1) latency.add(10)
  expect(latency.p95()).toBe(10)
  for (let count = 0; count < 64; count += 1) latency.add(500)
  expect(latency.p95()).toBe(500)
})

test('a percentile that was told follows the answers since', () => {
  const latency = createLatencyEstimator()
  for (let count = 0; count < 10; count += 1) latency.add(10)
  expect(latency.p95()).toBe(10)
  latency.add(500)
  expect(latency.p95()).toBe(500)
  for (let count = 0; count < 80; count += 1) latency.add(20)
  expect(latency.p95()).toBe(20)
})

test('one answer moves the mean by a fifth of the difference', () => {
  const latency = createLatencyEstimator()
  for (const ms of [100, 200]) latency.add(ms)
  expect(latency.mean()).toBe(120)
})

test('old answers are forgotten', () => {
  const latency = createLatencyEstimator()
  for (let count = 0; count < 64; count += 1) latency.add(1_000)
  for (let count = 0; count < 64; count += 1) latency.add(5)
  expect(latency.p95()).toBe(5)
  expect(latency.mean()).toBeLessThan(6)
})

test('what was measured before the clock was set back is not recent', () => {
  const latency = createLatencyEstimator()
  latency.add(900)
  expect(latency.recentMean(Date.now() - 1_000)).toBe(900)
  expect(latency.recentMean(Date.now() - 3_600_000)).toBeUndefined()
})
