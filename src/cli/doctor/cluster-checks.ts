/** Brokers, versions, permissions, limits, clocks, transactions: what has to be right whatever is read. */
import type { Admin } from '../../admin/admin.ts'
import type { ClusterDescription } from '../../admin/cluster.ts'
import { AdminError } from '../../admin/failures.ts'
import { FanlaneError } from '../../errors.ts'
import { clock } from '../pause.ts'
import { type Finding, fine, notice, unknown, wrong } from './finding.ts'

/** What fanlane speaks, and for what; the oldest version that will do. */
const needed: readonly { readonly api: string; readonly min: number; readonly what: string }[] = [
  { api: 'Produce', min: 3, what: 'record batches' },
  { api: 'Fetch', min: 4, what: 'record batches' },
  { api: 'OffsetCommit', min: 2, what: 'commits with metadata' },
  { api: 'OffsetFetch', min: 1, what: 'reading commits' },
  { api: 'JoinGroup', min: 0, what: 'consumer groups' },
]

const wished: readonly { readonly api: string; readonly min: number; readonly what: string }[] = [
  { api: 'OffsetFetch', min: 7, what: 'exactly-once that waits for the transaction of the previous owner' },
  { api: 'TxnOffsetCommit', min: 3, what: 'exactly-once that is fenced by the group' },
  { api: 'ConsumerGroupHeartbeat', min: 0, what: "the newer group protocol (client.protocol: 'consumer')" },
]

export async function clusterChecks(admin: Admin, cluster: ClusterDescription): Promise<Finding[]> {
  const findings: Finding[] = []
  findings.push(...brokerFindings(cluster))
  for (const { id, isFenced } of cluster.brokers) {
    if (!isFenced) findings.push(...(await versionFindings(admin, id)))
  }
  return findings
}

function brokerFindings({ brokers, controller }: ClusterDescription): Finding[] {
  const up = brokers.filter(({ isFenced }) => !isFenced)
  const names = up.map(({ id, host, port }) => `${id} at ${host}:${port}`).join(', ')
  const findings = [fine('brokers', `${up.length} up: ${names}`)]
  const down = brokers.filter(({ isFenced }) => isFenced)
  if (down.length > 0) {
    const ids = down.map(({ id }) => id).join(', ')
    findings.push(wrong('brokers', `registered, but not alive: ${ids}`, 'start them, or take them out of the cluster'))
  }
  if (controller === null) findings.push(wrong('controller', 'there is none', 'look at the logs of the controllers'))
  return findings
}

async function versionFindings(admin: Admin, node: number): Promise<Finding[]> {
  const check = `versions of ${node}`
  try {
    const { apis } = await admin.apiVersions(node)
    const max = new Map(apis.map(({ name, max: newest }) => [name, newest]))
    const lacks = (each: { readonly api: string; readonly min: number }): boolean =>
      (max.get(each.api) ?? -1) < each.min
    const missing = needed.filter(lacks)
    if (missing.length > 0) {
      return [
        wrong(check, `too old for ${missing.map(({ what }) => what).join(', ')}`, 'upgrade it to Kafka 2.1 or newer'),
      ]
    }
    const without = wished.filter(lacks)
    if (without.length === 0) return [fine(check, 'speaks all that fanlane can use')]
    return [notice(check, `too old for ${without.map(({ what }) => what).join('; ')}`, 'upgrade it if you need that')]
  } catch (error) {
    return [wrong(check, messageOf(error), 'look whether this address can be reached from here (advertised.listeners)')]
  }
}

