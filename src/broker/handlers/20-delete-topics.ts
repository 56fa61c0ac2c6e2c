/**
 * DeleteTopics: topics and all their records, by name or by id.
 * v1–5 names · v5 an error message · v6 names or ids.
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type DeletableTopicResult,
  type DeleteTopicsRequest,
  deleteTopicsApi,
} from '../../protocol/generated/20-delete-topics.ts'
import { type Input, zeroUuid } from '../../protocol/types.ts'
import type { Broker } from '../broker.ts'
import { granted, outcomeOf, Refused } from '../refused.ts'
import { type Route, route } from '../server/route.ts'
import { isTooLate } from './controller-time.ts'
import { inTurn } from './topic-changes.ts'

type Result = Input<DeletableTopicResult>
type Asked = { readonly name: string | null; readonly topicId: string }

export function deleteTopics(broker: Broker): Route {
  return route(deleteTopicsApi, {
    handle: async (request, { version }) => {
      if (!broker.config.boolean('delete.topic.enable')) return refuseAll(request, errorCodes.TOPIC_DELETION_DISABLED)
      const { good, bad } = sorted(broker, asked(request))
      if (isTooLate(request)) {
        const late = good.map((topic) => ({ ...topic, errorCode: errorCodes.REQUEST_TIMED_OUT, errorMessage: null }))
        return { responses: [...bad, ...late] }
      }
      const done = await Promise.all(good.map((topic) => inTurn(broker, () => remove(broker, topic, version))))
      return { responses: [...bad, ...done] }
    },
    refuse: refuseAll,
  })
}

function asked({ topics, topicNames }: DeleteTopicsRequest): Asked[] {
  return [...topics, ...topicNames.map((name) => ({ name, topicId: zeroUuid }))]
}

function refuseAll(request: DeleteTopicsRequest, errorCode: number): { responses: Result[] } {
  return { responses: asked(request).map((topic) => ({ ...topic, errorCode, errorMessage: null })) }
}

/** What is asked for twice, by whatever name, is not done at all. */
function sorted(broker: Broker, topics: readonly Asked[]): { good: Asked[]; bad: Result[] } {
  const good = new Map<string, Asked>()
  const bad = new Map<string, Result>()
  const refuse = (key: string, topic: Asked, errorMessage: string): void => {
    good.delete(key)
    bad.set(key, { ...topic, errorCode: errorCodes.INVALID_REQUEST, errorMessage })
  }
  for (const topic of topics) {
    const { name, topicId } = topic
    const id = name === null ? topicId : (broker.topics.get(name)?.id ?? zeroUuid)
    const key = id === zeroUuid ? `name ${name}` : `id ${id}`
    if (name !== null && topicId !== zeroUuid) {
      refuse(`both ${name} ${topicId}`, topic, 'You may not specify both topic name and topic id.')
    } else if (name === null && topicId === zeroUuid) {
      refuse('neither', topic, 'Neither topic name nor id were specified.')
    } else if (good.has(key) || bad.has(key)) {
      const first = good.get(key)
      if (first === undefined) continue
      const mixed = (first.name === null) !== (name === null)
      const known = mixed ? { name: first.name ?? name, topicId: id } : topic
      const twice = name === null ? 'Duplicate topic id.' : 'Duplicate topic name.'
      refuse(key, known, mixed ? 'The provided topic name maps to an ID that was already supplied.' : twice)
    } else {
      good.set(key, topic)
    }
  }
  return { good: [...good.values()], bad: [...bad.values()] }
}

async function remove(broker: Broker, topic: Asked, version: number): Promise<Result> {
  const { name, topicId } = topic
  try {
    const found = name === null ? broker.topics.byId(topicId) : broker.topics.get(name)
    if (found === undefined) {
      throw name === null
        ? new Refused('UNKNOWN_TOPIC_ID', 'This server does not host this topic ID.')
        : new Refused('UNKNOWN_TOPIC_OR_PARTITION', 'This server does not host this topic-partition.')
    }
    await broker.topics.delete(found.name)
    return { name: found.name, topicId: version >= 6 ? found.id : zeroUuid, ...granted }
  } catch (error) {
    return { ...topic, ...outcomeOf(error) }
  }
}
