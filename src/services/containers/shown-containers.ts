import type { Container, ContainerIndex, ContainerSource } from './container-source.ts'

/** The same source, but a listener hears of the newest container of each answer. */
export function withShown(
  source: ContainerSource,
  onShown: (index: ContainerIndex, container: Container) => void,
): ContainerSource {
  const show = <C extends Container | undefined>(index: ContainerIndex, container: C): C => {
    if (container) onShown(index, container)
    return container
  }
  return {
    ...source,
    byIndex: async (index, ...rest) => show(index, await source.byIndex(index, ...rest)),
    byId: async (index, ...rest) => show(index, await source.byId(index, ...rest)),
    lastAccepted: async (index, ...rest) => show(index, await source.lastAccepted(index, ...rest)),
    range: async (index, ...rest) => {
      const containers = await source.range(index, ...rest)
      show(index, containers.at(-1))
      return containers
    },
  }
}
