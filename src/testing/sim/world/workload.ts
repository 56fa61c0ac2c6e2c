/** The records of a run: most are there from the beginning, the rest arrive while things go wrong. */
import { encodeMap } from '../../../kernel/offset-map/index.ts'
import type { SimCluster } from '../cluster/sim-cluster.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import { outputsOf } from './behaviour.ts'
import type { Ledger } from './ledger.ts'
import type { Network } from './network.ts'
import { GROUP, INPUT_TOPIC } from './process.ts'
import type { Scenario } from './scenario.ts'

const LATER_SHARE = 0.4

type Input = (index: number) => { readonly key: string | null; readonly value: string }

export function fillLog(
  scenario: Scenario,
  clock: VirtualClock,
  cluster: SimCluster,
  ledger: Ledger,
  network: Network,
  input?: Input,
): void {
  const random = clock.stream('workload')
  const later = Math.floor(scenario.records * LATER_SHARE)
  let index = 0
  const append = (nowMs: number): void => appendOne(scenario, random, cluster, ledger, nowMs, input?.(index++))
  for (let count = 0; count < scenario.records - later; count++) append(0)
  for (let count = 0; count < later; count++) {
    clock.at(random() * scenario.safetyMs, () => {
      append(clock.now())
      network.armTick()
    })
  }
}

function appendOne(
  scenario: Scenario,
  random: () => number,
  cluster: SimCluster,
  ledger: Ledger,
  nowMs: number,
  given?: ReturnType<Input>,
): void {
  // Squared: some keys and partitions have more than others.
  const number = Math.floor(random() ** 2 * scenario.keys)
  const drawn = random() < scenario.nullKeyShare ? null : number === 0 ? '' : `key-${number}`
  const key = given === undefined ? drawn : given.key
  const partition = key === null ? Math.floor(random() * scenario.partitions) : hashOf(key) % scenario.partitions
  const size = 20 + Math.floor(random() * 80)
  const offset = cluster.append(nowMs, INPUT_TOPIC, partition, [{ key, value: given?.value ?? 'value', size }])
  // Compaction takes away only what was there before anybody read.
  if (nowMs === 0 && random() < scenario.faults.holes) cluster.removeRecords(INPUT_TOPIC, partition, [offset])
  else ledger.exists(partition, offset, key, outputsOf(scenario, partition, offset))
}

function hashOf(key: string): number {
  let hash = 0
  for (let at = 0; at < key.length; at++) hash = (Math.imul(hash, 31) + key.charCodeAt(at)) >>> 0
  return hash
}

/** Somebody else has committed for this group before: other tools, older versions, bits that fell over. */
export function strangeCommits(scenario: Scenario, clock: VirtualClock, cluster: SimCluster): void {
  const random = clock.stream('strange')
  for (let partition = 0; partition < scenario.partitions; partition++) {
    if (random() < 0.3) continue
    const { start } = cluster.bounds(INPUT_TOPIC, partition)
    const request = {
      kind: 'OffsetCommit',
      node: coordinatorOf(cluster),
      groupId: GROUP,
      generationId: -1,
      memberId: '',
      groupInstanceId: null,
      partitions: [
        { topic: INPUT_TOPIC, partition, committedOffset: start, committedLeaderEpoch: -1, committedMetadata: strange(start, random) },
      ],
    } as const
    cluster.request(clock.now(), request, () => undefined)
  }
}

function coordinatorOf(cluster: SimCluster): number {
  let node = 0
  cluster.request(0, { kind: 'FindCoordinator', keyType: 'group', key: GROUP }, (response) => {
    node = response.nodeId
  })
  return node
}

function strange(offset: number, random: () => number): string {
  const ours = encodeMap(offset, [1, 3, 2, 1], { maxChars: 40, alphabet: random() < 0.5 ? 'wide' : 'base64', truncate: false })
  const text = ours?.text ?? ''
  const at = Math.floor(random() * text.length)
  const flipped = text.charCodeAt(at) ^ (1 << Math.floor(random() * 16))
  const tries = ['NO_METADATA', '{"v":1}', 'AQAAAZ', text.slice(0, at), text.slice(0, at) + String.fromCharCode(flipped) + text.slice(at + 1)]
  return tries[Math.floor(random() * tries.length)] ?? ''
}
