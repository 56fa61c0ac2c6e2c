/** Groups for assignors, in short: `orders:0 orders:1` are partitions. */
import type { MemberSubscription } from '../../../../../src/clients/native/group/assignors/assignor.ts'
import type { TopicPartition } from '../../../../../src/kernel/ids.ts'

export function partitions(text: string): TopicPartition[] {
  return text
    .split(' ')
    .filter((one) => one !== '')
    .map((one) => {
      const at = one.lastIndexOf(':')
      return { topic: one.slice(0, at), partition: Number(one.slice(at + 1)) }
    })
}

export function listed(all: readonly TopicPartition[] | undefined): string {
  return (all ?? [])
    .map(({ topic, partition }) => `${topic}:${partition}`)
    .sort()
    .join(' ')
}

export function member(
  memberId: string,
  topics: string,
  more: Partial<Omit<MemberSubscription, 'owned'>> & { readonly owned?: string } = {},
): MemberSubscription {
  return {
    memberId,
    groupInstanceId: null,
    topics: topics.split(' ').filter((topic) => topic !== ''),
    generationId: -1,
    userData: null,
    rackId: null,
    ...more,
    owned: partitions(more.owned ?? ''),
  }
}

export function counts(of: Readonly<Record<string, number>>): (topic: string) => number {
  return (topic) => of[topic] ?? 0
}

/** By member id. */
export function plan(result: ReadonlyMap<string, readonly TopicPartition[]>): Record<string, string> {
  return Object.fromEntries([...result].map(([id, all]) => [id, listed(all)]))
}
