/**
 * Containers in order of acceptance, as the index API serves them. Where they are stored is up to the implementation of
 * `ContainerSource`.
 */
export {
  CONTAINER_INDEXES,
  type Container,
  type ContainerIndex,
  type ContainerRead,
  type ContainerSource,
} from './container-source.ts'
export { withShown } from './shown-containers.ts'
export { allowStart } from './start-rule.ts'
export { createStoredContainers } from './stored-containers.ts'
