/** Topics and a group: what their settings mean for a consumer that is behind. */
import type { Admin } from '../../admin/admin.ts'
import type { ConfigDescription } from '../../admin/config-entries.ts'
import { FanlaneError } from '../../errors.ts'
import { groupState } from '../group-state.ts'
import { clock } from '../pause.ts'
import { ago, messageOf } from './cluster-checks.ts'
import { type Finding, fine, notice, unknown, wrong } from './finding.ts'

type Configs = Readonly<Record<string, ConfigDescription>>

export async function topicFindings(admin: Admin, topic: string, brokers: number): Promise<Finding[]> {
  const check = `topic ${topic}`
  try {
    const [description] = await admin.describeTopics([topic])
    const [described] = await admin.describeConfigs([{ type: 'topic', name: topic }])
    const configs = described?.configs ?? {}
    const partitions = description?.partitions ?? []
    const findings: Finding[] = []
    const leaderless = partitions.filter(({ leader }) => leader === null)
    if (leaderless.length > 0) {
      findings.push(
        wrong(check, `${leaderless.length} partitions without a leader`, 'start the brokers that have them'),
      )
    }
    findings.push(...replicaFindings(check, partitions, configs, brokers))
    if (partitions.length === 1) {
      findings.push(
        notice(
          check,
          'one partition: one process reads it, with as many handlers at once as you like',
          'add partitions if you want several processes',
        ),
      )
    }
    if (findings.length === 0) findings.push(fine(check, `${partitions.length} partitions, all in sync`))
    return findings
  } catch (error) {
    if (error instanceof FanlaneError && error.code === 'UNKNOWN_TOPIC_OR_PARTITION') {
      return [wrong(check, 'there is no such topic, or this user may not see it', `fanlane topics create ${topic}`)]
    }
    return [unknown(check, messageOf(error))]
  }
}

function replicaFindings(
  check: string,
  partitions: readonly { readonly replicas: readonly number[]; readonly isr: readonly number[] }[],
  configs: Configs,
  brokers: number,
): Finding[] {
  const replicas = Math.min(...partitions.map((each) => each.replicas.length))
  const minIsr = Number(configs['min.insync.replicas']?.value ?? 1)
  const behind = partitions.filter(({ isr, replicas: all }) => isr.length < all.length).length
  const below = partitions.filter(({ isr }) => isr.length < minIsr).length
  if (below > 0) {
    return [
      wrong(
        check,
        `${below} partitions have fewer replicas in sync than min.insync.replicas (${minIsr}): they take no writes`,
        'start the missing brokers',
      ),
    ]
  }
  if (behind > 0) return [notice(check, `${behind} partitions have replicas that are behind`, 'look at their brokers')]
  if (brokers > 1 && replicas < 2) {
    return [notice(check, 'one replica: its broker gone is its data gone', 'give it three, and min.insync.replicas=2')]
  }
  if (replicas > 1 && minIsr >= replicas) {
    return [
      notice(
        check,
        `min.insync.replicas (${minIsr}) is all of its replicas: one broker down stops writing`,
        'set it one lower',
      ),
    ]
  }
  return []
}

