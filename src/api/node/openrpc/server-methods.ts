import { EMPTY, flag, list, type Method, mapOf, may, needs, object, ref, text, uint64In } from './parts.ts'

const LOGGERS = object({ loggerLevels: mapOf(ref('LoggerLevel'), 'By name of the logger.') })
const LEVELS = ['off', 'fatal', 'error', 'warn', 'info', 'trace', 'debug', 'verbo']
/** Spelt out: most of what reads patterns, such as JavaScript before Node 23, knows no other way to ignore case. */
const inAnyCase = (word: string): string => Array.from(word, (letter) => `[${letter}${letter.toUpperCase()}]`).join('')
const LEVEL_IN = {
  type: 'string',
  pattern: `^(${LEVELS.map(inAnyCase).join('|')})$`,
  description: 'One of the eight levels, in any case.',
}
const LOGGER = may('loggerName', text('Left out or empty: all loggers.'))
const TOO_LONG = 'alias length is too long'

export const ADMIN: readonly Method[] = [
  {
    name: 'admin.alias',
    summary: 'Serves an endpoint also at /ext/<alias>.',
    params: [
      needs('endpoint', text('The part after /ext/.')),
      needs('alias', { ...text('At most 512 bytes.'), maxLength: 512 }),
    ],
    result: EMPTY,
    errors: [TOO_LONG, 'route is either already aliased or already maps to a handle: …'],
  },
  {
    name: 'admin.aliasChain',
    summary: 'Gives a blockchain another name, valid wherever its ID is.',
    params: [needs('chain', text('ID or alias.')), needs('alias', { ...text('At most 512 bytes.'), maxLength: 512 })],
    result: EMPTY,
    errors: [TOO_LONG, 'there is no ID with alias: …', 'alias already mapped to an ID: …'],
  },
  {
    name: 'admin.getChainAliases',
    summary: 'Aliases of a blockchain, oldest first.',
    params: [needs('chain', text('ID, cb58.'))],
    result: object({ aliases: { type: ['array', 'null'], items: { type: 'string' } } }),
    errors: ['invalid input checksum', 'base58 decoding error: zero length string'],
  },
  {
    name: 'admin.getLoggerLevel',
    summary: 'Levels of the loggers, for the log file and for standard error.',
    params: [LOGGER],
    result: LOGGERS,
    errors: ['logger with name "…" not found'],
  },
  {
    name: 'admin.setLoggerLevel',
    summary: 'Changes one or both levels.',
    params: [LOGGER, may('logLevel', LEVEL_IN), may('displayLevel', LEVEL_IN)],
    result: EMPTY,
    errors: ['need to specify either displayLevel or logLevel', 'logger with name "…" not found'],
  },
  {
    name: 'admin.loadVMs',
    summary: 'Reads the configuration again and starts serving chains that are new in it.',
    params: [],
    result: object(
      {
        newVMs: mapOf(list(text('Name.')), 'Names by VM ID.'),
        failedVMs: mapOf(text('Reason.'), 'Only when one failed.'),
      },
      ['failedVMs'],
    ),
  },
  { name: 'admin.lockProfile', summary: 'Writes lock.profile: waiting times by cause.', params: [], result: EMPTY },
  { name: 'admin.memoryProfile', summary: 'Writes mem.profile.', params: [], result: EMPTY },
  {
    name: 'admin.startCPUProfiler',
    summary: 'Begins a CPU profile.',
    params: [],
    result: EMPTY,
    errors: ['cpu profiler already running'],
  },
  {
    name: 'admin.stopCPUProfiler',
    summary: 'Stops the profiler and writes cpu.profile.',
    params: [],
    result: EMPTY,
    errors: ["cpu profiler doesn't exist"],
  },
]

const TAGS = [may('tags', list(text('Subnet ID.'), 'Only checks of these subnets and of the server as a whole.'))]

export const HEALTH: readonly Method[] = [
  { name: 'health.health', summary: 'All checks.', params: TAGS, result: ref('HealthReport') },
  { name: 'health.readiness', summary: 'Checks of the start.', params: TAGS, result: ref('HealthReport') },
  { name: 'health.liveness', summary: 'Healthy once there is an answer.', params: TAGS, result: ref('HealthReport') },
]

const CODING = may('encoding', ref('Encoding'))
const ID = needs('id', text('Of the container, cb58.'))
const INDEX_PATHS = ['/ext/index/X/block', '/ext/index/X/tx', '/ext/index/X/vtx', '/ext/index/C/block']
const about = (method: Method): Method => ({ ...method, paths: INDEX_PATHS })

export const INDEX: readonly Method[] = [
  {
    name: 'index.getContainerByID',
    summary: 'A container by its ID.',
    params: [ID, CODING],
    result: ref('Container'),
    errors: ['not found'],
  },
  {
    name: 'index.getContainerByIndex',
    summary: 'A container by its index; 0 was accepted first.',
    params: [may('index', uint64In('Default 0.')), CODING],
    result: ref('Container'),
    errors: ['no container at index …'],
  },
  {
    name: 'index.getContainerRange',
    summary: 'Consecutive containers; fewer than requested at the end of the index.',
    params: [
      may('startIndex', uint64In('Default 0.')),
      may('numToFetch', uint64In('0 to 1024; 0 is an empty answer.')),
      CODING,
    ],
    result: object({ containers: list(ref('Container')) }),
    errors: [
      'numToFetch must be in [1,1024] but is …',
      'no containers have been accepted',
      'start index (…) > last accepted index (…)',
    ],
  },
  {
    name: 'index.getIndex',
    summary: 'Place of a container.',
    params: [ID, CODING],
    result: object({ index: { type: 'string', pattern: '^[0-9]+$' } }),
    errors: ['not found'],
  },
  {
    name: 'index.getLastAccepted',
    summary: 'The container accepted last.',
    params: [CODING],
    result: ref('Container'),
    errors: ['no containers have been accepted'],
  },
  {
    name: 'index.isAccepted',
    summary: 'Whether a container is in the index.',
    params: [ID, CODING],
    result: object({ isAccepted: flag('True = it is.') }),
  },
].map(about)
