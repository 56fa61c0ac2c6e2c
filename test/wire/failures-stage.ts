/**
 * The stages of failures that were found in clients: what others do to a group and to a log. The suites here and the scripts
 * of bench/peers/failures/, which run the same against those clients, share them.
 */
import { leaveGroupApi } from '../../src/protocol/generated/13-leave-group.ts'
import { unique } from '../support/targets.ts'
import { until } from '../support/wait.ts'
import { mustBe, type Plain, type RawKafka } from './support/raw-kafka.ts'
import { RawTransactions } from './support/raw-transactions.ts'

/** As an operator removes members from a group. Those who are out hear of it when they next speak to it. */
export async function evictAll(raw: RawKafka, group: string): Promise<void> {
  const members = (await raw.members(group)).map(({ memberId }) => ({ memberId }))
  const answer = await raw.send(leaveGroupApi, 3, { groupId: group, members })
  mustBe(answer.errorCode, `LeaveGroup ${group}`)
  for (const { errorCode, memberId } of answer.members) mustBe(errorCode, `LeaveGroup ${memberId}`)
  await until('nobody is in the group', async () => (await raw.members(group)).length === 0)
}

export interface AbortedCase {
  readonly name: string
  /** A fetch that asks for more than this splits the case where it must be split. */
  readonly partitionMaxBytes: number
  /** Where the group has to begin; 0 is the beginning. */
  readonly from: number
  /** Values that a read_committed reader has to see, in their order. */
  write(raw: RawKafka, topic: string): Promise<readonly string[]>
}

const large = 2 ** 20

/** One record to a batch. */
async function each(values: readonly string[], write: (record: Plain) => Promise<unknown>): Promise<void> {
  for (const value of values) await write({ key: 'k', value })
}

const plain = async (raw: RawKafka, topic: string, ...values: readonly string[]): Promise<readonly string[]> => {
  await each(values, (record) => raw.produce(topic, 0, [record]))
  return values
}

async function transaction(
  producer: RawTransactions,
  topic: string,
  outcome: 'commit' | 'abort',
  values: readonly string[],
): Promise<void> {
  await each(values, (record) => producer.write(topic, 0, [record]))
  await producer.end(outcome === 'commit')
}

/** Ways in which an aborted transaction can lie in the answers to fetches. */
export const abortedCases: readonly AbortedCase[] = [
  {
    name: 'one aborted transaction in one answer',
    partitionMaxBytes: large,
    from: 0,
    async write(raw, topic) {
      const producer = await RawTransactions.init(raw, unique('tx'))
      await transaction(producer, topic, 'abort', ['aborted-1', 'aborted-2'])
      return plain(raw, topic, 'plain')
    },
  },
  {
    name: 'two aborted transactions of one producer in one answer',
    partitionMaxBytes: large,
    from: 0,
    async write(raw, topic) {
      const producer = await RawTransactions.init(raw, unique('tx'))
      await transaction(producer, topic, 'abort', ['aborted-1'])
      await transaction(producer, topic, 'abort', ['aborted-2'])
      return plain(raw, topic, 'plain')
    },
  },
  {
    name: 'the abort marker comes in a later answer than the records',
    partitionMaxBytes: 1_000,
    from: 0,
    async write(raw, topic) {
      const producer = await RawTransactions.init(raw, unique('tx'))
      const values = Array.from({ length: 10 }, (_, at) => `aborted-${at}`.padEnd(400, '.'))
      await transaction(producer, topic, 'abort', values)
      return plain(raw, topic, 'plain')
    },
  },
  {
    name: 'aborted, committed, aborted by one producer, with another one in between',
    partitionMaxBytes: large,
    from: 0,
    async write(raw, topic) {
      const producer = await RawTransactions.init(raw, unique('tx'))
      const other = await RawTransactions.init(raw, unique('tx'))
      await transaction(producer, topic, 'abort', ['aborted-1'])
      await other.write(topic, 0, [{ key: 'k', value: 'other' }])
      await transaction(producer, topic, 'commit', ['committed'])
      await transaction(producer, topic, 'abort', ['aborted-2'])
      await other.end(true)
      return ['other', 'committed', ...(await plain(raw, topic, 'plain'))]
    },
  },
  {
    name: 'reading begins inside an aborted transaction',
    partitionMaxBytes: large,
    from: 2,
    async write(raw, topic) {
      const producer = await RawTransactions.init(raw, unique('tx'))
      const values = Array.from({ length: 5 }, (_, at) => `aborted-${at}`.padEnd(150, '.'))
      await transaction(producer, topic, 'abort', values)
      return plain(raw, topic, 'plain')
    },
  },
]
