import Fastify, { type FastifyInstance } from 'fastify'
import { createComputeUnits, createMemoryUsage } from '../../../src/api/data/compute-units.ts'
import { dataApi } from '../../../src/api/data/index.ts'
import type { DataRoute } from '../../../src/api/data/route.ts'

const plans = { default: { computeUnitsPerMinute: 1e9, computeUnitsPerDay: 1e9 } }

/** The indexed API with these operations and without limits, to be asked by `inject`; whoever starts it closes it. */
export async function startDataApi(routes: DataRoute[]): Promise<FastifyInstance> {
  const app = Fastify()
  const computeUnits = createComputeUnits({ plans, apiKeys: [], keyRequired: false }, createMemoryUsage())
  await app.register(dataApi, { pathPrefix: '', computeUnits, routes })
  return app
}
