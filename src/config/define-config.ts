/** For `fanlane.config.ts`: types, and nothing else. */
import type { ConsumeOptions } from '../consumer/options.ts'

export type FanlaneConfig<Key = Buffer, Value = Buffer> = Omit<
  ConsumeOptions<Key, Value>,
  'log' | 'signal' | 'dashboard'
> & {
  /** Served where a port is given, here or by `--dashboard`. */
  readonly dashboard?: Partial<NonNullable<ConsumeOptions['dashboard']>>
}

/** The settings of the command line: `export default defineConfig({ brokers, group, … })`. */
export function defineConfig<Key = Buffer, Value = Buffer>(
  config: FanlaneConfig<Key, Value>,
): FanlaneConfig<Key, Value> {
  return config
}
