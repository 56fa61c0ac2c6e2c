/**
 * DescribeConfigs: the configuration of topics, of the broker, of groups and more, each key with where its value comes from.
 * v3 types and documentation. No keys asked for means all keys.
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type DescribeConfigsRequest,
  type DescribeConfigsResource,
  type DescribeConfigsResult,
  describeConfigsApi,
} from '../../protocol/generated/32-describe-configs.ts'
import type { Input } from '../../protocol/types.ts'
import { type Broker, nodeId } from '../broker.ts'
import type { ConfigValues } from '../configs/broker-configs.ts'
import {
  brokerEntries,
  type ConfigEntry,
  clientMetricsEntries,
  clusterEntries,
  groupEntries,
  loggerEntries,
  topicEntries,
} from '../configs/entries.ts'
import { type ResourceTypeName, resourceTypeName } from '../configs/resource-types.ts'
import { outcomeOf, Refused } from '../refused.ts'
import { type Route, route } from '../server/route.ts'
import { topicNameRefusal } from '../topics/name-refusal.ts'
import { logDirectory } from './log-directory.ts'

export function describeConfigs(broker: Broker): Route {
  return route(describeConfigsApi, {
    handle: (request) => ({ results: request.resources.map((resource) => describe(broker, resource, request)) }),
    refuse: ({ resources }, errorCode) => ({
      results: resources.map(({ resourceType, resourceName }) => ({
        errorCode,
        errorMessage: null,
        resourceType,
        resourceName,
      })),
    }),
  })
}

function describe(
  broker: Broker,
  { resourceType, resourceName, configurationKeys }: DescribeConfigsResource,
  { includeSynonyms, includeDocumentation }: DescribeConfigsRequest,
): Input<DescribeConfigsResult> {
  try {
    const type = resourceTypeName(resourceType)
    if (type === undefined) throw new Refused('INVALID_REQUEST', `Unsupported resource type: ${resourceType}`)
    const entries = entriesOf[type](broker, resourceName)
    if (entries === undefined) return { errorCode: errorCodes.UNKNOWN_TOPIC_OR_PARTITION, resourceType, resourceName }
    const wanted = new Set(configurationKeys ?? [])
    const configs = entries
      .filter(({ name }) => wanted.size === 0 || wanted.has(name))
      .map((entry) => ({
        ...entry,
        synonyms: includeSynonyms ? entry.synonyms : [],
        documentation: includeDocumentation || type === 'brokerLogger' ? entry.documentation : null,
      }))
    return { errorCode: errorCodes.NONE, resourceType, resourceName, configs }
  } catch (error) {
    return { ...outcomeOf(error), resourceType, resourceName }
  }
}

const entriesOf: Readonly<Record<ResourceTypeName, (broker: Broker, name: string) => ConfigEntry[] | undefined>> = {
  topic: (broker, name) => {
    const badName = topicNameRefusal(name)
    if (badName !== undefined) throw badName
    const topic = broker.topics.get(name)
    return topic && topicEntries(topic.configs, broker.config)
  },
  broker: (broker, name) => {
    if (name === '') return clusterEntries(broker.config)
    checkBrokerId(name, ' or empty string,')
    return brokerEntries(broker.config, inherent(broker))
  },
  brokerLogger: (broker, name) => {
    if (name === '') throw new Refused('INVALID_REQUEST', 'Broker id must not be empty')
    checkBrokerId(name, '')
    return loggerEntries(broker.config)
  },
  clientMetrics: (broker, name) => {
    if (name === '') throw new Refused('INVALID_REQUEST', 'Client metrics subscription name must not be empty')
    return clientMetricsEntries(broker.metadata.get('client-metrics', name) ?? {})
  },
  group: (broker, name) => {
    if (name === '') throw new Refused('INVALID_REQUEST', 'Group name must not be empty')
    return groupEntries(broker.metadata.get('group-configs', name) ?? {}, broker.config)
  },
}

function checkBrokerId(name: string, alternative: string): void {
  if (!/^-?\d+$/.test(name)) throw new Refused('INVALID_REQUEST', `Broker id must be an integer, but it is: ${name}`)
  if (Number(name) !== nodeId) {
    throw new Refused('INVALID_REQUEST', `Unexpected broker id, expected ${nodeId}${alternative} but received ${name}`)
  }
}

/** Settings that follow from the options of the broker. */
function inherent(broker: Broker): ConfigValues {
  const { host, port } = broker.advertised
  const listener = `${broker.users === undefined ? 'PLAINTEXT' : 'SASL_PLAINTEXT'}://${host}:${port}`
  return {
    'advertised.listeners': listener,
    'broker.id': String(nodeId),
    'controller.listener.names': 'CONTROLLER',
    listeners: listener,
    'log.dirs': logDirectory(broker),
    'node.id': String(nodeId),
    'process.roles': 'broker,controller',
    ...(broker.users === undefined ? {} : { 'sasl.enabled.mechanisms': broker.users.mechanisms.join(',') }),
  }
}
