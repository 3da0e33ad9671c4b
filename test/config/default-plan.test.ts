import { expect, it } from 'vitest'
import { WEIGHTS } from '../../src/api/data/compute-units.ts'
import { configOf } from './sources.ts'

it('the default plan does not decide: one address may ask for more balances a second than a process answers', () => {
  const { default: plan } = configOf().data.plans
  expect((plan?.computeUnitsPerMinute ?? 0) / WEIGHTS.xl / 60).toBeGreaterThan(1_500)
  expect((plan?.computeUnitsPerDay ?? 0) / WEIGHTS.xl / 86_400).toBeGreaterThan(1_000)
})
