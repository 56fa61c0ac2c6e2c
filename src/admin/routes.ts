/** Who is to be asked: the controller, the leader of a partition, the coordinator of a group, every broker. */
import { byTopic } from '../cluster/leaders.ts'
import { type Answer, anyNode, type Question } from '../cluster/wire.ts'
import { FanlaneError } from '../errors.ts'
import type { Api } from '../protocol/api.ts'
import { errorCodes } from '../protocol/errors.ts'
import { type MetadataResponse, metadataApi } from '../protocol/generated/03-metadata.ts'
import { findCoordinatorApi } from '../protocol/generated/10-find-coordinator.ts'
import type { AdminContext, Deadline } from './context.ts'
import { type Asking, type AskSettings, type Errand, run } from './errand.ts'
import { AdminError } from './failures.ts'
import type { PartitionName } from './partitions.ts'

/** From this version of FindCoordinator on several can be asked for at once. */
const batchedFrom = 4

const keyTypes = { group: 0, transaction: 1 } as const

/** Metadata of these topics (null: of all; none: the brokers alone), and the brokers get known to the wire. */
export async function askMetadata<Item>(
  errand: Asking<Item>,
  items: readonly Item[],
  topics: readonly string[] | null,
): Promise<Answer<MetadataResponse> | null> {
  const answer = await errand.ask(items, anyNode, metadataApi, {
    topics: topics === null ? null : topics.map((name) => ({ name })),
    allowAutoTopicCreation: false,
  })
  if (answer === null) return null
  const { body, node } = answer
  if (body.errorCode !== errorCodes.NONE) {
    for (const item of items) errand.refused(item, body.errorCode, node, metadataApi)
    return null
  }
  if (body.brokers.length > 0) errand.context.wire.learnNodes(body.brokers, true)
  return answer
}

/** In KRaft every broker passes it on, and the metadata name one of them; before that it had to be the controller. */
export async function askController<Item, Q, R>(
  errand: Asking<Item>,
  items: readonly Item[],
  api: Api<Q, R>,
  question: Question<Q>,
  settings: AskSettings,
): Promise<Answer<R> | null> {
  const { context } = errand
  if (context.controller === null) {
    const metadata = await askMetadata(errand, items, [])
    if (metadata === null) return null
    context.controller = metadata.body.controllerId
  }
  const answer = await errand.ask(items, context.controller, api, question, settings)
  if (answer === null) context.controller = null
  return answer
}

/** An error of an answer that the controller should have given: it may be elsewhere. */
export function learnController(context: AdminContext, code: number): void {
  if (code === errorCodes.NOT_CONTROLLER || code === errorCodes.REQUEST_TIMED_OUT) context.controller = null
}

/** Calls `ask` for every leader, with its partitions. What has no leader now, or is unknown, is noted. */
export async function toLeaders<Item extends PartitionName>(
  errand: Asking<Item>,
  items: readonly Item[],
  ask: (node: number, theirs: readonly Item[]) => Promise<void>,
): Promise<void> {
  const topics = byTopic(items)
  const metadata = await askMetadata(errand, items, [...topics.keys()])
  if (metadata === null) return
  const byNode = new Map<number, Item[]>()
  for (const { name, errorCode, partitions } of metadata.body.topics) {
    const leaders = new Map(partitions.map((each) => [each.partitionIndex, each]))
    for (const item of topics.get(name ?? '') ?? []) {
      const found = leaders.get(item.partition)
      const code = found?.errorCode ?? (errorCode || errorCodes.UNKNOWN_TOPIC_OR_PARTITION)
      if (found === undefined || found.leaderId < 0) {
        errand.refused(item, code || errorCodes.LEADER_NOT_AVAILABLE, metadata.node, metadataApi)
      } else put(byNode, found.leaderId, [item])
    }
  }
  await Promise.all([...byNode].map(([node, theirs]) => ask(node, theirs)))
}

/** The same where all items are of one group. */
export function toCoordinatorOf<Item>(
  errand: Asking<Item>,
  group: string,
  items: readonly Item[],
  ask: (node: number, theirs: readonly Item[]) => Promise<void>,
): Promise<void> {
  return toCoordinators(errand, 'group', items, () => group, ask)
}

