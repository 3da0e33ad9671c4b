import { goHexProblem } from '../../../lib/bytes/go-hex.ts'
import type { NamedLoggers } from '../../../lib/logging/named-loggers.ts'
import { AdminError, type Aliases, type Profiler } from '../../../services/node-admin/index.ts'
import type { Arguments } from '../gorilla/arguments.ts'
import {
  type JsonValue,
  type LocalCall,
  type LocalMethod,
  type LocalService,
  MethodError,
} from '../gorilla/local-service.ts'
import { checkChainId } from './chain-id.ts'
import { forLocalCallers } from './local-callers.ts'
import { createLoggerMethods } from './logger-methods.ts'

/** Result of `loadVMs`: names by VM id, and why other chains could not be loaded. */
export interface LoadedChains {
  newVMs: Record<string, string[]>
  failedVMs: Record<string, string>
}

export interface AdminServiceDeps {
  aliases: Aliases
  /** Aliases of a blockchain in the order of creation; undefined when the blockchain is unknown. */
  chainAliases(id: string): Promise<readonly string[] | undefined>
  loggers: NamedLoggers
  profiler: Profiler
  /** Reads the configuration again and starts serving new chains. */
  loadChains(signal: AbortSignal): Promise<LoadedChains>
  /** The configuration without its secrets. */
  config: JsonValue
  /** True = every caller that gets this far may call: a token was checked, or the operator allows it. */
  forEverybody: boolean
}

/** An empty answer; failures are reported in the words of the node. */
const doing =
  (work: (args: Arguments, call: LocalCall) => unknown): LocalMethod =>
  async (args, call) => {
    try {
      await work(args, call)
      return {}
    } catch (error) {
      throw error instanceof AdminError ? new MethodError(error.message) : error
    }
  }

function createMethods(deps: AdminServiceDeps): Record<string, LocalMethod> {
  const { aliases, profiler } = deps
  return {
    alias: doing((args) => aliases.aliasEndpoint(args.string('endpoint'), args.string('alias'))),
    aliasChain: doing((args) => aliases.aliasChain(args.string('chain'), args.string('alias'))),
    getChainAliases: async (args) => {
      const id = checkChainId(args.string('chain'))
      await aliases.restore()
      return { aliases: (await deps.chainAliases(id)) ?? null }
    },
    ...createLoggerMethods(deps.loggers),
    loadVMs: async (_args, { signal }) => {
      const { newVMs, failedVMs } = await deps.loadChains(signal)
      return Object.keys(failedVMs).length === 0 ? { newVMs } : { newVMs, failedVMs }
    },
    startCPUProfiler: doing(() => profiler.startCpu()),
    stopCPUProfiler: doing(() => profiler.stopCpu()),
    memoryProfile: doing(() => profiler.memory()),
    lockProfile: doing(() => profiler.locks()),
    stacktrace: doing(() => profiler.stacktrace()),
    getConfig: () => deps.config,
    // There is no key-value database here: nothing is ever found.
    dbGet: (args) => {
      const problem = goHexProblem(args.string('key'))
      if (problem !== undefined) throw new MethodError(problem)
      return { value: '', errorCode: 2 }
    },
  }
}

/** `/ext/admin` on this server itself. */
export function createAdminService(deps: AdminServiceDeps): LocalService {
  const methods = createMethods(deps)
  return {
    endpoints: ['admin'],
    service: 'admin',
    whole: true,
    private: true,
    methods: deps.forEverybody ? methods : forLocalCallers(methods),
  }
}
