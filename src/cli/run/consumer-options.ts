/** From settings, as flags, environment and config file say them, to the options of `consume()`. */
import { json, text } from '../../consumer/codecs.ts'
import type { ConsumeOptions } from '../../consumer/options.ts'
import { UsageError } from '../command.ts'
import type { Context } from '../context.ts'

type Options = ConsumeOptions<unknown, unknown>

export function consumerOptions({ config, brokers, client }: Context, handler: string): Options {
  const { dashboard, ...values } = config.values as Record<string, unknown>
  for (const [name, flag] of [
    ['group', '--group'],
    ['topics', '--topic'],
  ] as const) {
    if (values[name] === undefined && values.partitions === undefined) {
      throw new UsageError(
        `Which ${name === 'group' ? 'group' : 'topic'}? Give ${flag}, or '${name}' in fanlane.config.ts.`,
      )
    }
  }
  return {
    ...values,
    brokers,
    client,
    handler,
    ...decodeOf(values.decode),
    ...engineOf(values.engine),
    ...(isServed(dashboard) ? { dashboard } : {}),
  } as Options
}

/** A dashboard without a port is described, not asked for. */
function isServed(dashboard: unknown): boolean {
  return typeof dashboard === 'object' && dashboard !== null && 'port' in dashboard
}

/** Codecs by name, where they were named; those of a config file as they are. */
function decodeOf(decode: unknown): Pick<Options, 'decode'> {
  if (typeof decode !== 'object' || decode === null) return {}
  const named = Object.entries(decode).flatMap(([part, codec]: [string, unknown]) => {
    if (codec === 'bytes') return []
    return [[part, codec === 'text' ? text() : codec === 'json' ? json() : codec]]
  })
  return { decode: Object.fromEntries(named) as NonNullable<Options['decode']> }
}

/** So many workers, and nobody says of which kind: threads are the lighter ones. */
function engineOf(engine: unknown): Pick<Options, 'engine'> {
  if (typeof engine !== 'object' || engine === null || 'kind' in engine || !('workers' in engine)) return {}
  return { engine: { kind: 'threads', workers: engine.workers as number } }
}
