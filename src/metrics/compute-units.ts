import { Counter, type Registry } from 'prom-client'

/** The charge of a request to the indexed API, or why it was refused. The configuration names the plans. */
export interface Charge {
  plan: string
  units: number
  refused?: 'no-key' | 'over-budget'
}

/** Compute units by plan. */
export function createComputeUnitInstruments(registry: Registry): (charge: Charge) => void {
  const registers = [registry]
  const units = new Counter({
    name: 'firn_compute_units_total',
    help: 'Compute units spent, by plan.',
    labelNames: ['plan'] as const,
    registers,
  })
  const refusals = new Counter({
    name: 'firn_compute_refusals_total',
    help: 'Requests refused for want of a key or of compute units, by plan.',
    labelNames: ['plan', 'reason'] as const,
    registers,
  })
  return ({ plan, units: spent, refused }) => {
    if (refused === undefined) units.inc({ plan }, spent)
    else refusals.inc({ plan, reason: refused })
  }
}