/** The largest of all brokers' limits does not help: a group's coordinator may be any of them. */
export async function metadataLimit(admin: Admin, cluster: ClusterDescription, mapMaxChars: number): Promise<Finding> {
  const check = 'offset map'
  const limits: number[] = []
  for (const { id, isFenced } of cluster.brokers) {
    if (isFenced) continue
    try {
      const keys = ['offset.metadata.max.bytes']
      const [described] = await admin.describeConfigs([{ type: 'broker', name: String(id), keys }])
      const value = Number(described?.configs['offset.metadata.max.bytes']?.value)
      if (Number.isSafeInteger(value)) limits.push(value)
    } catch (error) {
      return unknown(check, `offset.metadata.max.bytes cannot be read: ${messageOf(error)}`)
    }
  }
  const limit = Math.min(...limits)
  if (limits.length === 0) return unknown(check, 'no broker says what offset.metadata.max.bytes is')
  if (mapMaxChars <= limit) return fine(check, `up to ${mapMaxChars} characters, the brokers take ${limit}`)
  return wrong(
    check,
    `commit.mapMaxChars is ${mapMaxChars}, and offset.metadata.max.bytes of a broker is ${limit}`,
    `set commit.mapMaxChars to ${limit}, or raise offset.metadata.max.bytes`,
  )
}

const SKEW_MAX_MS = 5_000

/** Our time beside that of the newest record that a broker stamped, is only a floor: so only a future one tells. */
export function clockFinding(newestMs: number | null): Finding {
  const check = 'clock'
  if (newestMs === null) return unknown(check, 'no record to compare with')
  const aheadMs = newestMs - clock.now()
  if (aheadMs > SKEW_MAX_MS) {
    return wrong(
      check,
      `the newest record is from ${Math.round(aheadMs / 1_000)} s in our future: the clock here, or of a producer, is wrong`,
      'set the clocks (NTP); times of records decide retention and starting by time',
    )
  }
  return fine(check, `the newest record is from ${ago(-aheadMs)} ago`)
}

/** As far as one can tell without being told: asking for what needs the right shows whether it is there. */
export async function permissionFindings(
  admin: Admin,
  topics: readonly string[],
  group: string | null,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const tried = async (check: string, what: string, ask: () => Promise<unknown>): Promise<void> => {
    try {
      await ask()
      findings.push(fine(check, `${what}: allowed`))
    } catch (error) {
      const isRefused = error instanceof FanlaneError && error.code.endsWith('AUTHORIZATION_FAILED')
      if (isRefused)
        findings.push(wrong(check, `${what}: refused (${(error as FanlaneError).code})`, 'add an ACL for this user'))
      else findings.push(unknown(check, `${what}: ${messageOf(error)}`))
    }
  }
  if (topics.length > 0) await tried('permissions', `describe ${topics.join(', ')}`, () => admin.describeTopics(topics))
  if (group !== null) await tried('permissions', `read group ${group}`, () => admin.committed(group))
  await tried('permissions', 'list groups', () => admin.listGroups())
  return findings
}

const HANGING_MS = 15 * 60_000

/** A transaction that stays open keeps readers of committed records waiting. */
export async function transactionFinding(admin: Admin): Promise<Finding> {
  const check = 'transactions'
  try {
    const open = await admin.listTransactions({ states: ['Ongoing'] })
    if (open.length === 0) return fine(check, 'none is open')
    const described = await admin.describeTransactions(open.map(({ transactionalId }) => transactionalId))
    const old = described.filter(({ startedMs }) => startedMs !== null && clock.now() - startedMs > HANGING_MS)
    if (old.length === 0) return fine(check, `${open.length} open, none for long`)
    const ids = old.map(({ transactionalId }) => transactionalId).join(', ')
    return wrong(
      check,
      `open for more than 15 minutes: ${ids}`,
      'readers of committed records wait behind it: end its producer, or abort it (kafka-transactions.sh abort)',
    )
  } catch (error) {
    return unknown(check, messageOf(error))
  }
}

export function messageOf(error: unknown): string {
  if (error instanceof AdminError) return `${error.code}: ${error.message}`
  return error instanceof Error ? error.message : String(error)
}

export function ago(ms: number): string {
  const seconds = Math.max(0, ms / 1_000)
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} days`
}