/** Records that expire before they are read are lost to the group. */
export async function groupFindings(admin: Admin, group: string): Promise<Finding[]> {
  const check = `group ${group}`
  try {
    const partitions = await groupState(admin, group, true)
    if (partitions.length === 0) return [notice(check, 'has committed nothing yet', 'start its consumer')]
    const findings: Finding[] = []
    const lost = partitions.filter(({ position, logStart }) => position !== null && position < logStart)
    for (const { topic, partition, position, logStart } of lost) {
      findings.push(
        wrong(
          check,
          `${topic}-${partition}: stands at ${position}, and the log begins at ${logStart}: ${logStart - (position ?? 0)} records expired unread`,
          'raise retention.ms of the topic, or the concurrency of the consumer',
        ),
      )
    }
    const beyond = partitions.filter(({ position, logEnd }) => position !== null && position > logEnd)
    for (const { topic, partition, position, logEnd } of beyond) {
      findings.push(
        wrong(
          check,
          `${topic}-${partition}: stands at ${position}, and the log ends at ${logEnd}: the topic was made anew, or has lost records`,
          `fanlane groups reset ${group} --topic ${topic} --to earliest --dry-run`,
        ),
      )
    }
    const foreign = partitions.filter(({ map }) => map.kind === 'ignored')
    if (foreign.length > 0) {
      findings.push(
        notice(
          check,
          `${foreign.length} commits carry metadata that is no map of ours`,
          'is another program in this group?',
        ),
      )
    }
    findings.push(
      ...(await retentionFindings(
        admin,
        check,
        partitions.filter(({ lag }) => lag > 0),
      )),
    )
    if (findings.length === 0) {
      const lag = partitions.reduce((sum, each) => sum + each.lag, 0)
      findings.push(fine(check, `${partitions.length} partitions, ${lag} records behind`))
    }
    return findings
  } catch (error) {
    return [unknown(check, messageOf(error))]
  }
}

/** Three quarters of the time that records live have passed for the next one to be read. */
const WORRY = 0.75

async function retentionFindings(
  admin: Admin,
  check: string,
  behind: readonly {
    readonly topic: string
    readonly partition: number
    readonly position: number | null
    readonly logStart: number
  }[],
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const topic of new Set(behind.map((each) => each.topic))) {
    const keys = ['retention.ms', 'cleanup.policy']
    const [described] = await admin.describeConfigs([{ type: 'topic', name: topic, keys }])
    const retentionMs = Number(described?.configs['retention.ms']?.value ?? -1)
    const expires = (described?.configs['cleanup.policy']?.value ?? 'delete').includes('delete')
    if (!expires || !(retentionMs > 0)) continue
    const at = { timestamp: Math.floor(clock.now() - retentionMs * WORRY) }
    const own = behind.filter((each) => each.topic === topic)
    const offsets = await admin.listOffsets(own.map(({ partition }) => ({ topic, partition, at })))
    const late = own.filter(({ partition, position, logStart }) => {
      const young = offsets.find((each) => each.partition === partition)?.offset ?? null
      return young === null || (position ?? logStart) < young
    })
    if (late.length === 0) continue
    findings.push(
      wrong(
        check,
        `${topic}: in ${late.length} partitions the next record is older than ${ago(retentionMs * WORRY)}, and records live for ${ago(retentionMs)}`,
        'raise retention.ms of the topic now, then the concurrency of the consumer',
      ),
    )
  }
  return findings
}

/** How far a dead-letter topic was redriven is remembered by a group, and groups without members forget. */
export async function letterFindings(admin: Admin, node: number): Promise<Finding[]> {
  const topics = (await admin.listTopics()).filter(({ name }) => name.endsWith('.dlq'))
  if (topics.length === 0) return []
  const check = 'dead letters'
  const keys = ['offsets.retention.minutes']
  const [broker] = await admin.describeConfigs([{ type: 'broker', name: String(node), keys }])
  const keptMs = Number(broker?.configs['offsets.retention.minutes']?.value ?? Number.NaN) * 60_000
  if (!Number.isFinite(keptMs)) return [unknown(check, 'no broker says what offsets.retention.minutes is')]
  const described = await admin.describeConfigs(
    topics.map(({ name }) => ({ type: 'topic' as const, name, keys: ['retention.ms'] })),
  )
  const longer = described.filter(({ configs }) => {
    const ms = Number(configs['retention.ms']?.value ?? -1)
    return ms < 0 || ms > keptMs
  })
  if (longer.length === 0)
    return [fine(check, `${topics.length} topics, none outlives what is remembered of redriving it`)]
  const names = longer.map(({ name }) => name).join(', ')
  return [
    notice(
      check,
      `${names}: letters live longer than the memory of their redrive (${ago(keptMs)}); redriven ones would go again after that`,
      'set retention.ms of the topic to that or less, or raise offsets.retention.minutes',
    ),
  ]
}
