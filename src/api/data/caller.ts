import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientSource } from '../../lib/client-source.ts'
import type { Caller } from '../../store/index.ts'
import { createLeaveSignal } from '../plugins/leave-signal.ts'

/** On whose behalf the index is read; by the same address as budgets go by. */
export const callerOf = ({ ip }: FastifyRequest, { raw }: FastifyReply): Caller => ({
  client: clientSource(ip),
  signal: createLeaveSignal(raw)(),
})
