/** For `fanlane.config.ts`: types, and nothing else. */
import type { ConsumeOptions } from '../consumer/options.ts'

export type FanlaneConfig<Key = Buffer, Value = Buffer> = Omit<
  ConsumeOptions<Key, Value>,
  'log' | 'signal' | 'dashboard'
> & {
  readonly dashboard?: {
    readonly port?: number
    readonly host?: string
    readonly allowActions?: boolean
    readonly token?: string
  }
}

/** The settings of the command line: `export default defineConfig({ brokers, group, … })`. */
export function defineConfig<Key = Buffer, Value = Buffer>(
  config: FanlaneConfig<Key, Value>,
): FanlaneConfig<Key, Value> {
  return config
}
