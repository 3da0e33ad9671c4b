/**
 * `/ext/admin` in the dialect of a node, about this server itself: aliases, loggers, profiles, chains that are loaded
 * at run time. None of it is ever forwarded; a node's own admin API would freeze it.
 */
export { type AdminServiceDeps, createAdminService, type LoadedChains } from './admin-service.ts'
