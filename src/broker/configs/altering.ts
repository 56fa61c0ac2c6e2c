/**
 * Changes of configuration, as AlterConfigs (all values at once) and IncrementalAlterConfigs (key by key) ask for them: put
 * together, checked as a whole, then kept. A change that is refused changes nothing.
 */
import { nodeId } from '../broker.ts'
import { granted, type Outcome, outcomeOf, Refused } from '../refused.ts'
import type { ConfigValues } from './broker-configs.ts'
import { listOf } from './definition.ts'
import { resourceTypeName } from './resource-types.ts'
import { type ConfigTarget, type Configured, configTargets } from './targets.ts'

export type ConfigOperation = 'set' | 'delete' | 'append' | 'subtract'

/** Kafka's numbers are the places in this list. */
const operations: readonly ConfigOperation[] = ['set', 'delete', 'append', 'subtract']

export interface ConfigOp {
  readonly name: string
  readonly configOperation: number
  readonly value: string | null
}

export interface Alteration {
  readonly resourceType: number
  readonly resourceName: string
  readonly configs: readonly ConfigOp[]
}

export interface AlterationResult extends Outcome {
  readonly resourceType: number
  readonly resourceName: string
}

/** Everything that is configured is in memory: one resource may not fill it. */
const valuesCharsMax = 2 ** 20

/** `mode` replace: what is not named gets its default back. */
export function alterAll(
  around: Configured,
  alterations: readonly Alteration[],
  mode: 'replace' | 'change',
  validateOnly: boolean,
): Promise<AlterationResult[]> {
  const identity = (a: Alteration): string => `${a.resourceType}/${a.resourceName}`
  const counts = Map.groupBy(alterations, identity)
  return Promise.all(
    alterations.map(async (alteration) => {
      const { resourceType, resourceName } = alteration
      try {
        if ((counts.get(identity(alteration))?.length ?? 0) > 1) {
          throw new Refused('INVALID_REQUEST', 'Each resource must appear at most once.')
        }
        await alter(around, alteration, mode, validateOnly)
        return { ...granted, resourceType, resourceName }
      } catch (error) {
        return { ...outcomeOf(error), resourceType, resourceName }
      }
    }),
  )
}

async function alter(
  around: Configured,
  { resourceType, resourceName, configs }: Alteration,
  mode: 'replace' | 'change',
  validateOnly: boolean,
): Promise<void> {
  checkOps(configs)
  const type = resourceTypeName(resourceType)
  if (type === 'brokerLogger' && mode === 'change') return setLoggers(around, resourceName, configs, validateOnly)
  if (type === undefined || type === 'brokerLogger') {
    throw new Refused('INVALID_REQUEST', `Unknown resource type ${resourceType}`)
  }
  const target = configTargets[type](around, resourceName)
  const next = applyOps(target, mode === 'replace' ? {} : target.current, configs)
  checkRoom(next)
  target.check(
    next,
    configs.map(({ name }) => name),
  )
  // From reading the present values to here nothing else could run, so no other change is lost.
  if (!validateOnly) await target.save(next)
}

function checkOps(configs: readonly ConfigOp[]): void {
  if (new Set(configs.map(({ name }) => name)).size < configs.length) {
    throw new Refused('INVALID_REQUEST', 'Error due to duplicate config keys')
  }
  const empty = configs.filter((op) => op.value === null && operations[op.configOperation] !== 'delete')
  if (empty.length > 0) {
    throw new Refused('INVALID_REQUEST', `Null value not supported for : ${empty.map(({ name }) => name).join(', ')}`)
  }
}

function applyOps(target: ConfigTarget, base: ConfigValues, configs: readonly ConfigOp[]): ConfigValues {
  const next = new Map(Object.entries(base))
  for (const { name, configOperation, value } of configs) {
    const operation = operations[configOperation]
    if (operation === undefined) throw new Refused('INVALID_REQUEST', `Unknown operations type ${configOperation}`)
    if (operation === 'set') next.set(name, value ?? '')
    else if (operation === 'delete') next.delete(name)
    else next.set(name, editedList(target, operation, name, next.get(name), value ?? ''))
  }
  return Object.fromEntries(next)
}

function editedList(
  target: ConfigTarget,
  operation: 'append' | 'subtract',
  key: string,
  present: string | undefined,
  value: string,
): string {
  const definition = target.definition(key)
  if (definition?.type !== 'list') throw new Refused('INVALID_CONFIG', target.notAList(operation, key))
  const old = listOf(present ?? definition.default ?? '')
  const items = listOf(value)
  const edited = operation === 'append' ? new Set([...old, ...items]) : old.filter((item) => !items.includes(item))
  return [...edited].join(',')
}

function checkRoom(next: ConfigValues): void {
  let chars = 0
  for (const [key, value] of Object.entries(next)) chars += key.length + value.length
  if (chars > valuesCharsMax) {
    throw new Refused(
      'POLICY_VIOLATION',
      `the values of one resource may have ${valuesCharsMax} characters, not ${chars}`,
    )
  }
}

const levels: readonly string[] = ['DEBUG', 'ERROR', 'FATAL', 'INFO', 'TRACE', 'WARN']

function setLoggers({ config }: Configured, name: string, configs: readonly ConfigOp[], validateOnly: boolean): void {
  if (Number(name) !== nodeId) {
    throw new Refused('INVALID_REQUEST', `Unexpected node id. Expected ${nodeId}, but received ${name}`)
  }
  for (const { name: logger, configOperation, value } of configs) {
    const operation = operations[configOperation]
    if (operation !== 'set') {
      const word = operation?.toUpperCase() ?? configOperation
      throw new Refused('INVALID_REQUEST', `${word} operation is not allowed for the BROKER_LOGGER resource`)
    }
    if (!config.loggers.has(logger)) throw new Refused('INVALID_CONFIG', `Logger ${logger} does not exist!`)
    if (!levels.includes(value ?? '')) {
      const why = `it is not a supported log level. Valid log levels are ${levels.join(', ')}`
      throw new Refused('INVALID_CONFIG', `Cannot set the log level of ${logger} to ${value} as ${why}`)
    }
  }
  if (validateOnly) return
  for (const { name: logger, value } of configs) config.loggers.set(logger, value ?? '')
}
