import { maskBySchema } from './mask-config.ts'
import { type Config, ConfigSchema } from './schema.ts'

/** A copy that may be shown: secrets hidden, URLs cut to their host. */
export const shownConfig = (config: Config): unknown => maskBySchema(ConfigSchema, config)
