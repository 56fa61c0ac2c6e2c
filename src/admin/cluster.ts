/** The cluster as a whole: who is in it, and what its brokers can do. */

import { software } from '../cluster/net/software.ts'
import { anyNode } from '../cluster/wire.ts'
import { errorCodes } from '../protocol/errors.ts'
import { type ApiVersionsResponse, apiVersionsApi } from '../protocol/generated/18-api-versions.ts'
import { describeClusterApi } from '../protocol/generated/60-describe-cluster.ts'
import { orNull } from './checks.ts'
import { type AdminContext, type CallOptions, type Deadline, deadlineOf } from './context.ts'
import { type Errand, run } from './errand.ts'
import { askMetadata, toOwnBrokers } from './routes.ts'

export interface BrokerDescription {
  readonly id: number
  readonly host: string
  readonly port: number
  readonly rack: string | null
  /** Registered, but not (yet) alive. */
  readonly isFenced: boolean
}

export interface VersionRange {
  readonly min: number
  readonly max: number
}

export interface FeatureDescription {
  readonly name: string
  /** 0: the cluster does not use it. */
  readonly level: number
  /** Levels that the broker which was asked could do; null: it did not say. */
  readonly supported: VersionRange | null
}

export interface ClusterDescription {
  readonly id: string
  /** Who takes requests for the controller; in KRaft any broker does, and this is one of them. null: nobody now. */
  readonly controller: number | null
  readonly brokers: readonly BrokerDescription[]
  readonly features: readonly FeatureDescription[]
}

export interface ApiDescription extends VersionRange {
  readonly key: number
  /** null: newer than we are. */
  readonly name: string | null
}

export interface BrokerVersions {
  readonly node: number
  readonly apis: readonly ApiDescription[]
  readonly features: readonly FeatureDescription[]
}

export async function describeCluster(context: AdminContext, options: CallOptions): Promise<ClusterDescription> {
  const deadline = deadlineOf(context, options)
  const [{ id, controller, brokers }, { features }] = await Promise.all([
    askOnce(context, deadline, describeClusterApi.name, membersOf),
    askVersions(context, deadline, anyNode),
  ])
  return { id, controller, brokers, features }
}

/** What one broker speaks; without a node, whichever is at hand. */
export function apiVersions(
  context: AdminContext,
  node: number | undefined,
  options: CallOptions,
): Promise<BrokerVersions> {
  return askVersions(context, deadlineOf(context, options), node ?? anyNode)
}

type Members = Omit<ClusterDescription, 'features'>

async function membersOf(items: readonly string[], errand: Errand<string, Members>): Promise<void> {
  const request = (version: number): object => ({ includeFencedBrokers: version >= 2 })
  const answer = await errand.askIfServed(items, anyNode, describeClusterApi, request)
  if (answer === 'unserved') return membersFromMetadata(items, errand)
  if (answer === null) return
  for (const item of items) {
    if (answer.body.errorCode !== errorCodes.NONE) {
      errand.refused(item, answer.body.errorCode, answer.node, describeClusterApi, answer.body.errorMessage)
    } else {
      const { clusterId, controllerId, brokers } = answer.body
      errand.done(item, {
        id: clusterId,
        controller: orNull(controllerId),
        brokers: brokers
          .map(({ brokerId, host, port, rack, isFenced }) => ({ id: brokerId, host, port, rack, isFenced }))
          .sort((a, b) => a.id - b.id),
      })
    }
  }
}

/** Brokers before 2.8 do not know DescribeCluster. */
async function membersFromMetadata(items: readonly string[], errand: Errand<string, Members>): Promise<void> {
  const answer = await askMetadata(errand, items, [])
  if (answer === null) return
  const { clusterId, controllerId, brokers } = answer.body
  for (const item of items) {
    errand.done(item, {
      id: clusterId ?? '',
      controller: orNull(controllerId),
      brokers: brokers
        .map(({ nodeId, host, port, rack }) => ({ id: nodeId, host, port, rack, isFenced: false }))
        .sort((a, b) => a.id - b.id),
    })
  }
}

function askVersions(context: AdminContext, deadline: Deadline, node: number): Promise<BrokerVersions> {
  return askOnce<BrokerVersions>(context, deadline, apiVersionsApi.name, async (items, errand) => {
    await toOwnBrokers(
      errand,
      items,
      () => node,
      async () => {
        const { name, version } = software
        const request = { clientSoftwareName: name, clientSoftwareVersion: version }
        const answer = await errand.ask(items, node, apiVersionsApi, request)
        if (answer === null) return
        for (const item of items) {
          if (answer.body.errorCode === errorCodes.NONE) errand.done(item, await versionsOf(answer.node, answer.body))
          else errand.refused(item, answer.body.errorCode, answer.node, apiVersionsApi)
        }
      },
    )
  })
}

async function versionsOf(node: number, body: ApiVersionsResponse): Promise<BrokerVersions> {
  // All messages of the protocol: nobody else needs them for their names.
  const { apis } = await import('../protocol/generated/apis.ts')
  const names = new Map(apis.map(({ key, name }) => [key, name]))
  const levels = new Map(body.finalizedFeatures.map(({ name, maxVersionLevel }) => [name, maxVersionLevel]))
  const supported = new Map(
    body.supportedFeatures.map(({ name, minVersion, maxVersion }) => [name, { min: minVersion, max: maxVersion }]),
  )
  const features = [...new Set([...levels.keys(), ...supported.keys()])].sort()
  return {
    node,
    apis: body.apiKeys.map(({ apiKey, minVersion, maxVersion }) => ({
      key: apiKey,
      name: names.get(apiKey) ?? null,
      min: minVersion,
      max: maxVersion,
    })),
    features: features.map((name) => ({
      name,
      level: levels.get(name) ?? 0,
      supported: supported.get(name) ?? null,
    })),
  }
}

/** One question, one answer. */
async function askOnce<Result>(
  context: AdminContext,
  deadline: Deadline,
  request: string,
  attempt: (items: readonly string[], errand: Errand<string, Result>) => Promise<void>,
): Promise<Result> {
  const plan = { request, items: ['the cluster'], nameOf: (name: string): string => name, deadline, attempt }
  const [result] = await run<string, Result>(context, plan)
  return result as Result
}