/** Calls `ask` for every coordinator, with the items whose group (or transactional id) it has. */
export async function toCoordinators<Item>(
  errand: Asking<Item>,
  kind: keyof typeof keyTypes,
  items: readonly Item[],
  keyOf: (item: Item) => string,
  ask: (node: number, theirs: readonly Item[]) => Promise<void>,
): Promise<void> {
  const open = Map.groupBy(items, keyOf)
  const byNode = new Map<number, Item[]>()
  // A broker from before batches answers for the first key only; the others are asked for one by one.
  for (let isBatched = true; open.size > 0; ) {
    const keys: readonly string[] = isBatched ? [...open.keys()] : [...open.keys()].slice(0, 1)
    const theirs = keys.flatMap((key) => open.get(key) ?? [])
    const answer = await errand.ask(theirs, anyNode, findCoordinatorApi, (version) =>
      version < batchedFrom
        ? { key: keys[0] ?? '', keyType: keyTypes[kind] }
        : { coordinatorKeys: keys, keyType: keyTypes[kind] },
    )
    if (answer === null) break
    const { body, version, node } = answer
    isBatched = version >= batchedFrom
    const found = isBatched ? body.coordinators : [{ ...body, key: keys[0] ?? '' }]
    for (const { key, nodeId, host, port, errorCode, errorMessage } of found) {
      if (errorCode === errorCodes.NONE) {
        errand.context.wire.learnNodes([{ nodeId, host, port }], false)
        put(byNode, nodeId, open.get(key) ?? [])
      } else {
        for (const item of open.get(key) ?? []) errand.refused(item, errorCode, node, findCoordinatorApi, errorMessage)
      }
      open.delete(key)
    }
    // An answer that left something out: it is asked for again in the next round.
    if (isBatched) break
  }
  await Promise.all([...byNode].map(([node, theirs]) => ask(node, theirs)))
}

function put<Item>(byNode: Map<number, Item[]>, node: number, items: readonly Item[]): void {
  const known = byNode.get(node)
  if (known === undefined) byNode.set(node, [...items])
  else known.push(...items)
}

/** Items that are for one broker alone (the others: any node). The wire hears of the brokers; one that is not there fails. */
export async function toOwnBrokers<Item>(
  errand: Asking<Item>,
  items: readonly Item[],
  nodeOf: (item: Item) => number,
  ask: (node: number, theirs: readonly Item[]) => Promise<void>,
): Promise<void> {
  const byNode = Map.groupBy(items, nodeOf)
  const owned = items.filter((item) => nodeOf(item) !== anyNode)
  const metadata = owned.length === 0 ? null : await askMetadata(errand, owned, [])
  const there = new Set(metadata?.body.brokers.map(({ nodeId }) => nodeId))
  const asked = [...byNode].map(async ([node, theirs]) => {
    if (node === anyNode || there.has(node)) return ask(node, theirs)
    if (metadata === null) return
    const message = `There is no broker ${node} in the cluster now; there are ${[...there].sort().join(', ')}. Ask one of those, or start it.`
    for (const item of theirs) errand.fail(item, new FanlaneError('BROKER_UNKNOWN', message, { retriable: true }))
  })
  await Promise.all(asked)
}

export interface BrokerName {
  readonly nodeId: number
  readonly host: string
  readonly port: number
  readonly rack: string | null
}

/** All brokers that are up, as one of them sees it. */
export async function brokersNow(context: AdminContext, deadline: Deadline): Promise<readonly BrokerName[]> {
  const [brokers = []] = await run<string, readonly BrokerName[]>(context, {
    request: 'Metadata',
    items: ['the cluster'],
    nameOf: (name) => name,
    deadline,
    attempt: async (items, errand) => {
      const metadata = await askMetadata(errand, items, [])
      for (const item of metadata === null ? [] : items) errand.done(item, metadata?.body.brokers ?? [])
    },
  })
  return brokers
}

/** Asks every broker, and joins what they say. One that says nothing is a failure; the others' results come with it. */
export async function everyBroker<Result>(
  context: AdminContext,
  deadline: Deadline,
  request: string,
  ask: (broker: BrokerName, errand: Errand<BrokerName, readonly Result[]>) => Promise<void>,
): Promise<readonly Result[]> {
  const plan = {
    request,
    items: await brokersNow(context, deadline),
    nameOf: ({ nodeId }: BrokerName): string => `broker ${nodeId}`,
    deadline,
    attempt: async (open: readonly BrokerName[], errand: Errand<BrokerName, readonly Result[]>): Promise<void> => {
      await Promise.all(open.map((broker) => ask(broker, errand)))
    },
  }
  try {
    return (await run<BrokerName, readonly Result[]>(context, plan)).flat()
  } catch (error) {
    throw error instanceof AdminError ? new AdminError(request, error.failures, error.results.flat()) : error
  }
}
