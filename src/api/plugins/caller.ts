import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientSource } from '../../lib/http/client-source.ts'
import type { Caller } from '../../store/index.ts'
import { createLeaveSignal } from './leave-signal.ts'

/** The client for which the index is read, identified by the same address as for budgets. */
export const callerOf = ({ ip }: FastifyRequest, { raw }: FastifyReply): Caller => ({
  clients: new Set([clientSource(ip)]),
  signal: createLeaveSignal(raw)(),
})
