/** The settings of a store for a place of the simulation: a folder, or the URL of a server's database. */
export const storeAt = (place: string): { dataDir: string; databaseUrl?: string } =>
  place.startsWith('postgres://') ? { dataDir: '', databaseUrl: place } : { dataDir: place }
