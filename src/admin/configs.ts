/** Configurations of topics, brokers and groups: looking at them, and changing single entries. */
import { anyNode } from '../cluster/wire.ts'
import { OptionError } from '../errors.ts'
import { errorCodes } from '../protocol/errors.ts'
import { describeConfigsApi } from '../protocol/generated/32-describe-configs.ts'
import { incrementalAlterConfigsApi } from '../protocol/generated/44-incremental-alter-configs.ts'
import { listed } from './checks.ts'
import { type ConfigDescription, describedConfigs } from './config-entries.ts'
import { type AdminContext, type CallOptions, deadlineOf } from './context.ts'
import { run } from './errand.ts'
import { askController, learnController, toOwnBrokers } from './routes.ts'
import type { ChangeOptions } from './topic-changes.ts'

const resourceTypes = { topic: 2, broker: 4, 'broker-logger': 8, 'client-metrics': 16, group: 32 } as const

export type ConfigType = keyof typeof resourceTypes

export interface ConfigResource {
  readonly type: ConfigType
  /** Of a broker: its node id as text; '' for what holds for all brokers. */
  readonly name: string
}

export interface ConfigQuestion extends ConfigResource {
  /** Only these entries. Default all. */
  readonly keys?: readonly string[]
}

export interface ConfigChange extends ConfigResource {
  readonly set?: Readonly<Record<string, string | number | boolean>>
  /** Back to the default. */
  readonly delete?: readonly string[]
  /** For entries that are lists: put these in, take these out. */
  readonly append?: Readonly<Record<string, string>>
  readonly subtract?: Readonly<Record<string, string>>
}

export interface DescribedConfig extends ConfigResource {
  readonly configs: Readonly<Record<string, ConfigDescription>>
}

export interface DescribeConfigsOptions extends CallOptions {
  /** What each entry is for, in the broker's words. Default false. */
  readonly documentation?: boolean
}

export function describeConfigs(
  context: AdminContext,
  questions: readonly ConfigQuestion[],
  options: DescribeConfigsOptions,
): Promise<readonly DescribedConfig[]> {
  for (const { type } of listed(questions, 'resources', nameOf)) checkType(type)
  return run<ConfigQuestion, DescribedConfig>(context, {
    request: describeConfigsApi.name,
    items: questions,
    nameOf,
    deadline: deadlineOf(context, options),
    isTopicNewsLate: true,
    attempt: async (open, errand) => {
      await toOwnBrokers(errand, open, ownBroker, async (node, theirs) => {
        const answer = await errand.ask(theirs, node, describeConfigsApi, {
          resources: theirs.map(({ type, name, keys = null }) => ({
            resourceType: resourceTypes[type],
            resourceName: name,
            configurationKeys: keys,
          })),
          includeSynonyms: true,
          includeDocumentation: options.documentation ?? false,
        })
        for (const told of answer?.body.results ?? []) {
          const item = theirs.find(isResource(told))
          if (item === undefined || answer === null) continue
          const { type, name } = item
          if (told.errorCode === errorCodes.NONE)
            errand.done(item, { type, name, configs: describedConfigs(told.configs) })
          else errand.refused(item, told.errorCode, answer.node, describeConfigsApi, told.errorMessage)
        }
      })
    },
  })
}

/** Only the entries that are named change. Sent twice it does the same as once, so silence is no harm. */
export function alterConfigs(
  context: AdminContext,
  changes: readonly ConfigChange[],
  options: ChangeOptions,
): Promise<readonly ConfigResource[]> {
  const { validateOnly = false } = options
  for (const { type } of listed(changes, 'changes', nameOf)) checkType(type)
  return run<ConfigChange, ConfigResource>(context, {
    request: incrementalAlterConfigsApi.name,
    items: changes,
    nameOf,
    deadline: deadlineOf(context, options),
    attempt: async (open, errand) => {
      await toOwnBrokers(errand, open, ownBroker, async (node, theirs) => {
        const request = {
          resources: theirs.map((change) => ({
            resourceType: resourceTypes[change.type],
            resourceName: change.name,
            configs: operationsOf(change),
          })),
          validateOnly,
        }
        const settings = { applies: !validateOnly }
        // What belongs to one broker is checked by that broker.
        const answer =
          node === anyNode
            ? await askController(errand, theirs, incrementalAlterConfigsApi, request, settings)
            : await errand.ask(theirs, node, incrementalAlterConfigsApi, request, settings)
        for (const told of answer?.body.responses ?? []) {
          const item = theirs.find(isResource(told))
          if (item === undefined || answer === null) continue
          learnController(context, told.errorCode)
          if (told.errorCode === errorCodes.NONE) errand.done(item, { type: item.type, name: item.name })
          else errand.refused(item, told.errorCode, answer.node, incrementalAlterConfigsApi, told.errorMessage)
        }
      })
    },
  })
}

interface Operation {
  readonly name: string
  readonly configOperation: number
  readonly value: string | null
}

function operationsOf({ set = {}, delete: gone = [], append = {}, subtract = {} }: ConfigChange): readonly Operation[] {
  const valued = (values: Readonly<Record<string, unknown>>, configOperation: number): readonly Operation[] =>
    Object.entries(values).map(([name, value]) => ({ name, configOperation, value: String(value) }))
  const deleted = gone.map((name) => ({ name, configOperation: 1, value: null }))
  return [...valued(set, 0), ...deleted, ...valued(append, 2), ...valued(subtract, 3)]
}

function nameOf({ type, name }: ConfigResource): string {
  return `${type} ${name}`
}

function isResource(told: { readonly resourceType: number; readonly resourceName: string }) {
  return ({ type, name }: ConfigResource): boolean =>
    resourceTypes[type] === told.resourceType && name === told.resourceName
}

/** Only a broker itself knows its own configuration. */
function ownBroker({ type, name }: ConfigResource): number {
  if ((type !== 'broker' && type !== 'broker-logger') || name === '') return anyNode
  const node = Number(name)
  if (Number.isSafeInteger(node) && node >= 0) return node
  throw new OptionError('OPTION_INVALID', 'name', `name of a ${type} must be its node id as text, not '${name}'.`)
}

function checkType(type: ConfigType): void {
  if (Object.hasOwn(resourceTypes, type)) return
  const known = Object.keys(resourceTypes).map((each) => `'${each}'`)
  throw new OptionError('OPTION_INVALID', 'type', `type must be ${known.join(' or ')}, not '${String(type)}'.`)
}
